"""Examples in docstrings know ``gc``, ``np`` and ``Layout``, as their readers do."""

from typing import Any

import numpy as np
import pytest

import graycube as gc


@pytest.fixture(autouse=True, scope="session")
def known(doctest_namespace: dict[str, Any]) -> None:
    """The names that stand in no example."""
    doctest_namespace.update(gc=gc, np=np, Layout=gc.Layout)
