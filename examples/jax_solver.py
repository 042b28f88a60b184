"""A flow that is differentiated: Burgers' equation in Fourier space on eight devices.

    u_t + u u_x = nu u_xx

The state is a spectrum over the devices, in the layout in which the transform leaves it. The
gradient of an energy after twenty steps goes back through all sixty transforms, in one program
that gathers nothing. It is compared with that of plain JAX on one device, and with differences.

Run: python examples/jax_solver.py
"""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

from collections.abc import Callable
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp

import graycube as gc

Values: TypeAlias = Any
"""An array of JAX, or a gc.jax.Array."""

POINTS, STEPS, DT, NU = 1 << 12, 20, 1e-3, 0.02


def wavenumber(index: Values) -> Values:
    """The frequency of a place in the spectrum: the upper half is negative."""
    return jnp.where(index < POINTS // 2, index, index - POINTS).astype(float)


def solve(
    u: Values, fft: Callable[..., Values], ifft: Callable[..., Values], k: Values
) -> Values:
    """The velocity after the steps; all arrays are of one kind, dense or graycube's."""
    decay = exp(k * k * -NU * DT)

    def step(spectrum: Values, _: None) -> tuple[Values, None]:
        velocity, slope = ifft(spectrum), ifft(spectrum * k * 1j)
        return (spectrum - fft(velocity * slope) * DT) * decay, None

    spectrum, _ = jax.lax.scan(step, fft(u), length=STEPS)
    return ifft(spectrum)


def exp(a: Values) -> Values:
    """The exponential of either kind."""
    return a.map(jnp.exp) if isinstance(a, gc.jax.Array) else jnp.exp(a)


def dense(u: Values) -> Values:
    """The energy, by plain JAX."""
    k = wavenumber(jnp.arange(POINTS))
    return (jnp.abs(solve(u, jnp.fft.fft, jnp.fft.ifft, k)) ** 4).mean()


def spread(u: Values) -> Values:
    """The energy, over the devices."""
    k = gc.jax.fft(u).coordinate(0).map(wavenumber)
    return (abs(solve(u, gc.jax.fft, gc.jax.ifft, k)) ** 4).blocks.mean()


def main() -> None:
    jax.config.update("jax_enable_x64", True)  # noqa: FBT003 - JAX's own form
    x = jnp.arange(POINTS) * 2 * jnp.pi / POINTS
    u = jnp.sin(x) + 0.3 * jnp.cos(3 * x)

    mesh = jax.make_mesh((8,), ("x",))
    sharded = jax.device_put(u, jax.NamedSharding(mesh, jax.P("x")))
    a = gc.jax.Array.from_array(sharded, gc.Layout.cyclic(POINTS.bit_length() - 1, 3))

    program = jax.jit(jax.value_and_grad(spread)).lower(a).compile()
    counts = gc.jax.traffic(program).counts
    assert "all-gather" not in counts
    energy, gradient = program(a)
    print(f"energy {energy:.6f}, gradient through {STEPS} steps: {counts}")

    expected, slopes = jax.value_and_grad(dense)(u)
    difference = jnp.abs(gradient.to_array() - jax.device_put(slopes, sharded.sharding)).max()
    assert abs(energy - expected) < 1e-12 * expected
    assert difference < 1e-12
    print(
        f"against plain JAX on one device: {difference:.1e} of at most {abs(slopes).max():.1e}"
    )

    along = jnp.cos(2 * x)
    step = 1e-5
    change = (dense(u + step * along) - dense(u - step * along)) / (2 * step)
    found = (slopes * along).sum()
    assert abs(change - found) < 1e-6 * abs(found)
    print(f"along a direction: {found:.8f}, by differences {change:.8f}")


if __name__ == "__main__":
    main()
