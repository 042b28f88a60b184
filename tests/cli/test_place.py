"""``graycube place``: what the library finds, and what launchers read."""

import json

import numpy as np
import pytest
from cli_runs import cli
from numpy.lib import format as npy

import graycube as gc
from graycube.mapping import improve

TORUS = "place", "16", "--torus", "4x4", "--per-byte", "1e-9"


@pytest.fixture(autouse=True)
def little_effort(monkeypatch):
    """The command and the library search alike, however long."""
    monkeypatch.setattr(improve, "EFFORT", 1 << 18)


def test_it_is_what_the_library_finds():
    found = json.loads(cli(*TORUS, "--neighbours", "1000", "--json").out)
    machine = gc.Machine.torus((4, 4), per_byte=1e-9)
    placed = gc.place(gc.Pattern.mesh((16,), neighbours=1000.0), machine)
    assert found["order"] == placed.order.tolist()
    assert found["keys"] == placed.keys.tolist()
    assert found["chosen"] == placed.chosen.name
    assert found["load"] == {"busiest": placed.load.busiest, "total": placed.load.total}
    assert found["as_they_are"]["total"] == placed.candidates[0].load.total
    assert (found["unit"], found["machine"]["sides"]) == ("s", [4, 4])
    printed = cli(*TORUS, "--neighbours", "1kB").out.splitlines()
    table, words = placed.explain().splitlines()[:3], placed.explain().split()[-5:]
    assert printed[: len(table)] == table
    assert printed[-3].split()[-5:] == words  # one line where nobody looks


def test_axes_have_figures_of_their_own():
    options = "--all-to-all", "1,0", "--open", "--machine", "dgx-h100-cluster", "--json"
    found = json.loads(cli("place", "4x4", *options).out)
    pattern = gc.Pattern.mesh((4, 4), all_to_all=(1.0, 0.0), periodic=False)
    placed = gc.place(pattern, gc.Machine.profile("dgx-h100-cluster", dims=4))
    assert found["order"] == placed.order.tolist()


def test_a_tree_has_figures_for_its_levels():
    tree = "--tree", "4x2x2", "--per-byte", "1e-10,8e-11", "--oversubscribed", "2"
    found = json.loads(
        cli("place", "4x4", "--open", "--all-to-all", "1,0", *tree, "--json").out
    )
    machine = gc.Machine.tree((4, 2, 2), per_byte=(1e-10, 8e-11), oversubscribed=2.0)
    pattern = gc.Pattern.mesh((4, 4), all_to_all=(1.0, 0.0), periodic=False)
    placed = gc.place(pattern, machine)
    assert found["machine"]["share"] == [1, 1, 4, 8]
    assert found["order"] == placed.order.tolist()


@pytest.mark.parametrize(
    ("options", "network"),
    [
        (("--torus", "4x3o"), gc.Interconnect.torus((4, 3), joined=(True, False))),
        (("--tree", "4x3"), gc.Interconnect.tree((4, 3))),
        (
            ("--tree", "4x3", "--per-byte", "1e-9", "--oversubscribed", "2"),
            gc.Interconnect.tree((4, 3), per_byte=1e-9, oversubscribed=2.0),
        ),
    ],
)
def test_twelve_ranks_have_an_order_too(options, network):
    found = json.loads(cli("place", "12", *options, "--json").out)
    placed = gc.place(gc.Pattern.mesh((12,), neighbours=1.0), network)
    assert (found["order"], found["unit"]) == (placed.order.tolist(), placed.unit)
    assert found["machine"]["sizes"] == list(network.sizes)


def test_a_network_has_links_alone():
    told = cli("place", "12", "--tree", "4x3", "--ports", "1").complained(2)
    assert "--ports is given, and 4x3 nodes" in told
    told = cli("place", "5", "--tree", "4x3").complained(2)
    assert "5 places: the machine has 12 nodes" in told


def test_a_hostfile_and_nothing_else():
    hosts = "--hosts", "a,b,c,d"
    assert cli(*TORUS, *hosts, "--hostfile").out.split() == [
        h for h in "abcd" for _ in range(4)
    ]
    assert cli(*TORUS, *hosts, "--rankfile").out.splitlines()[4] == "rank 4=b slot=3"


def test_hosts_are_listed_as_slurm_does():
    found = cli("place", "4x4", *TORUS[2:], "--hosts", "n[00-02],m3", "--hostfile")
    assert found.out.split() == [h for h in ("n00", "n01", "n02", "m3") for _ in range(4)]
    assert not found.err


def test_what_slurm_loses_within_hosts_is_told(tmp_path):
    sent = np.zeros((8, 8))
    sent[[0, 1, 4, 5], [2, 3, 6, 7]] = 1000.0
    np.save(tmp_path / "sent.npy", sent)
    tree = "--tree", "2x2x2", "--per-byte", "1e-10,1e-10,1e-9", "--hosts", "a,b"
    run = "place", "8", "--matrix", str(tmp_path / "sent.npy"), *tree
    assert "busiest link has 2 times as much to do" in cli(*run, "--hostfile").err
    assert not cli(*run, "--rankfile").err
    assert cli(*run, "--rankfile").out.splitlines()[2] == "rank 2=a slot=0:1"
    assert cli(*run, "--rankfile", "--sockets", "1").out.splitlines()[1] == "rank 1=a slot=0:2"
    sent[0, 4] = 1e6  # the link between the hosts is the busiest, whatever goes on in them
    np.save(tmp_path / "sent.npy", sent)
    told = cli(*run, "--hostfile").err
    assert "the busiest link has as much to do as in the order that was found" in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--hostfile"], "need the names of hosts"),
        (["--hosts", "a,b"], "--hosts is given"),
        (
            ["--hosts", "a,b", "--hostfile", "--json"],
            "two of --hostfile, --rankfile and --json",
        ),
        (["--neighbours", "1 MX"], "no number of bytes: write 1e6, 64KiB or 1.5MB"),
        (["--hosts", "a,b,c", "--hostfile"], "there are 3 hosts"),
        (["--hosts", "a\x1b8m,b", "--hostfile"], "a host is 'a\\x1b8m'"),
        (["--hosts", "a,b", "--hostfile", "--sockets", "2"], "only --rankfile has sockets"),
        (["--neighbours", "1,2"], "neighbours has 2 figures"),
        (["--neighbours", "-1"], "neighbours is -1.0"),
        (["--machine", "nowhere"], "leave one of them out"),
    ],
)
def test_bad_input(options, words):
    ran = cli(*TORUS, *options)
    ran.refused()
    assert words in ran.err


@pytest.mark.parametrize(
    "options",
    [["--hosts", "a,b,c", "--hostfile"], ["--hosts", "a,b", "--rankfile", "--sockets", "3"]],
)
def test_what_is_wrong_with_hosts_is_said_before_the_search(options, monkeypatch):
    monkeypatch.setattr(gc, "place", None)
    cli(*TORUS, *options).refused()


def test_twelve_computers_of_eight_are_no_machine_and_what_works_is_said():
    ran = cli("place", "12x8", "--machine", "dgx-h100-cluster")
    ran.refused()
    assert "the mesh has 96 places: a cube, and each profile of a Machine, has 2^n" in ran.err
    assert "--tree 8x12" in ran.err


def test_a_torus_of_another_number_of_nodes_is_not_named_again():
    ran = cli("place", "7x8", "--torus", "4x4x4", "--per-byte", "1e-9")
    ran.refused()
    assert "as many nodes as places" in ran.err
    assert "--torus 7x8" in ran.err
    assert not cli("place", "7x8", "--torus", "7x8", "--per-byte", "1e-9").err


def test_how_long_many_ranks_take_is_said_beforehand(monkeypatch):
    monkeypatch.setattr("graycube.cli.place.PAIRS", 4)
    ran = cli("place", "8", "--per-byte", "1")
    assert ran.err == "8 ranks take some 4 seconds\n"


def test_axes_may_be_open_one_by_one():
    found = json.loads(
        cli("place", "4ox2", "--torus", "4x2", "--neighbours", "2", "--json").out
    )
    pattern = gc.Pattern.mesh((4, 2), neighbours=2.0, periodic=(False, True))
    placed = gc.place(pattern, gc.Machine.torus((4, 2)))
    assert found["as_they_are"]["total"] == placed.candidates[0].load.total
    assert found["order"] == placed.order.tolist()


@pytest.mark.parametrize("name", ["sent.npy", "sent.csv"])
def test_a_matrix_is_a_file(name, tmp_path):
    sent = np.random.default_rng(2).integers(0, 9, (8, 8))
    torus = "place", "8", "--torus", "4x2", "--per-byte", "1e-9"
    path = tmp_path / name
    np.save(path, sent) if name.endswith("npy") else np.savetxt(path, sent, delimiter=",")
    found = json.loads(cli(*torus, "--matrix", str(path), "--json").out)
    placed = gc.place(gc.Pattern.matrix(sent), gc.Machine.torus((4, 2), per_byte=1e-9))
    assert found["as_they_are"]["busiest"] == placed.candidates[0].load.busiest
    assert found["order"] == placed.order.tolist()
    ran = cli(*torus, "--matrix", str(path), "--neighbours", "1")
    ran.refused()
    assert "a matrix has all that is sent" in ran.err


@pytest.mark.parametrize(
    ("name", "content"), [("a.csv", b"1,2\n3\n"), ("a.csv", b""), ("a.npy", b"\x93NUMPY no")]
)
def test_what_is_no_matrix(name, content, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    ran = cli(*TORUS, "--matrix", str(path))
    ran.refused()
    assert "has no table of numbers" in ran.err


def test_a_device_is_no_matrix(tmp_path):
    """It may never end."""
    (tmp_path / "sent").symlink_to("/dev/null")
    line = cli(*TORUS, "--matrix", str(tmp_path / "sent")).refused()
    assert "it is neither a file nor a pipe" in line


@pytest.mark.parametrize("shape", [(9 * 10**9, 4), (10**20, 10**20), (4, 4, 1)])
def test_no_room_is_made_for_what_a_header_says(shape, tmp_path):
    path = tmp_path / "sent.npy"
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    with path.open("wb") as file:
        npy.write_array_header_1_0(file, header)
        file.write(bytes(128))
    line = cli("place", "4", "--torus", "4", "--matrix", path).refused()
    assert f"has shape {shape} and dtype float64: the mesh has 4 places" in line


def test_a_table_of_so_many_places_must_be_there(tmp_path):
    path = tmp_path / "sent.npy"
    np.save(path, np.ones((4, 4)))
    path.write_bytes(path.read_bytes()[:-8])
    assert "has no table" in cli("place", "4", "--torus", "4", "--matrix", path).refused()


def test_without_a_machine_it_is_said_what_is_counted():
    assert cli("place", "8x8").out.startswith("No machine is named")
    assert "busiest, bytes" in cli("place", "8x8").out


def test_start_ups_alone_compare_no_orders():
    ran = cli("place", "8x8", "--torus", "8x8", "--startup", "1e-6")
    ran.refused()
    assert "--startup 1e-06 is given without --per-byte" in ran.err


def test_a_long_order_is_cut_and_says_so():
    cut, whole = (cli("place", mesh, "--torus", mesh).out for mesh in ("32x32", "8x8"))
    assert "... (--json has all of it)" in cut
    assert len(cut) < 3200
    assert "..." not in whole


def test_a_table_may_begin_with_a_mark(tmp_path):
    table = tmp_path / "sent.csv"
    table.write_bytes(b"\xef\xbb\xbf0,1\n1,0\n")
    found = cli("place", "2", "--matrix", str(table), "--torus", "2", "--json").out
    assert json.loads(found)["load"] == {"busiest": 1.0, "total": 2.0}
