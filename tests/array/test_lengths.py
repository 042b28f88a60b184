"""Arrays of any length on any number of nodes: in one process, and over MPI."""

import numpy as np
import pytest
from mpi_runs import Launch, OverMPI
from numpy_cases import CASES, alike, operands
from uneven_cases import uneven

import graycube as gc
import graycube.fourier  # it brings numpy.fft
from graycube.errors import InvalidValueError
from graycube.show import text


@pytest.mark.long
@pytest.mark.parametrize("count", [2, 3, 6, 12])
def test_functions_give_in_one_process_what_numpy_gives(count):
    kinds = [*uneven(count)]
    for k, layout in enumerate(kinds):
        whole = operands(layout)
        over = [gc.CubeArray.from_numpy(x, layout) for x in whole]
        for name, call in [*CASES.items()][k :: len(kinds)]:
            assert not alike(call, over, whole), f"{name} in {layout}"


@pytest.mark.parametrize(
    "call",
    [
        lambda u: gc.plan(u, u, 4, machine="ipsc2"),
        lambda u: gc.plan_fft(u, machine="ipsc2"),
        lambda u: gc.halo(u, reach=1),
        gc.mesh_distances,
        gc.view.text,
        lambda u: gc.advise([gc.FFT()], machine=gc.Machine(2), size=u.shape, layouts={"u": u}),
    ],
)
def test_what_is_of_the_cube_says_which_number_does_not_fit(call):
    with pytest.raises(InvalidValueError, match="axis 0 has 9 elements on 4 nodes") as nine:
        call(gc.Layout.mesh((9,), (4,)))
    assert "the nearest lengths are 8 and 12" in str(nine.value)
    with pytest.raises(InvalidValueError, match=r"12 elements on 3 nodes.*nodes are 2 and 4"):
        call(gc.Layout.mesh((12,), (3,)))
    with pytest.raises(InvalidValueError, match=r"45 elements on 12 nodes.*divides 45 is 1;"):
        call(gc.Layout.mesh((45,), (12,)))
    with pytest.raises(InvalidValueError, match=r"40 elements on 12 nodes.*divides 40 is 8;"):
        call(gc.Layout.mesh((40,), (12,)))


@pytest.mark.parametrize("shape", [(9, 10), (1, 131)])
@pytest.mark.parametrize("nodes", [(3, 1), (1, 3), (3, 2)])
def test_in_one_process_arrays_go_from_layout_to_layout_as_on_ranks(shape, nodes):
    layout = gc.Layout.mesh(shape, nodes)
    x = np.random.default_rng(0).standard_normal((*shape, 2))
    u = gc.CubeArray.from_numpy(x, layout)
    y = gc.fftn(u)
    assert np.allclose(y.to_numpy(), np.fft.fftn(x, axes=(0, 1)))
    assert y.layout.node_count == layout.node_count
    assert np.allclose(gc.irfftn(gc.rfftn(u), s=shape).to_numpy(), x)
    w = u.halo((1, 2), periodic=(True, False), corners=True, fill=7)
    wanted = np.roll(np.pad(x, ((0, 0), (0, 2), (0, 0)), constant_values=7), -1, axis=0)[:, 2:]
    assert np.array_equal(w[1, 2].to_numpy(), wanted)
    other = gc.Layout.mesh(shape, nodes, allocation="cyclic")
    assert np.array_equal(u.relayout(other).to_numpy(), x)


def test_blocks_of_all_nodes_are_one_without_padding():
    u = gc.CubeArray.from_numpy(np.arange(9), gc.Layout.mesh((9,), (8,)))
    assert repr(u) == "<CubeArray (9,) int64 on 8 nodes: (9 on 8)>"
    assert u.blocks.tolist() == [[*range(9)]]
    assert "none on 3 of them" in text(u._sheet())


def test_the_whole_array_is_a_copy_in_every_layout():
    for layout in (gc.Layout.mesh((9,), (8,)), gc.Layout.mesh((8,), (1,))):
        u = gc.CubeArray.from_numpy(np.zeros(layout.shape), layout)
        for whole in (u.to_numpy(), u.gather()):
            whole[...] = 1
        assert u.sum() == 0


class TestOverMPI(OverMPI):
    launches = (
        Launch(2, ("uneven",), sweep=True),
        Launch(3, ("uneven",), sweep=True),
        Launch(4, ("uneven",), sweep=True),
        Launch(6, ("uneven",), sweep=True),
        Launch(8, ("uneven",), sweep=True),
        Launch(12, ("uneven",), sweep=True),
    )
