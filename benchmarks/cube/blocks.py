"""Blocks before and after a plan, as the layouts have them.

The schedule is asked only whether it renumbers nodes.
"""

from typing import Any

import numpy as np

import graycube as gc

Block = np.ndarray[Any, np.dtype[np.uint8]]


def given(plan: gc.Plan, rank: int) -> Block:
    """What a rank begins with: elements that differ."""
    return _block(plan, plan.task.source, rank)


def wanted(plan: gc.Plan, rank: int) -> Block:
    """What it should end with."""
    relabel = plan.schedule.relabel
    return _block(plan, plan.task.target, rank if relabel is None else relabel(rank))


def _block(plan: gc.Plan, layout: gc.Layout, node: int) -> Block:
    """The element of a number is a hash of it, again and again: single bytes differ too."""
    task = plan.task
    held = layout.index(np.array([node]), np.arange(layout.block_size))
    payload = task.block // layout.block_size
    numbers = (held[:, None] * payload + np.arange(payload)).ravel()
    hashed = (numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)).astype(">u8")
    words = hashed[:, None].view(np.uint8)
    return np.tile(words, -(-task.itemsize // 8))[:, : task.itemsize].copy()
