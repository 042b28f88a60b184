"""A machine for the planner, measured over MPI: start-up, rate, ports and switching."""

from graycube.calibration.bench import Bench, Timed, bench
from graycube.calibration.calibrate import calibrate
from graycube.calibration.calibration import Calibration
from graycube.calibration.fit import fit
from graycube.calibration.samples import RoundKind, Sample

__all__ = ["Bench", "Calibration", "RoundKind", "Sample", "Timed", "bench", "calibrate", "fit"]
