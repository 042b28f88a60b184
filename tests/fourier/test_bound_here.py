"""Transforms bound in one process: of one node, or of several in boxes, they are made once."""

import numpy as np
import pytest

import graycube as gc

LAYOUTS = {
    "one node": (gc.Layout.mesh((8, 4, 6), (1, 1, 1)), True),
    "one node, lengths": (gc.Layout.mesh((9, 5, 7), (1, 1, 1)), True),
    "boxes": (gc.Layout.mesh((9, 5, 7), (2, 1, 1)), True),
    "nodes in bits": (gc.Layout.mesh((8, 4, 6), (2, 1, 1), ownership=False), False),
}
CALLS = {
    "complex": (gc.fftn, {}, np.fft.fftn),
    "inverse": (gc.ifftn, {"norm": "ortho"}, lambda x: np.fft.ifftn(x, norm="ortho")),
    "real": (gc.rfftn, {}, np.fft.rfftn),
    "cut": (gc.rfftn, {"s": (6, 5, 4)}, lambda x: np.fft.rfftn(x, (6, 5, 4), (0, 1, 2))),
    "one axis": (gc.fft, {"axis": 1}, lambda x: np.fft.fft(x, axis=1)),
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("payload", [(), (2,)])
def test_a_run_is_a_call(name, call, payload):
    layout, once = LAYOUTS[name]
    function, options, numpys = CALLS[call]
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal((2, *layout.shape, *payload))
    a = gc.CubeArray.from_numpy(x, layout)
    bound = gc.bind(function, a, **options)
    made = bound._program is not None
    if call != "cut":
        assert made == once or (made and call == "one axis")
    place = bound.result.blocks.ctypes.data
    for now in (x, y, x):
        a.blocks[...] = gc.CubeArray.from_numpy(now, layout).blocks
        found = bound.run()
        assert found is bound.result
        assert found.blocks.ctypes.data == place
        moved = np.moveaxis(now, -1, 0) if payload else now[None]
        expected = np.stack([numpys(part) for part in moved], -1)
        assert np.allclose(found.to_numpy().reshape(expected.shape), expected)
        assert np.array_equal(a.to_numpy(), now)


@pytest.mark.parametrize("name", LAYOUTS)
def test_into_another_layout_and_into_itself(name):
    layout, _ = LAYOUTS[name]
    x = np.random.default_rng(4).standard_normal(layout.shape) + 0j
    a = gc.CubeArray.from_numpy(x, layout)
    other = gc.CubeArray.from_numpy(x, gc.Layout.mesh(layout.shape, (1, layout.node_count, 1)))
    there = gc.bind(gc.fftn, a, out=other)
    assert np.allclose(there.run().to_numpy(), np.fft.fftn(x))
    there = gc.bind(gc.CubeArray.relayout, a, other.layout)
    assert np.array_equal(there.run().to_numpy(), x)
    itself = gc.bind(gc.fftn, a, out=a)
    assert np.allclose(a.to_numpy(), np.fft.fftn(x))
    assert np.allclose(itself.run().to_numpy(), np.fft.fftn(np.fft.fftn(x)))


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("function", ["fftn", "ifft2"])
def test_in_the_memory_of_the_array(name, function):
    """Whatever the layout of the result is. Where all are one block, nothing is copied."""
    layout, once = LAYOUTS[name]
    ours, numpys = getattr(gc, function), getattr(np.fft, function)
    x = np.random.default_rng(5).standard_normal(layout.shape) + 0j
    a = gc.CubeArray.from_numpy(x, layout)
    points = a.blocks.copy()
    bound = gc.bind(ours, a, out=gc.CubeArray(a.blocks, ours(a).layout))
    a.blocks[...] = points
    assert np.allclose(bound.run().to_numpy(), numpys(x))
    if once:
        (only,) = bound._program.prepared()[1]
        assert all(getattr(call, "func", None) is not np.copyto for call in only.calls)


def test_axes_after_the_real_one_go_through_no_other_memory():
    a = gc.CubeArray.from_numpy(np.ones((8, 4, 8)), gc.Layout.mesh((8, 4, 8), (1, 1, 1)))
    bound = gc.bind(gc.rfftn, a)
    assert bound.run().to_numpy()[0, 0, 0] == a.size
    assert "between" not in bound._program._known.kept


def test_nodes_here_that_change_places_within_each():
    """What is right for one node is not for all: the code of a slot depends on the node."""
    layout, coded = (gc.Layout.consecutive(4, 1, whole=code) for code in ("binary", "gray"))
    x = np.arange(16.0)
    a = gc.CubeArray.from_numpy(x, layout)
    bound = gc.bind(gc.CubeArray.relayout, a, coded)
    out = gc.bind(gc.fft, a, out=gc.CubeArray.from_numpy(x + 0j, coded), order="natural")
    a.blocks[...] += 1
    assert np.array_equal(bound.run().to_numpy(), x + 1)
    assert np.allclose(out.run().to_numpy(), np.fft.fft(x + 1))


def test_what_is_raised_in_one_process_is_the_callers(monkeypatch):
    """Nobody waits: no job ends, and no MPI is looked for."""
    monkeypatch.setattr("graycube.run.agreement.mpi", None)
    bound = gc.bind(gc.fft, gc.CubeArray.from_numpy(np.ones(64), gc.Layout.mesh((64,), (1,))))
    bound.result.blocks.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        bound.run()


@pytest.mark.parametrize("function", ["fft", None, 3])
def test_only_functions_are_bound(function):
    a = gc.CubeArray.from_numpy(np.ones(4), gc.Layout.cyclic(2, 1))
    with pytest.raises(gc.GraycubeError, match=f"bind is given {function!r}: it takes"):
        gc.bind(function, a)
