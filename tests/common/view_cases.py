"""Layouts that the picture tests share."""

import graycube as gc

mesh = gc.Layout.mesh

TABLES = {
    "cyclic-gray": gc.Layout.cyclic(6, 3, nodes="gray"),
    "cyclic-32-nodes": gc.Layout.cyclic(10, 5),
    "consecutive-gray-slots": gc.Layout.consecutive(10, 2, nodes="gray", slots="gray"),
    "consecutive-1000": mesh((1000,), nodes=(8,), code="gray", ownership=False),
    "cyclic-1000": mesh((1000,), nodes=(8,), allocation="cyclic", ownership=False),
    "one-element": gc.Layout.nodes(0),
}
GRIDS = {
    "gray": mesh((64, 32), nodes=(8, 4), code="gray"),
    "binary": mesh((64, 32), nodes=(8, 4)),
    "cyclic": mesh((16, 16), nodes=(4, 4), code="gray", allocation="cyclic"),
    "1000x96": mesh((1000, 96), nodes=(8, 4), code="gray", ownership=False),
    "64-columns": mesh((128, 64), nodes=(32, 64), allocation="cyclic"),
    "three-axes": mesh((8, 16, 32), nodes=(8, 2, 4), code="gray"),
    "four-axes": mesh((4, 3, 64, 64), nodes=(4, 1, 32, 32), code="gray", ownership=False),
}
HUGE = {
    "huge-consecutive": gc.Layout.consecutive(60, 30, nodes="gray"),
    "huge-whole-gray": gc.Layout.cyclic(60, 30, whole="gray"),
    "huge-mesh": mesh((2**30, 2**30), nodes=(2**15, 2**15), code="gray"),
    "huge-cyclic-mesh": mesh((2**30, 2**30), nodes=(2**15, 2**15), allocation="cyclic"),
}


def hops(a, b):
    return (a ^ b).bit_count()
