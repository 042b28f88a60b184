"""Elements added to what is some steps on, by meshes and frames, and by NumPy alone."""

from itertools import product

import numpy as np


def carried(x, steps, periodic, apart, edge):
    """The array that has the sums of what x has so many steps before, or nothing."""
    for axis, (step, ring, far) in enumerate(zip(steps, periodic, apart, strict=True)):
        x = np.moveaxis(x, axis, 0)
        there = np.arange(len(x)) + step * far
        while edge and not ring and ((there < 0) | (there >= len(x))).any():
            there += far * (there < 0)
            there -= far * (there >= len(x))
        inside = (there >= 0) & (there < len(x)) | ring
        out = np.zeros_like(x)
        np.add.at(out, there[inside] % len(x), x[inside])
        x = np.moveaxis(out, 0, axis)
    return x


def added_back(u, x, reach, **options):
    """What ``add_back`` makes of all steps of a window, each with its own weight; and NumPy."""
    given, w = (u.halo(reach, **options) for _ in "gw")
    reach, d = w.halo.reach, len(w.halo.reach)
    ends = [sorted({-below, 0, above}) for below, above in reach]
    steps = [s for s in product(*ends) if w.halo.corners or sum(map(bool, s)) < 2]
    for mesh in w.meshes:
        mesh[...] = 0
    wanted = np.zeros_like(x)
    for weight, these in enumerate(steps, start=1):
        there, here = w.places(these), given.places((0,) * d)
        for k, mesh in enumerate(w.meshes):
            mesh[there[k]] += weight * given.meshes[k][here[k]]
        edge = options.get("fill") == "edge"
        wanted += weight * carried(x, these, w.halo.periodic, w.halo.stride, edge)
    found = w.add_back()
    frames = [mesh.sum() - mesh[on].sum() for mesh, on in zip(w.meshes, here, strict=True)]
    return found, wanted, not np.any(frames)
