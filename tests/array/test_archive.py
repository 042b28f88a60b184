"""Stores of Zarr and checkpoints: read by Zarr itself, into any layout, whole or not there."""

import inspect
import json
import tracemalloc
from itertools import product

import numpy as np
import pytest

import graycube as gc
from graycube.array import moving
from graycube.array.disk import archive
from graycube.errors import InvalidTypeError, InvalidValueError, MissingExtraError
from graycube.layout.owned_mesh import in_blocks

zarr = pytest.importorskip("zarr", reason="the extra zarr is not installed")

SHAPE = (8, 12)
LAYOUTS = [
    gc.Layout.mesh(SHAPE, nodes, code=code, allocation=place)
    for nodes, code, place in product(
        ((4, 2), (1, 4), (8, 1)), ("gray", "binary"), ("consecutive", "cyclic")
    )
]
X = np.random.default_rng(0).standard_normal(SHAPE)


def field(layout=LAYOUTS[0], x=X):
    return gc.CubeArray.from_numpy(x, layout)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_zarr_reads_what_is_saved_and_any_layout_does(layout, tmp_path):
    path = tmp_path / "u.zarr"
    field(layout).save(path, {"time": 0.5})
    store = zarr.open_array(path, mode="r")
    assert np.array_equal(store[...], X)
    assert store.attrs["time"] == 0.5
    assert store.metadata.zarr_format == 3
    assert [p.name for p in tmp_path.iterdir()] == ["u.zarr"]
    for other in LAYOUTS[:3]:
        assert np.array_equal(gc.CubeArray.load(path, other).blocks, field(other).blocks)


KINDS = ["f2", "f4", "f8", "c8", "c16", "i2", "u1", "?", ">f8", "M8[s]", "m8[ms]", "S3", "U4"]


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("payload", [(), (3,), (2, 0)])
@pytest.mark.filterwarnings("ignore")  # Zarr's, of texts: others may not read them
def test_what_is_saved_is_loaded(dtype, payload, tmp_path):
    x = np.random.default_rng(1).integers(-9, 9, (*SHAPE, *payload)).astype(dtype)
    field(x=x).save(tmp_path / "u.zarr")
    found = gc.CubeArray.load(tmp_path / "u.zarr", LAYOUTS[3]).to_numpy()
    assert found.dtype == x.dtype.newbyteorder("=")
    assert np.array_equal(found, x)


def test_a_spectrum_and_copies_are_saved_in_natural_order(tmp_path):
    u, cyclic = field(), field(LAYOUTS[1])
    for k, a in enumerate((gc.fft(cyclic), u.mean(0), u.mean(1), cyclic.mean(0), u > 99)):
        a.save(tmp_path / f"{k}.zarr")
        store = zarr.open_array(tmp_path / f"{k}.zarr", mode="r")
        assert np.array_equal(store[...], a.to_numpy())
        again = gc.CubeArray.load(tmp_path / f"{k}.zarr", a.layout)
        assert np.array_equal(again.blocks, a.blocks)


def test_what_others_write_is_read_with_zeros_where_nothing_was_written(tmp_path):
    store = zarr.create_array(tmp_path / "u.zarr", shape=SHAPE, chunks=(3, 5), dtype="f8")
    store[2:5] = 1
    expected = np.zeros(SHAPE)
    expected[2:5] = 1
    for layout in LAYOUTS[:4]:
        assert np.array_equal(
            gc.CubeArray.load(tmp_path / "u.zarr", layout).to_numpy(), expected
        )


def chunks(shape, nodes, payload=()):
    return archive._chunks(in_blocks(shape, nodes).axes, payload, 8)


def test_chunks_divide_boxes_and_are_not_large(monkeypatch):
    assert chunks((8, 12), (1, 1), (3,)) == (8, 12, 3)
    monkeypatch.setattr(archive, "CHUNK", 200)
    assert chunks((8, 12), (1, 1), (3,)) == (2, 3, 3)
    assert chunks((16, 36), (2, 3), (3,)) == (2, 3, 3)
    assert chunks((7, 1), (1, 1), (50,)) == (1, 1, 50)


def test_a_prime_length_is_not_as_many_chunks_as_elements(tmp_path, monkeypatch):
    """Each chunk is a file."""
    monkeypatch.setattr(archive, "CHUNK", 1 << 13)
    assert chunks((5003,), (1,)) == (626,)
    assert chunks((2 * 5003,), (2,)) == (5003,)  # what no two nodes write
    assert chunks((2 * 5003, 6), (2, 1)) == (5003, 1)
    x = np.arange(5003.0)
    gc.CubeArray.from_numpy(x, gc.Layout.mesh(x.shape, (1,))).save(tmp_path / "x.zarr")
    again = gc.CubeArray.load(tmp_path / "x.zarr", gc.Layout.mesh(x.shape, (3,)))
    assert np.array_equal(again.to_numpy(), x)


def test_a_store_is_made_in_little_memory():
    """Numbering the elements of all nodes took eight times what they have."""
    layout = gc.Layout.mesh((512, 256), (4, 2), code="gray", ownership=False)
    a = gc.CubeArray.from_numpy(np.ones((512, 256)), layout)
    tracemalloc.start()
    moving.straight(a.blocks, layout, archive._in_boxes(layout), None)
    assert tracemalloc.get_traced_memory()[1] < 2 * a.blocks.nbytes
    tracemalloc.stop()


def test_an_old_store_is_replaced_and_other_files_are_not(tmp_path):
    for x in (X, 2 * X):
        field(x=x).save(tmp_path / "u.zarr")
    assert np.array_equal(gc.CubeArray.load(tmp_path / "u.zarr", LAYOUTS[1]).to_numpy(), 2 * X)
    (tmp_path / "notes.zarr").mkdir()
    (tmp_path / "notes.zarr" / "a.txt").write_text("kept")
    for path in (tmp_path / "notes.zarr", tmp_path / "none" / "u.zarr"):
        with pytest.raises(InvalidValueError, match="cannot write"):
            field().save(path)
    assert (tmp_path / "notes.zarr" / "a.txt").read_text() == "kept"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["notes.zarr", "u.zarr"]


def test_a_group_is_not_replaced_and_its_arrays_have_names(tmp_path):
    group = zarr.open_group(tmp_path / "run.zarr", mode="w")
    group["v"] = 2 * X
    with pytest.raises(InvalidValueError, match=r"a store of one array.* run\.zarr/u"):
        field().save(tmp_path / "run.zarr")
    field().save(tmp_path / "run.zarr" / "u")
    assert sorted(group.array_keys()) == ["u", "v"]
    for name, wanted in (("u", X), ("v/", 2 * X)):
        found = gc.CubeArray.load(f"{tmp_path}/run.zarr/{name}", LAYOUTS[1])
        assert np.array_equal(found.to_numpy(), wanted)
    with pytest.raises(InvalidValueError, match="cannot write"):
        field().save(tmp_path / "run.zarr" / "u" / "w")
    with pytest.raises(InvalidValueError, match="name an array of a group"):
        gc.CubeArray.load(tmp_path / "run.zarr", LAYOUTS[1])


def test_a_file_in_a_folder_of_any_name_is_a_file(tmp_path):
    (tmp_path / "all.zarr").mkdir()
    field().save(tmp_path / "all.zarr" / "u.npy")
    assert np.array_equal(np.load(tmp_path / "all.zarr" / "u.npy"), X)


def chunks_of(path):
    return sorted(p for p in path.rglob("*") if p.is_file() and p.name != "zarr.json")


def flip(path):
    """One bit of a chunk, which its checksum tells."""
    file = chunks_of(path)[0]
    content = bytearray(file.read_bytes())
    content[20] ^= 1
    file.write_bytes(content)


def no_chunks(path):
    """They have no length."""
    content = json.loads((path / "zarr.json").read_text())
    content["chunk_grid"]["configuration"]["chunk_shape"] = [0, 0]
    (path / "zarr.json").write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda p: (p / "zarr.json").write_text("{"), "cannot be read"),
        (lambda p: (p / "zarr.json").unlink(), "cannot be read"),
        (no_chunks, "cannot be read"),
        (lambda p: chunks_of(p)[1].unlink(), "1 of 8 chunks are missing"),
        (lambda p: chunks_of(p)[0].write_bytes(b""), "cannot be read"),
        (lambda p: chunks_of(p)[0].write_bytes(chunks_of(p)[0].read_bytes()[:40]), "cannot be"),
        (flip, "cannot be read"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_store_is_named(damage, text, tmp_path):
    field().save(tmp_path / "u.zarr")
    damage(tmp_path / "u.zarr")
    with pytest.raises(InvalidValueError, match=text):
        gc.CubeArray.load(tmp_path / "u.zarr", LAYOUTS[0])


def test_a_path_is_no_address(tmp_path):
    """Zarr takes a text with ``::`` for one, of an archive within an archive."""
    (tmp_path / "a::b").mkdir()
    field().save(tmp_path / "a::b" / "c::u.zarr")
    found = gc.CubeArray.load(f"{tmp_path}/a::b/c::u.zarr", LAYOUTS[1])
    assert np.array_equal(found.to_numpy(), X)


def test_a_missing_store_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"u\.zarr"):
        gc.CubeArray.load(tmp_path / "u.zarr", LAYOUTS[0])


@pytest.mark.parametrize("many", [2**50, 2**60])
def test_a_payload_that_no_memory_holds_is_named(many, tmp_path):
    zarr.create_array(tmp_path / "u.zarr", shape=(8, 12, many), chunks=(8, 12, 1), dtype="f8")
    layout = gc.Layout.mesh(SHAPE, (1, 1))
    with pytest.raises(InvalidValueError, match="cannot be read"):
        gc.CubeArray.load(tmp_path / "u.zarr", layout)


@pytest.mark.filterwarnings("ignore")
def test_texts_of_any_length_are_refused(tmp_path):
    zarr.create_array(tmp_path / "u.zarr", shape=SHAPE, dtype=str)
    with pytest.raises(InvalidValueError, match="its elements are"):
        gc.CubeArray.load(tmp_path / "u.zarr", LAYOUTS[0])


def test_other_mistakes(tmp_path, monkeypatch):
    path = tmp_path / "u.zarr"
    field().save(path)
    with pytest.raises(InvalidValueError, match=r"array of shape \(8, 12\).*\(12, 8\)"):
        gc.CubeArray.load(path, gc.Layout.mesh((12, 8), (4, 2)))
    with pytest.raises(InvalidTypeError, match="no store of Zarr"):
        field().astype("g").save(path)
    with pytest.raises(InvalidTypeError, match="attributes"):
        field().save(path, {"a": object()})
    with pytest.raises(InvalidValueError, match=r"a .npy file has none"):
        field().save(tmp_path / "u.npy", {"a": 1})
    assert np.array_equal(gc.CubeArray.load(path, LAYOUTS[1]).to_numpy(), X)
    assert [p.name for p in tmp_path.iterdir()] == ["u.zarr"]
    monkeypatch.setitem(__import__("sys").modules, "zarr", None)
    with pytest.raises(MissingExtraError, match=r"graycube\[zarr\]"):
        field().save(path)
    with pytest.raises(MissingExtraError, match=r"graycube\[zarr\]"):
        gc.array.Checkpoint(tmp_path)  # before there is anything to lose


def saved(folder, factor):
    arrays = {"u": field(x=factor * X), "v.2": gc.rfft(field(LAYOUTS[1]))}
    gc.array.Checkpoint(folder).save(arrays, {"step": factor})
    return arrays


def test_a_checkpoint_has_the_last_state_only(tmp_path):
    state = gc.array.Checkpoint(tmp_path / "run")
    assert not state.exists()
    for factor in (1, 2):
        arrays = saved(tmp_path / "run", factor)
    assert state.exists()
    assert state.attributes() == {"step": 2}
    found = state.load({"u": LAYOUTS[3], "v.2": arrays["v.2"].layout})
    assert np.array_equal(found["u"].to_numpy(), 2 * X)
    assert np.array_equal(found["v.2"].blocks, arrays["v.2"].blocks)
    assert len([*(tmp_path / "run").iterdir()]) == 2  # one generation, and what points to it


@pytest.mark.parametrize(
    ("given", "plain"),
    [(np.int64(3), 3), (np.float32(0.5), 0.5), (np.bool_(1), True), (np.str_("a"), "a")],
)
def test_scalars_of_numpys_are_attributes_as_plain_ones(given, plain, tmp_path):
    state = gc.array.Checkpoint(tmp_path)
    for attributes, expected in (
        ({"a": given}, {"a": plain}),
        ({"a": [given]}, {"a": [plain]}),
    ):
        state.save({"u": field()}, attributes)
        field().save(tmp_path / "u.zarr", attributes)
        found = dict(zarr.open_array(tmp_path / "u.zarr", mode="r").attrs)
        assert state.attributes() == expected
        assert found.items() >= expected.items()
    assert type(state.attributes()["a"][0]) is type(plain)


@pytest.mark.parametrize("given", [np.longdouble(1), np.complex64(1), np.datetime64(1, "s"), X])
def test_what_json_has_not_is_no_attribute(given, tmp_path):
    with pytest.raises(InvalidTypeError, match=type(given).__name__):
        gc.array.Checkpoint(tmp_path).save({"u": field()}, {"a": given})
    with pytest.raises(InvalidTypeError, match=type(given).__name__):
        field().save(tmp_path / "u.zarr", {"a": given})


@pytest.mark.parametrize("where", ["archive._write_own", "archive._finish", "write_whole"])
def test_an_error_while_writing_leaves_the_old_state(where, tmp_path, monkeypatch):
    saved(tmp_path, 1)

    def full(*_):
        message = "no space left"
        raise OSError(message)

    with monkeypatch.context() as patch:
        name = where if "." in where else f"checkpoint.{where}"
        patch.setattr(f"graycube.array.disk.{name}", full)
        with pytest.raises(OSError, match="no space"):
            saved(tmp_path, 2)
    state = gc.array.Checkpoint(tmp_path)
    assert state.attributes() == {"step": 1}
    assert np.array_equal(u_of(state), X)
    saved(tmp_path, 3)
    assert np.array_equal(u_of(state), 3 * X)
    assert len([*tmp_path.iterdir()]) == 2


def u_of(state):
    return state.load({"u": LAYOUTS[2]})["u"].to_numpy()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda c: c.save({"a/b": field()}), "an array is named 'a/b'"),
        (lambda c: c.save({"..": field()}), "an array is named"),
        (lambda c: c.save({"u": X}), "u is a ndarray"),
        (lambda c: c.save(field()), 'saved is a CubeArray.*such as {"u": u}'),
        (lambda c: c.save({"u": field()}, {"a": object()}), "the attributes are"),
        (lambda c: c.save({"u": field()}, {"a": np.nan}), "the attributes are"),
        (lambda c: c.save({"u": field()}, {"a": "x" * 2**20}), "at most 1048576"),
        (lambda c: c.save({"u": field()}, {1: 2, "1": 3}), "the key '1' is given twice"),
        (lambda c: c.save({"u": field()}, {"a": json.loads("[" * 60 + "]" * 60)}), "50 deep"),
        (lambda c: c.save({"u": field()}, {"a": 10**5000}), "the attributes are"),
        (lambda c: c.save({"u": field()}, [1]), "the attributes are"),
        (lambda c: c.load({"w": LAYOUTS[0]}), "has no array 'w': it has u, v.2"),
        (
            lambda c: gc.array.Checkpoint(c.folder / "no").load(LAYOUTS[0]),
            "nothing has been saved",
        ),
        (lambda c: gc.array.Checkpoint(c.folder / "no").attributes(), "nothing has been saved"),
    ],
)
def test_mistakes_leave_the_old_state(call, text, tmp_path):
    saved(tmp_path, 1)
    with pytest.raises(gc.GraycubeError, match=text):
        call(gc.array.Checkpoint(tmp_path))
    assert np.array_equal(u_of(gc.array.Checkpoint(tmp_path)), X)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"generation": "../x", "arrays": [], "attributes": {}}',
        "\0",
        "9" * 9999,
    ],
)
def test_a_damaged_pointer_is_named(text, tmp_path):
    saved(tmp_path, 1)
    (tmp_path / "current.json").write_text(text)
    with pytest.raises(InvalidValueError, match=r"cannot be read as a checkpoint"):
        gc.array.Checkpoint(tmp_path).load(LAYOUTS[0])


def test_a_folder_that_cannot_be_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path / "file", tmp_path / "none" / "run"):
        with pytest.raises(InvalidValueError, match=r"cannot write the checkpoint .* \(\w+ "):
            saved(wrong, 1)


def test_a_pointer_to_what_is_gone_is_named(tmp_path):
    saved(tmp_path, 1)
    pointer = tmp_path / "current.json"
    content = json.loads(pointer.read_text())
    pointer.write_text(json.dumps({**content, "generation": "0" * 16 + ".generation"}))
    with pytest.raises(InvalidValueError, match=r"checkpoint \(u is gone\)"):
        gc.array.Checkpoint(tmp_path).load({"u": LAYOUTS[0]})


def saves_while_it_is_read(monkeypatch, save, times=1, before="store["):
    """Somebody saves after a store was opened, and before its elements are read; or sooner."""
    attempted, left = archive._attempted, [times]

    def late(path, read):
        if left[0] and before in inspect.getsource(read):
            left[0] -= 1
            save()
        return attempted(path, read)

    monkeypatch.setattr(archive, "_attempted", late)


@pytest.mark.parametrize("before", ["store[", "open_array"])
def test_a_state_that_goes_while_it_is_read(before, tmp_path, monkeypatch):
    """Its elements are not read as zeros, and that it is gone is no error."""
    saved(tmp_path, 1)
    saves_while_it_is_read(monkeypatch, lambda: saved(tmp_path, 2), before=before)
    assert np.array_equal(u_of(gc.array.Checkpoint(tmp_path)), 2 * X)


def test_a_store_that_is_replaced_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "u.zarr"
    field().save(path)
    saves_while_it_is_read(monkeypatch, lambda: field(x=2 * X).save(path), times=2)
    assert np.array_equal(gc.CubeArray.load(path, LAYOUTS[1]).to_numpy(), 2 * X)
    saves_while_it_is_read(monkeypatch, lambda: field().save(path), times=1000)
    with pytest.raises(InvalidValueError, match=r"zarr.json was replaced while it was read"):
        gc.CubeArray.load(path, LAYOUTS[1])
