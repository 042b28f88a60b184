"""Arrays on disk: NumPy reads what is saved, and failures leave everything as it was."""

import os
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from strategies import mesh_specs, recoded
from sweeping import examples

import graycube as gc
from graycube.array.disk.files import in_stretches
from graycube.errors import GraycubeError, InvalidTypeError, InvalidValueError

LAYOUT = gc.Layout.mesh((8, 6), (4, 2), code="gray")
X = np.arange(48.0).reshape(8, 6)
RECORD = np.dtype([("name", "U3"), ("place", ">i2"), ("pair", "f4", (2,)), ("z", "c8")])
DTYPES = ["f8", "c8", "c16", ">f4", ">c16", "f2", "g", "?", "u1", ">i8", "M8[s]", "S3", "U4"]
IN_A_FOLDER = settings(
    max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A directory to work in, whose files are looked at afterwards."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def array(x=X, layout=LAYOUT):
    return gc.CubeArray.from_numpy(x, layout)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def content(shape, dtype):
    values = np.arange(np.prod(shape))
    if dtype is RECORD:
        rows = [(str(k), k, (k, -k), k - 2j) for k in values.tolist()]
        return np.array(rows, RECORD).reshape(shape)
    return values.astype(dtype).reshape(shape)


def require_same(found, wanted):
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    assert found.tobytes() == wanted.tobytes()


def require_round_trip(x, layout, target, path="x.npy"):
    array(x, layout).save(path)
    require_same(np.load(path), x)
    back = gc.CubeArray.load(path, target)
    assert back.layout == target
    require_same(back.to_numpy(), x)
    assert back.blocks.flags.writeable


@pytest.mark.parametrize("dtype", [*DTYPES, RECORD])
@pytest.mark.parametrize("payload", [(), (3,), (2, 2)])
def test_any_dtype_and_payload(dtype, payload, folder):
    target = gc.Layout.mesh((8, 6), (2, 1), allocation="cyclic")
    require_round_trip(content((8, 6, *payload), dtype), LAYOUT, target)
    assert files(folder) == ["x.npy"]


@given(mesh_specs(room=120, max_axes=3), st.data())
@IN_A_FOLDER
def test_from_any_layout_into_any_other(folder, spec, data):
    target = data.draw(recoded(spec)).layout()
    payload = data.draw(st.sampled_from(((), (2,))))
    x = content((*spec.shape, *payload), "i4")
    require_round_trip(x, spec.layout(), target)
    assert files(folder) == ["x.npy"]


@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ((1,), gc.Layout.nodes(0)),
        ((1, 3), gc.Layout.nodes(0)),
        ((8,), gc.Layout.nodes(3, "gray")),
        ((8, 6, 0), LAYOUT),
        ((8, 6, 2, 0), LAYOUT),
    ],
)
def test_one_element_a_node_and_none(shape, layout, folder):
    require_round_trip(np.ones(shape), layout, layout)
    assert files(folder) == ["x.npy"]


@pytest.mark.parametrize(
    "seen",
    [
        np.asfortranarray,
        lambda blocks: blocks[::-1].copy()[::-1],
        lambda blocks: np.repeat(blocks, 2, axis=1)[:, ::2],
    ],
)
def test_blocks_in_any_order_that_may_not_be_written(seen, folder):
    blocks = seen(LAYOUT.scatter(X))
    blocks.setflags(write=False)
    gc.CubeArray(blocks, LAYOUT).save(folder / "x.npy")
    require_same(np.load("x.npy"), X)


def test_what_numpy_wrote_in_other_ways(folder):
    np.save("f.npy", np.asfortranarray(X))
    np.save("t.npy", X[::-1].T.copy().T)
    with (folder / "v3.npy").open("wb") as file:
        np.lib.format.write_array(file, X, version=(3, 0))
    for name, x in (("f.npy", X), ("t.npy", X[::-1]), ("v3.npy", X)):
        require_same(gc.CubeArray.load(name, LAYOUT).to_numpy(), x)


def test_what_was_loaded_does_not_hang_on_the_file(folder):
    array().save("x.npy")
    a = gc.CubeArray.load("x.npy", LAYOUT)
    a += 1
    require_same(np.load("x.npy"), X)
    a.save("x.npy")
    require_same(np.load("x.npy"), X + 1)
    require_same(a.to_numpy(), X + 1)
    assert files(folder) == ["x.npy"]


def test_a_link_stays_a_link(folder):
    """As with NumPy, what it points to is written."""
    np.save("there.npy", X)
    (folder / "link.npy").symlink_to("there.npy")
    array(-X).save("link.npy")
    assert (folder / "link.npy").is_symlink()
    require_same(np.load("there.npy"), -X)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_is_no_file_is_not_replaced(folder):
    """Or else /dev/null would become a file."""
    os.mkfifo(folder / "pipe")
    with pytest.raises(GraycubeError):
        array().save("pipe")
    assert (folder / "pipe").is_fifo()
    assert files(folder) == ["pipe"]


def test_names_of_fields_in_any_script(folder):
    x = content((8, 6), RECORD).astype([("高さ", "U3"), *RECORD.descr[1:]])
    with pytest.warns(UserWarning, match="format 3.0"):
        np.save("numpys.npy", x)
    with pytest.warns(UserWarning, match="format 3.0"):
        array(x).save("x.npy")
    require_same(np.load("x.npy"), x)
    assert files(folder) == ["numpys.npy", "x.npy"]


def test_a_name_as_long_as_the_system_takes(folder):
    name = "n" * 251 + ".npy"
    np.save(name, X)
    array(-X).save(name)
    require_same(np.load(name), -X)
    assert files(folder) == [name]


# Failures


def prepared(folder):
    """Files that have to stay as they are, among them those that another writer may make."""
    np.save("x.npy", X)
    (folder / "sub").mkdir()
    for name in ("text", ".x.npy.part", ".sub.part"):
        (folder / name).write_text("of somebody else")
    return {path: path.is_file() and path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("path", "dtype", "kind", "text"),
    [
        ("x.npy", object, InvalidTypeError, "Python objects"),
        ("x.npy", np.dtypes.StringDType(), InvalidTypeError, "Python objects"),
        ("x.npy", [("a", "O")], InvalidTypeError, "Python objects"),
        ("sub", float, InvalidValueError, "cannot write sub"),
        ("missing/x.npy", float, InvalidValueError, "in a folder that exists"),
        ("text/x.npy", float, InvalidValueError, "in a folder that exists"),
        ("", float, InvalidValueError, "cannot write"),
        (".", float, InvalidValueError, "cannot write"),
        ("..", float, InvalidValueError, "cannot write"),
        ("/", float, InvalidValueError, "cannot write"),
        ("u.h5", float, InvalidValueError, "saved as .npy files or .zarr stores"),
    ],
)
def test_refusals_leave_everything_as_it_was(path, dtype, kind, text, folder):
    before = prepared(folder)
    a = array(np.zeros((8, 6), dtype))
    with pytest.raises(kind, match=text):
        a.save(path)
    after = {path: path.is_file() and path.read_bytes() for path in folder.iterdir()}
    assert after == before


@pytest.mark.parametrize("path", [None, b"x.npy", 3])
def test_what_is_no_path_is_refused(path, folder):
    np.save("x.npy", X)
    with pytest.raises(TypeError):
        array().save(path)
    assert files(folder) == ["x.npy"]


@pytest.mark.parametrize("shape", [(16,), (3, 5), (2, 7, 9), (1, 4), (5, 2, 2)])
@pytest.mark.parametrize("count", [1, 2, 3, 6, 8])
def test_each_node_has_a_stretch_of_the_file(shape, count):
    """The elements follow each other, there and from node to node, and none has too many."""
    mesh = (*[1] * (len(shape) - 1), count)
    home = in_stretches(gc.Layout.mesh(shape, mesh, allocation="cyclic", ownership=True))
    index, order, most = np.arange(np.prod(shape)).reshape(shape), [], 0
    for node in range(count // home.copy_count):
        own = index[np.ix_(*home.piece(range(node, node + 1)).coordinates)].ravel()
        order += own.tolist()
        most = max(most, own.size)
    assert order == index.ravel().tolist()
    assert home.node_count == count
    assert most <= 2 * -(-index.size // count)


def test_a_disk_that_is_full_leaves_the_old_file(folder):
    """A limit on the size of files is the same to a writer as a full disk."""
    import resource  # noqa: PLC0415 - not on every system

    np.save("x.npy", X)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    large = np.ones((8, 6, 1000))
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(OSError, match=r"."):
            array(large).save("x.npy")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert files(folder) == ["x.npy"]
    require_same(np.load("x.npy"), X)


def written(how):
    """Files that are no arrays of numbers of the shape (8, 6)."""
    np.save("x.npy", X)
    with open("x.npy", "rb") as file:  # noqa: PTH123
        whole = file.read()
    cut = {"empty": 0, "magic": 7, "header": 60, "data": len(whole) - 8}
    if how in cut:
        return whole[: cut[how]]
    return {"text": b"one, two", "zeros": bytes(1000)}[how]


@pytest.mark.parametrize("how", ["empty", "magic", "header", "data", "text", "zeros"])
def test_what_is_no_array(how, folder):
    (folder / "bad.npy").write_bytes(written(how))
    with pytest.raises(InvalidValueError, match=r"bad.npy cannot be read as an array"):
        gc.CubeArray.load("bad.npy", LAYOUT)


def test_objects_are_not_loaded(folder):
    np.save(folder / "x.npy", X.astype(object))
    with pytest.raises(InvalidValueError, match=r"must be a .npy file of numbers"):
        gc.CubeArray.load("x.npy", LAYOUT)


def test_archives_of_arrays_are_not_loaded(folder):
    np.savez(folder / "x.npz", X)
    with pytest.raises(InvalidValueError, match=r"must be a .npy file of numbers"):
        gc.CubeArray.load("x.npz", LAYOUT)


@pytest.mark.parametrize("shape", [(), (48,), (6, 8), (8,), (8, 7), (0, 6)])
def test_other_shapes_are_not_loaded(shape, folder):
    np.save(folder / "x.npy", np.zeros(shape))
    with pytest.raises(InvalidValueError, match=r"its first axes must be \(8, 6\)"):
        gc.CubeArray.load("x.npy", LAYOUT)


@pytest.mark.parametrize(
    ("path", "layout", "kind"),
    [
        ("missing.npy", LAYOUT, FileNotFoundError),
        (".", LAYOUT, (IsADirectoryError, PermissionError, InvalidValueError)),
        (None, LAYOUT, TypeError),
        ("missing.npy", "gray", InvalidTypeError),
    ],
)
def test_nothing_to_load(path, layout, kind, folder):
    with pytest.raises(kind):
        gc.CubeArray.load(path, layout)
    assert files(folder) == []


def with_header(header, data=b"", version=1):
    """A file of that header."""
    size = 2 if version == 1 else 4
    start = np.lib.format.MAGIC_PREFIX + bytes([version, 0])
    return start + len(header).to_bytes(size, "little") + header + data


def described(**changes):
    entries = {"descr": "<f8", "fortran_order": False, "shape": (8, 6), **changes}
    return repr(entries).encode()


@pytest.mark.parametrize(
    "content",
    [
        with_header(described(shape=(8, 6, 10**9))),
        with_header(described(shape=(8, 6, 10**9)), version=2),
        with_header(described(shape=(8, 6, 10**18, 10**18))),
        with_header(described(shape=(8, 6, *[10**4000] * 2))),
        with_header(described(shape=(8, 6, -1))),
        with_header(described(shape=(8, 6, True))),
        with_header(described(shape=(8, 6, 0, 10**30))),
        with_header(described(shape=(8, 6, *[0] * 70))),
        with_header(described(shape=[8, 6])),
        with_header(described(descr="|V0")),
        with_header(described(descr="|O")),
        with_header(described(descr="(2,)f8")),
        with_header(described(descr="<U999999999")),
        with_header(described(descr=[("a", "f8", (10**9,))])),
        with_header(described(descr=[])),
        with_header(described(descr=())),
        with_header(described(descr=("f8",))),
        with_header(described(descr=7)),
        with_header(described(fortran_order=1)),
        with_header(described(more=1)),
        with_header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (8, 6)"),
        with_header(b"(" * 9000),
        with_header(b"-" * 9000 + b"1"),
        with_header(b"[" * 300 + b"]" * 300),
        with_header(b"'\\d'"),
        with_header(b"\xff" * 9, version=3),
        with_header(b" " * 60000),
        with_header(b"\0" * 80),
        np.lib.format.MAGIC_PREFIX + b"\2\0" + b"\xff" * 4 + b"{}",
        np.lib.format.MAGIC_PREFIX + b"\4\0" + b"\xff" * 4 + b"{}",
    ],
    ids=range(30),
)
def test_a_header_that_lies_is_refused_before_anything_is_made(content, folder):
    (folder / "x.npy").write_bytes(content)
    tracemalloc.start()
    with pytest.raises(InvalidValueError, match=r"x.npy"):
        gc.CubeArray.load("x.npy", LAYOUT)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 24


def test_pipes_and_devices_are_not_loaded(folder):
    os.mkfifo(folder / "pipe")
    for path in ("pipe", "/dev/zero"):
        with pytest.raises(InvalidValueError, match="it is no file"):
            gc.CubeArray.load(path, LAYOUT)


@pytest.mark.skipif(not os.path.exists("/proc/self"), reason="no such file system")  # noqa: PTH110
def test_the_path_that_cannot_be_written_is_named():
    with pytest.raises(OSError, match=r"/proc/x\.npy"):
        array().save("/proc/x.npy")
