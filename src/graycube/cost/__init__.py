"""What a schedule costs on a machine, and what no schedule can beat.

:func:`simulate` counts messages, links, memory and time of a symbolic schedule at any size
of the cube, :func:`replay` those of an explicit one cycle by cycle. The bounds say what they
rest on, with a citation.
"""

from graycube.cost.bound import Bound
from graycube.cost.butterflies import butterfly_bound, butterfly_cycles
from graycube.cost.certificate import Certificate, known_certificate, load_certificate
from graycube.cost.cut import Cut, best_cut
from graycube.cost.replay import Replay, replay
from graycube.cost.simulate import Traffic, simulate
from graycube.cost.tolls import Tolls
from graycube.cost.traffic import RoundTraffic
from graycube.cost.transfer import Stair, lower_bounds, minimum_path_bound, stairs
from graycube.layout.lines import exchanged_dims

__all__ = [
    "Bound",
    "Certificate",
    "Cut",
    "Replay",
    "RoundTraffic",
    "Stair",
    "Tolls",
    "Traffic",
    "best_cut",
    "butterfly_bound",
    "butterfly_cycles",
    "exchanged_dims",
    "known_certificate",
    "load_certificate",
    "lower_bounds",
    "minimum_path_bound",
    "replay",
    "simulate",
    "stairs",
]
