"""``graycube place``: what the library finds, and what launchers read."""

import json

import pytest
from cli_runs import cli

import graycube as gc

TORUS = "place", "16", "--torus", "4x4", "--per-byte", "1e-9"


def test_it_is_what_the_library_finds():
    found = json.loads(cli(*TORUS, "--neighbours", "1000", "--json").out)
    machine = gc.Machine.torus((4, 4), per_byte=1e-9)
    placed = gc.place(gc.Pattern.mesh((16,), neighbours=1000.0), machine)
    assert found["order"] == placed.order.tolist()
    assert found["keys"] == placed.keys.tolist()
    assert found["chosen"] == placed.chosen.name
    assert cli(*TORUS, "--neighbours", "1000").out.startswith(placed.explain())


def test_axes_have_figures_of_their_own():
    options = "--all-to-all", "1,0", "--open", "--machine", "dgx-h100-cluster", "--json"
    found = json.loads(cli("place", "8x8", *options).out)
    pattern = gc.Pattern.mesh((8, 8), all_to_all=(1.0, 0.0), periodic=False)
    placed = gc.place(pattern, "dgx-h100-cluster")
    assert found["order"] == placed.order.tolist()


def test_a_hostfile_and_nothing_else():
    hosts = "--hosts", "a,b,c,d"
    assert cli(*TORUS, *hosts, "--hostfile").out.split() == [
        h for h in "abcd" for _ in range(4)
    ]
    assert cli(*TORUS, *hosts, "--rankfile").out.splitlines()[4] == "rank 4=b slot=3"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--hostfile"], "needs the names of hosts"),
        (["--hosts", "a,b,c", "--hostfile"], "there are 3 hosts"),
        (["--hosts", "a\x1b[8m,b", "--hostfile"], "they must be names"),
        (["--neighbours", "1,2"], "neighbours has 2 figures"),
        (["--neighbours", "-1"], "neighbours is -1.0"),
        (["--machine", "nowhere"], "leave one of them out"),
    ],
)
def test_bad_input(options, words):
    ran = cli(*TORUS, *options)
    assert ran.refused
    assert words in ran.err
