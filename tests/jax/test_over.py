"""What is compiled once, and what again: functions of the user's, and batches."""

import logging
import sys
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax_cases import P, mesh_of, put

import graycube as gc
from graycube.jax.over import is_lasting, settled

FACTOR = 1.0
SETTINGS = types.ModuleType("settings")


class Held:
    factor = 1.0


def by_a_global(low, high, _bit, _index):
    return low * FACTOR, high


def from_within(low, high, _bit, _index):
    def scaled():
        return low * FACTOR

    return scaled(), high


def by_a_class(low, high, _bit, _index):
    return low * Held.factor, high


def by_a_module(low, high, _bit, _index):
    return low * SETTINGS.factor, high


def by_an_import(low, high, _bit, _index):
    import settings  # noqa: PLC0415

    return low * settings.factor, high


def by_a_helper(low, high, _bit, _index):
    return scaled_by_a_global(low), high


def scaled_by_a_global(low):
    return low * FACTOR


def by_an_attribute(low, high, _bit, _index):
    return same(low) * same.factor, high


def by_looking_it_up(low, high, _bit, _index):
    return low * globals()["FACTOR"], high


def same(low):
    return low


@pytest.fixture
def x():
    return put(np.arange(16, dtype="f4"), mesh_of((4,), explicit=True), P("a"))


def set_to(factor, monkeypatch):
    monkeypatch.setitem(sys.modules, "settings", SETTINGS)
    monkeypatch.setitem(globals(), "FACTOR", factor)
    for holder in (SETTINGS, Held, same):
        monkeypatch.setattr(holder, "factor", factor, raising=False)


@pytest.mark.parametrize(
    "stage",
    [
        *[by_a_global, from_within, by_a_class, by_a_module, by_an_import, by_a_helper],
        *[by_an_attribute, by_looking_it_up],
    ],
)
def test_a_stage_may_read_what_is_around_it(stage, x, monkeypatch):
    for factor in (1.0, 0.0):
        set_to(factor, monkeypatch)
        want = [k if k % 2 else k * factor for k in range(16)]
        assert gc.jax.butterfly(x, stage, bits=[0]).tolist() == want


def test_an_operator_may_read_what_is_around_it(x, monkeypatch):
    def op(a, b):
        return a * FACTOR + b

    for factor, want in ((1.0, np.cumsum(range(16))), (0.0, range(16))):
        set_to(factor, monkeypatch)
        assert gc.jax.scan(op, x, 0).tolist() == [*want]


def test_modules_of_one_name_are_told_apart(x):
    add = "lambda a, b: m.add(a, b)"
    other = types.ModuleType("numpy.other")  # of a name that is trusted
    other.add = jnp.multiply
    multiply = eval(add, {"m": other})  # noqa: S307
    for _ in range(2):
        assert gc.jax.scan(eval(add, {"m": jnp}), x, 0).tolist()[-1] == 120  # noqa: S307
        assert gc.jax.scan(multiply, x + 1, 0).tolist()[2] == 6


@pytest.mark.parametrize(
    ("one", "other"), [(2, 2.5), (0.0, -0.0), (1, True), (jnp.ones(()), jnp.zeros(()))]
)
def test_what_a_function_knows_is_not_taken_for_its_equal(one, other, x):
    def closed(factor):
        return lambda low, high, *_: (jnp.copysign(low, factor), high * scale(factor))

    def given(factor):
        return lambda low, high, *_, f=factor: (jnp.copysign(low, f), high * scale(f))

    def scale(factor):
        return 1 if factor is True else 2

    for factor in (one, other, one):
        for made in (closed, given):
            found = gc.jax.butterfly(x + 1, made(factor), bits=[0])
            assert found.tolist()[:2] == [np.copysign(1, factor), 2 * scale(factor)]


def test_what_counts_its_calls_or_calls_itself_is_called_each_time(x):
    calls = 0

    def op(a, b):
        nonlocal calls
        calls += 1
        return a + b

    def power(a, k):
        return a * power(a, k - 1) if k else 1

    for turn in (1, 2):
        assert gc.jax.scan(op, x, 0).tolist()[-1] == 120
        assert calls >= turn
        assert gc.jax.scan(lambda a, b: power(a, 1) + b, x, 0).tolist()[-1] == 120


class HasAll:
    def __getattr__(self, _name):
        return self


@pytest.mark.parametrize("known", [HasAll(), 10**5000], ids=["all", "long"])
def test_a_stage_knows_what_has_every_attribute_or_is_long(known, x):
    found = gc.jax.butterfly(x, lambda low, high, *_: (low if known else high, high), bits=[0])
    assert found.tolist()[:2] == [0, 1]


def test_functions_that_call_others_twice_are_looked_at_once():
    chain = [lambda a: a]
    for _ in range(40):
        chain.append(lambda a, f=chain[-1], g=chain[-1]: f(g(a)))
    assert is_lasting(settled(chain[-1]))


added_in_jit = jax.jit(lambda low, high: low + high)


def halved(low):
    return low / TWO


TWO = 2


@pytest.mark.parametrize(
    "call",
    [
        lambda x: gc.jax.butterfly(x, lambda low, high, *_: (jnp.maximum(low, high), high)),
        lambda x: gc.jax.scan(lambda low, high: low + high, x, 0),
        lambda x: gc.jax.scan(jax.jit(lambda low, high: low + high), x, 0),
        lambda x: gc.jax.scan(added_in_jit, x, 0),
        lambda x: gc.jax.scan(jax.jit(jnp.add), x, 0),
        lambda x: gc.jax.scan(jax.lax.max, x, 0),
        lambda x: gc.jax.butterfly(
            x, lambda low, high, *_: (halved(low), added_in_jit(low, high))
        ),
        lambda x, k=3: gc.jax.butterfly(x, lambda low, high, *_, m=k: (low + k, high * m)),
        gc.jax.cumsum,
    ],
)
def test_what_is_written_in_place_is_traced_and_compiled_once(call, x, caplog):
    call(x)
    with caplog.at_level(logging.WARNING), jax.log_compiles():
        for _ in range(3):
            call(x)
        assert not caplog.messages  # neither compiled nor traced
        jax.jit(lambda x: x + 17)(x)  # the count can be other than zero
    assert [text for text in caplog.messages if "ompil" in text]


BATCHES = P(None, "b"), P("a", "b"), P("a", None)


@pytest.mark.parametrize("within_jit", [True, False])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_batches_do_not_depend_on_what_ran_before(order, within_jit):
    jax.clear_caches()
    mesh = mesh_of((2, 4), explicit=True)
    x = np.random.default_rng(0).standard_normal((4, 64)).astype("f4")
    batched = jax.vmap(lambda row: gc.jax.fft(gc.jax.cumsum(row)))
    run = jax.jit(batched) if within_jit else batched
    want = np.fft.fft(np.cumsum(x, 1))
    for k in (*order, *order):
        got = np.asarray(run(put(x, mesh, BATCHES[k])))
        assert np.abs(got - want).max() < 1e-5 * np.abs(want).max()
    row = gc.jax.fft(gc.jax.cumsum(put(x[0], mesh, P("b"))))
    assert np.abs(np.asarray(row) - want[0]).max() < 1e-5 * np.abs(want).max()


def test_a_batch_outside_of_jit_is_compiled_once(caplog):
    mesh = mesh_of((2, 4), explicit=True)
    x = put(np.ones((4, 64), "f4"), mesh, P("a", "b"))
    jax.vmap(gc.jax.fft)(x)
    with caplog.at_level(logging.WARNING), jax.log_compiles():
        jax.vmap(gc.jax.fft)(x)
    assert not [text for text in caplog.messages if "ompil" in text]
