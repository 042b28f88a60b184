"""Schedules carried out on real data: in one process, the reference, and over MPI.

``scripts`` says what each node does, in rounds of messages; an ``Execution`` does it over MPI,
once all ranks are ``agreed``.
"""

from graycube.runtime.agreement import agreed, no_way_back
from graycube.runtime.bind import bind
from graycube.runtime.butterflies import emulate, replicate
from graycube.runtime.by_index import script_by_index
from graycube.runtime.execution import Execution
from graycube.runtime.local import apply
from graycube.runtime.mpi import freed_with, mpi, private, require_comm
from graycube.runtime.renumbering import renumbered
from graycube.runtime.scripts import scripts, scripts_at_once
from graycube.runtime.together import rehearse

__all__ = [
    "Execution",
    "agreed",
    "apply",
    "bind",
    "emulate",
    "freed_with",
    "mpi",
    "no_way_back",
    "private",
    "rehearse",
    "renumbered",
    "replicate",
    "require_comm",
    "script_by_index",
    "scripts",
    "scripts_at_once",
]
