"""What an error about operands tells people to type works when it is typed."""

import re
from itertools import combinations, product

import numpy as np
import pytest
from sweeping import sweep

import graycube as gc
from graycube.errors import GraycubeError

NAMES = ("first", "second", "third")
PAYLOADS = ((), (3,), (2,), (2, 3))


def layouts():
    """Layouts on 8 nodes and on 2: in bits and in boxes, with copies, of fewer axes."""
    for nodes, code in (((8, 1), "gray"), ((4, 2), "binary"), ((2, 1), "binary")):
        for kind in (False, True):
            yield gc.Layout.mesh((8, 6), nodes, code=code, ownership=kind)
    yield gc.Layout.mesh((8, 6), (4, 2), allocation="cyclic", ownership=False)
    yield gc.Layout.mesh((8, 6), (2, 4))
    yield gc.Layout.mesh((8, 6, 4), (8, 1, 1), ownership=False).without_axes([2])
    yield gc.Layout.mesh((4, 8, 6), (4, 2, 1)).without_axes([0])
    for shape in ((8, 1), (1, 6), (1, 1)):
        for nodes in ((8, 1), (1, 8)):
            yield gc.Layout.mesh(shape, nodes)
    for axes, kept in product(((0,), (1,)), (False, True)):
        for layout in (gc.Layout.mesh((8, 6), (4, 2)), gc.Layout.mesh((8, 8), (2, 4))):
            yield layout.without_axes(axes, keepdims=kept)
    for shape in ((6,), (8,), (1,), (5,), (6, 8), (2, 8, 6)):
        yield gc.Layout.mesh(shape, (8, *(1,) * (len(shape) - 1)))


def arrays():
    draw = np.random.default_rng(0)
    for layout, payload in product(layouts(), PAYLOADS):
        yield gc.CubeArray.from_numpy(draw.standard_normal((*layout.shape, *payload)), layout)
    for shape in ((3,), (6,), (8, 6), (8, 1), (2, 3), (8, 6, 3), (5, 5)):
        yield draw.standard_normal(shape)


def whole(x, axes, payload):
    """The plain array, with so many axes of layouts and of payload."""
    own = len(x.layout.shape) if isinstance(x, gc.CubeArray) else 0
    plain = x.to_numpy() if isinstance(x, gc.CubeArray) else x
    shape = plain.shape
    ones = ((1,) * (axes - own), (1,) * (payload - len(shape) + own))
    return plain.reshape(*ones[0], *shape[:own], *ones[1], *shape[own:])


def plainly(function, given):
    """What NumPy makes of the whole arrays: axes of layouts align, and payload does."""
    owns = [len(x.layout.shape) if isinstance(x, gc.CubeArray) else 0 for x in given]
    rest = [x.ndim - own for x, own in zip(given, owns, strict=True)]
    return function(*(whole(x, max(owns), max(rest)) for x in given))


def followed(hint, names):
    """The arrays after what the hint says was typed."""
    known = dict(names, gc=gc)
    told = re.fullmatch(r"(?:with layout = (.*) |if .*, |for all pairs .*)?use (.*)", hint)
    assert told, hint
    if told[1]:
        known["layout"] = eval(told[1], known)  # noqa: S307 - of our own making
    for part in told[2].split(" and "):
        name = re.match(r"(?:gc\.CubeArray\.from_numpy\()?(\w+)", part)[1]
        names = {**names, name: eval(part, known)}  # noqa: S307
    return names


def stretched(short, long):
    """All shapes of as many axes that differ in axes of length 1."""
    for places in combinations(range(long), len(short)):
        found = np.ones(long, int)
        found[list(places)] = short
        yield tuple(found.tolist())


def fits(*shapes):
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def with_ones(given, names):
    """Shapes of layouts, those of the names with axes of length 1 anywhere."""
    shapes = [x.layout.shape for x in given if isinstance(x, gc.CubeArray)]
    ours = [n for n, x in zip(NAMES, given, strict=False) if isinstance(x, gc.CubeArray)]
    most = max(map(len, shapes))
    choices = [
        [*stretched(shape, most)] if name in names else [shape]
        for name, shape in zip(ours, shapes, strict=True)
    ]
    return product(*choices)


def hopeless(given):
    """Whether axes of length 1 in shapes of layouts, or behind payloads, do not help either."""
    if not any(fits(*shapes) for shapes in with_ones(given, ())):
        return not any(fits(*shapes) for shapes in with_ones(given, NAMES))
    payloads = [x.payload if isinstance(x, gc.CubeArray) else x.shape for x in given]
    one = (
        [*payloads[:k], p + (1,) * m, *payloads[k + 1 :]]
        for k, p in enumerate(payloads)
        for m in (1, 2, 3)
    )
    return not any(fits(*changed) for changed in one)


def tried(function, given, steps=4):
    """What is wrong with the errors of some operands, or nothing; one may follow another."""
    try:
        made = function(*given)
    except GraycubeError as error:
        hint = error.hint
    else:
        wanted = plainly(function, given)
        return "" if np.allclose(made.to_numpy(), wanted) else "a wrong result"
    if hint.startswith("no relayout"):
        return "" if hopeless(given) else f"there is hope in spite of: {hint}"
    if kept := re.fullmatch(r"make (.*) with keepdims=True", hint):
        changed = kept[1].split(" and ")
        return "" if any(fits(*s) for s in with_ones(given, changed)) else hint
    if not steps:
        return f"still: {hint}"
    after = followed(hint, dict(zip(NAMES, given, strict=False)))
    return tried(function, [*after.values()], steps - 1)


def complaints(function, count, tries):
    draw, every = np.random.default_rng(count), [*arrays()]
    for _ in range(tries):
        given = [every[k] for k in draw.integers(len(every), size=count)]
        if any(isinstance(x, gc.CubeArray) for x in given):
            wrong = tried(function, given)
            if wrong:
                yield f"{wrong} ({[x.shape for x in given]}, {given})"


@pytest.mark.parametrize("tries", [400, *sweep((5_000,))])
def test_two_operands_meet_after_the_hint(tries):
    assert not [*complaints(np.add, 2, tries)]


@pytest.mark.parametrize("tries", [200, *sweep((5_000,))])
def test_three_operands_meet_after_the_hint(tries):
    assert not [*complaints(lambda a, b, c: np.where(a > 0, b, c), 3, tries)]


def put(value, target):
    """The target, a copy, with other elements."""
    made = np.copy(target)
    made[...] = value
    return made


def added_in_place(value, target):
    made = np.copy(target)
    made += value
    return made


@pytest.mark.parametrize("call", [put, added_in_place])
def test_what_is_written_to_keeps_its_layout(call):
    draw, every = np.random.default_rng(7), [x for x in arrays() if isinstance(x, gc.CubeArray)]
    told = set()
    for k, j in draw.integers(len(every), size=(200, 2)):
        value, target = every[k], every[j]
        try:
            call(value, target)
        except GraycubeError as error:
            hint = error.hint
            told.add(hint[:9])
            if hint.startswith("give it a name"):
                lengths = (
                    (value.layout.shape, target.layout.shape),
                    (value.payload, target.payload),
                )
                assert sum((np.broadcast_shapes(*pair) for pair in lengths), ()) != target.shape
            elif "relayout(" in hint or "to_numpy()" in hint:
                names = {"first": value, "second": value, "target": target}
                if call is added_in_place:  # u += v is u, v
                    names["first"] = target
                after = followed(hint, names)
                moved = after["first" if call is put else "second"]
                assert call(moved, target).layout == target.layout
    assert {"use first", "use gc.Cu", "give it a"} & told
