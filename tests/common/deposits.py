"""Elements added to what is some steps on, by meshes and frames, and by NumPy alone."""

from itertools import product

import numpy as np
from beyond import pairs_of, seen


def carried(x, steps, periodic, apart, fill):
    """The array that has the sums of what x has so many steps before, or nothing."""
    every = zip(steps, apart, periodic, pairs_of(fill, len(steps)), strict=True)
    for axis, (step, far, ring, pair) in enumerate(every):
        x = np.moveaxis(x, axis, 0)
        out = np.zeros_like(x)
        for row, (sign, there) in zip(x, seen(len(x), step, far, ring, pair), strict=True):
            if sign:
                out[there] += sign * row
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
        fill = options.get("fill", 0)
        wanted += weight * carried(x, these, w.halo.periodic, w.halo.stride, fill)
    found = w.add_back()
    frames = [mesh.sum() - mesh[on].sum() for mesh, on in zip(w.meshes, here, strict=True)]
    return found, wanted, not np.any(frames)
