"""The waist of graycube: what is to be done (task) and who sends what to whom when (schedule).

A :class:`Task` says from which layout to which, and how much each node holds; a
:class:`Program` lists the exchanges that take one layout to the other. A :class:`Schedule`
fulfils a task: strands of elements that follow lists of exchanges, each started at a cycle.
:class:`Moves` is the same thing written out element by element, an
:class:`Action` what one node does, and
:mod:`graycube.schedule.written` the file format of both.
"""

from graycube.schedule.actions import Action, actions
from graycube.schedule.direct import Delivery, Direct, delivered
from graycube.schedule.emulation import Crossing, Emulation, Turn
from graycube.schedule.forms import AnySchedule, expand
from graycube.schedule.moves import Moves
from graycube.schedule.program import Program, Stage
from graycube.schedule.replication import Replication
from graycube.schedule.schedule import Hop, Schedule, Strand
from graycube.schedule.task import Task
from graycube.schedule.way import Delay, Passage, Step, Way
from graycube.schedule.written import dump, load

__all__ = [
    "Action",
    "AnySchedule",
    "Crossing",
    "Delay",
    "Delivery",
    "Direct",
    "Emulation",
    "Hop",
    "Moves",
    "Passage",
    "Program",
    "Replication",
    "Schedule",
    "Stage",
    "Step",
    "Strand",
    "Task",
    "Turn",
    "Way",
    "actions",
    "delivered",
    "dump",
    "expand",
    "load",
]
