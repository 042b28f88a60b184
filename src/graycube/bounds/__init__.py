"""Lower bounds on the time of a task, each with its citation and what it rests on."""

from graycube.bounds.butterflies import butterfly_bound, butterfly_cycles, exchanged_dims
from graycube.bounds.certificate import Certificate, known_certificate, load_certificate
from graycube.bounds.cut import Cut, best_cut
from graycube.bounds.tolls import Tolls
from graycube.bounds.transfer import Bound, lower_bounds, minimum_path_bound

__all__ = [
    "Bound",
    "Certificate",
    "Cut",
    "Tolls",
    "best_cut",
    "butterfly_bound",
    "butterfly_cycles",
    "exchanged_dims",
    "known_certificate",
    "load_certificate",
    "lower_bounds",
    "minimum_path_bound",
]
