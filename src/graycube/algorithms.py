"""The old name of :mod:`graycube.table`, which works with a warning for one release.

The import system makes an imported module an attribute of its parent: ``graycube.algorithms``,
which is the function that people call. So this module can be called like that function.
"""

import sys
import warnings
from types import ModuleType
from typing import Any

from graycube import table

warnings.warn(
    "graycube.algorithms is now graycube.table: import from there",
    DeprecationWarning,
    stacklevel=2,
)


class _OldName(ModuleType):
    """What is asked of the old name is answered by the new one."""

    def __call__(self) -> tuple[table.Algorithm, ...]:
        return table.algorithms()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(table, name)


sys.modules[__name__].__class__ = _OldName
for _name, _module in list(sys.modules.items()):
    if _name.startswith("graycube.table."):  # the same modules, not copies of them
        sys.modules[_name.replace("table", "algorithms", 1)] = _module
