"""What is made of large blocks is what NumPy makes, and in memory that nobody sees."""

import sys
import threading
from itertools import product

import numpy as np
import pytest
from contents import noise

import graycube as gc
from graycube.array.results import along_last, crossed, made_of
from graycube.run.reused import LARGE, MOST, Memory, Shelf, reused

LAYOUTS = (
    gc.Layout.mesh((24, 20, 12), nodes=(1, 1, 1)),
    gc.Layout.mesh((16, 16, 16), nodes=(2, 2, 1), code="gray"),
    gc.Layout.mesh((23, 17, 15), nodes=(3, 1, 1)),
)
PAYLOADS = (((3,), (3,)), ((3,), ()), ((), (2,)), ((3, 3), (3,)), ((3, 1), (1, 3)), ((9,), ()))
DTYPES = ("?", "b", "i4", "f4", "f8", "D")


def payload_last(x, layout, count):
    """The same with so many axes of payload, as NumPy wants them to broadcast."""
    d = len(layout.shape)
    return x.reshape(*layout.shape, *(1,) * (count - (x.ndim - d)), *x.shape[d:])


def same(found, wanted):
    assert found.dtype == wanted.dtype
    assert np.array_equal(found.to_numpy(), wanted, equal_nan=wanted.dtype.kind in "fc")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("payloads", PAYLOADS)
def test_arithmetic_is_numpys_to_the_last_bit(layout, payloads):
    count = max(map(len, payloads))
    for kinds in product(DTYPES, repeat=2):
        given = [
            noise((*layout.shape, *payload), dtype, k)
            for k, (payload, dtype) in enumerate(zip(payloads, kinds, strict=True))
        ]
        arrays = [gc.CubeArray.from_numpy(x, layout) for x in given]
        plain = [payload_last(x, layout, count) for x in given]
        for ufunc in (np.add, np.multiply, np.greater, np.hypot, np.true_divide):
            try:
                with np.errstate(all="ignore"):
                    wanted = ufunc(*plain)
            except TypeError:
                continue
            with np.errstate(all="ignore"):
                same(ufunc(*arrays), wanted)


@pytest.mark.parametrize("number", [2, 2.5, 1j, True, np.float32(3), np.int8(3)])
def test_numbers_keep_their_weak_types(number):
    for dtype in DTYPES:
        x = noise((24, 20, 12, 3), dtype)
        same(gc.CubeArray.from_numpy(x, LAYOUTS[0]) * number, x * number)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["i8", "f4", "f8", "D"])
def test_vectors(layout, dtype):
    x, y = noise((*layout.shape, 3), dtype), noise((*layout.shape, 3), "f8", 1)
    u, v = (gc.CubeArray.from_numpy(z, layout) for z in (x, y))
    for a, b, p, q in (
        (u, v, x, y),
        (v, u, y, x),
        (u, [1, 0, 2], x, [1, 0, 2]),
        ([1.5, 1, 1j], u, [1.5, 1, 1j], x),
    ):
        same(np.cross(a, b), np.cross(p, q))
    for reduce in (np.sum, np.prod, np.max, np.min, np.any, np.mean):
        same(reduce(u, axis=-1), reduce(x, axis=-1))
        same(reduce(u, axis=-1, keepdims=True), reduce(x, axis=-1, keepdims=True))


def test_vectors_of_vectors_and_of_two_components():
    x, y = noise((16, 16, 16, 2, 3), "f8"), noise((16, 16, 16, 3), "f8", 1)
    u, v = (gc.CubeArray.from_numpy(z, LAYOUTS[1]) for z in (x, y))
    same(np.cross(u, v[..., None, :]), np.cross(x, y[..., None, :]))
    assert along_last(np.add, x) is not None
    assert along_last(np.add, x[..., 0]) is not None
    assert crossed(np.zeros((0, 3)), np.zeros(3)).shape == (0, 3)


def test_what_is_written_into_its_own_components():
    x = noise((16, 16, 16, 3), "f8")
    u = gc.CubeArray.from_numpy(x, LAYOUTS[1])
    np.add(u[..., ::-1], u[..., :1], out=u)
    x = x[..., ::-1] + x[..., :1]
    same(u, x)
    u *= u[..., 1]
    same(u, x * x[..., 1:2])


def test_results_have_memory_that_nobody_sees():
    x = np.arange(float(LARGE))
    first = made_of(np.add, [x, x], {})
    part, place = first[5:9], first.ctypes.data
    other = made_of(np.add, [x, x], {})
    assert other.ctypes.data != place
    del first
    assert made_of(np.multiply, [x, x], {}).ctypes.data != place
    assert part.tolist() == [10, 12, 14, 16]
    del part
    held = [made_of(np.add, [x, x], {}) for _ in range(2)]
    assert place in {y.ctypes.data for y in held}


def test_what_arrays_hold_otherwise_is_new():
    """Objects and records, small arrays, what options ask for, and two results."""
    words = np.full(LARGE, "word", object)
    assert (words + words == made_of(np.add, [words, words], {})).all()
    x = np.arange(float(LARGE))
    assert made_of(np.add, [x, x], {"dtype": "f4"}).dtype == np.float32
    whole, part = made_of(np.divmod, [x, 3], {})
    assert (3 * whole + part == x).all()
    for made in (reused((4,), float), reused((LARGE,), object), reused((LARGE,), "i4,f8")):
        assert made.flags.owndata


def test_a_shelf_keeps_little():
    shelf = Shelf(MOST)
    for nbytes in range(8, 64, 8):
        shelf.put(Memory(nbytes))
    assert [memory.room.nbytes for memory in shelf.blocks] == [32, 40, 48, 56]
    for _ in range(2):
        shelf.put(Memory(1 << 26))
    assert [memory.room.nbytes for memory in shelf.blocks] == [1 << 26] * 2
    shelf.put(Memory(1 << 28))
    assert [memory.room.nbytes for memory in shelf.blocks] == [1 << 28]
    shelf.put(Memory(8))  # then a large one is no longer kept
    assert [memory.room.nbytes for memory in shelf.blocks] == [8]
    shelf.blocks[:] = [Memory(1 << 28)]
    assert shelf.taken(1 << 26).room.nbytes == 1 << 26  # the other would be too large
    assert shelf.taken(1 << 27).room.nbytes == 1 << 28
    assert not shelf.blocks


def test_a_block_that_another_thread_takes_is_not_lent_twice():
    shelf = Shelf(MOST)

    class Wanted(Memory):
        """A block that is taken as soon as anybody looks at it."""

        __slots__ = ("_nbytes",)

        @property
        def nbytes(self):
            shelf.blocks[:] = [memory for memory in shelf.blocks if memory is not self]
            return self._nbytes

        @nbytes.setter
        def nbytes(self, nbytes):
            self._nbytes = nbytes

    wanted, other = Wanted(64), Memory(32)
    shelf.blocks = [other, wanted]
    found = shelf.taken(64)
    assert found is not wanted
    assert found.room.nbytes == 64
    assert shelf.blocks == [other]


def test_a_block_that_another_thread_lent_meanwhile_is_not_lent_again():
    shelf = Shelf(MOST)
    views = []

    class Wanted(Memory):
        """A block that another thread lends, and puts back, after the first look at it."""

        __slots__ = ()

        def holders(self):
            found = super().holders()
            views.append(self.lent((8,), np.dtype("u1")))
            return found

    wanted = Wanted(64)
    shelf.put(wanted)
    found = shelf.taken(64)
    assert found is not wanted
    assert shelf.blocks == [wanted]
    assert len(views) == 2


def test_threads_have_no_memory_in_common():
    """Each writes its own number into what it is lent, and finds nothing else there."""
    shape, wrong = (LARGE,), []

    def work(number):
        held = []
        for turn in range(2000):
            x = reused(shape, "u1")[:: LARGE // 4]
            x[:] = number
            held = [*held[turn % 3 :], x]
            wrong.extend(number for y in held if (y != number).any())

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for each in workers:
            each.start()
        for each in workers:
            each.join()
    finally:
        sys.setswitchinterval(before)
    assert not wrong


def test_what_all_ranks_have_nothing_of_is_not_tried():
    """No rank has elements where the payload has none: NumPy raises nowhere."""
    nothing = gc.CubeArray.from_numpy(np.zeros((24, 20, 12, 0)), LAYOUTS[0])
    assert (nothing + None).dtype == object
    with pytest.raises(TypeError, match="unsupported operand"):
        made_of(np.add, [np.zeros((1, 0, 4)), None], {})
