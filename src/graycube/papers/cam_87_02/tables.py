"""The machine of Tables 1 and 2: its parameters, and what they and the measurements come to.

All times are in milliseconds.
"""

from fractions import Fraction

import graycube as gc

from .model import Mapping, Model, printed
from .prices import transforms

ITEMSIZE = 8  # bytes: with the profile's 2 microseconds each it is the paper's c
POINTS = 12  # stages of the 4096-point FFT of Tables 1 and 2
FIGURE_4 = 10  # and of the 1024-point one


def machine(d: int) -> gc.Machine:
    """The paper's machine, from the library's profile."""
    return gc.Machine.profile("ipsc1", dims=d)


def model(n: int, d: int) -> Model:
    """The same in the paper's formulas, for 2^n elements."""
    return Model(printed().costs, d, 1 << n - d)


def alone() -> Fraction:
    """The model's time of one node: a q n."""
    return model(POINTS, 0).fft("FFT", POINTS)


def model_speedups(d: int, mapping: Mapping) -> tuple[float, float]:
    """The model's, and the same from its two times in whole milliseconds."""
    work, sent = split(POINTS, d, mapping)
    return float(alone() / (work + sent)), float(alone() / (round(work) + round(sent)))


def split(n: int, d: int, mapping: Mapping) -> tuple[Fraction, Fraction]:
    """Computation, and the sends that schedules take, on the machine of Table 2."""
    here = model(n, d)
    sent = transforms(d, here.q, mapping).price(here.costs.startup, here.costs.transfer)
    return here.q * n * here.costs.arithmetic, Fraction(sent)


def measured_speedups(d: int, mapping: Mapping) -> tuple[float, float, float]:
    """Of the averages to the model's time of one node and to the measured one; the slowest."""
    average, measured = printed().average(d, mapping), printed().average(0, mapping)
    slowest = measured / printed().times[d, mapping][1]
    return float(alone() / average), float(measured / average), float(slowest)
