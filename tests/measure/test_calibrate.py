"""Calibration: fits of made-up machines, rounds over threads, errors, and the command."""

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from cli_runs import cli
from hypothesis import given, strategies as st
from sweeping import sweep
from virtual_ranks import VirtualMachine

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.measure import Calibration, RoundKind, Sample, calibrate, fit
from graycube.measure.calibrate import from_first
from graycube.measure.placement import source_of
from graycube.measure.samples import rounds

SIZES = tuple(8 << 2 * k for k in range(10))
MPIEXEC = Path(sys.executable).with_name("mpiexec")
SETTINGS = {"sizes": (8, 2048, 1 << 15), "repeats": 5}


def neighbours(startup, per_byte, noise=0.0, seed=0):
    factors = np.exp(noise * np.random.default_rng(seed).standard_normal(len(SIZES)))
    times = (startup + np.array(SIZES) * per_byte) * factors
    return [Sample("distance", 1, b, t) for b, t in zip(SIZES, times.tolist(), strict=True)]


@given(
    st.floats(-7, -2).map(lambda x: 10**x),
    st.floats(2, 5).map(lambda x: 10**x),
    st.sampled_from([0.0, 0.01, 0.05]),
    st.integers(0, 1000),
)
def test_startup_and_rate_are_recovered_from_noisy_times(startup, half, noise, seed):
    """``half`` is the size in bytes at which a message takes twice its start-up."""
    found = fit(neighbours(startup, startup / half, noise, seed), dims=1)
    assert found.startup == pytest.approx(startup, rel=1e-4 + 3 * noise)
    assert found.per_byte == pytest.approx(startup / half, rel=1e-4 + 3 * noise)


@given(st.integers(0, len(SIZES) - 1), st.floats(2, 20), st.integers(0, 1000))
def test_one_slow_size_does_not_spoil_the_fit(where, factor, seed):
    samples = neighbours(1e-5, 1e-9, noise=0.02, seed=seed)
    slow = samples[where]
    samples[where] = Sample("distance", 1, slow.nbytes, slow.seconds * factor)
    found = fit(samples, dims=1)
    assert found.startup == pytest.approx(1e-5, rel=0.2)
    assert found.per_byte == pytest.approx(1e-9, rel=0.2)


def test_too_slow_and_too_fast_count_alike():
    times = [1.3e-5] * 5 + [1e-5 / 1.3] * 5
    samples = [Sample("distance", 1, b, t) for b, t in zip(SIZES, times, strict=True)]
    assert fit(samples, dims=1).startup == pytest.approx(1e-5, rel=0.01)


@given(st.lists(st.floats(1e-7, 1.0), min_size=10, max_size=10))
def test_whatever_the_times_are_the_machine_is_possible(times):
    samples = [Sample("distance", 1, b, t) for b, t in zip(SIZES, times, strict=True)]
    found = fit(samples, dims=1)
    assert found.startup >= 0
    assert found.per_byte >= 0
    assert found.startup + found.per_byte > 0


def test_a_machine_without_startup_or_without_rate_is_recovered():
    assert fit(neighbours(0.0, 1e-9), dims=1).startup < 1e-13
    found = fit(neighbours(1e-5, 0.0), dims=1)
    assert found.per_byte == 0
    assert found.startup == pytest.approx(1e-5, rel=1e-4)


def samples_of(kind, ratios, nbytes=1 << 21):
    return [Sample(kind, k, nbytes, ratio) for k, ratio in enumerate(ratios, start=1)]


@pytest.mark.parametrize(
    ("ratios", "switching"),
    [
        ((1, 1, 1, 1), "circuit"),
        ((1, 1.1, 1.15, 1.25), "circuit"),
        ((1, 0.8, 1.2, 0.9), "circuit"),
        ((1, 2, 3, 4), "store-and-forward"),
        ((1, 1.8, 3.3, 3.7), "store-and-forward"),
        ((1, 2.2, 1.6, 4.1), "store-and-forward"),
    ],
)
def test_switching_is_the_nearer_of_the_two(ratios, switching):
    samples = neighbours(1e-5, 1e-9) + samples_of("distance", ratios, nbytes=1 << 22)
    assert fit(samples, dims=4).switching == switching


@pytest.mark.parametrize(
    ("ratios", "ports"),
    [
        ((1, 2, 3, 4), 1),
        ((1, 1.8, 2.4, 3.2), 1),
        ((1, 1, 2, 2), 2),
        ((1, 1.1, 1.7, 2.2), 2),
        ((1, 1, 1, 2), 3),
        ((1, 1, 1, 1), "all"),
        ((1, 1.2, 0.9, 1.3), "all"),
    ],
)
def test_ports_are_those_that_overlap(ratios, ports):
    samples = neighbours(1e-5, 1e-9) + samples_of("at once", ratios)
    samples += samples_of("at once", (1, 1, 1, 1), nbytes=8)  # small ones do not decide
    assert fit(samples, dims=4).ports == ports


def test_a_cube_of_two_ranks_has_one_port_and_circuits():
    found = fit([*neighbours(1e-5, 1e-9), Sample("at once", 1, 8, 1.0)], dims=1)
    assert (found.ports, found.switching) == (1, "circuit")


@pytest.mark.parametrize("seconds", [0.0, -1.0, nan, inf])
def test_impossible_times_are_refused(seconds):
    with pytest.raises(InvalidValueError, match="a round takes some time"):
        fit([*neighbours(1e-5, 1e-9), Sample("alltoall", 1, 8, seconds)], dims=1)


@pytest.mark.parametrize("samples", [[], neighbours(1, 1)[:1], neighbours(1, 1)[:1] * 2])
def test_one_size_is_not_enough(samples):
    with pytest.raises(InvalidValueError, match="need two"):
        fit(samples, dims=1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("ports", "hops", "switching", "noise"),
    [
        (1, False, "circuit", 0.0),
        (2, True, "store-and-forward", 0.0),
        (3, False, "circuit", 0.05),
        *sweep(
            (1, False, "circuit", 0.05),
            (2, True, "store-and-forward", 0.05),
            (3, False, "circuit", 0.0),
        ),
    ],
)
def test_a_made_up_machine_is_found_by_measuring_it(ports, hops, switching, noise):
    slow = 10.0 if noise else 1.0
    truth = VirtualMachine(8, 1e-3, 1e-7, ports, hops, noise, slow)
    found = truth.run(lambda comm: calibrate(comm, "made-up", **SETTINGS))
    assert all(calibration == found[0] for calibration in found)
    machine = found[0].machine
    assert machine.name == "made-up"
    assert machine.startup == pytest.approx(1e-3, rel=0.2 if noise else 1e-3)
    assert machine.per_byte == pytest.approx(1e-7, rel=0.2 if noise else 1e-3)
    assert machine.links_at_once == ports
    assert machine.switching == switching
    if not noise:
        assert found[0].error["worst"] < 1e-3
        assert found[0].spread == pytest.approx(0, abs=1e-9)
        for sample in found[0].samples:
            if sample.kind != "alltoall":
                assert sample.predicted(machine) == pytest.approx(sample.seconds, rel=1e-2)


@pytest.mark.long
@pytest.mark.parametrize(("far", "noise"), [(1, 0.0), (2, 0.05), *sweep((1, 0.05), (2, 0.0))])
def test_near_and_far_links_are_told_apart(far, noise):
    slow = 10.0 if noise else 1.0
    truth = VirtualMachine(8, 1e-3, 1e-7, 1, noise=noise, slow=slow, far=far, slower=4.0)
    found = truth.run(lambda comm: calibrate(comm, **SETTINGS))[0]
    machine = found.machine
    assert [dims for dims, _ in machine.levels] == [range(far), range(far, 3)]
    near, beyond = (link for _, link in machine.levels)
    assert beyond.per_byte / near.per_byte == pytest.approx(4.0, rel=0.15 if noise else 1e-3)
    assert near.startup == pytest.approx(1e-3, rel=0.2 if noise else 1e-3)
    assert f"over dimension{'s 0 to 1' if far == 2 else ' 0'}" in found.report()
    if not noise:
        for sample in found.samples:
            if sample.kind in {"distance", "alone", "by dimensions", "pairwise"}:
                assert sample.predicted(machine) == pytest.approx(sample.seconds, rel=1e-2)


CARDS = [(2, 4, 1), (2, 4, 2), (2, 2, 4), (1, 2, 2)]
FEW = [(2, 4, 1, 0.05), (2, 4, 2, 0.0), (2, 2, 4, 0.05), (1, 2, 2, 0.05)]
REST = [(*card, noise) for card in CARDS for noise in (0.0, 0.05)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("far", "slower", "share", "noise"), [*FEW, *sweep(*(c for c in REST if c not in FEW))]
)
def test_cards_that_ranks_share_are_found(far, slower, share, noise):
    truth = VirtualMachine(
        8, 1e-3, 1e-7, ports=3, far=far, slower=slower, share=share, noise=noise
    )
    found = measured(truth)
    near, *_ = found.machine.levels
    assert [len(dims) for dims, _ in found.machine.levels] == [far, 3 - far]
    assert found.machine.share == ((1,) * far + (share,) * (3 - far) if share > 1 else 1)
    if share > 1:
        assert found.machine.ports[far:] == (1,) * (3 - far)
    ratio = found.machine.links[2].per_byte / near[1].per_byte
    assert ratio == pytest.approx(slower, rel=0.01 + 4 * noise)
    assert ("a card with 1 port for" in str(found)) == (share > 1)
    for sample in found.samples:  # the virtual ranks know nothing of ports of cards
        if sample.kind in {"alone", "lone", "pairwise"} and sample.nbytes > 1 << 10:
            assert sample.predicted(found.machine) == pytest.approx(sample.seconds, rel=0.3)


def test_where_all_ranks_are_a_little_slower_than_one_nothing_is_shared():
    alone = [Sample("alone", d, b, b * 4.0**d) for d in (0, 1) for b in (8, 8000)]
    distance = [Sample("distance", 1, b, 1.0 * b) for b in (8, 8000)]
    for faster, spread, share in ((1.4, 0, 1), (1.8, 0, (1, 2)), (1.8, 0.5, 1), (9, 0, (1, 2))):
        lone = Sample("lone", 1, 8000, 32000 / faster, spread)
        assert fit([*distance, *alone, lone], dims=2).share == share
    further = [Sample("alone", 2, b, b * 4.0) for b in (8, 8000)]
    further += [Sample("lone", 1, 8000, 31000.0), Sample("lone", 2, 8000, 8000.0)]  # a switch
    assert fit([*distance, *alone, *further], dims=3).share == 1


def test_links_that_are_alike_have_one_figure():
    for seed in range(20):
        chance = np.random.default_rng(seed)
        times = {
            (d, b): (1e-5 + 1e-9 * b) * float(np.exp(0.08 * chance.standard_normal()))
            for d in range(4)
            for b in (8, 4096, 1 << 20)
        }
        samples = [Sample("alone", d, b, seconds) for (d, b), seconds in times.items()]
        assert fit([*neighbours(1e-5, 1e-9), *samples], dims=4).alike


@pytest.mark.parametrize("per_row", [0.0, 5e-7])
def test_what_rows_cost_is_found_by_measuring(per_row):
    truth = VirtualMachine(4, 1e-3, 1e-7, per_row=per_row)
    found = truth.run(lambda comm: calibrate(comm, **SETTINGS))[0]
    assert found.machine.per_row == pytest.approx(per_row, abs=1e-12)
    (rows,) = (sample for sample in found.samples if sample.kind == "rows")
    assert (rows.count, rows.nbytes) == (1 << 12, 1 << 15)
    assert rows.predicted(found.machine) == pytest.approx(rows.seconds, rel=1e-6)
    assert ("ns a row" in found.report()) is bool(per_row)


def test_rows_that_cost_less_than_nothing_cost_nothing():
    samples = [*neighbours(1e-3, 1e-9), Sample("rows", 1 << 10, 8 << 10, 1e-4)]
    assert fit(samples, dims=1).per_row == 0
    samples.append(Sample("rows", 1 << 14, 8 << 14, 1e-3 + (8e-9 + 2e-7) * (1 << 14)))
    expected = (2e-7 * (1 << 14) + 1e-4 - 1e-3 - 8e-9 * 1024) / ((1 << 14) + 1024)
    assert fit(samples, dims=1).per_row == pytest.approx(expected)


@pytest.mark.parametrize(("startup", "before", "grown"), [(1.0, 1, 1), (0.01, 2, 4)])
def test_slow_rounds_are_measured_no_more_often_than_they_must_be(startup, before, grown):
    """Each once for every dimension that it may begin with, in every repeat and ``before``.

    At first some exchanges that have ``grown`` tell how long that takes.
    """

    def program(comm):
        calibrate(comm, sizes=(1, 64), repeats=3)
        return comm.now

    machine = gc.Machine(2, 1, "circuit", startup=startup, per_byte=0.0)
    needed = sum(
        (3 * startup if kind.kind == "alltoall" else kind.predicted(machine)) * kind.turns(2)
        for kind in rounds(2, (1, 64))
    )
    taken = VirtualMachine(4, startup, 0.0).run(program)
    assert max(taken) == pytest.approx((3 + before) * needed + grown * 2 * startup)


def test_two_ranks_are_enough():
    truth = VirtualMachine(2, 1e-3, 1e-7)
    first, second = truth.run(lambda comm: calibrate(comm, **SETTINGS))
    assert first == second
    assert first.machine.startup == pytest.approx(1e-3, rel=1e-3)
    assert first.machine.name == "calibrated"


def test_a_round_ends_when_its_slowest_rank_is_done():
    truth = VirtualMachine(8, 1e-3, 1e-7, late=3.0)
    found = truth.run(lambda comm: calibrate(comm, **SETTINGS))[0].machine
    assert found.startup == pytest.approx(3e-3, rel=1e-3)
    assert found.per_byte == pytest.approx(3e-7, rel=1e-3)


def test_only_rank_0_fits(monkeypatch):
    calls = []

    def of(samples, dims, name, _):
        calls.append(dims)
        return samples, name

    monkeypatch.setattr(Calibration, "of", of)
    found = VirtualMachine(4, 1e-3, 1e-7).run(lambda comm: calibrate(comm, **SETTINGS))
    assert calls == [2]
    assert all(outcome is found[0] for outcome in found)


def refused(ranks, **given):
    settings = {rank: {**SETTINGS, **given} for rank in range(ranks)}
    return VirtualMachine(ranks, 1e-3, 1e-7).run(
        lambda comm: calibrate(comm, **settings[comm.rank])
    )


@pytest.mark.parametrize(
    ("ranks", "given", "complaint"),
    [
        (1, {}, "the number of ranks is 1"),
        (3, {}, "the number of ranks is 3"),
        (6, {}, "the nearest are 4 and 8"),
        (2, {"sizes": ()}, "the sizes are"),
        (2, {"sizes": (0, 1024)}, "the sizes are"),
        (2, {"sizes": (-8, 1024)}, "the sizes are"),
        (2, {"sizes": (8, 1 << 31)}, "the sizes are"),
        (2, {"sizes": range(1, 200)}, "up to 64 sizes"),
        (2, {"sizes": (8, 16)}, "64 times the smallest"),
        (2, {"sizes": (4096,)}, "64 times the smallest"),
        (2, {"repeats": 0}, "repeats"),
        (2, {"repeats": 10**9}, "repeats"),
        (2, {"name": "ideal"}, "built-in"),
        (2, {"name": "../x"}, "the name is"),
        (2, {"name": ""}, "the name is"),
    ],
)
def test_all_ranks_raise_the_same_error(ranks, given, complaint):
    errors = refused(ranks, **given)
    assert len(errors) == ranks
    assert all(type(error) is InvalidValueError for error in errors)
    assert all(str(error) == str(errors[0]) for error in errors)
    assert complaint in str(errors[0])


def test_sizes_64_times_apart_will_do():
    assert all(type(found) is Calibration for found in refused(2, sizes=(8, 512)))


@pytest.mark.parametrize("given", [{"sizes": (8.0, 1024)}, {"repeats": "5"}])
def test_wrong_types_are_refused_on_all_ranks(given):
    assert [type(error) for error in refused(2, **given)] == [InvalidTypeError] * 2


@pytest.mark.parametrize("second", [{"repeats": 0}, {"sizes": (8, 512)}, {"name": "other"}])
def test_ranks_that_disagree_all_learn_of_it(second):
    def program(comm):
        return calibrate(comm, **{**SETTINGS, **(second if comm.rank else {})})

    errors = VirtualMachine(4, 1e-3, 1e-7).run(program)
    assert all(type(error) is InvalidValueError for error in errors)
    assert len(set(map(str, errors))) == 1


def test_what_one_rank_alone_gets_wrong_is_told_to_all():
    def program(comm):
        return calibrate(comm, **SETTINGS, quick="yes" if comm.rank else True)

    errors = VirtualMachine(2, 1e-3, 1e-7).run(program)
    assert [type(error) for error in errors] == [InvalidTypeError] * 2
    assert len(set(map(str, errors))) == 1


def test_whatever_the_first_rank_runs_into_all_raise():
    errors = VirtualMachine(2, 1e-3, 1e-7).run(lambda comm: from_first(comm, lambda: 1 / 0))
    assert [type(error) for error in errors] == [ZeroDivisionError] * 2


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_all_kinds_of_rounds_are_measured(n):
    found = list(rounds(n, SIZES))
    assert len(set(found)) == len(found)
    for kind in ("distance", "at once"):
        assert {r.count for r in found if r.kind == kind} == set(range(1, n + 1))
    for r in found:
        if r.kind in {"pairwise", "alltoall", "by dimensions"}:
            assert r.nbytes >= 1 << n
            assert r.nbytes % (1 << n) == 0


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000))
def test_prices_are_sums_over_messages(n, ports, nbytes):
    ports = min(n, ports)
    for switching in ("circuit", "store-and-forward"):
        machine = gc.Machine(n, ports, switching, startup=7.0, per_byte=1.0)
        hop = machine.message_time(nbytes)
        for k in range(1, n + 1):
            far = 1 if switching == "circuit" else k
            assert RoundKind("distance", k, nbytes).predicted(machine) == pytest.approx(
                far * hop
            )
            turns = len(range(0, k, ports))
            assert RoundKind("at once", k, nbytes).predicted(machine) == pytest.approx(
                turns * hop
            )
        masks = range(1, 1 << n)
        hops = sum(1 if switching == "circuit" else m.bit_count() for m in masks)
        block = nbytes << n
        assert RoundKind("pairwise", n, block).predicted(machine) == pytest.approx(hops * hop)
        halves = n * machine.message_time(block // 2)
        assert RoundKind("by dimensions", n, block).predicted(machine) == pytest.approx(halves)


def test_a_pairwise_exchange_meets_every_partner():
    for switching in ("circuit", "store-and-forward"):
        machine = gc.Machine(3, 1, switching, startup=(2.0, 7.0, 3.0), per_byte=(1.0, 2.0, 0.5))
        each = [machine.message_time(10, d) for d in range(3)]
        ways = [[each[d] for d in range(3) if mask >> d & 1] for mask in range(1, 8)]
        expected = sum(map(max if switching == "circuit" else sum, ways))
        assert RoundKind("pairwise", 3, 80).predicted(machine) == pytest.approx(expected)
    large = gc.Machine(60, 1, "circuit", startup=1.0, per_byte=0.0)
    assert RoundKind("pairwise", 60, 1 << 60).predicted(large) == pytest.approx(2.0**60)


def test_a_busy_machine_is_told_from_an_idle_one():
    for spread, busy in ((0.1, False), (2.0, True)):
        samples = [Sample("distance", 1, b, 1e-6, spread) for b in SIZES]
        report = Calibration.of(samples, dims=1).report()
        assert ("busy" in report) is busy


def test_times_that_no_machine_explains_are_not_to_be_planned_with():
    """Repeats that agree with each other do not make a machine: so says the report."""
    for factor, unlike in ((1.2, False), (4.0, True)):
        turns = [1e-5 * factor ** (-1) ** k for k in range(len(SIZES))]
        pairs = zip(SIZES, turns, strict=True)
        found = Calibration.of([Sample("distance", 1, b, t, 0.1) for b, t in pairs], dims=1)
        assert (found.error["median"] > 0.3) is unlike
        assert ("do not plan with them" in found.report()) is unlike


class Comm:
    """Ranks that are all on one computer, seen from rank 0."""

    rank = 0

    def __init__(self, size):
        self.size = size

    def allgather(self, value):
        return [value] * self.size

    def bcast(self, value):
        return value

    def Get_rank(self):  # noqa: N802
        return self.rank

    def Split_type(self, _):  # noqa: N802
        return self

    def Free(self):  # noqa: N802
        pass


@pytest.fixture
def calibrated(tmp_path, monkeypatch):
    """The command on made-up ranks of two processors, which find a start-up of so much."""
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(tmp_path))
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {pid, 1})

    def run(startup, *arguments, ranks=2, hosts="ab"):
        source = source_of(len(hosts), hosts)
        made = Calibration.of(neighbours(startup, 1e-9), dims=1, name="ours", source=source)
        monkeypatch.setattr("graycube.cli.calibrate.world", lambda: Comm(ranks))
        monkeypatch.setattr(gc, "calibrate", lambda *_, **__: made)
        return cli("calibrate", "ours", *arguments)

    return run


def test_a_profile_that_is_replaced_is_kept(calibrated, tmp_path):
    assert "before" not in calibrated(1e-5).err
    first = (tmp_path / "ours.toml").read_text()
    assert calibrated(8e-4).err.endswith(f"; the one before is {tmp_path}/ours.toml.before\n")
    assert gc.Machine.profile("ours").startup == pytest.approx(8e-4, rel=0.01)
    assert (tmp_path / "ours.toml.before").read_text() == first
    assert gc.profiles().count("ours") == 1
    assert "before" not in calibrated(1e-5, "--merge").err


def test_what_cannot_be_added_to_or_saved_is_told_before_it_is_measured(
    calibrated, tmp_path, monkeypatch
):
    (tmp_path / "ours.toml").write_text("no profile")
    assert "no TOML" in calibrated(1e-5, "--merge").refused()
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(tmp_path / "file"))
    assert "cannot write" in calibrated(1e-5).refused()


def test_what_was_measured_is_saved_though_nobody_reads_it(calibrated, monkeypatch):
    def say(_):
        raise BrokenPipeError

    monkeypatch.setattr("graycube.cli.calibrate.say", say)
    calibrated(1e-5)
    assert Calibration.saved("ours").machine.startup == pytest.approx(1e-5, rel=0.01)


def test_more_ranks_than_processors_are_told(calibrated):
    assert "processors" not in calibrated(1e-5, ranks=2).err
    assert "4 ranks shared 2 processors" in calibrated(1e-5, ranks=4).err


def test_a_profile_says_where_ranks_were_and_runs_elsewhere_are_not_merged_in_silence(
    calibrated, tmp_path
):
    calibrated(1e-5, hosts="aabb")
    assert "on 4 ranks, 2 on each of 2 computers" in (tmp_path / "ours.toml").read_text()
    assert "two names" not in calibrated(1e-5, "--merge", hosts="aa").err
    calibrated(1e-5, hosts="aabb")
    assert "two names" in calibrated(1e-5, "--merge", hosts="aaaa").err
    assert "block:block" not in calibrated(1e-5, hosts="aabb").err
    assert "block:block" in calibrated(1e-5, hosts="abab").err


def test_one_rank_is_told_how_to_start_more(calibrated):
    assert "say --ranks 4, or start it with mpiexec" in calibrated(1e-5, ranks=1).refused()


def test_the_report_has_a_line_for_each_sample():
    found = Calibration.of(neighbours(1e-5, 1e-9) + samples_of("at once", (1, 2, 3)), dims=3)
    lines = found.report().splitlines()
    assert len(lines) == 4 + len(found.samples)
    assert lines[-1].endswith("1.00 x one after the other")
    assert json.loads(json.dumps(found.as_dict()))["machine"]["dims"] == 3


def test_a_calibration_is_saved_and_found(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(tmp_path))
    found = Calibration.of(neighbours(1.25e-5, 1e-9, noise=0.1), dims=3, name="here")
    assert found.save() == tmp_path / "here.toml"
    assert gc.Machine.profile("here") == found.machine
    assert gc.Machine.profile("here", dims=5).dims == 5
    found.save("there")
    assert gc.Machine.profile("there").name == "there"


def measured(truth, name="ours"):
    return truth.run(lambda comm: calibrate(comm, name, **SETTINGS))[0]


def test_of_two_runs_the_calm_rounds_count():
    truth = VirtualMachine(8, 1e-3, 1e-7, far=2, slower=4.0)
    calm = measured(truth)
    halves = [
        replace(
            calm,
            samples=tuple(
                replace(s, seconds=s.seconds * (3 if k % 2 == half else 1))
                for k, s in enumerate(calm.samples)
            ),
        )
        for half in range(2)
    ]
    for one, other in (halves, halves[::-1], (calm, halves[0])):
        assert one.merged(other) == calm


@pytest.mark.long
def test_fewer_ranks_add_what_they_know_of_single_dimensions():
    truth = VirtualMachine(8, 1e-3, 1e-7, far=2, slower=4.0)
    whole = measured(truth)
    slow = {s: replace(s, seconds=s.seconds * 1.5) for s in whole.samples}
    busy = Calibration.of(slow.values(), 3, "ours")
    part = measured(VirtualMachine(4, 1e-3, 1e-7))
    for found in (busy.merged(part), part.merged(busy)):
        near, far = found.machine.levels
        assert (near[0], far[0]) == (range(2), range(2, 3))
        assert near[1].per_byte == pytest.approx(1e-7, rel=1e-3)
        assert far[1].per_byte == pytest.approx(6e-7, rel=1e-3)
        expected = {s for s in busy.samples if s.kind not in {"alone", "lone"} or s.count == 2}
        assert expected < set(found.samples)


def test_runs_with_other_sizes_are_merged():
    def run(truth, *sizes):
        return truth.run(lambda comm: calibrate(comm, sizes=sizes, repeats=3))[0]

    far = {"far": 2, "slower": 4.0, "share": 2}
    whole = run(VirtualMachine(8, 1e-3, 1e-7, **far), 8, 2048, 1 << 15)
    part = run(VirtualMachine(4, 1e-3, 1e-7), 8, 512, 1 << 17)
    found = part.merged(whole).machine
    assert [dims for dims, _ in found.levels] == [range(2), range(2, 3)]
    assert found.share == (1, 1, 2)
    assert found.links[2].per_byte == pytest.approx(4e-7, rel=0.01)
    apart = run(VirtualMachine(4, 1e-3, 1e-7), 16, 4096)
    assert apart.merged(whole).machine.levels[0][0] == range(2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('kind = "alone"', 'kind = "together"', "is no round"),
        ("count = 1", "count = 1.5", "is no round"),
        ("nbytes = 8", "nbytes = 8.5", "is no round"),
        ("seconds = ", "seconds = -", "seconds is"),
        ("seconds = ", "seconds = 0.0 #", "a round takes 0.0 seconds"),
        ("seconds = ", "seconds = 5e-324 #", "a round takes 5e-324 seconds"),
        ('"at once"\ncount = 2', '"at once"\ncount = 999999999', "is no round"),
        ('"alone"\ncount = 1', '"alone"\ncount = 2', "is no round"),
        ('"lone"\ncount = 1', '"lone"\ncount = 0', "is no round"),
        ("count = 1", "count = 0", "is no round"),
        ("nbytes = 8", f"nbytes = {10**30}", "is no round"),
        ('kind = "distance"\ncount = 1', 'kind = "distance"\ncount = 2', "of neighbours"),
    ],
)
def test_damaged_measurements_are_not_merged(old, new, complaint, tmp_path, monkeypatch):
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(tmp_path))
    found = measured(VirtualMachine(4, 1e-3, 1e-7))
    path = found.save()
    assert Calibration.saved("ours") == found
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InvalidValueError, match=complaint):
        Calibration.saved("ours")


def test_a_machine_without_measurements_is_not_merged():
    with pytest.raises(InvalidValueError, match="no measurements of a calibration"):
        Calibration.saved("ipsc2")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_is_drawn_on_terminals_only(monkeypatch):
    for stream, drawn in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr("sys.stderr", stream)
        VirtualMachine(2, 1e-3, 1e-7).run(lambda comm: calibrate(comm, **SETTINGS))
        assert ("measuring" in stream.getvalue()) is bool(stream.getvalue()) is drawn


@pytest.mark.parametrize(
    ("per_byte", "largest"), [(1e-5, 1 << 15), (0.1, 512), *sweep((1e-9, 1 << 21))]
)
def test_slow_links_take_fewer_sizes_and_how_long_is_told_beforehand(
    per_byte, largest, monkeypatch
):
    def program(comm):
        return calibrate(comm, quick=True, repeats=25), comm.now

    monkeypatch.setattr("graycube.measure.measure._LONG", 0.1)  # ten rounds and more
    monkeypatch.setattr("sys.stderr", stderr := io.StringIO())
    found, took = VirtualMachine(2, 1e-2, per_byte).run(program)[0]
    assert max(sample.nbytes for sample in found.samples) == largest
    said = 0
    for line in stderr.getvalue().splitlines():
        *_, count, unit = line.split()
        said += int(count) * {"seconds": 1, "minutes": 60}[unit]
    assert said == pytest.approx(took, rel=0.15)


def test_how_long_the_first_try_takes_is_said_before_it(monkeypatch):
    class Heard(io.StringIO):
        def write(self, text):
            heard.append((text, comms[0].now))
            return super().write(text)

    def program(comm):
        comms.append(comm)
        return calibrate(comm, sizes=(8, 1 << 13), quick=True), comm.now

    comms, heard = [], []
    monkeypatch.setattr("sys.stderr", Heard())
    _, took = VirtualMachine(2, 1e-2, 1e-3).run(program)[0]
    (first, then), (second, later) = heard
    assert first.startswith("trying each kind of round takes about")
    assert second.startswith("measuring takes about")
    assert then < 5 < later < took


def test_sizes_that_are_named_are_measured():
    truth = VirtualMachine(2, 1e-3, 1e-3)
    found = truth.run(lambda comm: calibrate(comm, sizes=(8, 8192), repeats=1))[0]
    assert {s.nbytes for s in found.samples} >= {8, 8192}


def command(ranks, *arguments, folder):
    python = [sys.executable, "-m", "graycube", "calibrate", *arguments]
    return subprocess.run(
        [MPIEXEC, "-n", str(ranks), *python],
        env={**os.environ, "GRAYCUBE_PROFILES": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


needs_mpi = pytest.mark.skipif(not MPIEXEC.exists(), reason="needs the extra mpi")


@needs_mpi
@pytest.mark.sweep
def test_the_command_measures_and_saves(tmp_path, monkeypatch):
    done = command(4, "our-cluster", "--quick", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["machine"]["dims"] == 2
    assert {row["kind"] for row in found["measured"]} >= {"distance", "at once", "alltoall"}
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(tmp_path))
    assert gc.Machine.profile("our-cluster") == gc.Machine(**found["machine"])
    done = command(4, "our-cluster", "--quick", "--merge", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    both = json.loads(done.stdout)["measured"]
    for row in found["measured"]:
        (same,) = (r for r in both if all(r[k] == row[k] for k in ("kind", "count", "nbytes")))
        assert same["seconds"] <= row["seconds"]
    assert [path.name for path in tmp_path.iterdir()] == ["our-cluster.toml"]


@needs_mpi
@pytest.mark.parametrize(
    ("ranks", "arguments", "complaint"),
    [
        *sweep(
            (3, ["x", "--quick"], "the number of ranks is 3"),
            (2, ["ideal"], "built-in"),
            (2, [], "NAME is missing"),
        ),
    ],
)
def test_the_command_complains_once(ranks, arguments, complaint, tmp_path):
    done = command(ranks, *arguments, folder=tmp_path)
    assert done.returncode != 0
    assert done.stderr.count(complaint) == 1
    assert not list(tmp_path.iterdir())
