"""A calibration in words: the machine in two lines, then measured beside predicted."""

from collections.abc import Iterator, Mapping, Sequence

from graycube.machine import Machine
from graycube.machine.words import over
from graycube.measure.fit import alone_over_lone, ratios
from graycube.measure.samples import Sample
from graycube.show import Table
from graycube.texts import counted

_NOISY = 0.5  # the share by which repeats differ on machines that do something else besides
_BUSY = "\nThe machine was busy with other work: calibrate again when it is idle."
_POOR = 0.3  # what half of the sizes are off by where a start-up and a rate explain little
_UNLIKE = (
    "\nNo start-up and rate explain these times: do not plan with them. Calibrate again with "
    "--merge when the machine is idle, or with the --sizes that you send."
)
_HEAD = ("round", "size", "measured", "predicted", "error", "")


def headline(machine: Machine, error: Mapping[str, float], spread: float) -> str:
    """The machine, and how well it fits.

    >>> machine = Machine(dims=2, startup=2e-6, per_byte=1e-9)
    >>> print(headline(machine, {"median": 0.1, "worst": 0.25}, spread=2.0))
    4 ranks: start-up 2 us, 1 ns a byte, 1 port, store-and-forward
    off by 10 % (median) and 25 % (worst) for neighbours; repeats differ by 200 %
    The machine was busy with other work: calibrate again when it is idle.
    """
    warned = _BUSY if spread > _NOISY else _UNLIKE if error["median"] > _POOR else ""
    return (
        f"{costs(machine)}\n"
        f"off by {100 * error['median']:.0f} % (median) and "
        f"{100 * error['worst']:.0f} % (worst) for neighbours; "
        f"repeats differ by {100 * spread:.0f} %{warned}"
    )


def costs(machine: Machine) -> str:
    """The machine in a line.

    >>> costs(Machine(dims=3, ports=2, startup=2e-6, per_byte=1e-9))
    '8 ranks: start-up 2 us, 1 ns a byte, 2 ports, store-and-forward'
    """
    rows = f", {1e9 * machine.per_row:.3g} ns a row" if machine.per_row else ""
    return (
        f"{1 << machine.dims} ranks: {'; '.join(_links(machine))}{rows}, "
        f"{counted(machine.links_at_once, 'port')}, {machine.switching}"
    )


def _links(machine: Machine) -> Iterator[str]:
    shared = {wires.dims.start: f" ({wires.shared})" for wires in machine.wires}
    for dims, link in machine.levels:
        where = f" over {over(dims)}" if len(machine.levels) > 1 else ""
        where += shared.get(dims.start, "")
        yield f"start-up {_time(link.startup)}, {1e9 * link.per_byte:.3g} ns a byte{where}"


def table(samples: Sequence[Sample], machine: Machine) -> Table:
    """A row for each sample; a label stands once.

    >>> samples = [Sample("alltoall", 1, 2048, seconds=2.0)]
    >>> table(samples, Machine(dims=1, per_byte=1e-3)).rows
    [('all-to-all of MPI', '2 KiB', '2 s', '1.02 s', '-49 %', '')]
    """
    remarks = _remarks(samples)
    rows, before = [], ""
    for sample in samples:
        predicted = sample.predicted(machine)
        error = f"{_percent(predicted / sample.seconds - 1)} %"
        label = "" if sample.label == before else sample.label
        times = _time(sample.seconds), _time(predicted)
        rows.append((label, _size(sample.nbytes), *times, error, remarks.get(sample, "")))
        before = sample.label
    return Table(_HEAD, rows, "lrrrrl")


def _remarks(samples: Sequence[Sample]) -> dict[Sample, str]:
    """The ratios that decide about switching, ports and cards."""
    far, at_once = ratios(samples, "distance"), ratios(samples, "at once")
    faster = alone_over_lone(samples)
    remarks = {}
    for sample in samples:
        key = (sample.count, sample.nbytes)
        if sample.count > 1 and sample.kind == "distance" and key in far:
            remarks[sample] = f"{far[key]:.2f} x a neighbour"
        if sample.count > 1 and sample.kind == "at once" and key in at_once:
            remarks[sample] = f"{at_once[key] / sample.count:.2f} x one after the other"
        if sample.kind == "lone" and key in faster:
            remarks[sample] = f"{faster[key]:.2f} x as fast as all ranks"
    return remarks


def _percent(share: float) -> str:
    """A signed percentage, but zero has no sign.

    >>> _percent(0.125), _percent(-1e-9)
    ('+12', '0')
    """
    whole = round(100 * share)
    return f"{whole:+d}" if whole else "0"


def _size(nbytes: int) -> str:
    """Bytes in the largest unit that leaves a whole number.

    >>> _size(1000), _size(2048), _size(3 << 20), _size(1 << 40)
    ('1000 B', '2 KiB', '3 MiB', '1024 GiB')
    """
    unit = 0
    while nbytes and nbytes % 1024 == 0 and unit < 3:
        nbytes, unit = nbytes // 1024, unit + 1
    return f"{nbytes} {('B', 'KiB', 'MiB', 'GiB')[unit]}"


def _time(seconds: float) -> str:
    """Seconds in a unit that suits them.

    >>> _time(2.5e-6), _time(0.0123456), _time(0.0)
    ('2.5 us', '12.3 ms', '0 us')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{1e6 * seconds:.3g} us"
