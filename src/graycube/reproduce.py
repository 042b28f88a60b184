"""The old name of :mod:`graycube.papers`, which works with a warning for one release."""

import warnings

from graycube.papers import *  # noqa: F403 - the same names
from graycube.papers import __all__  # noqa: F401 - it says which they are

warnings.warn(
    "graycube.reproduce is now graycube.papers: import from there",
    DeprecationWarning,
    stacklevel=2,
)
