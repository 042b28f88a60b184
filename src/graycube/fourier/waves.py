"""The same waves on other numbers of points: zeros in the middle of a spectrum, or a cut.

Rules.

1. Those waves are kept which both numbers of points have (:class:`.places.Waves`).
2. An axis comes to memory for that, or stays over its nodes, as for a transform.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graycube.array import CubeArray
from graycube.errors import InvalidValueError
from graycube.fourier.arguments import (
    Norm,
    Wanted,
    all_agree,
    complex_dtype,
    delivered,
    require_axes,
    require_lengths,
    require_norm,
    require_out,
    require_real,
)
from graycube.fourier.calls import called
from graycube.fourier.lines import evened
from graycube.fourier.owned import on_lines
from graycube.fourier.places import Waves
from graycube.fourier.real import irfftn, rfftn
from graycube.fourier.transform import fftn, ifftn
from graycube.layout import Layout


def resampled(
    spectrum: CubeArray,
    points: Sequence[int],
    s: Sequence[int],
    axes: Sequence[int] | None = None,
    *,
    real: bool = True,
) -> CubeArray:
    """The spectrum of the same waves on ``s`` points, of one that was made of other ``points``.

    It is one of ``rfftn`` along these axes, or with ``real=False`` one of ``fftn``. With
    ``norm="forward"`` everywhere its numbers are amplitudes, and need no scaling. This is the
    3/2 rule: to more points, back, multiply, transform, to fewer points.

    >>> import numpy as np
    >>> from graycube.fourier import irfftn, rfftn
    >>> from graycube.layout import Layout
    >>> wave = lambda i, j, n: np.cos(2 * np.pi * (i * 2 + j) / n)
    >>> u = CubeArray.from_function(lambda i, j: wave(i, j, 8), Layout.mesh((8, 8), (4, 1)))
    >>> v = resampled(rfftn(u, norm="forward"), (8, 8), (12, 12))
    >>> fine = irfftn(v, s=(12, 12), norm="forward").to_numpy()
    >>> np.allclose(fine, wave(*np.ogrid[:12, :12], 12))
    True
    """

    def check() -> dict[int, tuple[int, int]]:
        return numbers_of(spectrum.layout, axes, points, s, real=real)

    facts: dict[str, Any] = {"axes": axes, "points": points, "s": s, "real": real}
    numbers = all_agree(spectrum, "resampled", check, **facts)
    now, last = spectrum, [*numbers][-1:]
    for axis, (old, new) in numbers.items():
        if old != new:
            waves = Waves.of(old, new, half=real and axis in last)
            kept = waves.old, waves.new, waves.in_memory, waves.over_nodes
            now = on_lines(now, axis, now.dtype, *kept)
    return spectrum.copy() if now is spectrum else evened(now, spectrum)


def to_points(  # noqa: PLR0913
    spectrum: CubeArray,
    points: Sequence[int],
    s: Sequence[int],
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    real: bool = True,
    out: CubeArray | None = None,
) -> CubeArray:
    """The array on ``s`` points with the waves of a spectrum that was made of other ``points``.

    It is ``irfftn(resampled(spectrum, points, s, axes), s, axes, norm)`` in one go, or with
    ``real=False`` that of ``ifftn``: waves go to their places where lines are transformed. With
    ``norm="forward"``, here and in the transform before, waves keep their heights; else values
    are as many times smaller as there are more points. With ``out`` the result goes there.

    >>> import numpy as np
    >>> from graycube.fourier import rfftn
    >>> from graycube.layout import Layout
    >>> wave = lambda i, j, n: np.cos(2 * np.pi * (i * 2 + j) / n)
    >>> u = CubeArray.from_function(lambda i, j: wave(i, j, 8), Layout.mesh((8, 8), (4, 1)))
    >>> fine = to_points(rfftn(u, norm="forward"), (8, 8), (12, 12), norm="forward")
    >>> np.allclose(fine.to_numpy(), wave(*np.ogrid[:12, :12], 12))
    True
    """

    def asked() -> Wanted:
        return points_wanted(spectrum, points, s, axes, norm, real=real, out=out)

    def without_legs(_asked: Wanted) -> CubeArray:
        finer = resampled(spectrum, points, s, axes, real=real)
        return (irfftn if real else ifftn)(finer, axes, norm, s=s, out=out)

    given = axes, points, s, norm, real
    return called(spectrum, "to_points", given, asked, out, without_legs)


def to_waves(  # noqa: PLR0913
    a: CubeArray,
    points: Sequence[int],
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    real: bool = True,
    out: CubeArray | None = None,
) -> CubeArray:
    """The spectrum of so many ``points`` with those waves of an array that they have.

    It is ``resampled(rfftn(a, axes, norm), shape, points, axes)``, or with ``real=False`` that
    of ``fftn``, in one go: only these waves are kept of each line. So a product by the 3/2 rule
    is ``to_waves(to_points(u, n, m) * to_points(v, n, m), n)``. With ``out`` it goes there.

    >>> import numpy as np
    >>> from graycube.fourier import rfftn
    >>> from graycube.layout import Layout
    >>> wave = lambda i, j, n: np.cos(2 * np.pi * (i * 2 + j) / n)
    >>> u, fine = (
    ...     CubeArray.from_function(lambda i, j: wave(i, j, n), Layout.mesh((n, n), (4, 1)))
    ...     for n in (8, 12)
    ... )
    >>> found = to_waves(fine, (8, 8), norm="forward")
    >>> np.allclose(found.to_numpy(), rfftn(u, norm="forward").to_numpy())
    True
    """

    def asked() -> Wanted:
        return waves_wanted(a, points, axes, norm, real=real, out=out)

    def without_legs(chosen: Wanted) -> CubeArray:
        whole = (rfftn if real else fftn)(a, chosen.axes, norm)
        made = resampled(whole, chosen.points, points, chosen.axes, real=real)
        return delivered(made, out)

    return called(a, "to_waves", (axes, points, norm, real), asked, out, without_legs)


def points_wanted(  # noqa: PLR0913
    spectrum: CubeArray,
    points: Sequence[int],
    s: Sequence[int],
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    real: bool = True,
    out: CubeArray | None = None,
) -> Wanted:
    """What :func:`to_points` is asked for.

    >>> import numpy as np
    >>> from graycube.layout import Layout
    >>> a = CubeArray.from_numpy(np.ones((8, 5)), Layout.mesh((8, 5), (2, 1)))
    >>> points_wanted(a, (8, 8), (12, 12)).waves
    (8, 8)
    """
    require_norm(norm)
    require_axes(spectrum.layout, axes, real=real)
    numbers = numbers_of(spectrum.layout, axes, points, s, real=real)
    before, after = (tuple(pair[k] for pair in numbers.values()) for k in (0, 1))
    dtype = complex_dtype(spectrum.dtype)
    lengths = dict(zip(numbers, after, strict=True))
    shape = [lengths.get(k, length) for k, length in enumerate(spectrum.shape)]
    require_out(out, spectrum, shape, np.finfo(dtype).dtype if real else dtype)
    return Wanted((*numbers,), after, norm, inverse=True, real=real, waves=before)


def waves_wanted(  # noqa: PLR0913
    a: CubeArray,
    points: Sequence[int],
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
    *,
    real: bool = True,
    out: CubeArray | None = None,
) -> Wanted:
    """What :func:`to_waves` is asked for.

    >>> import numpy as np
    >>> from graycube.layout import Layout
    >>> a = CubeArray.from_numpy(np.ones((12, 12)), Layout.mesh((12, 12), (2, 1)))
    >>> waves_wanted(a, (8, 8)).points
    (12, 12)
    """
    require_norm(norm)
    if real:
        require_real(a.dtype)
    wanted = require_lengths(a.layout, require_axes(a.layout, axes, real=real), points)
    shape = tuple(a.layout.shape[k] for k in wanted)
    made = Wanted((*wanted,), shape, norm, real=real, waves=tuple(wanted.values()))
    values = replace(made, points=made.kept).values
    lengths = dict(zip(wanted, values, strict=True))
    after = [lengths.get(k, length) for k, length in enumerate(a.shape)]
    require_out(out, a, after, complex_dtype(a.dtype))
    return made


def numbers_of(
    layout: Layout,
    axes: Sequence[int] | None,
    points: Sequence[int],
    s: Sequence[int],
    *,
    real: bool,
) -> dict[int, tuple[int, int]]:
    """How many points there were along each axis of a spectrum, and how many there are to be.

    >>> from graycube.layout import Layout
    >>> numbers_of(Layout.mesh((8, 5), (2, 1)), None, (8, 8), (12, 12), real=True)
    {0: (8, 12), 1: (8, 12)}
    """
    chosen = require_axes(layout, axes)
    there = require_lengths(layout, chosen, points)
    wanted = require_lengths(layout, chosen, s)
    for k in chosen:
        values = there[k] // 2 + 1 if real and k == chosen[-1] else there[k]
        if values != layout.shape[k]:
            raise InvalidValueError(
                f"axis {k} of the spectrum has length {layout.shape[k]}",
                f"the spectrum of {there[k]} points has {values} values there",
                "pass the points of the array that was transformed; real=False after fftn",
            )
    return {k: (there[k], wanted[k]) for k in chosen}
