"""An affine map of addresses as what a device does: a local move, one collective, a local move.

Rules. An address is ``(slot || node)``, as in layouts. Let W be the space of the node bits that
slots decide, of 2^r nodes. Then every node sends 2^r chunks of its block, one to each node of a
coset of W, and ``factor`` finds maps with ``map == after @ collective @ before``:

1. ``before`` and ``after`` stay within nodes. After ``before``, the high r slot bits are the
   number of a chunk.
2. If W is spanned by whole axes of the mesh, and every node sends within its own coset, then
   the collective is one all-to-all over these axes. Groups, which split axes, are not used:
   JAX cannot batch what has them.
3. Else it is a permutation of the nodes for each chunk: ``v -> spread v + shift of the chunk``.

Either way a device receives one block at most.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graycube.gf2 import AffineMap, Matrix, Span, reduced_basis


@dataclass(frozen=True)
class Carriage:
    """The three parts of a map: ``dims`` are those of an all-to-all, ``targets`` of chunks.

    ``targets[k][v]`` is the node that gets chunk k of node v. If both are empty, nothing is
    sent.

    >>> swap = AffineMap(Matrix.permutation([2, 1, 0]))  # slot bit 0 and node bit 0
    >>> factor(swap, 2, axes=((1,), (0,))).dims
    (0,)
    >>> factor(swap, 2, axes=((1, 0),)).targets
    ((0, 1, 2, 3), (1, 0, 3, 2))
    """

    before: AffineMap
    after: AffineMap
    dims: tuple[int, ...] = ()
    targets: tuple[tuple[int, ...], ...] = ()


@lru_cache(maxsize=1024)
def factor(move: AffineMap, n: int, axes: tuple[tuple[int, ...], ...]) -> Carriage:
    """The parts of a map of addresses; ``axes`` are the node bits of each axis of the mesh.

    >>> still = factor(AffineMap.identity(5), 3, axes=((2,), (1, 0)))
    >>> still.dims, still.targets, still.after == AffineMap.identity(5)
    ((), (), True)
    """
    p, mask = move.width, (1 << n) - 1
    columns = [column & mask for column in move.matrix.columns]
    span, chosen = Span(), list[int]()
    for j in reversed(range(n, p)):  # the highest slots are chunks, so that rows stay long
        if span.add(columns[j]):
            chosen.insert(0, j)
    rest = [1 << j for j in range(n, p) if j not in chosen]
    dims = _whole_axes(span, move, n, axes)
    if dims:
        return _all_to_all(move, n, rest, dims)
    return _permutations(move, n, rest, [columns[j] for j in chosen])


def _all_to_all(
    move: AffineMap, n: int, rest: Sequence[int], dims: tuple[int, ...]
) -> Carriage:
    """The parts of rule 2; the ``rest`` are the slots that do not number chunks."""
    p = move.width
    top = p - len(dims)
    rows = [*_units(range(n)), *rest, *(move.matrix.rows[d] for d in dims)]
    constant = sum((move.constant >> d & 1) << top + i for i, d in enumerate(dims))
    before = AffineMap(Matrix.from_rows(rows, p), constant)
    places = list(range(p))
    for i, d in enumerate(dims):
        places[d], places[top + i] = top + i, d
    sent = AffineMap(Matrix.permutation(places))
    return Carriage(before, move @ before.inverse() @ sent.inverse(), dims)


def _permutations(
    move: AffineMap, n: int, rest: Sequence[int], basis: Sequence[int]
) -> Carriage:
    """The parts of rule 3; the basis is one of W."""
    p, nodes, constant = move.width, range(1 << n), move.constant & (1 << n) - 1
    top = p - len(basis)
    columns = [column & (1 << n) - 1 for column in move.matrix.columns]
    coordinates = _coordinates(basis, n)
    added = _fixed(columns[:n], basis, coordinates, n)
    numbers = Matrix((*added.columns, *(coordinates(c) for c in columns[n:])), len(basis))
    before = AffineMap(Matrix.from_rows([*_units(range(n)), *rest, *numbers.rows], p))
    spread = Matrix(tuple(columns[:n]), n) + Matrix(tuple(basis), n) @ added
    chunks = [1 << top + i | w for i, w in enumerate(basis)]
    sent = AffineMap(Matrix((*spread.columns, *_units(range(n, top)), *chunks), p), constant)
    shifts = Matrix(tuple(basis), n)
    targets = tuple(
        tuple(spread(v) ^ shifts(k) ^ constant for v in nodes) for k in range(1 << len(basis))
    )
    still = targets == (tuple(nodes),)
    after = move @ before.inverse() @ sent.inverse()
    return Carriage(before, after, targets=() if still else targets)


def _units(bits: Iterable[int]) -> list[int]:
    return [1 << b for b in bits]


def _added(span: Span, bits: Iterable[int]) -> list[int]:
    """What a span takes of some units, one after the other."""
    return [unit for unit in _units(bits) if span.add(unit)]


def _whole_axes(
    span: Span, move: AffineMap, n: int, axes: Iterable[Sequence[int]]
) -> tuple[int, ...]:
    """The dimensions of rule 2, lowest first; none where it does not apply."""
    inside = [sorted(bits) for bits in axes if bits and all(1 << b in span for b in bits)]
    dims = sorted(b for bits in inside for b in bits)
    if len(dims) != len(span):
        return ()
    mask = (1 << n) - 1
    away = [move.matrix.columns[v] & mask ^ 1 << v for v in range(n)]
    at_home = all(change in span for change in (*away, move.constant & mask))
    return tuple(dims) if at_home else ()


def _coordinates(basis: Sequence[int], n: int) -> Matrix:
    """The coordinates in a basis; what completes it has none."""
    complete = *basis, *_added(Span(basis), range(n))
    rows = Matrix(complete, n).inverse().rows[: len(basis)]
    return Matrix.from_rows(rows, n)


def _fixed(nodes: Sequence[int], basis: Sequence[int], chunk: Matrix, n: int) -> Matrix:
    """What nodes add to the numbers of their chunks, so that no two send one chunk to one node.

    The nodes that a matrix takes to zero are taken to nodes of W that it does not reach: to
    themselves, if these are among them.
    """
    matrix = Matrix(tuple(nodes), n)
    lost, reached, within = matrix.kernel(), Span(nodes), Span(basis)
    found = [z if z in within and reached.add(z) else 0 for z in lost]
    others = iter([w for w in basis if reached.add(w)])
    found = [z or next(others) for z in found]
    complete = *lost, *_added(Span(lost), range(n))
    images = [chunk(w) for w in found] + [0] * (n - len(lost))
    return Matrix(tuple(images), len(basis)) @ Matrix(complete, n).inverse()


@dataclass(frozen=True)
class Local:
    """A map within nodes: shears, a permutation of slot bits, and flips that nodes decide.

    A shear ``(j, bits)`` flips bits where bit j is one; bit i of the slot goes to
    ``places[i]``; a flip ``(mask, constant, bits)`` flips bits where the node's bits under the
    mask and the constant have an odd sum. They are carried out in this order.

    >>> local(AffineMap(Matrix.from_rows([0b001, 0b111, 0b100], 3)), 1)
    Local(shears=((1, (0,)),), places=(0, 1), flips=((1, 0, (0,)),))
    """

    shears: tuple[tuple[int, tuple[int, ...]], ...]
    places: tuple[int, ...]
    flips: tuple[tuple[int, int, tuple[int, ...]], ...]


@lru_cache(maxsize=1024)
def local(move: AffineMap, n: int) -> Local:
    """The parts of a map of addresses that keeps all nodes.

    >>> local(AffineMap.identity(4), 2)
    Local(shears=(), places=(0, 1), flips=())
    """
    m = move.width - n
    rows = [row >> n for row in move.matrix.rows[n:]]
    lower, places = [0] * m, list(range(m))
    for j in range(m):
        i = next(i for i in range(j, m) if rows[i] >> j & 1)
        for entries in (rows, lower, places):
            entries[i], entries[j] = entries[j], entries[i]
        for i in range(j + 1, m):
            if rows[i] >> j & 1:
                rows[i] ^= rows[j]
                lower[i] |= 1 << j
    up = [(j, _ones(rows[:j], j)) for j in range(m)]
    down = [(j, _ones(lower, j)) for j in reversed(range(m))]
    flips: dict[tuple[int, int], list[int]] = {}
    for i, row in enumerate(move.matrix.rows[n:]):
        decided = row & ((1 << n) - 1), move.constant >> n + i & 1
        if any(decided):
            flips.setdefault(decided, []).append(i)
    return Local(
        tuple((j, bits) for j, bits in [*up, *down] if bits),
        tuple(places),
        tuple((*decided, tuple(bits)) for decided, bits in flips.items()),
    )


def _ones(rows: Sequence[int], j: int) -> tuple[int, ...]:
    return tuple(i for i, row in enumerate(rows) if row >> j & 1)


@dataclass(frozen=True)
class InLines:
    """A map within nodes whose first and last parts take lines to lines, whole.

    A line is 2^k slots next to each other. Between the two parts slot bit i goes to
    ``places[i]``: the ``traded`` lowest bits trade places with the highest ones.
    Any map has such parts, as any invertible matrix is two block triangular ones around a
    permutation (Bruhat's decomposition), so memory is read and written in lines throughout.

    >>> reversal = AffineMap(Matrix.permutation([3, 2, 1, 0]))
    >>> parts = in_lines(reversal, 0, line=1)
    >>> parts.before == AffineMap.identity(4), parts.places, parts.traded
    (True, (3, 1, 2, 0), 1)
    >>> [parts.after(slot) for slot in range(8)]
    [0, 1, 4, 5, 2, 3, 6, 7]
    """

    before: AffineMap
    places: tuple[int, ...]
    after: AffineMap
    traded: int


@lru_cache(maxsize=1024)
def in_lines(move: AffineMap, n: int, line: int) -> InLines:
    """The parts of a map of addresses that keeps all nodes, for lines of 2^line slots.

    >>> in_lines(AffineMap.identity(4), 2, line=1).traded
    0
    """
    m = move.width - n
    back = [column >> n for column in move.matrix.inverse().columns[n:]]
    become = sorted(reduced_basis(back[:line]))  # what becomes the first line
    kept, far = [v for v in become if not v >> line], [v for v in become if v >> line]
    freed = _added(Span(kept), range(line))
    others = _added(Span([*_units(range(line)), *far]), range(line, m))
    still = Matrix.identity(n)
    gathered = Matrix((*freed, *kept, *others, *far), m).inverse()
    before = AffineMap(Matrix.block_diagonal([still, gathered]))
    places = list(range(m))
    for low in range(len(far)):
        high = m - len(far) + low
        places[low], places[high] = high, low
    trade = AffineMap(Matrix.block_diagonal([still, Matrix.permutation(places)]))
    return InLines(before, (*places,), move @ (trade @ before).inverse(), len(far))
