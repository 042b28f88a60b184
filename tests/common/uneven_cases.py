"""Layouts by ownership: lengths that do not divide, any number of nodes, empty pieces."""

import numpy as np

import graycube as gc


def meshes(count):
    """Meshes of so many nodes, with two factors each way."""
    return [(a, count // a) for a in range(1, count + 1) if count % a == 0]


def uneven(count):
    """Layouts of two axes on so many nodes; none of them is affine."""
    shapes = (
        ((7, 9), "consecutive"),
        ((13, 5), ("cyclic", "consecutive")),
        ((9, 10), ("consecutive", "cyclic")),
    )
    for k, nodes in enumerate(meshes(count)):
        for shape, allocation in shapes if count < 6 else (shapes[0], shapes[1 + k % 2]):
            codes = tuple("gray" if k & (k - 1) == 0 else "binary" for k in nodes)
            made = gc.Layout.mesh(shape, nodes, code=codes, allocation=allocation)
            if isinstance(made, gc.layout.Ownership):
                yield made
    yield gc.Layout.mesh((1, 2), (count, 1)) if count > 2 else gc.Layout.mesh((3, 3), (2, 1))
    yield gc.Layout.mesh((3 * count, 10), (count, 1), ownership=True)


def owners(shape, nodes, codes, places):
    """The node of every element, from the definition, one by one."""
    found = np.zeros(shape, int)
    for index in np.ndindex(*shape):
        node = 0
        for i, length, parts, code, place in zip(
            index, shape, nodes, codes, places, strict=True
        ):
            part = i % parts if place == "cyclic" else i // -(-length // parts)
            node = node * parts + (part ^ part >> 1 if code == "gray" else part)
        found[index] = node
    return found


def of_either_kind(ranks):
    """Those, and where ranks are a power of two meshes of theirs, coded and dealt out."""
    yield from uneven(ranks)
    if ranks & (ranks - 1):
        return
    for nodes in meshes(ranks):
        for code, allocation in (("gray", "consecutive"), ("binary", "cyclic")):
            yield gc.Layout.mesh((8, 24), nodes, code=code, allocation=allocation)
