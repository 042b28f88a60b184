"""What a bench says of itself, without ranks."""

import pytest

from graycube.measure.bench import Bench, Timed


def report(factor, spread):
    """Of three candidates that take so many times the predicted, more or less."""
    rows = [
        Timed(name, 3, predicted, (factor * predicted, factor * predicted * (1 + spread)))
        for name, predicted in (("gb1", 1e-6), ("gb2", 2e-6), ("gb3", 3e-6))
    ]
    return Bench(tuple(rows), "gb1").report()


@pytest.mark.parametrize(
    ("factor", "spread", "busy", "off"),
    [(1.1, 0.1, False, False), (5.0, 0.1, False, True), (1.1, 9.0, True, True)],
)
def test_doubts_about_a_comparison_are_told(factor, spread, busy, off):
    """A machine that is busy, and one that is not as it was when it was measured."""
    text = report(factor, spread)
    assert ("busy with other work" in text) is busy
    assert ("times as long as predicted" in text) is off


def test_a_choice_that_moves_nothing_is_not_timed_and_costs_nothing():
    for rows in ((), (Timed("gb1", 0, 0.0, (1e-6,)),)):
        found = Bench(rows, "relabel")
        assert found.regret == 0
        assert found.report().endswith("relabel, moves nothing: it is not timed.")
    assert "not timed" not in report(1.0, 0.0)


def test_a_machine_without_costs_is_not_off():
    """Where a second stands for a byte, nothing is predicted."""
    assert "predicted:" not in Bench((Timed("gb1", 1, 4096.0, (1e-5,)),), "gb1").report()
    assert "predicted:" not in Bench((Timed("gb1", 1, 0.0, (1e-5,)),), "gb1").report()
