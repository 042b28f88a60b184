"""The waist of graycube: what is to be done (task) and who sends what to whom when (schedule).

A :class:`Task` says from which layout to which, and how much each node holds. A
:class:`Schedule` fulfils a task: a :class:`Way` for all elements, whose every :class:`Step`
takes them over links in timed :class:`crossings <Crossing>`. :class:`Moves` is the same thing
written out element by element, an :class:`Action` what one node does, and
:mod:`graycube.schedule.written` the file format of both. A :class:`Delivery` sends everything
straight to where it belongs.
"""

from graycube.schedule.actions import Action, actions
from graycube.schedule.direct import Delivery, delivered
from graycube.schedule.moves import Moves, expand
from graycube.schedule.replication import Replication
from graycube.schedule.schedule import Schedule
from graycube.schedule.task import Task
from graycube.schedule.way import Crossing, Delay, Step, Way, hop
from graycube.schedule.written import dump, load

__all__ = [
    "Action",
    "Crossing",
    "Delay",
    "Delivery",
    "Moves",
    "Replication",
    "Schedule",
    "Step",
    "Task",
    "Way",
    "actions",
    "delivered",
    "dump",
    "expand",
    "hop",
    "load",
]
