"""Sixteen devices of JAX in one process: the processor, many times.

The flag counts before JAX begins to work, and nothing else in the suite starts it. Without the
extra jax, nothing is collected here.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=16"
os.environ.setdefault("JAX_PLATFORMS", "cpu")

# Programs of other processes: one of them sets its own number of devices as it begins.
collect_ignore_glob = ["*rank.py"]

try:
    import jax.numpy  # noqa: F401 - this folder would do for `import jax`
except ImportError:
    collect_ignore_glob = ["*.py"]
