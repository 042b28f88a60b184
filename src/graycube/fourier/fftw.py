"""FFTW and its plans, for programs that ask for its planner.

FFTW times its codelets on lines like those it will get, and takes the fastest. That takes up
to some seconds, and pays for transforms that run often. It writes into arrays meanwhile: so it
tries on room with the same strides, which is memory until the plan is there. Once it has tried,
its wisdom says the same plan again in some microseconds.
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from graycube.errors import MissingExtraError
from graycube.fourier.works import Call, Lines, LineWork

Effort = Literal["estimate", "measure", "patient", "exhaustive"]
"""How long FFTW's planner tries, by FFTW's names."""
LINE = 64
"""Bytes of a line of cache."""
_VECTOR = 16
"""Bytes in which FFTW counts."""


class Strided(NamedTuple):
    """All that FFTW looks at of an array; it counts the start in steps of its vectors.

    So arrays that begin elsewhere in a line of cache have the same plans, and no trials again.

    >>> x = np.zeros((2, 3))
    >>> Strided.of(x).room().strides
    (24, 8)
    """

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: "np.dtype[Any]"
    start: int

    @classmethod
    def of(cls, x: Lines) -> "Strided":
        """What it is of that array."""
        return cls(x.shape, x.strides, x.dtype, x.ctypes.data % _VECTOR)

    def room(self) -> Lines:
        """An array like that one."""
        ends = [
            stride * (size - 1) for stride, size in zip(self.strides, self.shape, strict=True)
        ]
        low, high = (sum(pick(0, end) for end in ends) for pick in (min, max))
        room = np.zeros(high - low + self.dtype.itemsize + LINE, np.uint8)
        start = (self.start + low - room.ctypes.data) % LINE - low
        return np.ndarray(self.shape, self.dtype, room, start, self.strides)


class Like(NamedTuple):
    """All that FFTW looks at of a work; there is no target if it is in place.

    >>> x = np.zeros((2, 3), complex)
    >>> like = Like.of(LineWork(x, (0,), x))
    >>> like.target is None, like.work().out.shape
    (True, (2, 3))
    """

    source: Strided
    target: Strided | None
    axes: tuple[int, ...]
    kind: str
    inverse: bool
    spent: bool

    @classmethod
    def of(cls, work: LineWork) -> "Like":
        """What it is of that work."""
        source, target = Strided.of(work.lines), Strided.of(work.out)
        same = work.lines.ctypes.data == work.out.ctypes.data and source == target
        return cls(
            source, None if same else target, work.axes, work.kind, work.inverse, work.spent
        )

    def work(self) -> LineWork:
        """A work like that one, on arrays of its own."""
        lines = self.source.room()
        out = lines if self.target is None else self.target.room()
        return LineWork(lines, self.axes, out, self.kind, self.inverse, spent=self.spent)


class How(NamedTuple):
    """How long FFTW's planner tries, and how many threads transform.

    >>> How("measure", 1).effort
    'measure'
    """

    effort: Effort
    threads: int

    def plan(self, work: LineWork, *flags: str) -> Any:  # noqa: ANN401
        """FFTW's plan; making it may write into both arrays."""
        return library().FFTW(
            work.lines,
            work.out,
            axes=work.axes,
            direction="FFTW_BACKWARD" if work.inverse else "FFTW_FORWARD",
            flags=(f"FFTW_{self.effort.upper()}", *["FFTW_DESTROY_INPUT"] * work.spent, *flags),
            threads=self.threads,
        )


def executed(work: LineWork, how: How) -> Call:
    """A work as FFTW plans it, without its factor; nothing is written meanwhile.

    >>> x = np.array([1, 3], complex)
    >>> _ = executed(LineWork(x, (0,), x), How("measure", 1))()
    >>> x.real.tolist()
    [4.0, -2.0]
    """
    if how.effort == "estimate":  # which writes nothing
        plan = how.plan(work)
    else:
        try:
            plan = how.plan(work, "FFTW_WISDOM_ONLY")
        except RuntimeError:  # FFTW has not met it, or somebody made it forget
            plan = how.plan(Like.of(work).work())
            plan.update_arrays(work.lines, work.out)
    execute: Call = plan.execute
    return execute


def library() -> Any:  # noqa: ANN401 - a module
    """The module pyfftw, from the extra ``fftw``."""
    try:
        import pyfftw  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingExtraError(
            "pyFFTW is not installed",
            "transforms by FFTW need it",
            "run: pip install 'graycube[fftw]', or leave FFTW out",
        ) from error
    return pyfftw
