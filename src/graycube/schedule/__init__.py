"""The waist of graycube: what is to be done (task) and who sends what to whom when (schedule).

A :class:`Task` says from which layout to which, and how much each node holds. A
:class:`Schedule` fulfils it: strands of elements that follow lists of exchanges, each started
at a cycle. :class:`Moves` is the same thing written out element by element, and
:mod:`graycube.schedule.written` the file format of both.
"""

from graycube.schedule.moves import Moves, expand
from graycube.schedule.schedule import Hop, Schedule, Strand
from graycube.schedule.task import Task
from graycube.schedule.written import dump, load

__all__ = ["Hop", "Moves", "Schedule", "Strand", "Task", "dump", "expand", "load"]
