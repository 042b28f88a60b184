"""Machines: what a message costs, which ones are refused, and the profiles' figures."""

from functools import partial
from math import ceil, inf, nan

import numpy as np
import pytest
from hypothesis import given, strategies as st

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError


@given(
    st.floats(0, 1e3),
    st.floats(0, 1e3),
    st.none() | st.integers(1, 5000),
    st.integers(0, 10**6),
)
def test_a_message_pays_a_startup_per_packet_and_a_rate_per_byte(s, t, packet, nbytes):
    machine = gc.Machine(dims=3, startup=s, per_byte=t, packet=packet)
    packets = (1 if packet is None else ceil(nbytes / packet)) if nbytes else 0
    assert machine.startups(nbytes) == packets
    assert machine.message_time(nbytes) == pytest.approx(packets * s + nbytes * t, rel=1e-12)


def test_packets_of_large_messages_are_counted_exactly():
    machine = gc.Machine(dims=3, packet=3)
    assert machine.startups(3 * 10**30) == 10**30
    assert machine.startups(3 * 10**30 + 1) == 10**30 + 1


@pytest.mark.parametrize("dims", [0, 1, 4, 256])
def test_all_ports_are_one_per_dimension(dims):
    assert gc.Machine(dims=dims, ports="all").links_at_once == dims
    assert gc.Machine(dims=dims).links_at_once == 1
    most = max(dims, 1)
    assert gc.Machine(dims=dims, ports=most).links_at_once == most


@pytest.mark.parametrize(
    "wrong",
    [
        {"dims": -1},
        {"dims": 257},
        {"ports": 0},
        {"ports": -1},
        {"ports": 5},
        {"switching": "wormhole"},
        {"switching": None},
        {"startup": -1e-9},
        {"startup": nan},
        {"per_byte": inf},
        {"per_byte": -inf},
        {"arithmetic": -1},
        {"packet": 0},
        {"packet": -4},
    ],
    ids=str,
)
def test_impossible_machines_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(InvalidValueError, match=name):
        gc.Machine(**{"dims": 4, **wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"dims": 4.0},
        {"dims": True},
        {"ports": "many"},
        {"ports": True},
        {"ports": 1.0},
        {"startup": "1"},
        {"startup": True},
        {"per_byte": None},
        {"arithmetic": 1j},
        {"packet": 2.5},
        {"packet": True},
    ],
    ids=str,
)
def test_machines_of_the_wrong_types_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(InvalidTypeError, match=name):
        gc.Machine(**{"dims": 4, **wrong})


LONG = 10**5000
"""Python writes no integer of more than 4300 digits."""


@pytest.mark.parametrize(
    "made",
    [
        *(
            partial(gc.Machine, **{"dims": 3, name: LONG})
            for name in ("dims", "share", "ports")
        ),
        partial(gc.Machine, 3, packet=LONG),
        partial(gc.Machine, 3, share=(1, 1, LONG)),
        partial(gc.Machine, 3, share=-LONG),
        partial(gc.Machine, 3, startup=(1, LONG, 1)),
        partial(gc.Machine, 3, sides=(LONG, 2), joined=(True, True)),
        partial(gc.Machine.torus, (LONG,)),
        partial(gc.Machine.torus, (1 << 20_000,)),
        partial(gc.Machine.tree, (1 << 20_000, 2)),
        partial(gc.Machine.tree, (2, -LONG)),
        partial(gc.Machine.tree, (4, 2), oversubscribed=LONG),
        partial(gc.Machine.profile, "ipsc2", LONG),
        partial(gc.Machine.torus((8,)).route, 0, LONG),
        partial(gc.Interconnect.torus, (LONG, 2)),
        partial(gc.Interconnect.tree((4, 3)).route, 0, LONG),
        partial(gc.Pattern.mesh, (4, -LONG)),
        partial(gc.Pattern.mesh, (4, LONG)),
        partial(gc.Pattern.mesh, (4, 4), neighbours=LONG),
    ],
    ids=[str(k) for k in range(20)],
)
def test_numbers_that_cannot_be_written_are_refused_in_words(made):
    with pytest.raises(InvalidValueError, match=r"number of \d+ bits") as caught:
        made()
    assert len(str(caught.value)) < 200


PROFILES = {
    "ideal": (6, 6, "store-and-forward", 0.0, 1.0),
    "cm2": (12, 12, "store-and-forward", 0.0, 1.0),
    "ipsc1": (6, 1, "store-and-forward", 12e-3, 2e-6),
    "ipsc2": (6, 1, "circuit", 1e-3, 0.357e-6),
}


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_have_their_figures(name):
    machine = gc.Machine.profile(name)
    dims, ports, switching, startup, per_byte = PROFILES[name]
    assert (machine.dims, machine.links_at_once, machine.switching) == (dims, ports, switching)
    assert (machine.startup, machine.per_byte, machine.packet) == (startup, per_byte, None)
    assert machine.name == name
    resized = gc.Machine.profile(name, dims=3)
    assert (resized.dims, resized.links_at_once) == (3, min(ports, 3))
    assert (resized.startup, resized.name) == (startup, name)


def test_one_butterfly_stage_on_the_ipsc1_is_the_measured_one():
    """CAM-87-02 section 8.1: 28.24 s for 12 stages of 4096 points."""
    machine = gc.Machine.profile("ipsc1")
    assert machine.arithmetic * 12 * 4096 == pytest.approx(28.24, rel=1e-3)


@pytest.mark.parametrize("name", ["cm5", "", "ipsc1.toml", "../machine/profiles/ipsc1", None])
def test_unknown_profiles_are_refused(name):
    with pytest.raises(InvalidValueError, match=r"cm2, dgx-h100, .*, ipsc2"):
        gc.Machine.profile(name)


def test_profiles_fit_no_cube_that_is_too_large():
    with pytest.raises(InvalidValueError, match="at most 256"):
        gc.Machine.profile("ideal", dims=257)


def test_machines_are_equal_by_what_they_do():
    plain = gc.Machine(6, "all", startup=0.0, per_byte=1.0)
    assert plain == gc.Machine.profile("ideal")
    assert hash(plain) == hash(gc.Machine.profile("ideal"))
    assert plain != gc.Machine(6, 1, startup=0.0, per_byte=1.0)


def test_numpys_numbers_are_numbers():
    machine = gc.Machine(dims=2, startup=np.float32(0.5), per_byte=np.int64(2))
    assert (machine.startup, machine.per_byte) == (0.5, 2.0)
    assert type(machine.startup) is float


def test_ports_of_each_kind_are_not_said_as_one_number():
    """One port within a computer and one to the others are not two ports."""
    each = gc.Machine(3, (1, 1, 1), "circuit", (1e-6, 1e-6, 3e-6), 1e-9, share=(1, 1, 4))
    words = "1 + 1 ports"
    assert words in each._repr_html_()
    plan = gc.plan(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), 8, machine=each)
    assert words in plan.explain()


def test_a_machine_shows_its_nodes_as_what_they_are():
    assert "8 = 2^3" in gc.Machine(3)._repr_html_()
    torus = gc.Machine.torus((8, 4), joined=(True, False))
    assert "32 = 8 x 4 (open)" in torus._repr_html_()
