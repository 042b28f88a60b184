"""CubeArrays as arrays on devices, and back: values, whose memory it is, refusals."""

import socket
from pathlib import Path

import jax
import numpy as np
import pytest
from jax_cases import P, mesh_of
from mpi_runs import launch

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.jax import convert

LAYOUT = gc.Layout.mesh((64, 32), nodes=(4, 2), code="gray", allocation="cyclic")


def aligned(x, offset=0):
    """The same array in memory that begins at, or after, a multiple of 64 bytes."""
    room = np.empty(x.nbytes + 128, np.uint8)
    start = -room.ctypes.data % 64 + offset
    made = room[start : start + x.nbytes].view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


def cube(offset=0, payload=()):
    x = np.random.default_rng(0).standard_normal((64, 32, *payload)).astype(np.float32)
    return x, gc.CubeArray(aligned(LAYOUT.scatter(x), offset), LAYOUT)


BOTH = P("a", "b")


def over(sizes=(2, 4), spec=BOTH):
    return jax.sharding.NamedSharding(mesh_of(sizes, explicit=False), spec)


def shared(a, u):
    return [np.shares_memory(np.asarray(s.data), u.blocks) for s in a.blocks.addressable_shards]


@pytest.mark.parametrize("payload", [(), (3,)])
@pytest.mark.parametrize("copy", [None, True])
def test_there_and_back(copy, payload):
    x, u = cube(payload=payload)
    a = gc.jax.Array.from_cube(u, over(), copy=copy)
    assert a.layout == u.layout
    np.testing.assert_array_equal(np.asarray(a.to_array()), x)
    back = (2 * a).to_cube(copy=copy)
    assert isinstance(back, gc.CubeArray)
    np.testing.assert_array_equal(back.to_numpy(), 2 * x)


def test_boxes_come_in_bits_and_can_be_asked_for():
    x = np.random.default_rng(0).standard_normal((6, 16)).astype(np.float32)
    boxes = gc.Layout.mesh((6, 16), nodes=(2, 4), code="gray")
    a = gc.jax.Array.from_cube(gc.CubeArray.from_numpy(x, boxes), over())
    assert np.array_equal(a.to_array(), x)
    back = a.to_cube(copy=True)
    gc.assert_allclose(back + 0 * gc.CubeArray.from_numpy(x, boxes), x)
    natural = a.relayout(gc.Layout.mesh((6, 16), nodes=(2, 4)))
    assert np.array_equal(natural.to_cube(copy=True).to_numpy(), x)
    assert np.array_equal(natural.to_array(), x)


def test_memory_is_shared_where_it_can_be():
    _, u = cube()
    assert all(shared(gc.jax.Array.from_cube(u, over(), copy=False), u))
    assert all(shared(gc.jax.Array.from_cube(u, over()), u))
    assert not any(shared(gc.jax.Array.from_cube(u, over(), copy=True), u))
    _, u = cube(offset=16)
    assert not any(shared(gc.jax.Array.from_cube(u, over()), u))
    with pytest.raises(InvalidValueError, match=r"1024 bytes cannot be shared.*allow a copy"):
        gc.jax.Array.from_cube(u, over(), copy=False)


def test_one_block_comes_back_without_a_copy():
    x = np.arange(64, dtype=np.float32)
    u = gc.CubeArray(aligned(x).reshape(1, 64), gc.Layout.consecutive(6, 0))
    a = gc.jax.Array.from_cube(u, over((1,), P()), copy=False)
    back = a.to_cube(copy=False)
    assert np.shares_memory(back.blocks, u.blocks)
    assert not back.blocks.flags.writeable
    assert not np.shares_memory(a.to_cube(copy=True).blocks, u.blocks)


def test_what_would_cost_much_is_refused(monkeypatch):
    _, u = cube()
    a = gc.jax.Array.from_cube(u, over())
    with pytest.raises(InvalidValueError, match=r"8 devices have a block each.*allow a copy"):
        a.to_cube(copy=False)
    with pytest.raises(InvalidTypeError, match=r"within jit.*what the function returns"):
        jax.jit(gc.jax.Array.to_cube)(a)
    with pytest.raises(InvalidTypeError, match=r"become an array of NumPy.*to_cube\(\)"):
        np.asarray(a)
    with pytest.raises(TypeError):  # by JAX itself, or by NumPy's error
        jax.numpy.asarray(a)
    with pytest.raises(InvalidTypeError, match="CubeArray"):
        gc.fft(a)
    for ask in (gc.jax.fft, gc.jax.Array.from_array, lambda u: gc.jax.reshard(u, P("a"))):
        with pytest.raises(
            InvalidTypeError, match=r"got a CubeArray.*from_cube\(x, sharding\)"
        ):
            ask(u)
    monkeypatch.setattr(
        convert, "_HOST", "another kind"
    )  # as if these devices were not the host
    with pytest.raises(InvalidValueError, match=r"on cpu: 8 blocks of 1024 bytes.*copy=True"):
        a.to_cube()
    np.testing.assert_array_equal(a.to_cube(copy=True).blocks, u.blocks)
    with pytest.raises(InvalidValueError, match="devices that are the host"):
        gc.jax.Array.from_cube(u, over(), copy=False)


def test_numbers_from_either_side():
    x, u = cube()
    a = gc.jax.Array.from_cube(u, over())
    made = np.float32(3) * a + a * np.float32(2)
    np.testing.assert_allclose(np.asarray(made.to_array()), 5 * x, rtol=1e-6)
    with pytest.raises(InvalidTypeError, match=r"meets an array of shape \(64, 32\)"):
        x * a


@pytest.mark.parametrize(
    ("change", "sharding", "error", "words"),
    [
        (lambda u: u.astype(float), over, InvalidTypeError, "float64.*would make it float32"),
        (lambda u: u, lambda: over((4, 2, 2), P("a", "b")), InvalidValueError, "4 copies|'c'"),
        (lambda u: u, lambda: over((16,), P("a")), InvalidValueError, "8 nodes.*16 devices"),
        (lambda u: u.to_numpy(), over, InvalidTypeError, "got a ndarray.*from_array"),
        (lambda u: u.sum(axis=1), over, InvalidValueError, "copies of every element"),
    ],
)
def test_what_has_no_place_on_the_mesh_is_refused(change, sharding, error, words):
    _, u = cube()
    with pytest.raises(error, match=words):
        gc.jax.Array.from_cube(change(u), sharding())


def test_ranks_with_one_device_each_share_their_blocks(tmp_path):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = str(free.getsockname()[1])
    run = launch(Path(__file__).with_name("mpi_rank.py"), 2, tmp_path, port)
    assert (run.returncode, run.stdout.count("right")) == (0, 2), str(run)  # lines may meet
