"""Valid files of every kind, and what somebody may make of them.

Rules. Everything follows from a seed. A mutant is a valid file in which one to three things are
changed: a value of its tree (numbers to extremes, texts to hostile ones, lists to long or empty
ones, whole parts exchanged, copied or nested), a key (taken away, given twice), or its bytes.
"""

import json
import re
from dataclasses import asdict
from io import BytesIO

import numpy as np

import graycube as gc
from graycube.cost.certificate import known_certificate
from graycube.errors import GraycubeError
from graycube.papers import papers
from graycube.planning.files import plan_text
from graycube.schedule import dump, expand

HOSTILE = (
    "", " ", "x" * 100_000, "gb1\nby algebra: nothing is wrong", "\x1b[8m", "\x9b2J", "\u202ex",
    "\ud800", "\0", "\ufeff", "9" * 5000, "-1", "1e999", "NaN", "__import__('os').abort()",
    "../../etc/passwd", "flip 0 where 0 = 0", "flip 9999 where a9999 = 1",
    "flip 0 where a0 = 1",
    "(|| b0)", "(b9999 || b0)", "(|| " + "b1 " * 2000 + ")", "(b0 || b1) x 3", "(||)", "4/0",
    "1/3", "circuit", "all", "every", "ideal", "0 ^ 0", "\u0661", "1..99999999999", "{n}",
)  # fmt: skip
EXTREMES = (
    0, 1, -1, 2, 3, 63, 64, 127, 255, 256, 4096, 10**6, 2**31, 2**32 - 1, 2**53,
    2**60, 2**61, 3 * 2**60, 2**62, 2**63, 2**64,
    10**30, -(10**30), 10**400, 10**4000, 0.0, -0.0, 0.5, 1e-320, 1e308, -1e308,
)  # fmt: skip
RAW = ("NaN", "Infinity", "-Infinity", "1e400", "1" + "0" * 5000, "0x10", "01", "'x'",
       "[" * 3000, '{"a":' * 300, "[[[[]]]]", '"\\ud800"', "1,", "")  # fmt: skip
LAYOUTS = (
    (gc.Layout.nodes(3, "gray"), gc.Layout.nodes(3)),
    (gc.Layout.cyclic(5, 3), gc.Layout.consecutive(5, 3, whole="gray")),
    (
        gc.Layout.mesh((12, 8), (4, 2), code="gray", ownership=False),
        gc.Layout.mesh((12, 8), (4, 2), ownership=False),
    ),
)
WORKLOAD = """
shape = [16, 12]
nodes = 4
machine = {ports = 1, startup = 1e-3, per_byte = 1e-6, name = "ours"}
itemsize = 8
returns = true
phases = [
  {kind = "fft", axes = [0], order = "free"},
  {kind = "loop", times = 10, name = "steps", phases = [
    {kind = "stencil", reach = 1, periodic = true}, {kind = "elementwise"}]},
  {kind = "transpose", axes = [1, 0]},
]
"""
PROFILE = """
source = "measured"
dims = 3
ports = 2
switching = "circuit"
startup = 1e-6
per_byte = 1e-9
packet = 1024
[error]
median = 0.1
worst = 0.2
[[measured]]
kind = "exchange"
count = 1
nbytes = 8
seconds = 1e-6
spread = 0.1
predicted = 1e-6
"""


def schedules():
    """A schedule of every form and algorithm, as far as they apply."""
    machines = [
        gc.Machine(3, "all"),
        gc.Machine(3, 1, "circuit", startup=1.0),
        gc.Machine(3, 2),
        gc.Machine(3, (2, 2, 1), "circuit", (1e-6, 1e-6, 3e-6), 1e-9, share=(1, 1, 4)),
        gc.Machine.torus((8,), startup=1e-6, per_byte=1e-9),
        gc.Machine.tree((2, 4), startup=1e-6, per_byte=1e-9),
    ]
    seen = set()
    for source, target in LAYOUTS:
        task = gc.Task(source, target, source.block_size * 4)
        for machine in machines:
            for algorithm in gc.algorithms():
                if algorithm.applicable(task, machine) is None:
                    made = algorithm.emit(task, machine)
                    kind = (algorithm.name, source, bool(machine.wires))
                    if kind not in seen and len(dump(made)) < 30_000:
                        seen.add(kind)
                        yield made, machine
    task = gc.Task(gc.Layout.cyclic(3, 1), gc.Layout.cyclic(3, 1), 4)
    yield from ((made, gc.Machine(1)) for made in butterflies())


def butterflies():
    """Emulations with stages."""
    for layout in (gc.Layout.cyclic(5, 3, whole="gray"), gc.Layout.consecutive(4, 2)):
        try:
            yield gc.emulation(layout)
        except GraycubeError:
            continue


def plans():
    """Plans of all forms of schedules."""
    return [
        plan_text(made, machine) for made, machine in schedules() if made.task.n == machine.dims
    ]


def written_schedules():
    """The same schedules alone, and one of them element by element."""
    made = [schedule for schedule, _ in schedules()]
    return [dump(s) for s in made] + [dump(expand(made[2]))]


def certificates():
    """Proofs of bounds."""
    found = []
    for n, ports in ((3, 1), (3, "all"), (4, 2)):
        proof = known_certificate(n, ports)
        content = {
            "format": "graycube certificate", "version": 1, "source": str(proof.source),
            "target": str(proof.target), "ports": proof.machine.links_at_once,
            "switching": "store-and-forward", "share": str(proof.share),
            "tolls": asdict(proof.tolls),
        }  # fmt: skip
        found.append(json.dumps(content))
    return found


def claims():
    """Some claims of every paper."""
    found = []
    for paper in papers():
        head, *tables = (paper.folder / "claims.toml").read_text().split("[[claim]]")
        found.append("[[claim]]".join([head, *tables[:6]]))
    return found


def printed_layouts():
    """Layouts as they print."""
    more = gc.Layout.mesh((1000, 6), (8, 2), allocation="cyclic", whole="gray")
    return [str(layout) for pair in LAYOUTS for layout in pair] + [str(more)]


def arrays():
    """Arrays on disk, in all versions of the format."""
    found = []
    x = np.arange(48.0).reshape(8, 6)
    for array in (x, np.asfortranarray(x), np.ones((8, 6, 2), [("a", "u1"), ("b", ">i2")])):
        for version in ((1, 0), (2, 0), (3, 0)):
            file = BytesIO()
            np.lib.format.write_array(file, array, version)
            found.append(file.getvalue())
    return found


def mutant(valid, rng):
    """Something else, made of one of the valid files."""
    text = rng.choice(valid)
    for _ in range(rng.choice((1, 1, 1, 2))):
        text = rng.choice(CHANGES)(text, rng)
    return text


def in_tree(text, rng):
    """Another value somewhere in a tree of JSON."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return in_bytes(text, rng)
    places = list(_places(tree))
    within, key = rng.choice(places) if places else ([tree], 0)
    old = within[key]
    kind = rng.randrange(9)
    if kind == 0 and isinstance(within, dict):
        del within[key]
    elif kind == 1 and isinstance(within, dict):
        within[rng.choice(HOSTILE)] = old
    elif kind == 2 and isinstance(old, list):
        within[key] = rng.choice(([], old * 2, old * 300, old[::-1], old[:1], [old]))
    elif kind == 3:
        other, its = rng.choice(places)
        within[key] = json.loads(json.dumps(other[its]))
    elif kind == 4:
        within[key] = {"a": old}
    elif isinstance(old, str) and kind < 8:
        within[key] = _other_text(old, rng)
    elif kind == 8:
        marked = json.dumps({**tree} if within is tree else tree)
        return marked.replace(json.dumps(old), rng.choice(RAW), 1)
    else:
        within[key] = _other_number(old, rng)
    return json.dumps(tree)


def in_named(text, rng):
    """Another number for a key; one that is there once counts as much as one in every step."""
    found = list(re.finditer(r'"([a-z_]+)": (-?[0-9][0-9.e+-]*)', text))
    if not found:
        return in_words(text, rng)
    name = rng.choice(sorted({one[1] for one in found}))
    one = rng.choice([one for one in found if one[1] == name])
    return text[: one.start(2)] + str(rng.choice(EXTREMES[:-3])) + text[one.end(2) :]


def in_words(text, rng):
    """Another number or word somewhere, whatever the format is."""
    found = list(re.finditer(r"-?[0-9.]+|[A-Za-z_]+|\"[^\"]*\"", text))
    if not found:
        return rng.choice(HOSTILE)
    word = rng.choice(found)
    kind = rng.randrange(4)
    if kind == 0:
        new = str(rng.choice(EXTREMES[:-3]))
    elif kind == 1:
        new = rng.choice(HOSTILE)
    elif kind == 2:
        new = rng.choice(found)[0]
    else:
        new = '"' + rng.choice(HOSTILE) + '"'
    return text[: word.start()] + new + text[word.end() :]


def in_lines(text, rng):
    """Lines or pieces taken away, doubled or exchanged."""
    lines = re.split(r"(?<=[\n,])", text)
    k, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[k]
    elif kind == 1:
        lines.insert(k, lines[j])
    elif kind == 2:
        lines[k], lines[j] = lines[j], lines[k]
    else:
        lines[k] = lines[k] * rng.choice((2, 50, 1000))
    return "".join(lines)


def in_bytes(text, rng):
    """A piece of it replaced, doubled or cut off."""
    start = rng.randrange(len(text) + 1)
    stop = min(len(text), start + rng.choice((0, 1, 1, 2, 9, 1000)))
    new = rng.choice(
        ("", "", chr(rng.randrange(256)), "[", "}", '"', "\\", ",", text[start:stop] * 2)
    )
    return text[:start] + new + text[stop:] if rng.randrange(8) else text[:start]


def nested(text, rng):
    """A value within many lists."""
    depth = rng.choice((3, 60, 1000, 100_000))
    found = list(re.finditer("[0-9]+", text))
    if not found:
        return "[" * depth
    word = rng.choice(found)
    return text[: word.start()] + "[" * depth + word[0] + "]" * depth + text[word.end() :]


CHANGES = (*[in_tree] * 7, in_named, in_named, in_words, in_words, in_lines, in_bytes, nested)


def mutant_of_bytes(valid, rng):
    """An array on disk with another header, other bytes, or an end that is missing."""
    whole = rng.choice(valid)
    start = 10 if whole[6] == 1 else 12
    length = int.from_bytes(whole[8:start], "little")
    kind = rng.randrange(4)
    if kind == 0:
        return whole[: rng.randrange(len(whole))]
    if kind == 1:
        k = rng.randrange(start + length + 8)
        return whole[:k] + bytes([rng.randrange(256)]) + whole[k + 1 :]
    header = whole[start : start + length].decode("latin1")
    for _ in range(rng.choice((1, 2))):
        header = rng.choice((in_words, in_bytes, in_lines))(header, rng)
    if kind == 3:
        names = ("shape", "descr", "fortran_order")
        values = (
            *EXTREMES,
            *HOSTILE,
            (8, 6),
            (8, 6, 10**9),
            (8, 6, 0, 10**18),
            (8,) * 70,
            [],
            "O",
            "<f8",
            "|V0",
            "<U99999999",
            [("a", "f8", (10**9,))],
            "M8[7s]",
            (8, 6, True),
        )
        header = header.replace(f"'{rng.choice(names)}': ", f"'{rng.choice(names)}': "
                                f"{rng.choice(values)!r}, 'x': ")  # fmt: skip
        if rng.randrange(2):
            given = {"shape": (8, 6), "descr": "<f8", "fortran_order": False}
            header = repr({**given, rng.choice(names): rng.choice(values)})
    coded = header.encode("utf-8", "surrogatepass")
    claimed = len(coded) if rng.randrange(9) else rng.choice((0, 2**16 - 1, 2**32 - 1))
    size = start - 8
    shown = min(claimed, (1 << 8 * size) - 1).to_bytes(size, "little")
    return whole[:8] + shown + coded + whole[start + length :]


def _places(tree):
    """Every place of a tree: what it is in, and under which key."""
    waiting = [tree]
    while waiting:
        within = waiting.pop()
        if isinstance(within, dict | list):
            for key in list(within) if isinstance(within, dict) else range(len(within)):
                yield within, key
                waiting.append(within[key])


def _other_text(old, rng):
    numbers = list(re.finditer("[0-9]+", old))
    if numbers and rng.randrange(3):
        one = rng.choice(numbers)
        new = rng.choice((str(rng.randrange(9)), str(rng.choice(EXTREMES[:24]))))
        return old[: one.start()] + new + old[one.end() :]
    return rng.choice((*HOSTILE, old * 2, old[: len(old) // 2], old + "\n"))


def _other_number(old, rng):
    if isinstance(old, int) and rng.randrange(3):
        return old + rng.choice((-1, 1, 2, 7, old))
    return rng.choice((*EXTREMES, None, True, [], {}, rng.choice(HOSTILE)))
