"""A tour in one process: where data is, who is whose neighbour, how to move it, and when.

Run it with `make demo`, or `python examples/tour.py [PICTURE.png]`.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import graycube as gc


def main(picture: Path) -> None:
    field = np.random.default_rng(0).standard_normal((64, 32))
    gray = gc.Layout.mesh(field.shape, nodes=(8, 4), code="gray")
    binary = gc.Layout.mesh(field.shape, nodes=(8, 4), code="binary")

    heading("1. Where is everything? A field of 64 x 32 on 8 x 4 nodes, Gray-coded")
    print("(slot bits || node bits of an address; bK:J is bit J of axis K, g a Gray bit)")
    print(gc.view.text(gray, width=96))
    node, slot = gray.locate(63, 31)
    print(f"\nelement (63, 31) is in slot {slot} of node {node}, and back: ", end="")
    print(gray.coordinates(node, slot))
    assert np.array_equal(gray.gather(gray.scatter(field)), field)

    heading("2. How far apart are communication partners? (hops in the cube, the worst pair)")
    print(f"{'':24}binary    gray")
    for axis in (0, 1):
        print(f"mesh neighbours, axis {axis}", *worst(gc.mesh_distances, binary, gray, axis))
    for axis in (0, 1):
        print(
            f"FFT partners,    axis {axis}", *worst(gc.butterfly_distances, binary, gray, axis)
        )

    heading("3. Often nothing has to move: renumber the ranks instead")
    print("rank of each place of an 8 x 4 mesh, so that mesh neighbours are cube neighbours:")
    print(gc.rank_order((8, 4)))

    heading("4. When it has to move: a plan from Gray to binary code, proved and carried out")
    convert(n=6, block=4096)

    heading(
        "5. On all links at once: the field of part 1 itself, both axes, and what a node does"
    )
    convert_mesh(field, gray, binary)

    heading("6. A Fourier transform directly on the Gray-coded field")
    transform(field, gray)

    heading("7. From any layout to any other: the transpose of the field")
    transpose(field, gray)

    heading("8. Advice for a program: transforms and stencils in turn, on an iPSC/2")
    advise(field.shape)

    heading("9. Nothing is ever built of size 2^p: a layout of 2^60 elements on 2^30 nodes")
    huge = gc.Layout.cyclic(60, 30, whole="gray")
    last = 2**60 - 1
    print(f"element {last} is at (node, slot) = {huge.locate(last)}")
    assert huge.index(*huge.locate(last)) == last

    draw(binary, gray, picture)


def worst(
    distances: Callable[..., gc.Distances], binary: gc.Layout, gray: gc.Layout, axis: int
) -> Iterator[str]:
    return (f"{distances(layout, axis=axis).dilation:9}" for layout in (binary, gray))


def convert(n: int, block: int) -> None:
    """Plan a conversion, verify it, move data, and compare with the target layout."""
    source, target = gc.Layout.nodes(n, "gray"), gc.Layout.nodes(n, "binary")
    machine = gc.Machine(dims=n, ports=1, startup=1e-3, per_byte=3.57e-7)
    plan = gc.plan(source, target, block=block, itemsize=8, machine=machine)
    print(plan.explain())
    print(plan.verify())
    data = np.random.default_rng(1).standard_normal((1 << n, block))
    assert np.array_equal(target.gather(plan.apply(source.scatter(data))), data)
    print("The data is where the target layout says.")


def convert_mesh(field: np.ndarray, gray: gc.Layout, binary: gc.Layout) -> None:
    """The same for an array of two axes, on a machine that drives all links of a node."""
    machine = gc.Machine(dims=gray.n, ports="all", startup=1e-7, per_byte=1e-9)
    plan = gc.plan(gray, binary, block=gray.block_size, itemsize=8, machine=machine)
    print(plan.explain())
    print(plan.verify())
    print("node 18:", *plan.actions(18), sep="\n  ")
    assert np.array_equal(binary.gather(plan.apply(gray.scatter(field))), field)
    print("The data is where the target layout says.")


def transform(field: np.ndarray, gray: gc.Layout) -> None:
    """Transform the field where it is; then ask which exchanges are best on a machine."""
    spectrum = gc.fft2(gc.CubeArray.from_numpy(field, gray))
    assert np.allclose(spectrum.to_numpy(), np.fft.fft2(field))
    print("As NumPy's; each cube dimension of an axis crossed as often as in binary code.")
    machine = gc.Machine(dims=gray.n, ports="all", startup=1e-7, per_byte=1e-9)
    plan = gc.plan_fft(gray, axis=0, machine=machine)
    print(plan.explain())
    print(plan.verify())


def transpose(field: np.ndarray, gray: gc.Layout) -> None:
    across = gc.Layout.mesh(field.shape, nodes=(1, 32), allocation="cyclic")
    machine = gc.Machine(dims=5, startup=1e-4, per_byte=1e-8)
    plan = gc.plan(gray, across, gray.block_size, itemsize=8, machine=machine)
    print(plan.explain())
    assert np.array_equal(across.gather(plan.apply(gray.scatter(field))), field)
    print(plan.verify())


def advise(shape: tuple[int, ...]) -> None:
    steps = gc.Loop([gc.Stencil(), gc.FFT(), gc.Elementwise(), gc.FFT()], times=100)
    machine = gc.Machine.profile("ipsc2", dims=5)
    print(gc.advise(steps, machine=machine, size=shape).explain())


def draw(binary: gc.Layout, gray: gc.Layout, picture: Path) -> None:
    import matplotlib.pyplot as plt  # noqa: PLC0415 - the tour runs without it up to here

    figure, axes = plt.subplots(1, 2, figsize=(10, 7), layout="constrained")
    for ax, layout, code in zip(axes, (binary, gray), ("binary", "Gray"), strict=True):
        gc.view.plot(layout, ax=ax)
        ax.set_title(f"{code} code: the node of each block")
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture)
    print(f"\nBinary and Gray side by side, thick lines where neighbours are far: {picture}")


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/tour.png"))
