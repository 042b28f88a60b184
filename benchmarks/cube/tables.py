"""What the experiments found, as tables of Markdown."""

from collections.abc import Iterator, Sequence
from math import log
from statistics import median

from found import Row, by_algorithm, by_move, by_size, calibrated, size, spread, typical


def tables(cubes: dict[int, Row]) -> dict[str, list[str]]:
    """Lines of Markdown under headings."""
    return {
        "calibration": list(lines(_calibrations(cubes))),
        "long blocks: measured, and over predicted": list(lines(_long(cubes))),
        "ratios": list(lines(_ratios(cubes))),
        "layouts": list(lines(_layouts(cubes))),
        "regret": list(lines(_regret(cubes))),
        "break-even": list(lines(_break_even(cubes))),
        "transforms": list(lines(_transforms(cubes))),
        "mappings": list(lines(_mappings(cubes))),
    }


def lines(rows: Iterator[Sequence[str]]) -> Iterator[str]:
    """A table of Markdown; the first row is its head."""
    for k, row in enumerate(rows):
        yield "| " + " | ".join(row) + " |"
        if k == 0:
            yield "|" + "---|" * len(row)


def _calibrations(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "Mbit/s of a link", "start-up", "reached", "ports", "switching", "latency"
    for n, cube in cubes.items():
        machine = calibrated(cube)
        yield (
            str(1 << n),
            f"{cube['rate']:g}",
            f"{1e6 * machine['startup']:.0f} us",
            f"{8e-6 / machine['per_byte']:.1f} Mbit/s",
            str(machine["ports"]),
            machine["switching"],
            f"{1e6 * cube['latency']:.0f} us",
        )


def _long(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    blocks = sorted({block for cube in cubes.values() for block in by_size(cube)})
    yield "nodes", "algorithm", "ports", *map(size, blocks)
    for n, cube in cubes.items():
        cells: dict[tuple[str, str], dict[int, str]] = {}
        for row in cube["conversions"]:
            ports = ", ".join(map(str, row.get("ports", ("all",))))
            ratio = f", {typical(row) / row['predicted']:.3f}" if "predicted" in row else ""
            found = cells.setdefault((row["algorithm"], ports), {})
            found[row["block"]] = f"{typical(row):.4g} s{ratio}"
        for (name, ports), found in cells.items():
            yield str(1 << n), name, ports, *(found.get(block, "") for block in blocks)


def _ratios(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield (
        "nodes",
        "block",
        "least",
        "median",
        "greatest",
        "three fifths over direct",
        "slowest run",
    )
    for n, cube in cubes.items():
        for block, rows in by_size(cube).items():
            ratios = [typical(r) / r["predicted"] for r in rows if r.get("predicted")]
            times = {row["algorithm"]: typical(row) for row in rows}
            three = times.get("three-fifths")
            yield (
                str(1 << n),
                size(block),
                *(f"{pick(ratios):.3f}" for pick in (min, median, max)),
                f"{three / times['direct']:.3f}" if three else "",
                f"+{100 * max(map(spread, rows)):.0f} %",
            )


def _layouts(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "from cyclic", "block", "algorithm", "ports", "time", "over predicted"
    for n, cube in cubes.items():
        for move, rows in by_move(cube).items():
            for row in rows:
                known = "predicted" in row
                yield (
                    str(1 << n),
                    move,
                    size(row["block"]),
                    row["algorithm"],
                    ", ".join(map(str, row.get("ports", ("all",)))),
                    f"{typical(row):.4g} s",
                    f"{typical(row) / row['predicted']:.3f}" if known else "",
                )


def _regret(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "data", "block", "ports", "choice", "fastest", "regret"
    for n, cube in cubes.items():
        codes = [("Gray to binary code", rows) for rows in by_size(cube).values()]
        layouts = [(f"from cyclic, {move}", rows) for move, rows in by_move(cube).items()]
        for data, rows in [*codes, *layouts]:
            for ports in (1, 2, "all"):
                able = [row for row in rows if ports in row.get("ports", ())]
                (choice,) = (row for row in able if ports in row["chosen"])
                fastest = min(able, key=typical)
                yield (
                    str(1 << n),
                    data,
                    size(rows[0]["block"]),
                    str(ports),
                    choice["algorithm"],
                    fastest["algorithm"],
                    f"{typical(choice) / typical(fastest):.3f}",
                )


def _break_even(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "predicted", "measured", "GB1 over GB3", "2(n-1)/n"
    for n, cube in cubes.items():
        if n > 2:  # for two dimensions GB1 is never slower
            machine, times = calibrated(cube), by_algorithm(cube)
            even = machine["startup"] / machine["per_byte"] / (n / 2 - 1)
            last = max(times["gb1"])
            yield (
                str(1 << n),
                f"{even:.0f} bytes",
                f"{_crossing(times['gb1'], times['gb3']):.0f} bytes",
                f"{times['gb1'][last] / times['gb3'][last]:.2f} at {size(last)}",
                f"{2 * (n - 1) / n:.2f}",
            )


def _crossing(one: dict[int, float], other: dict[int, float]) -> float:
    """From where on the second one is always faster; between two sizes by their logarithms."""
    sizes = sorted(one)
    gains = [log(one[nbytes] / other[nbytes]) for nbytes in sizes]
    last = max((k for k, gain in enumerate(gains) if gain <= 0), default=-1)
    if last in {-1, len(sizes) - 1}:
        return float(sizes[0] if last < 0 else sizes[-1])
    part = -gains[last] / (gains[last + 1] - gains[last])
    return float(sizes[last] * (sizes[last + 1] / sizes[last]) ** part)


def _transforms(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "allocation", "binary", "Gray", "Gray over binary", "bytes, Gray over binary"
    for n, cube in cubes.items():
        rows = {(row["kind"], row["code"]): row for row in cube["transforms"]}
        for kind in dict.fromkeys(kind for kind, _ in rows):
            binary, gray = (rows[kind, code] for code in ("binary", "gray"))
            yield (
                str(1 << n),
                kind,
                *(
                    f"{typical(row):.4g} s (+{100 * spread(row):.0f} %)"
                    for row in (binary, gray)
                ),
                f"{typical(gray) / typical(binary):.3f}",
                f"{gray['bytes'] / binary['bytes']:.4f}",
            )


def _mappings(cubes: dict[int, Row]) -> Iterator[Sequence[str]]:
    yield "nodes", "part or program", "binary", "Gray", "both, converted", "predicted"
    for n, cube in cubes.items():
        found: dict[str, dict[str, Row]] = {}
        for row in cube["mappings"]:
            found.setdefault(row["part"], {})[row["code"]] = row
        for part, rows in found.items():
            told = [
                f"{typical(rows[c]):.4g} s" if c in rows else ""
                for c in ("binary", "gray", "both")
            ]
            predicted = [
                f"{row['predicted']:.4g} s" for row in rows.values() if row["predicted"]
            ]
            yield str(1 << n), part, *told, ", ".join(predicted)
