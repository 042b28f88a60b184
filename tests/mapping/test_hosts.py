"""Hosts by name, and the files for launchers that are made of them."""

from itertools import count

import numpy as np
import pytest

import graycube as gc
from graycube.errors import GraycubeError, InvalidTypeError
from graycube.mapping import hosts
from graycube.mapping.hosts import host_names
from graycube.mapping.loads import Load
from graycube.mapping.placed import Considered, RankOrder


def placed_anyhow(shape, machine):
    """Ranks in an order that nobody has searched for: files can be made of any."""
    pattern = gc.Pattern.mesh(shape, neighbours=1.0)
    order = np.random.default_rng(16).permutation(pattern.places).reshape(shape)
    only = Considered("anyhow", order, Load(1.0, 4.0))
    return RankOrder(pattern, machine, (only,), only)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", "a"),
        ("a,b[1-3]", "a b1 b2 b3"),
        ("n[00-03,07]", "n00 n01 n02 n03 n07"),
        ("n[8-11]", "n8 n9 n10 n11"),
        ("n[098-101]", "n098 n099 n100 n101"),
        ("n[5,1-2]-ib,x", "n5-ib n1-ib n2-ib x"),
        ("rack[1-2]n[01-02]", "rack1n01 rack1n02 rack2n01 rack2n02"),
        ("r[1,3]n[1-2]u[7],z.b_c", "r1n1u7 r1n2u7 r3n1u7 r3n2u7 z.b_c"),
    ],
)
def test_lists_are_read_as_slurm_writes_them(text, names):
    assert host_names(text) == names.split()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "a host is ''"),
        ("a,,b", "a host is ''"),
        ("a,b,", "a host is ''"),
        ("a,a", "'a' is named twice"),
        ("n[1-2],n2", "'n2' is named twice"),
        (["a", "a"], "'a' is named twice"),
        ("a b", "a host is 'a b'"),
        (["a\tb"], "a host is 'a.t"),
        ("n[3-1]", "ranges that go up"),
        ("n[1-2", "each . has its ."),
        ("n]1", "each . has its ."),
        ("n[1[2]]", "each . has its ."),
        ("n[]", "in brackets are numbers"),
        ("n[1,]", "in brackets are numbers"),
        ("n[-1]", "in brackets are numbers"),
        ("n[a-b]", "in brackets are numbers"),
        ("n[1-9999999]", "more than 1048576 hosts"),
        ("n[0-999999]m[0-999999]" * 3, "more than 1048576 hosts"),
        ("n[0-999999],m[0-999999]", "more than 1048576 hosts"),
    ],
)
def test_what_names_no_hosts(given, words):
    with pytest.raises(GraycubeError, match=words):
        host_names(given)


@pytest.mark.parametrize("given", [None, 4, [1] * 16, ["a", None], {"a": 1}, b"a"])
def test_hosts_are_names(given):
    placed = gc.place(gc.Pattern.mesh((4,), neighbours=1.0), gc.Machine.torus((4,)))
    for made in (placed.hostfile, placed.rankfile):
        with pytest.raises(InvalidTypeError, match="the hosts are"):
            made(given)


TREES = [gc.Machine.tree((4, 2, 2)), gc.Interconnect.tree((4, 2, 2))]
CARDS = gc.Machine(4, ports=(2, 2, 1, 1), share=(1, 1, 4, 4), per_byte=(1, 1, 9, 9))


@pytest.mark.parametrize("machine", TREES)
def test_hosts_are_parts_of_a_tree(machine):
    placed = placed_anyhow((16,), machine)
    for number in (16, 4, 2, 1):
        lines = placed.hostfile([f"n{k}" for k in range(number)]).split()
        assert lines == [f"n{node // (16 // number)}" for node in placed.order.tolist()]
    with pytest.raises(GraycubeError, match="parts of this machine have 1, 4, 8 or 16 nodes"):
        placed.hostfile("n[1-8]")
    for number in (3, 8):
        with pytest.raises(GraycubeError, match="name 16, 4, 2 or 1 hosts"):
            placed.rankfile(f"n[1-{number}]")


def test_where_there_are_no_parts_hosts_divide_the_nodes():
    placed = placed_anyhow((16,), gc.Interconnect.torus((4, 4), per_byte=1e-9))
    assert placed.hostfile("n[1-8]").count("n2") == 2
    with pytest.raises(
        GraycubeError, match="as large as each other; name a divisor of 16 hosts"
    ):
        placed.hostfile("n[1-3]")


def test_who_shares_a_card_is_on_one_host():
    placed = placed_anyhow((16,), CARDS)
    assert placed.hostfile("n[1-4]").count("n2") == 4
    with pytest.raises(GraycubeError, match="name 4 or 1 hosts"):
        placed.hostfile("n[1-8]")


@pytest.mark.parametrize(
    "machine",
    [
        gc.Machine.profile("dgx-h100-cluster", dims=4),  # a card for each of its GPUs
        gc.Machine(4, ports=(1, 1, 1, 1), per_byte=1e-9),
        gc.Machine.torus((4, 4)),
        gc.Machine(4, per_byte=1e-9),
    ],
)
def test_other_machines_have_hosts_of_any_size(machine):
    placed = placed_anyhow((16,), machine)
    assert placed.rankfile("a,b").count("=b slot") == 8


@pytest.mark.parametrize(
    ("machine", "names", "sockets", "socket"),
    [
        (gc.Machine.tree((4, 2, 2)), "a,b", None, 4),
        (gc.Machine.tree((4, 2, 2)), "a,b", 4, 2),
        (gc.Machine.tree((8, 2)), "a,b", None, None),
        (gc.Machine.tree((8, 2)), "a,b", 2, 4),
        (gc.Interconnect.tree((2, 2, 4)), "a,b,c,d", None, 2),
        (gc.Machine.torus((4, 4)), "a", 2, 8),
        (gc.Machine.torus((4, 4)), "a", 1, 16),
    ],
)
def test_a_slot_is_a_core_of_a_socket(machine, names, sockets, socket):
    placed = placed_anyhow((4, 4), machine)
    hosts = names.split(",")
    where = {}
    for host in hosts:
        for slot in range(16 // len(hosts)):
            core = slot if socket is None else f"{slot // socket}:{slot % socket}"
            where[len(where)] = f"{host} slot={core}"
    lines = placed.rankfile(names, sockets=sockets).splitlines()
    assert lines == [f"rank {r}={where[u]}" for r, u in zip(count(), placed.order.flat)]


@pytest.mark.parametrize("sockets", [0, -1, 3, 1.5])
def test_sockets_have_as_many_nodes_each(sockets):
    placed = placed_anyhow((16,), gc.Machine.torus((4, 4)))
    with pytest.raises(GraycubeError, match=r"sockets"):
        placed.rankfile("a,b", sockets=sockets)


def test_slurm_counts_the_ranks_of_a_host_up():
    order = np.random.default_rng(5).permutation(24)
    found = hosts.counted_up(order.reshape(4, 6), 8).ravel()
    assert np.array_equal(found // 8, order // 8)
    for host in range(3):
        assert found[order // 8 == host].tolist() == [*range(8 * host, 8 * host + 8)]
