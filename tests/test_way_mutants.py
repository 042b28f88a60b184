"""What the algebra proves is right: mutants of all kinds of ways, and entirely random ones."""

import pytest
from sweeping import sweep
from way_mutants import KINDS, corpus, judge, mutant, tried

from graycube.verify import check_algebra

FEW, MANY = 200, 4000
STILL_RIGHT = {"as_map", "more_ways"}  # the same said otherwise, which may be no known shape


@pytest.mark.parametrize(
    ("kind", "count"), [*((k, FEW) for k in KINDS), *sweep(*((k, MANY) for k in KINDS))]
)
def test_what_is_proved_every_element_confirms(kind, count):
    found = tried(kind, range(count), synthesised=False)
    assert not found.false
    assert found.made > count // 2
    assert found.proved < found.made


@pytest.mark.parametrize("kind", sorted({*KINDS} - STILL_RIGHT))
def test_mutants_of_each_kind_are_wrong(kind):
    made = (mutant(kind, seed, synthesised=False) for seed in range(100))
    assert any(judge(*case)[0] for case in made if case is not None)


def test_schedules_that_were_not_changed_are_right():
    for schedule, machine in corpus(synthesised=False)[::20]:
        wrong, peak, _ = judge(schedule, machine)
        assert not wrong
        assert check_algebra(schedule, machine).peak in {-1, peak}
