"""A small flow: every step needs mesh neighbours and all of an axis, on one Gray-coded array.

The vorticity w is carried by the velocity (u, v) = (dp/dy, -dp/dx) and spreads by viscosity,
dw/dt = -u dw/dx - v dw/dy + viscosity Laplace(w), in a periodic box of side 2 pi. The stream
function p solves Laplace(p) = -w. Derivatives are centred differences, steps are Heun's.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import fft

import graycube as gc

_VISCOSITY = 0.002
_CROSS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def shear_layers(n: int) -> NDArray[np.float64]:
    """Two layers in which the velocity turns round, slightly bent: they roll up.

    >>> first = shear_layers(8)
    >>> first[2, :3].round(2).tolist()  # from between the layers into one of them
    [0.05, 0.04, -4.95]
    """
    x, y = 2 * np.pi / n * np.indices((n, n))
    layers: NDArray[np.float64] = np.sin(y) / 0.2 / np.cosh(np.cos(y) / 0.2) ** 2
    bent: NDArray[np.float64] = 0.05 * np.sin(x) - layers
    return bent


class ShearFlow:
    """The flow of a :class:`CubeArray` in any layout; windows are made once.

    >>> layout = gc.Layout.mesh((16, 16), nodes=(4, 4), code="gray")
    >>> flow = ShearFlow(gc.CubeArray.from_numpy(shear_layers(16), layout))
    >>> later = flow.steps(3, dt=0.05).to_numpy()
    >>> np.allclose(later, plain_steps(shear_layers(16), 3, dt=0.05))
    True
    """

    def __init__(self, start: gc.CubeArray) -> None:
        self.now, self.n = start, start.shape[0]
        self.p, self.w = start.halo(), start.halo()

    def steps(self, count: int, dt: float) -> gc.CubeArray:
        """The vorticity after so many more steps."""
        for _ in range(count):
            first = self.rate(self.now)
            self.now = self.now + dt / 2 * (first + self.rate(self.now + dt * first))
        return self.now

    def rate(self, now: gc.CubeArray) -> Any:  # noqa: ANN401 - what mypy sees in sums of arrays
        """How fast the vorticity changes: stencils on it and on the stream function."""
        p, w, h = self.p.update(self.stream(now)), self.w.update(now), 2 * np.pi / self.n
        u, v = p[0, 1] - p[0, -1], p[-1, 0] - p[1, 0]  # times 2 h
        carried = u * (w[1, 0] - w[-1, 0]) + v * (w[0, 1] - w[0, -1])
        spread = sum(w[step] for step in _CROSS) - 4 * now
        return (_VISCOSITY * spread - carried / 4) / h**2

    def stream(self, w: gc.CubeArray) -> gc.CubeArray:
        """The stream function of a vorticity, by transforms of the data where they are."""
        spectrum = gc.fft2(w)
        waves = sum(_second_difference(k, self.n) for k in spectrum.indices())
        p = gc.ifft2(spectrum * (waves > 0) / (waves + (waves == 0)))
        return p.real.relayout(w.layout)


def plain_steps(w: NDArray[np.float64], count: int, dt: float) -> NDArray[np.float64]:
    """The same on a whole array, with NumPy and SciPy alone: what to compare with.

    >>> plain_steps(shear_layers(8), 0, dt=0.1).shape
    (8, 8)
    """
    for _ in range(count):
        first = _plain_rate(w)
        w = w + dt / 2 * (first + _plain_rate(w + dt * first))
    return w


def _plain_rate(w: NDArray[np.float64]) -> NDArray[np.float64]:
    n = len(w)
    waves = sum(_second_difference(k, n) for k in np.indices((n, n)))
    waves[0, 0] = np.inf
    p = fft.ifft2(fft.fft2(w) / waves).real

    def at(array: NDArray[np.float64], i: int, j: int) -> NDArray[np.float64]:
        return np.roll(array, (-i, -j), axis=(0, 1))

    u, v = at(p, 0, 1) - at(p, 0, -1), at(p, -1, 0) - at(p, 1, 0)
    carried = u * (at(w, 1, 0) - at(w, -1, 0)) + v * (at(w, 0, 1) - at(w, 0, -1))
    spread = sum(at(w, *step) for step in _CROSS) - 4 * w
    rate: NDArray[np.float64] = (_VISCOSITY * spread - carried / 4) / (2 * np.pi / n) ** 2
    return rate


def _second_difference(k: Any, n: int) -> Any:  # noqa: ANN401 - numbers or arrays of any kind
    """What minus the second difference multiplies wave k with."""
    return (n / np.pi * np.sin(np.pi / n * k)) ** 2
