"""A machine for the planner, measured over MPI: start-up, rate, ports and switching."""

from graycube.measure.bench import Bench, Timed, bench
from graycube.measure.calibrate import calibrate
from graycube.measure.calibration import Calibration
from graycube.measure.fit import fit
from graycube.measure.samples import RoundKind, Sample

__all__ = ["Bench", "Calibration", "RoundKind", "Sample", "Timed", "bench", "calibrate", "fit"]
