"""The JSON Schema of plan files: it takes all that is written, and refuses what is damaged."""

import json
import sys
from copy import deepcopy

import pytest
from json_trees import parent, places_in
from jsonschema import ValidationError
from page_cases import CASES, COSTS, conversion
from schemas import validator
from sweeping import larger, sweep

import graycube as gc
from graycube.planning import Plan, plan_schema
from graycube.planning.files import plan_text
from graycube.schedule import dump

SMALL = [name for name in CASES if not name.startswith(("large", "no "))]
WRONG = [None, True, -1, 1.5, "", "x", [], {}, [None]]
TORUS = gc.Machine.torus((4, 8), startup=1e-6, per_byte=1e-11, joined=(True, False))
CARDS = gc.Machine(3, ports=(2, 2, 1), share=(1, 1, 4), startup=(0.0, 1e-6, 2e-6), per_row=1e-9)


def network(n, **options):
    return gc.plan_fft(gc.Layout.nodes(n, "gray"), machine=gc.Machine(n, **COSTS), **options)


def on(machine):
    mesh = gc.Layout.mesh((32, 32), nodes=(1 << machine.dims - 2, 4), code="gray")
    target = gc.Layout.mesh((32, 32), nodes=(1 << machine.dims, 1))
    return gc.plan(mesh, target, mesh.block_size, machine=machine)


module = sys.modules[Plan.__module__]
PLANS = {
    **{name: CASES[name] for name in SMALL},
    "network": lambda: gc.plan_fft(gc.Layout.cyclic(6, 3, whole="gray"), machine="ipsc1"),
    "copies": lambda: network(3, algorithm="copies"),
    "torus": lambda: on(TORUS),
    "cards": lambda: gc.plan(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), 6, machine=CARDS),
}
DAMAGED = ("gb1", "all-to-all", "pipeline", "relabel", "network", "copies", "torus", "cards")
OFTEN = ("gb1", "pipeline", "network", "copies")


def content_of(name):
    made = PLANS[name]()
    return json.loads(plan_text(made.schedule, made.machine))


def changed(tree, at, change):
    """A copy in which something else is at a place."""
    made = deepcopy(tree)
    change(parent(made, at), at[-1])
    return made


def read(content):
    try:
        Plan.from_text(json.dumps(content), "it")
    except gc.GraycubeError:
        return False
    return True


@pytest.mark.parametrize("name", PLANS)
def test_what_is_written_keeps_to_the_schema(name):
    validator().validate(content_of(name))


def test_schedules_alone_have_a_schema_too():
    made = CASES["gb3"]()
    for form in (made.schedule, made.moves()):
        validator("schedule").validate(json.loads(dump(form)))
    content = {**content_of("gb3"), "schedule": json.loads(dump(made.moves()))}
    assert not validator().is_valid(content)  # a plan has no single moves


@pytest.mark.long
@pytest.mark.parametrize("name", [*OFTEN, *sweep(*((x,) for x in DAMAGED if x not in OFTEN))])
def test_what_the_schema_refuses_is_not_read(name):
    """The schema is never stricter than the reader, and misses few wrong values."""
    content, refused, missed, turns = content_of(name), 0, 0, larger(2, 1)
    for k, at in enumerate(places_in(content, longest=1)):
        for wrong in WRONG[k % turns :: turns] if at else ():
            made = changed(content, at, lambda inner, key: inner.__setitem__(key, wrong))  # noqa: B023
            valid, loads = validator().is_valid(made), read(made)
            assert valid or not loads, (at, wrong)
            refused += not valid
            missed += valid and not loads
    assert refused > 4 * missed


@pytest.mark.long
@pytest.mark.parametrize("name", DAMAGED)
def test_a_key_too_many_or_too_few_is_refused(name):
    content = content_of(name)
    free = {
        "ports",
        "switching",
        "startup",
        "per_byte",
        "packet",
        "arithmetic",
        "share",
        "nested",
        "per_row",
    }
    free |= {
        "sides",
        "joined",
        "relabel",
        "nodes",
        "start",
        "delays",
        "crossings",
        "stages",
        "free",
    }
    for at in places_in(content, longest=1):
        if not at or not isinstance(at[-1], str):
            continue
        if at[-1] not in free:
            lost = changed(content, at, lambda inner, key: inner.pop(key))
            assert not validator().is_valid(lost), at
            assert not read(lost)
        more = changed(content, at, lambda inner, _: inner.update(more=1))
        assert not validator().is_valid(more), at
        assert not read(more)


def test_every_object_says_which_keys_it_has():
    def objects(tree):
        if isinstance(tree, dict):
            if tree.get("type") == "object":
                yield tree
            tree = list(tree.values())
        for inner in tree if isinstance(tree, list) else ():
            yield from objects(inner)

    for one in objects(json.loads(plan_schema())):
        assert one["additionalProperties"] is False
        assert set(one["required"]) <= set(one["properties"])


def test_every_plan_that_a_test_writes_is_checked():
    made = conversion(3, 4, "gb1")  # one of its own, which is spoilt here
    assert module.plan_text is not plan_text
    object.__setattr__(made.schedule, "algorithm", "x" * 201)
    with pytest.raises(ValidationError, match="is not valid under any"):
        module.plan_text(made.schedule, made.machine)
