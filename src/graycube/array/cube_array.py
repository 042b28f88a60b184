"""An array over 2^n nodes that carries its layout: all nodes in this process, or one a rank.

Rule: what every rank has to do together is *collective*, and says so. Such methods first make
sure that all ranks have the same layout, dtype and shape; what is wrong on one rank is raised
on all of them. Everything else works on the blocks that are here and sends nothing.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graycube.array.disk.archive import load_zarr, save_zarr
from graycube.array.disk.files import load, save
from graycube.array.drawn import drawn, require_seed
from graycube.array.halo.ends import Fills, Rings
from graycube.array.halo.window import Window, window
from graycube.array.indexed.indices import along_axes, frequency, spectrum_of
from graycube.array.indexed.reading import Reader
from graycube.array.local import blocks_of_local, local, of_entries, put_local
from graycube.array.methods import LikeNumpy
from graycube.array.ranks import (
    facts_of,
    nodes_here,
    require_layout,
    spread,
    together,
)
from graycube.array.relaying import relaid
from graycube.array.sharing import brought_together, not_unasked, sent_from
from graycube.layout import Layout
from graycube.layout.words import amount
from graycube.machine import Machine
from graycube.run.agreement import Facts
from graycube.run.mpi import Comm
from graycube.show import Sheet, Shown
from graycube.stencil import ReachLike
from graycube.warned import at_users_line


class CubeArray(LikeNumpy, Shown):
    """The blocks of nodes, ``blocks[k, slot]``, and the layout that says what is where.

    Without a communicator, or with one of a single rank, block k is that of node k; else there
    is one block, that of the node with the number of this rank. Axes after the slot are
    payload: components of vectors and tensors. NumPy's functions work on arrays of one layout,
    and nothing is gathered unless the name says so.

    >>> x = CubeArray.from_numpy(np.arange(8.0), Layout.cyclic(3, 2, nodes="gray"))
    >>> x
    <CubeArray (8,) float64 on 4 nodes: (b2 || b1 g0)>
    >>> (np.sqrt(x * x) + 1).to_numpy().tolist()
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    """

    @classmethod
    def from_numpy(cls, x: ArrayLike, layout: Layout, comm: Comm | None = None) -> "CubeArray":
        """The array x, spread over the nodes; what follows the axes of the layout is payload.

        Collective: every rank passes the whole array and keeps its part. To send the parts
        from one rank, use :meth:`scatter`.

        >>> CubeArray.from_numpy([[1, 2], [3, 4]], Layout.nodes(1)).blocks.tolist()
        [[[1, 2]], [[3, 4]]]
        """
        return cls._made("from_numpy", layout, comm, lambda nodes: layout.scatter(x, nodes))

    @classmethod
    def from_function(
        cls,
        function: Callable[..., ArrayLike],
        layout: Layout,
        comm: Comm | None = None,
        *,
        sparse: bool = False,
    ) -> "CubeArray":
        """The array with ``function(i, j, ...)`` at index (i, j, ...), as ``np.fromfunction``.

        Collective. The function gets integer arrays, one for each axis, and returns one value
        for each entry, or a tuple or list of such values: the components of a vector. The
        entries are the elements that are here, in no order: a value may depend on its own
        index only. ``i.max()``, ``i.sum()`` and random numbers would be others on each rank;
        see :meth:`random`.

        If it is ``sparse``, the arrays have length 1 along the other axes, as ``np.ogrid`` has
        them: ``np.sin(i) * np.cos(j)`` takes as many sines as there are i.

        >>> layout = Layout.mesh((4, 4), nodes=(2, 2), code="gray")
        >>> CubeArray.from_function(lambda i, j: 10 * i + j, layout).to_numpy()[3].tolist()
        [30, 31, 32, 33]
        >>> CubeArray.from_function(lambda i, j: (i, 0 * j), layout).shape
        (4, 4, 2)
        >>> CubeArray.from_function(lambda i, j: i + j, layout, sparse=True).sum()
        np.int64(48)
        """

        def values(nodes: range) -> NDArray[Any]:
            if sparse:
                piece = layout.piece(nodes)
                given = function(*np.ix_(*piece.coordinates))
                return blocks_of_local(layout, nodes, of_entries(given, piece.shape))
            where = layout.indices_on(nodes)
            return of_entries(function(*where), where[0].shape)

        return cls._made("from_function", layout, comm, values)

    @classmethod
    def random(
        cls,
        layout: Layout,
        comm: Comm | None = None,
        *,
        seed: int | Sequence[int],
        payload: Sequence[int] = (),
        normal: bool = False,
    ) -> "CubeArray":
        """Random numbers, the same in any layout on any number of ranks; collective.

        They are from 0 to below 1: those of ``np.random.Generator(np.random.Philox(seed))`` and
        its ``random``. With ``normal``, they have the standard normal distribution. Each rank
        makes its own. Give each field and each step a seed of its own, such as ``[7, step]``.

        >>> u = CubeArray.random(Layout.mesh((4, 2), nodes=(2, 2)), seed=7)
        >>> wanted = np.random.Generator(np.random.Philox(7)).random((4, 2))
        >>> np.array_equal(u.to_numpy(), wanted)
        True
        >>> noise = CubeArray.random(u.layout, seed=[7, 1], payload=(3,), normal=True)
        >>> noise.shape
        (4, 2, 3)
        """

        def prepare() -> tuple[CubeArray, dict[str, object]]:
            nodes = nodes_here(require_layout(layout), comm)
            require_seed(seed)
            blocks = drawn(layout, nodes, seed, payload, normal=normal)
            facts = {**facts_of("random", layout, blocks), "seed": seed, "normal": normal}
            return cls(blocks, layout, comm), facts

        return together(comm, prepare)

    @classmethod
    def scatter(
        cls,
        x: ArrayLike | None,
        layout: Layout,
        comm: Comm | None = None,
        root: int = 0,
    ) -> "CubeArray":
        """The array x of rank ``root``, sent to all nodes; the others pass None. Collective.

        >>> CubeArray.scatter([5, 6], Layout.nodes(1)).blocks.tolist()
        [[5], [6]]
        """
        over = spread(comm)
        if over is None:
            return cls.from_numpy([] if x is None else x, layout, comm)
        return cls(sent_from(root, x, layout, over), layout, comm)

    @classmethod
    def from_local(
        cls, piece: ArrayLike, layout: Layout, comm: Comm | None = None
    ) -> "CubeArray":
        """The array of which every rank has its own piece, as :attr:`local`; collective.

        In one process the piece is the whole array. Ranks that have copies of the same elements
        pass the same piece.

        >>> layout = Layout.mesh((4, 2), nodes=(2, 1), allocation="cyclic")
        >>> CubeArray.from_local([[1, 2], [3, 4], [5, 6], [7, 8]], layout).blocks.tolist()
        [[1, 2, 5, 6], [3, 4, 7, 8]]
        """
        return cls._made(
            "from_local", layout, comm, lambda nodes: blocks_of_local(layout, nodes, piece)
        )

    @classmethod
    def _made(
        cls,
        what: str,
        layout: Layout,
        comm: Comm | None,
        blocks_on: Callable[[range], NDArray[Any]],
    ) -> "CubeArray":
        """The array with these blocks on the nodes that are here; collective."""

        def prepare() -> tuple[CubeArray, Facts]:
            blocks = blocks_on(nodes_here(require_layout(layout), comm))
            return cls(blocks, layout, comm), facts_of(what, layout, blocks)

        return together(comm, prepare)

    @property
    def local(self) -> NDArray[Any]:
        """What is in this process, in the order of its index: the piece of this rank.

        It is a view where the block has the same order. Elsewhere, and where several nodes are
        in one process, it is a copy; ``u.local = piece`` writes, as does :meth:`set_local`.
        """
        return local(self)

    @local.setter
    def local(self, piece: ArrayLike) -> None:
        self.set_local(piece)

    @at_users_line
    def set_local(self, piece: ArrayLike) -> None:
        """Write what is in this process: a piece like :attr:`local`, or a number.

        >>> u = CubeArray.from_numpy(np.zeros(2), Layout.mesh((2,), nodes=(2,)))
        >>> u.set_local(u.local + 1)
        >>> u.local
        array([1., 1.])
        """
        put_local(self.blocks, self.layout, self.nodes, piece)

    @property
    def slices(self) -> tuple[slice, ...]:
        """Where the piece of this rank is in the whole: a slice for each axis of the layout."""
        return self.layout.piece(self.nodes).slices

    @property
    def ix(self) -> tuple[NDArray[Any], ...]:
        """The same for any order along an axis: an index as ``numpy.ix_`` makes it."""
        return np.ix_(*self.layout.piece(self.nodes).coordinates)

    def to_numpy(self) -> NDArray[Any]:
        """The whole array, in natural order; collective, and every rank gets all of it.

        >>> CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2, "gray")).to_numpy().tolist()
        [5, 6, 7, 8]
        """
        caller = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001
        if caller.startswith("matplotlib.") and spread(self.comm) is not None:
            raise not_unasked("matplotlib", self.shape)  # it does so in plot(u), on that rank
        found = brought_together(self.blocks, self.layout, self.comm)
        return found if found is not None else np.empty(0)

    def gather(self, root: int = 0) -> NDArray[Any] | None:
        """The whole array on rank ``root``, None on the others; collective.

        >>> CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2, "gray")).gather().tolist()
        [5, 6, 7, 8]
        """
        return brought_together(self.blocks, self.layout, self.comm, root)

    def indices(self, *, sparse: bool = False) -> tuple["CubeArray", ...]:
        """The index of every element along each axis, in the layout of the array.

        Those that are ``sparse`` have length 1 along the other axes, as ``numpy.indices`` has
        it. With an array of the whole shape they broadcast, without messages.

        >>> x = CubeArray.from_numpy(np.zeros((2, 4)), Layout.mesh((2, 4), nodes=(1, 4)))
        >>> x.indices()[1].to_numpy().tolist()
        [[0, 1, 2, 3], [0, 1, 2, 3]]
        >>> [index.shape for index in x.indices(sparse=True)]
        [(2, 1), (1, 4)]
        """
        made = along_axes(self, sparse=sparse)
        return tuple(self.with_blocks(index, layout) for index, layout in made)

    @at_users_line
    def frequencies(
        self,
        spacing: float | Sequence[float] = 1.0,
        s: Sequence[int] | None = None,
        *,
        sparse: bool = False,
    ) -> tuple["CubeArray", ...]:
        """The frequencies of a spectrum along each axis, as ``numpy.fft.fftfreq`` has them.

        ``spacing`` is that of the points, and ``s`` the shape of what was transformed, without
        which all of a spectrum looks like half of another. Whatever order the elements of the
        spectrum are in, these are in the same.

        >>> layout = Layout.mesh((8, 6), nodes=(4, 1), code="gray")
        >>> u = CubeArray.from_function(lambda i, j: np.sin(2 * np.pi * i / 8), layout)
        >>> k, m = np.fft.rfftn(u).frequencies(1 / 8, s=u.shape, sparse=True)
        >>> k.to_numpy().ravel()
        array([ 0.,  1.,  2.,  3., -4., -3., -2., -1.])
        """
        every = spectrum_of(self, spacing, s)
        made = zip(along_axes(self, sparse=sparse), every, self.layout.shape, strict=True)
        return tuple(
            self.with_blocks(frequency(index, values, *points), layout)
            for (index, layout), points, values in made
        )

    @property
    def read(self) -> Reader:
        """Elements and boxes by their index in the whole array, on every rank; collective.

        With a mask over nodes, those elements where it is true, in the order of their indices.

        >>> x = CubeArray.from_numpy(np.arange(8.0).reshape(4, 2), Layout.mesh((4, 2), (4, 1)))
        >>> x.read[3, 0], x.read[1:3].tolist(), x.read[x > 5]
        (np.float64(6.0), [[2.0, 3.0], [4.0, 5.0]], array([6., 7.]))
        """
        return Reader(self)

    def relayout(
        self,
        target: Layout,
        *,
        machine: Machine | str | None = None,
        algorithm: str = "auto",
        renumber: bool = False,
    ) -> "CubeArray":
        """The same array in another layout; collective.

        With a machine, data go as :func:`graycube.plan` finds best, or by the algorithm named;
        without one, straight to where they belong, all at once. With ``renumber``, only what
        new rank numbers cannot do is moved, and the result has the communicator with these
        numbers; it is kept for the next time, and freed with the one it comes from.

        >>> x = CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2, "gray"))
        >>> x.relayout(Layout.nodes(2)).blocks.ravel().tolist()
        [5, 6, 7, 8]
        >>> x.relayout(Layout.nodes(2), machine="ipsc2", algorithm="direct").shape
        (4,)
        """
        route = target, machine, algorithm, renumber
        return CubeArray(*relaid(self.blocks, self.layout, self.comm, *route))

    def halo(
        self,
        reach: ReachLike = 1,
        *,
        periodic: Rings | None = None,
        corners: bool = False,
        fill: Fills | None = None,
        stride: int | Sequence[int] = 1,
    ) -> Window["CubeArray"]:
        """The array with what a stencil reads of other nodes: a :class:`Window`; collective.

        ``reach``, ``periodic``, ``corners`` and ``stride`` are as for :func:`graycube.halo`.
        All axes are periodic if you say nothing. Beyond the ends of those that are not is
        ``fill``: a number, 0 if left out, or what is within, as ``numpy.pad`` has it for
        "edge", "reflect" and "symmetric"; "antisymmetric" is that with the other sign. It is
        for all ends, or has an entry for each axis, which is a pair where the ends differ. With
        a stride, ``w[1, 0]`` is what is one stride farther along axis 0, and mirrors count
        strides, too. To exchange again and again, keep the window and :meth:`Window.update` it.

        >>> x = CubeArray.from_function(lambda i, j: i * j, Layout.mesh((4, 4), nodes=(2, 2)))
        >>> w = x.halo()
        >>> (w[1, 0] + w[-1, 0] - 2 * x).to_numpy()[1:3].tolist()
        [[0, 0, 0, 0], [0, 0, 0, 0]]
        >>> y = CubeArray.from_numpy(np.arange(8), Layout.nodes(3, "gray"))
        >>> y.halo(stride=2)[1].to_numpy()
        array([2, 3, 4, 5, 6, 7, 0, 1])
        >>> y.halo(2, periodic=False, fill=[("antisymmetric", -1)])[-2].to_numpy()
        array([-1,  0,  0,  1,  2,  3,  4,  5])
        """
        return window(
            self,
            reach,
            periodic=periodic,
            corners=corners,
            fill=fill,
            stride=stride,
        )

    def save(self, path: str | Path, attributes: Mapping[str, Any] | None = None) -> None:
        """Write the array in natural order; collective.

        That is to one ``.npy`` file, which ``numpy.load`` reads, or where the name ends with
        ``.zarr``, to a store of Zarr in chunks, with attributes. On failure the old file stays.

        >>> import tempfile
        >>> x = CubeArray.from_numpy([5, 6, 7, 8], Layout.nodes(2, "gray"))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     x.save(Path(folder) / "x.npy")
        ...     np.load(Path(folder) / "x.npy")
        array([5, 6, 7, 8])
        """
        if _is_store(path):
            save_zarr(path, self, attributes)
        else:
            save(path, self.blocks, self.layout, self.comm, attributes)

    @classmethod
    def load(cls, path: str | Path, layout: Layout, comm: Comm | None = None) -> "CubeArray":
        """Read an array from a ``.npy`` file, or a ``.zarr`` store, every rank its part.

        Collective; into any layout, on any number of ranks. ``"run.zarr/u"`` is the array u of
        a group of Zarr.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     np.save(Path(folder) / "x.npy", [5, 6, 7, 8])
        ...     CubeArray.load(Path(folder) / "x.npy", Layout.nodes(2)).blocks.ravel()
        array([5, 6, 7, 8])
        """
        read = load_zarr if _is_store(path) else load
        return cls(read(path, layout, comm), layout, comm)

    def _sheet(self) -> Sheet:
        shape = " x ".join(map(str, self.shape))
        here = f"{amount(len(self.nodes), 'block')} here, {amount(self.blocks.nbytes, 'byte')}"
        title = f"CubeArray {shape}, {self.dtype}\nin the layout {self.layout}"
        return Sheet(title, here, *self.layout.facts())

    def __repr__(self) -> str:
        nodes = amount(self.layout.node_count, "node")
        several = len(self.nodes) < self.layout.node_count
        here = f", node {self.nodes.start} here" if several else ""
        return f"<CubeArray {self.shape} {self.dtype} on {nodes}{here}: {self.layout}>"


def _is_store(path: object) -> bool:
    """Whether a path names a store, or an array in one, by its words alone.

    All ranks find the same, and what is no path at all is refused by all of them together.
    """
    place = Path(str(path))
    return place.suffix != ".npy" and any(part.endswith(".zarr") for part in place.parts)
