"""A stand-in for NumPy whose ``np.fft`` is that of this library, for NumPy's own tests.

Every array is spread over as many nodes as it can take, up to ``NODES``, in Gray code.
"""

import os
from functools import wraps
from pathlib import Path

import numpy as real  # noqa: ICN001 - np is the stand-in

import graycube as gc

NODES = int(os.environ.get("GRAYCUBE_TEST_NODES", "1"))
NAMES = [f"{kind}fft{many}" for kind in ("", "i", "r", "ir") for many in ("", "2", "n")]
NO_ROOM = "can take|must be a multiple"  # these arrays need fewer nodes


def own_tests():
    """The text of NumPy's tests, with this stand-in for NumPy."""
    file = Path(real.fft.__file__).parent / "tests" / "test_pocketfft.py"
    text = file.read_text(encoding="utf-8")
    assert text.count("import numpy as np\n") == 1
    return text.replace("import numpy as np\n", "from in_place_of_numpy import np\n")


def spread(function):
    """A function of NumPy's, called with arrays over nodes."""

    @wraps(function)
    def call(a, *args, out=None, **options):
        x = real.asarray(a)
        if not x.size or not x.ndim:
            return function(x, *args, out=out, **options)
        u, made = called(x, lambda u: function(u, *args, **options))
        if out is None:
            return made.to_numpy()
        if getattr(out, "shape", None) != made.shape:
            return function(x, *args, out=out, **options)  # NumPy's words for what is wrong
        home = gc.Layout.mesh(made.shape, over_nodes(made.shape, u.layout.node_count))
        if home.node_count == u.layout.node_count:
            taken = gc.CubeArray.from_numpy(out, home)
            assert function(u, *args, out=taken, **options) is taken
            made = taken
        out[...] = made.to_numpy()
        return out

    return call


def called(x, call):
    """The array, on as many nodes as it works, and what comes of it."""
    nodes = NODES
    while True:
        layout = gc.Layout.mesh(x.shape, over_nodes(x.shape, nodes), code="gray")
        u = gc.CubeArray.from_numpy(x, layout)
        try:
            return u, call(u)
        except gc.GraycubeError as error:
            if nodes == 1 or not any(words in str(error) for words in NO_ROOM.split("|")):
                raise
        nodes //= 2


def over_nodes(shape, nodes):
    """The first axes have as many nodes as they can."""
    counts = []
    for length in shape:
        counts.append(min(nodes, length & -length))
        nodes //= counts[-1]
    return counts


class StandIn:
    """NumPy, or one of its modules, with some other attributes."""

    def __init__(self, module, **others):
        self.module = module
        vars(self).update(others)

    def __getattr__(self, name):
        return getattr(self.module, name)


other = {name: spread(getattr(real.fft, name)) for name in NAMES}
np = StandIn(real, fft=StandIn(real.fft, **other))
