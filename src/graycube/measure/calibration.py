"""What a calibration found: the machine, the measurements, and how well they fit."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, get_args

from graycube.machine import Machine, read_measured, save_profile
from graycube.machine.profile_text import no_profile
from graycube.machine.profiles import read_source
from graycube.measure.fit import fit
from graycube.measure.report import costs, headline, table
from graycube.measure.samples import Kind, Sample, merged
from graycube.show import Folded, Sheet, Shown, text

_MOST = 1 << 62  # bytes of a round, or rows
_INSTANT, _AGE = 1e-12, 1e12  # seconds that no round takes


@dataclass(frozen=True)
class Calibration(Shown):
    """The machine that explains the samples best; a sample is a round that was measured.

    >>> truth = Machine(dims=2, switching="circuit", startup=1e-5, per_byte=1e-9)
    >>> sizes = (8, 1024, 131072)
    >>> samples = [Sample("distance", 1, b, seconds=truth.message_time(b)) for b in sizes]
    >>> samples += [Sample("distance", 2, b, seconds=1.1e-5) for b in (8, 1024)]
    >>> calibration = Calibration.of(samples, dims=2)
    >>> print(calibration.report())
    4 ranks: start-up 10 us, 1 ns a byte, 1 port, circuit
    off by 0 % (median) and 0 % (worst) for neighbours; repeats differ by 0 %
    <BLANKLINE>
    round                          size  measured  predicted  error
    exchange of neighbours          8 B     10 us      10 us    0 %
                                  1 KiB     11 us      11 us    0 %
                                128 KiB    141 us     141 us    0 %
    exchange over 2 dimensions      8 B     11 us      10 us   -9 %  1.10 x a neighbour
                                  1 KiB     11 us      11 us    0 %  1.00 x a neighbour
    """

    machine: Machine
    samples: tuple[Sample, ...]
    source: str = field(default="", compare=False)
    """Where the ranks were, under which MPI, and when."""

    @classmethod
    def of(
        cls, samples: Iterable[Sample], dims: int, name: str = "calibrated", source: str = ""
    ) -> "Calibration":
        """The calibration of measurements on 2^``dims`` ranks."""
        samples = tuple(samples)
        source = source or f"measured by graycube on {1 << dims} ranks"
        return cls(fit(samples, dims, name), samples, source)

    @classmethod
    def saved(cls, name: str) -> "Calibration":
        """The calibration that was saved under a name.

        >>> import os, tempfile
        >>> from unittest.mock import patch
        >>> found = Calibration.of([Sample("distance", 1, b, 1e-6) for b in (8, 80)], dims=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with patch.dict(os.environ, GRAYCUBE_PROFILES=folder):
        ...         _ = found.save("laptop")
        ...         Calibration.saved("laptop") == found
        True
        """
        machine = Machine.profile(name)
        rows, where = read_measured(name)
        if not rows:
            raise no_profile(where, "it has no measurements of a calibration")
        samples = tuple(_sample(row, where, machine.dims) for row in rows)
        if not any(s.kind == "distance" and s.count == 1 for s in samples):
            raise no_profile(where, "it has no exchanges of neighbours")
        return cls(machine, samples, read_source(name))

    def merged(self, other: "Calibration") -> "Calibration":
        """The machine that explains both best; of rounds that both have, the shorter counts.

        Of the one with fewer ranks only rounds over single dimensions count: those that other
        ranks have as well, if ranks follow each other from computer to computer as before.

        >>> rounds = [("distance", 1, 8), ("distance", 1, 8000)]
        >>> calm, busy = (
        ...     Calibration.of([Sample(*r, seconds=t * r[2]) for r in rounds], dims=1)
        ...     for t in (1e-9, 3e-9)
        ... )
        >>> calm.merged(busy) == busy.merged(calm) == calm
        True
        """
        small, large = sorted((other, self), key=lambda found: found.machine.dims)
        added = small.samples
        if small.machine.dims < large.machine.dims:
            added = tuple(sample for sample in added if sample.kind in {"alone", "lone"})
        together = merged(large.samples, added)
        return Calibration.of(together, large.machine.dims, large.machine.name, large.source)

    def __str__(self) -> str:
        return headline(self.machine, self.error, self.spread)

    def __repr__(self) -> str:
        return f"<Calibration {self.machine.name}: {costs(self.machine)}>"

    @property
    def error(self) -> dict[str, float]:
        """The relative error of start-up and rate: its median and the worst."""
        neighbours = (s for s in self.samples if s.kind == "distance" and s.count == 1)
        errors = [abs(s.predicted(self.machine) / s.seconds - 1) for s in neighbours]
        return {"median": median(errors), "worst": max(errors)}

    @property
    def spread(self) -> float:
        """By which share the repeats of a round differ: the median over the rounds."""
        return median(s.spread for s in self.samples)

    def report(self) -> str:
        """What was measured beside what the machine predicts."""
        return text(self._sheet())

    def _sheet(self) -> Sheet:
        measured = table(self.samples, self.machine)
        folded = Folded(f"Rounds measured: {len(measured.rows)}", measured)
        return Sheet(f"Calibration {self.machine.name}", *str(self).split("\n"), "", folded)

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain numbers and texts, for JSON.

        >>> samples = [Sample("distance", 1, b, seconds=1e-6) for b in (8, 80)]
        >>> found = Calibration.of(samples, dims=1).as_dict()
        >>> sorted(found), len(found["measured"])
        (['error', 'machine', 'measured'], 2)
        """
        rows = [{**asdict(s), "predicted": s.predicted(self.machine)} for s in self.samples]
        return {"machine": asdict(self.machine), "error": self.error, "measured": rows}

    def save(self, name: str | None = None) -> Path:
        """Save the machine as a profile, which ``Machine.profile(name)`` finds.

        Without a name it is that of the machine.

        >>> import os, tempfile
        >>> from unittest.mock import patch
        >>> samples = [Sample("distance", 1, b, seconds=1e-6) for b in (8, 80)]
        >>> calibration = Calibration.of(samples, dims=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with patch.dict(os.environ, GRAYCUBE_PROFILES=folder):
        ...         _ = calibration.save("laptop")
        ...         Machine.profile("laptop") == calibration.machine
        True
        """
        found = self.as_dict()
        return save_profile(
            self.machine,
            self.machine.name if name is None else name,
            source=self.source,
            error=found["error"],
            measured=found["measured"],
        )


def _sample(row: Mapping[str, Any], where: str, dims: int) -> Sample:
    """A round as a file has it, if 2^``dims`` ranks can have measured it."""
    kind, count, nbytes, seconds = (row[k] for k in ("kind", "count", "nbytes", "seconds"))
    counts = {"alone": range(dims), "lone": range(1, dims), "rows": range(1, _MOST + 1)}
    whole = isinstance(count, int) and isinstance(nbytes, int)
    possible = count in counts.get(kind, range(1, dims + 1)) and 1 <= nbytes <= _MOST
    if kind not in get_args(Kind) or not whole or not possible:
        raise no_profile(where, f"{kind!s:.40} of {count!s:.20} and {nbytes!s:.20} is no round")
    if not _INSTANT <= seconds <= _AGE:
        raise no_profile(where, f"a round takes {seconds!s:.20} seconds")
    return Sample(kind, count, nbytes, float(seconds), float(row["spread"]))
