"""The names of JAX's types: it is optional, so to the type checker they are anything."""

from typing import Any, TypeAlias

import jax

P = jax.sharding.PartitionSpec

Block: TypeAlias = Any
"""An array of JAX, or a tracer of one."""

Dtype: TypeAlias = Any

Mesh: TypeAlias = Any
"""A mesh of devices; of a tracer, one that does not say which devices."""

Program: TypeAlias = Any
"""What `jax.jit(f).lower(...).compile()` gives."""

Sharding: TypeAlias = Any
"""A NamedSharding; where it is a target, a PartitionSpec on the mesh that is there."""

Spec: TypeAlias = Any
"""A PartitionSpec, or a tuple of them."""
