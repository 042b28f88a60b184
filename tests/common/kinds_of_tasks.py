"""Kinds of tasks on the data of another one: transforms, transposes, and random maps."""

import random

import graycube as gc


def planned(task, machine):
    """The plan of a task; after stages the data are wherever they end."""
    if task.stages:
        layout, bits = task.source, task.stages
        return gc.plan_butterfly(layout, bits=bits, itemsize=task.itemsize, machine=machine)
    layouts = task.source, task.target
    return gc.plan(*layouts, task.block, itemsize=task.itemsize, machine=machine)


def another_kind(task, seed):
    """A transform, some stages of one, a transpose or any affine map, on as many nodes."""
    chance = random.Random(f"{seed} {task.n} {task.p}")  # noqa: S311
    kinds = [any_map, transpose]
    if task.p > task.n:
        kinds += [transform, some_stages]
    return chance.choice(kinds)(task, chance)


def transform(task, _):
    source, stages = task.source, tuple(reversed(task.source.word_bits(0)))
    return gc.schedule.Task(source, source, source.block_size, 4, stages, free=True)


def some_stages(task, chance):
    """In any order, and back to where the data were."""
    bits = chance.sample(range(task.p), chance.randint(1, task.p))
    return gc.schedule.Task(
        task.source, task.source, task.source.block_size, 4, tuple(bits), chance.random() < 0.5
    )


def transpose(task, chance):
    """From one mesh of nodes to another, each with its codes."""
    rows = chance.randint(0, task.n)
    shape = 1 << task.n, 1 << task.n
    meshes = [
        (1 << rows, 1 << task.n - rows),
        chance.choice([(1, 1 << task.n), (1 << task.n, 1)]),
    ]
    source, target = (
        gc.Layout.mesh(shape, nodes, code=chance.choice(["gray", "binary"])) for nodes in meshes
    )
    block = source.block_size * chance.choice([1, 3])
    return gc.schedule.Task(source, target, block, itemsize=task.itemsize)


def any_map(task, chance):
    """From addresses mixed in any way to others."""
    source, target = (gc.Layout(invertible(task.p, chance), task.n) for _ in range(2))
    return gc.schedule.Task(source, target, task.block, itemsize=task.itemsize)


def invertible(bits, chance):
    """A random affine map of words of so many bits that has an inverse."""
    columns = [1 << k for k in range(bits)]
    for _ in range(3 * bits if bits > 1 else 0):
        i, j = chance.sample(range(bits), 2)
        columns[i] ^= columns[j]
    return gc.gf2.AffineMap(gc.gf2.Matrix(tuple(columns), bits), chance.randrange(1 << bits))
