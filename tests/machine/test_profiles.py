"""Profiles that users save: where they are, what is in them, and what is refused."""

import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import graycube as gc
from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.machine import machine_named, profiles, save_profile
from graycube.texts import is_name

BUILT_IN = [
    "cm2",
    "dgx-h100",
    "dgx-h100-cluster",
    "hdr100-cluster",
    "hdr100-tree",
    "ideal",
    "ipsc1",
    "ipsc2",
    "tpu-v5e-4",
    "tpu-v5p-64",
    "xeon-8358-2s",
]
GOOD = {
    "source": '"a test"',
    "dims": "3",
    "ports": "1",
    "switching": '"circuit"',
    "startup": "1e-6",
    "per_byte": "1e-9",
}
ROW = {
    "kind": '"distance"',
    "count": 1,
    "nbytes": 8,
    "seconds": 1e-6,
    "spread": 0,
    "predicted": 1,
}


def text_of(**changes):
    """A good profile with some keys changed, added, or left out (``None``)."""
    entries = {**GOOD, **changes}
    return "".join(f"{key} = {value}\n" for key, value in entries.items() if value is not None)


def row_of(**changes):
    return "[[measured]]\n" + "".join(f"{k} = {v}\n" for k, v in {**ROW, **changes}.items())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(tmp_path))
    return tmp_path


machines = st.builds(
    gc.Machine,
    dims=st.integers(4, 256),
    ports=st.sampled_from([1, 2, 4, "all"]),
    switching=st.sampled_from(["circuit", "store-and-forward"]),
    startup=st.floats(0, 1e100),
    per_byte=st.floats(0, 1e100),
    packet=st.none() | st.integers(1, 1 << 40),
    arithmetic=st.floats(0, 1.0),
)
lines = st.text(st.characters(codec="utf-8"), max_size=200).filter(is_name)


@pytest.mark.long
@given(machines, lines, st.floats(0, 1e9))
def test_a_saved_machine_comes_back(machine, source, error):
    names = ("median", "worst")
    save_profile(machine, "a", source=source, error=dict.fromkeys(names, error))
    assert gc.Machine.profile("a") == machine
    assert gc.Machine.profile("a").name == "a"


def test_a_profile_says_what_rows_cost_only_where_they_do(folder):
    for per_row in (0.0, 2e-9):
        save_profile(gc.Machine(2, startup=1e-6, per_row=per_row), "a", source="a test")
        assert ("per_row" in (folder / "a.toml").read_text()) is bool(per_row)
        assert gc.Machine.profile("a").per_row == per_row


def test_a_tree_is_saved_and_is_as_its_data_sheet_says():
    names = {"hdr100-tree": (64, 64, 4), "xeon-8358-2s": (32, 2)}
    rates = {"hdr100-tree": (1 / 5e9, 8 / 100e9, 8 / (7 * 200e9)),
             "xeon-8358-2s": (1 / 5e9, 1 / (3 * 11.2e9 * 2))}  # fmt: skip
    for name, sizes in names.items():
        machine = gc.Machine.profile(name)
        tree = gc.Machine.tree(sizes, per_byte=rates[name])
        assert (machine.dims, machine.share, machine.nested) == (tree.dims, tree.share, True)
        assert machine.per_byte == pytest.approx(tree.per_byte, rel=2e-3)
        save_profile(machine, "ours", source="its data sheet")
        assert gc.Machine.profile("ours") == machine


def test_saved_profiles_are_listed_after_the_built_in_ones(folder):
    for name in ("zeta", "alpha", "a.b", "x_1-Y"):
        save_profile(gc.Machine(dims=2), name, source="a test")
    assert profiles() == [*BUILT_IN, "a.b", "alpha", "x_1-Y", "zeta"]
    with pytest.raises(InvalidValueError, match=r"cm2, .*, tpu-v5p-64, .*, a\.b, alpha"):
        gc.Machine.profile("cray")
    assert {path.suffix for path in folder.iterdir()} == {".toml"}


def test_other_files_are_no_profiles(folder):
    for name in (".hidden.toml", "notes.txt", "two words.toml", ".toml", "ideal.toml"):
        (folder / name).write_text("dims = 0")
    assert profiles() == BUILT_IN
    assert gc.Machine.profile("ideal").dims == 6


def test_saving_again_replaces(folder):
    for dims in (2, 5):
        save_profile(gc.Machine(dims=dims), "ours", source="a test")
        assert gc.Machine.profile("ours").dims == dims
    assert len(list(folder.iterdir())) == 1


def test_a_failed_write_leaves_the_old_profile_and_nothing_else(folder, monkeypatch):
    save_profile(gc.Machine(dims=2), "ours", source="a test")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InvalidValueError, match=r"ours\.toml: No space left"):
        save_profile(gc.Machine(dims=3), "ours", source="a test")
    assert gc.Machine.profile("ours").dims == 2
    assert [path.name for path in folder.iterdir()] == ["ours.toml"]


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        ".hidden",
        "-x",
        "../x",
        "a/b",
        "a\\b",
        "/tmp/x",  # noqa: S108
        "a b",
        "a\n",
        "a\0",
        "é",
        "x" * 65,
        None,
        7,
        b"x",
        *BUILT_IN,
    ],
)
def test_other_names_are_refused(name, folder):
    with pytest.raises(InvalidValueError, match="the name is"):
        save_profile(gc.Machine(dims=2), name, source="a test")
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", ".secret", "secret/../secret", None]
)
def test_no_name_leaves_the_folder(name, folder, monkeypatch):
    (folder / "secret.toml").write_text(text_of())
    (folder / ".secret.toml").write_text(text_of())
    (folder / "inner").mkdir()
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(folder / "inner"))
    with pytest.raises(InvalidValueError, match="the known ones are cm2, dgx-h100, "):
        gc.Machine.profile(name)


def test_a_good_file_is_read(folder):
    rows = "[error]\nmedian = 0.1\nworst = 1\n" + row_of() + row_of(seconds=2)
    (folder / "x.toml").write_text(text_of(packet=1024, arithmetic=0.5) + rows)
    found = gc.Machine.profile("x")
    assert found == gc.Machine(3, 1, "circuit", 1e-6, 1e-9, packet=1024, arithmetic=0.5)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is missing"),
        ("\0", "no TOML"),
        ("dims = ", "no TOML"),
        (text_of() + text_of(), "no TOML"),
        ("a = " + "[\n" * 30_000, "no TOML"),
        ("a." * 30_000 + "a = 1", "a line has more than"),
        (text_of(dims="9" * 10_000), "a line has more than"),
        *((text_of(**{key: None}), f"the key '{key}' is missing") for key in GOOD),
        (text_of(name='"evil"'), "the key 'name' is unknown"),
        (text_of(__class__='"evil"'), "the key '__class__' is unknown"),
        (text_of(source="5"), "source"),
        (text_of(source='"""a\nb"""'), "source"),
        (text_of(source='"\\u001b[2J"'), "source"),
        (text_of(source='"' + "x" * 201 + '"'), "source"),
        (text_of(dims="-1"), "dims"),
        (text_of(dims="257"), "dims"),
        (text_of(dims="3.0"), "dims"),
        (text_of(dims="true"), "dims"),
        (text_of(dims="[3]"), "dims"),
        (text_of(ports="4"), "ports"),
        (text_of(ports='"some"'), "ports"),
        (text_of(switching='"wormhole"'), "switching"),
        (text_of(switching="{}"), "switching"),
        (text_of(startup="-1.0"), "startup"),
        (text_of(startup="nan"), "startup"),
        (text_of(per_byte="inf"), "per_byte"),
        (text_of(per_byte="1e999"), "per_byte"),
        (text_of(per_byte="1979-05-27"), "per_byte"),
        (text_of(packet="0"), "packet"),
        (text_of(arithmetic='"fast"'), "arithmetic"),
        (text_of(error="0.5"), "is no table"),
        (text_of(error="{median = 0.5}"), "the key 'worst' is missing"),
        (text_of(error="{median = 0.5, worst = 1, best = 0}"), "the key 'best' is unknown"),
        (text_of(error="{median = 0.5, worst = nan}"), "worst"),
        (text_of(error="{median = 0.5, worst = -1}"), "worst"),
        (text_of(error="{median = true, worst = 1}"), "median"),
        (text_of(measured="5"), "measured"),
        (text_of(measured="[5]"), "is no table"),
        (text_of(measured="{}"), "measured"),
        (text_of() + row_of(kind=5), "kind"),
        (text_of() + row_of(seconds="inf"), "seconds"),
        (text_of() + row_of(nbytes='"8"'), "nbytes"),
        (text_of() + row_of(more=1), "the key 'more' is unknown"),
        (text_of() + "# " + "x" * (1 << 16), "larger than"),
    ],
)
def test_broken_files_are_refused_by_their_path(text, why, folder):
    path = folder / "broken.toml"
    path.write_text(text)
    with pytest.raises(InvalidValueError) as caught:
        gc.Machine.profile("broken")
    assert caught.value.found == f"{path} is no profile"
    assert why in caught.value.limit
    assert len(str(caught.value)) < 400 + len(str(path))


def test_files_that_are_no_text_are_refused(folder):
    (folder / "latin.toml").write_bytes(b'source = "\xe9"')
    (folder / "inside.toml").mkdir()
    os.mkfifo(folder / "pipe.toml")
    (folder / "endless.toml").symlink_to("/dev/zero")
    (folder / "nowhere.toml").symlink_to(folder / "missing")
    (folder / "circle.toml").symlink_to(folder / "circle.toml")
    for name in ("latin", "inside", "pipe", "endless", "nowhere", "circle"):
        with pytest.raises(InvalidValueError, match=rf"{name}\.toml is no profile"):
            gc.Machine.profile(name)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"GRAYCUBE_PROFILES": "chosen", "XDG_CONFIG_HOME": "/xdg"}, "chosen"),
        ({"XDG_CONFIG_HOME": "{}/xdg"}, "xdg/graycube/profiles"),
        ({"GRAYCUBE_PROFILES": "", "XDG_CONFIG_HOME": "{}/xdg"}, "xdg/graycube/profiles"),
        ({"XDG_CONFIG_HOME": "xdg"}, "home/.config/graycube/profiles"),
        ({"XDG_CONFIG_HOME": ""}, "home/.config/graycube/profiles"),
        ({}, "home/.config/graycube/profiles"),
    ],
)
def test_the_folder_is_where_the_environment_says(settings, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for key in ("GRAYCUBE_PROFILES", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for key, value in settings.items():
        monkeypatch.setenv(key, value.format(tmp_path))
    path = save_profile(gc.Machine(dims=2), "ours", source="a test")
    assert path.absolute() == tmp_path / expected / "ours.toml"
    assert path.exists()
    assert gc.Machine.profile("ours").dims == 2


def test_without_a_home_there_are_the_built_in_ones(monkeypatch):
    def no_home():
        raise RuntimeError

    for key in ("GRAYCUBE_PROFILES", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert profiles() == BUILT_IN
    with pytest.raises(InvalidValueError, match="set GRAYCUBE_PROFILES"):
        save_profile(gc.Machine(dims=2), "ours", source="a test")


def test_a_folder_that_is_a_file_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAYCUBE_PROFILES", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    assert profiles() == BUILT_IN
    with pytest.raises(InvalidValueError, match=r"cannot write .*file/ours\.toml"):
        save_profile(gc.Machine(dims=2), "ours", source="a test")


def test_a_smaller_cube_has_no_more_ports_than_dimensions(folder):
    save_profile(gc.Machine(dims=4, ports=3), "ours", source="a test")
    ports = [gc.Machine.profile("ours", dims=dims).ports for dims in (0, 1, 2, 3, 8)]
    assert ports == [1, 1, 2, 3, 3]
    assert (folder / "ours.toml").exists()


def test_profiles_are_looked_for_in_several_folders(tmp_path, monkeypatch):
    """What is shared can be read, and one's own is saved beside it and comes first."""
    own, shared = tmp_path / "own", tmp_path / "shared"
    for folder, startup in ((shared, 2.0), (own, 1.0)):
        monkeypatch.setenv("GRAYCUBE_PROFILES", str(folder))
        save_profile(gc.Machine(2, startup=startup), "both", source="a test")
        save_profile(gc.Machine(2, startup=startup), folder.name, source="a test")
    shared.chmod(0o555)
    monkeypatch.setenv("GRAYCUBE_PROFILES", f"{own}:{shared}")
    assert profiles()[-3:] == ["both", "own", "shared"]
    found = {name: gc.Machine.profile(name).startup for name in profiles()[-3:]}
    assert found == {"both": 1.0, "own": 1.0, "shared": 2.0}
    assert save_profile(gc.Machine(2, startup=3.0), "shared", source="mine").parent == own
    assert gc.Machine.profile("shared").startup == 3.0
    monkeypatch.setenv("GRAYCUBE_PROFILES", f"{tmp_path}/nowhere::{shared}")
    assert gc.Machine.profile("shared").startup == 2.0


def test_a_machine_in_another_size_says_so(folder):
    """Four ranks of one computer tell nothing of the network that 64 have between them."""
    save_profile(gc.Machine(dims=2, startup=1e-6, per_byte=1e-9), "ours", source="a test")
    far = gc.Machine(dims=3, startup=(1e-6, 1e-6, 9e-6), per_byte=1e-9)
    save_profile(far, "unlike", source="a test")
    assert [gc.Machine.profile("ours", dims=d).name for d in (1, 2)] == ["ours", "ours"]
    assert gc.Machine.profile("ours", dims=6).name == "ours, stretched from 4 nodes"
    assert gc.Machine.profile("unlike", dims=3).name == "unlike"
    assert gc.Machine.profile("unlike", dims=2).name == "unlike, the first 4 of 8 nodes"
    assert gc.Machine.profile("dgx-h100", dims=5).name == "dgx-h100, stretched from 8 nodes"
    assert gc.Machine.profile("dgx-h100", dims=2).name == "dgx-h100, the first 4 of 8 nodes"
    task = gc.Layout.nodes(6, "gray"), gc.Layout.nodes(6), 8
    plan = gc.plan(*task, machine="ours")
    plan.save(folder / "plan.json")
    for made in (plan, gc.load_plan(folder / "plan.json")):
        assert "; ours, stretched from 4 nodes: 1 port" in made.explain()
    layouts = {"blocks": gc.Layout.mesh((64, 64), (8, 8))}
    advice = gc.advise([gc.FFT()], machine="ours", size=(64, 64), layouts=layouts)
    assert "ours, stretched from 4 nodes" in advice.explain()


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": 5},
        {"source": "two\nlines"},
        {"source": "\ud800"},
        {"source": "x" * 201},
        {"error": {"median": 0.5}},
        {"error": {"median": float("nan"), "worst": 1.0}},
        {"measured": [{"kind": "distance"}]},
        {"measured": [{**ROW, "kind": "x", "more words": 1}]},
        {"measured": [{**ROW, "kind": "x"}] * 2000},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_what_could_not_be_read_is_not_saved(wrong, folder):
    with pytest.raises(InvalidValueError):
        save_profile(gc.Machine(dims=2), "ours", **{"source": "a test", **wrong})
    assert not list(folder.iterdir())


def test_wrong_types_are_not_saved(folder):
    with pytest.raises(InvalidTypeError, match="it must be a Machine"):
        save_profile("ideal", "ours", source="a test")
    with pytest.raises(InvalidTypeError, match="files cannot hold"):
        save_profile(gc.Machine(dims=2), "ours", source="a", error={"median": 1j, "worst": 1})
    assert not list(folder.iterdir())


NETWORKS = [
    gc.Interconnect.tree((2, 3), per_byte=(1e-10, 8e-11)),
    gc.Interconnect.torus((4, 2), joined=(True, False), per_byte=(1e-9, 2e-9)),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("network", NETWORKS, ids=repr)
def test_interconnects_are_saved_and_found(network):
    save_profile(network, "ours", source="its data sheet")
    assert gc.Interconnect.profile("ours") == machine_named("ours") == network
    assert "ours" in profiles()
    line = gc.Pattern.mesh((network.nodes,), neighbours=1.0)
    assert gc.place(line, "ours").order.tolist() == gc.place(line, network).order.tolist()
    order = gc.rank_order((network.nodes,), machine="ours")
    assert order.tolist() == gc.rank_order((network.nodes,), machine=network).tolist()


@pytest.mark.usefixtures("folder")
def test_a_name_is_that_of_a_machine_or_of_an_interconnect():
    save_profile(NETWORKS[0], "ours", source="a test")
    with pytest.raises(InvalidValueError, match=r"'ours' is an Interconnect: .*placing ranks"):
        gc.Machine.profile("ours")
    with pytest.raises(InvalidValueError, match=r"'ours' is an Interconnect"):
        gc.plan(gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3), 1, machine="ours")
    with pytest.raises(InvalidValueError, match=r"'cm2' is a Machine: .*Machine\.profile"):
        gc.Interconnect.profile("cm2")
    assert machine_named("cm2") == gc.Machine.profile("cm2")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("sizes = [8, 1]\nper_byte = [1.0, 1.0]", r"the sizes are \(8, 1\)"),
        ("sizes = [8, 12]\nper_byte = [1.0, 1.0, 1.0]", "per_byte has 3 figures"),
        ("sizes = [8, 12]\nper_byte = -1.0", "per_byte of level 0"),
        ("sizes = [8, 12]", "the key 'per_byte' is missing"),
        ("sizes = [5]\nper_byte = 1.0\njoined = 3", "joined is 3"),
        ("sizes = [5]\nper_byte = 1.0\ndims = 3", "the key 'dims' is unknown"),
        ("sizes = true\nper_byte = 1.0", "the sizes"),
    ],
)
def test_files_of_interconnects_are_checked(lines, why, folder):
    (folder / "ours.toml").write_text(f'source = "a test"\n{lines}\n')
    with pytest.raises(gc.GraycubeError, match=rf"ours\.toml is no profile: .*{why}"):
        gc.Interconnect.profile("ours")


def test_what_was_made_by_hand_is_checked_before_it_is_saved(folder):
    wrong = gc.Interconnect((8, 1), (1.0, 1.0))
    with pytest.raises(InvalidValueError, match="the sizes are"):
        save_profile(wrong, "ours", source="a test")
    assert not [*folder.iterdir()]
