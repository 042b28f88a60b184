"""What NumPy warns of names the line of the user, and filters and ``np.errstate`` hold."""

import warnings
from _thread import start_new_thread
from threading import Lock, Thread

import numpy as np
import pytest

import graycube as gc

X = np.array([[1.0, 0.0, -1.0, 1e308]] * 4)
LAYOUTS = [
    gc.Layout.mesh(X.shape, nodes=(2, 2)),
    gc.Layout.mesh(X.shape, nodes=(3, 1)),
]
CALLS = {
    "an operator": lambda u: 1 / u,
    "a power": lambda u: u**2.0,
    "another power": lambda u: (0 * u) ** (u - 1),
    "a ufunc": lambda u: np.log(1 * u),
    "two results": lambda u: np.divmod(u, 0 * u),
    "out": lambda u: np.multiply(u, 10, out=u),
    "a smaller out": lambda u: np.add(u, u, out=u.astype("f4"), casting="same_kind"),
    "where": lambda u: np.sqrt(u, out=u, where=u < 0),
    "a sum": lambda u: (u * 1.5).sum(),
    "a product along an axis": lambda u: np.prod(u, axis=0),
    "reduce": lambda u: np.add.reduce(u, axis=0),
    "a deviation": lambda u: u.std(),
    "a sum of squares": lambda u: np.linalg.norm(u, axis=0),
    "a cast": lambda u: u.astype("f4"),
    "a round": lambda u: u.round(2),
    "an assignment": lambda u: u.astype("i4").__setitem__(..., u),
    "a number everywhere": lambda u: u.astype("f4").fill(X[0, 3]),
    "a broadcast": lambda u: u - u.mean(axis=0, keepdims=True) * -1e3,
    "payload": lambda u: np.stack([u, u], axis=-1) @ np.array([5.0, 5.0]),
}


OURS = {
    "a Walsh transform": lambda u: gc.hadamard(u),  # noqa: PLW0108
    "a butterfly": lambda u: gc.butterfly(u, lambda low, *rest: (low / 0, rest[0])),
    "what is added back": lambda u: u.halo(1).add_back(),
    "hardly any spacing": lambda u: u.frequencies(1e-310, s=u.shape),
    "nowhere else": lambda u: np.add(u, 1, where=u > 0),
    "a gate": lambda u: gc.qubits.apply(u.astype(complex), [[1, 0], [0, 2]], 0, check=True),
}
LOSSES = {
    "astype": lambda u: (u * 1j).astype("f4"),
    "integers": lambda u: np.astype(u + 1j, int),
    "all": lambda u: written(u, ..., u * 1j),
    "a box": lambda u: written(u, slice(2), np.full((2, 4), 5 + 1j)),
    "points": lambda u: written(u, ([0, 1], [1, 2]), np.array([5 + 1j, 6])),
    "a mask": lambda u: written(u, u > 0, np.complex128(5 + 1j)),
    "copyto": lambda u: copied(u, u + 1j),
    "out": lambda u: np.add(u, 1j, out=np.copy(u), casting="unsafe", where=u > 0),
    "a sum": lambda u: (u + 1j).sum(axis=0, dtype=float),
    "a mean": lambda u: np.mean(u + 1j, dtype=float),
    "a running sum": lambda u: np.cumsum(u + 1j, axis=0, dtype=float),
    "full_like": lambda u: np.full_like(u, 5 + 1j),
    "pad": lambda u: np.pad(u, 1, constant_values=5 + 1j),
    "no loss": lambda u: (u * 1j).astype(bool),
}


def written(u, key, value):
    made = np.copy(u)
    made[key] = value
    return made


def copied(u, value):
    made = np.copy(u)
    np.copyto(made, value, casting="unsafe")
    return made


def heard(call, *args, action="always"):
    """What is warned of in a call: the file, the line, the words."""
    with warnings.catch_warnings(record=True, action=action) as found:
        call(*args)
    return {(w.filename, w.lineno, str(w.message)) for w in found}


def over(layout):
    return gc.CubeArray.from_numpy(X, layout)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_the_users_line_is_named_with_numpys_words(name, layout):
    call = CALLS[name]
    found = heard(call, over(layout))
    line = call.__code__.co_firstlineno
    assert {place[:2] for place in found} == {(__file__, line)}
    texts = {text.replace("reduce", "add") for *_, text in found}
    if name not in {"a product along an axis", "a deviation", "a sum of squares"}:
        assert texts == {text.replace("reduce", "add") for *_, text in heard(call, X.copy())}


@pytest.mark.parametrize("name", OURS)
def test_functions_that_numpy_has_not_name_it_too(name):
    call = OURS[name]
    u = gc.CubeArray.from_numpy(np.full(4, 1e308), gc.Layout.mesh((4,), (2,)))
    line = call.__code__.co_firstlineno
    assert {place[:2] for place in heard(call, u)} == {(__file__, line)}


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("name", LOSSES)
def test_what_loses_imaginary_parts_is_warned_of_as_by_numpy(name, layout):
    call, x = LOSSES[name], np.arange(16.0).reshape(4, 4) - 3
    u = gc.CubeArray.from_numpy(x, layout)
    kinds, made = [], []
    for given in (x, u):
        with warnings.catch_warnings(record=True, action="always") as found:
            made.append(call(given))
        kinds.append({(w.category, str(w.message)) for w in found})
    assert {w.filename for w in found} <= {__file__}
    assert kinds[0] == kinds[1]
    assert bool(kinds[0]) == (name != "no loss")
    wanted, result = map(np.asarray, made)
    assert result.dtype == wanted.dtype
    assert np.array_equal(result, wanted)


def test_a_piece_that_is_written_names_the_line_too():
    u = gc.CubeArray.from_numpy(np.zeros((4, 4), "f4"), LAYOUTS[0])
    assert {place[0] for place in heard(u.set_local, X)} == {__file__}


def divided(u):
    return 1 / u


def test_each_line_is_named_once_and_errors_are_raised():
    u = over(LAYOUTS[0])
    assert len(heard(lambda: (divided(u), divided(u)), action="default")) == 1
    with warnings.catch_warnings(record=True, action="default") as found:
        divided(u)
        divided(u)
        1 / u
    assert len(found) == 2
    with warnings.catch_warnings(action="error"), pytest.raises(RuntimeWarning) as raised:
        u /= 0
    assert raised.traceback[0].path.name == "test_warned.py"
    assert np.isinf(u.to_numpy()).any()  # as with NumPy's arrays
    with warnings.catch_warnings(action="error"):
        warnings.filterwarnings("ignore", "divide by zero", module=__name__)
        divided(over(LAYOUTS[0]))


def test_what_the_user_says_of_errors_holds():
    u, heard_of = over(LAYOUTS[1]), []
    before = np.geterr()
    with np.errstate(divide="ignore"):
        assert not heard(divided, u)
        assert heard(np.sqrt, u)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        divided(u)
    with np.errstate(divide="call", call=lambda *found: heard_of.append(found)):
        divided(u)
        assert np.geterrcall()
    assert [found[0] for found in heard_of] == ["divide by zero"]

    class Log:
        write = heard_of.append

    with np.errstate(divide="log", call=Log()):
        divided(u)
    assert heard_of[1:] == ["Warning: divide by zero encountered in divide\n"]
    assert np.geterr() == before
    with pytest.raises(gc.GraycubeError):
        np.add(u, u, subok=False)
    assert np.geterr() == before


def test_functions_of_the_user_and_threads():
    u, found = over(LAYOUTS[0]), []

    def half(x):
        return x / (0 * x)

    place = (__file__, half.__code__.co_firstlineno + 1)
    assert place in {w[:2] for w in heard(lambda: np.apply_along_axis(half, 0, u))}

    def quiet():
        with np.errstate(all="ignore"):
            for _ in range(200):
                divided(u)
        found.append(np.geterr()["divide"])

    with warnings.catch_warnings(action="error"):
        threads = [Thread(target=quiet) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == ["warn", "warn"]


def ours(text):
    """A function ``call`` of a module of the library."""
    names = {"__name__": "graycube.some", "u": over(LAYOUTS[0])}
    exec(compile(text, "ours.py", "exec"), names)  # noqa: S102 - text of this file
    return names["call"]


def test_the_line_that_called_the_library_is_named_or_else_the_outermost():
    call = ours("def call(): return 1 / u")
    ((file, line, _),) = heard(call)
    assert (file, line) == (__file__, heard.__code__.co_firstlineno + 3)
    done = Lock()
    done.acquire()
    alone = ours("def call(done):\n    try: 1 / u\n    finally: done.release()")
    ((file, line, _),) = heard(lambda: (start_new_thread(alone, (done,)), done.acquire()))
    assert (file, line) == ("ours.py", 2)
