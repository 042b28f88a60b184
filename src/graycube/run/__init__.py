"""Schedules carried out on real data: in one process, the reference, and over MPI.

``scripts`` says what each node does, in rounds of messages; an ``Execution`` does it over MPI,
once all ranks are ``agreed``. Ranks of one machine share ``windows``, through which a
``redistribution`` is read from where the data are.
"""

from graycube.run.agreement import agreed, no_way_back
from graycube.run.bind import bind, execute
from graycube.run.butterflies import emulate
from graycube.run.by_index import script_by_index
from graycube.run.execution import Execution
from graycube.run.local import apply
from graycube.run.mpi import freed_with, mpi, private, require_comm
from graycube.run.redistribution import redistribution
from graycube.run.renumbering import renumbered
from graycube.run.scripts import scripts, scripts_at_once
from graycube.run.together import rehearse

__all__ = [
    "Execution",
    "agreed",
    "apply",
    "bind",
    "emulate",
    "execute",
    "freed_with",
    "mpi",
    "no_way_back",
    "private",
    "redistribution",
    "rehearse",
    "renumbered",
    "require_comm",
    "script_by_index",
    "scripts",
    "scripts_at_once",
]
