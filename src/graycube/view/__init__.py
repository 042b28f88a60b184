"""Pictures of who holds what: :func:`text` for the terminal, :func:`plot` for matplotlib.

:func:`plot_matrix` draws a layout's bits as a matrix. :func:`plot_regions` is a map of which
strategy is best for a program. :func:`plot_front` weighs the rounds and bytes of a plan, and
:func:`page` shows it step by step in a browser. :func:`trace` and :func:`table` take a plan to
other programs.

>>> import graycube as gc
>>> print(gc.view.text(gc.Layout.cyclic(5, 2, nodes="gray"), width=60))
(b4 b3 b2 || b1 g0)
32 elements on 4 nodes, 8 on each
neighbours are at most 1 hop apart
<BLANKLINE>
node  bits  indices in slot order
   0    00  0, 4, 8, ... 28
   1    01  1, 5, 9, ... 29
   2    10  3, 7, 11, ... 31
   3    11  2, 6, 10, ... 30
"""

from graycube.view.events import trace
from graycube.view.front import plot_front
from graycube.view.matrix import plot_matrix
from graycube.view.page import MAX_DIMS, page, save_page
from graycube.view.plot import plot
from graycube.view.regions import plot_regions
from graycube.view.rows import csv, table
from graycube.view.text import text

__all__ = [
    "MAX_DIMS",
    "csv",
    "page",
    "plot",
    "plot_front",
    "plot_matrix",
    "plot_regions",
    "save_page",
    "table",
    "text",
    "trace",
]
