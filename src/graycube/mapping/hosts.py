"""Hosts by name: lists as Slurm writes them, and which nodes of a machine are on a host.

Rules. The nodes of a machine are dealt to hosts in order, as many to each. In a list, numbers
in brackets stand for hosts: ``n[00-02,07]`` is n00, n01, n02 and n07. A range is written as
wide as its first number, and of several brackets the last one counts fastest. Names have
letters, digits, ``.``, ``-`` and ``_``, and each is that of one host.
"""

import re
from collections import Counter
from math import prod

import numpy as np

from graycube.errors import InvalidTypeError, InvalidValueError
from graycube.gf2 import require_int
from graycube.machine import Interconnect, Machine
from graycube.mapping.digits import count_of, digits_of
from graycube.mapping.orders import Order
from graycube.texts import as_given, counted

MOST_HOSTS = 1 << 20
"""Most hosts of a list."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")


def host_names(hosts: object) -> list[str]:
    """The names of hosts, from a list of them, or from a text as in ``$SLURM_JOB_NODELIST``.

    >>> host_names("rack[1-2]n[08-10],login")
    ['rack1n08', 'rack1n09', 'rack1n10', 'rack2n08', 'rack2n09', 'rack2n10', 'login']
    >>> host_names(["a", "a"])
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: the host 'a' is named twice: each host has its own part
    of the nodes; name it once
    """
    names = _expanded(hosts) if isinstance(hosts, str) else hosts
    if not isinstance(names, list | tuple) or not all(isinstance(n, str) for n in names):
        raise InvalidTypeError(
            f"the hosts are {as_given(hosts)}",
            "they are names",
            'pass ["n1", "n2"], or a text such as "n[1-2]"',
        )
    for name in names:
        if not _NAME.fullmatch(name):
            raise InvalidValueError(
                f"a host is {name!r:.60}",
                "a name has letters, digits, '.', '-' and '_'",
                "write a,b or n[00-15,20]",
            )
    for name, times in Counter(names).most_common(1):
        if times > 1:
            raise InvalidValueError(
                f"the host {name!r:.60} is named twice",
                "each host has its own part of the nodes",
                "name it once",
            )
    return list(names)


def nodes_of_host(machine: Machine | Interconnect, hosts: int) -> int:
    """How many nodes each of so many hosts has: a part of the machine, if it has parts.

    >>> nodes_of_host(Interconnect.tree((4, 3)), 3)
    4
    >>> nodes_of_host(Interconnect.tree((4, 3)), 2)
    Traceback (most recent call last):
    ...
    graycube.errors.InvalidValueError: there are 2 hosts for 12 nodes: parts of this machine
    have 1, 4 or 12 nodes; name 12, 3 or 1 hosts, in the order of the nodes
    """
    count = count_of(machine)
    parts = [*parts_of(machine), count]
    levels = parts if any(1 < part < count for part in parts) else []
    if hosts and count % hosts == 0 and (count // hosts in parts or not levels):
        return count // hosts
    have = f"have {_any_of(levels)} nodes" if levels else "are as large as each other"
    some = _any_of([count // part for part in levels]) if levels else f"a divisor of {count}"
    raise InvalidValueError(
        f"there are {counted(hosts, 'host')} for {count} nodes",
        f"parts of this machine {have}",
        f"name {some} hosts, in the order of the nodes",
    )


def parts_of(machine: Machine | Interconnect) -> list[int]:
    """How many nodes have a card or an uplink together, or are in a part that such links join.

    >>> [parts_of(made) for made in (Machine.tree((8, 2, 4)), Machine.torus((4, 4)))]
    [[1, 8, 16], []]
    """
    cards = [digit for digit in digits_of(machine) if digit.share]
    return sorted({*(card.share for card in cards), *(card.stride for card in cards)})


def nodes_of_socket(
    machine: Machine | Interconnect, each: int, sockets: int | None
) -> int | None:
    """How many nodes of a host are on a socket; ``None`` if nobody says so.

    >>> tree = Machine.tree((8, 2, 4))
    >>> nodes_of_socket(tree, 16, None), nodes_of_socket(tree, 16, 4)
    (8, 4)
    """
    if sockets is None:
        within = [part for part in parts_of(machine) if 1 < part < each]
        return within[-1] if within else None
    if each % require_int(sockets, "sockets", least=1):
        raise InvalidValueError(
            f"sockets is {sockets}",
            f"a host has {each} nodes, and each socket as many of them",
            "say how many sockets a host has",
        )
    return each // sockets


def counted_up(order: Order, each: int) -> Order:
    """The order in which the ranks of a host have its nodes counting up, as Slurm has it.

    >>> counted_up(np.array([1, 3, 2, 0]), 2).tolist()
    [0, 2, 3, 1]
    """
    nodes = np.empty_like(order.ravel())
    nodes[np.argsort(order.ravel() // each, kind="stable")] = np.arange(order.size)
    return nodes.reshape(order.shape)


def _expanded(text: str) -> list[str]:
    numbers = map(_ranges, _BRACKETS.findall(text))
    names: list[str] = []
    for entry in _BRACKETS.sub("[]", text).split(","):
        head, *tails = entry.split("[]")
        if any(bracket in part for part in (head, *tails) for bracket in "[]"):
            raise _no_list(text, "each [ has its ], and none within")
        within = [next(numbers) for _ in tails]
        if len(names) + prod(sum(len(run) for run, _ in runs) for runs in within) > MOST_HOSTS:
            raise _no_list(text, f"it has more than {MOST_HOSTS} hosts")
        made = [head]
        for runs, tail in zip(within, tails, strict=True):
            texts = [f"{k:0{width}}{tail}" for run, width in runs for k in run]
            made = [name + text for name in made for text in texts]
        names += made
    return names


def _ranges(text: str) -> list[tuple[range, int]]:
    """Numbers in brackets, and how wide they are written."""
    runs = []
    for part in text.split(","):
        found = _RANGE.fullmatch(part)
        first, last = found.groups(found[1]) if found else ("1", "0")
        if int(first) > int(last):
            raise _no_list(f"[{text}]", "in brackets are numbers, and ranges that go up")
        runs.append((range(int(first), int(last) + 1), len(first)))
    return runs


def _no_list(text: str, why: str) -> InvalidValueError:
    return InvalidValueError(f"the hosts are {text!r:.60}", why, "write n[00-15,20]")


def _any_of(counts: list[int]) -> str:
    *most, last = map(str, counts)
    return f"{', '.join(most)} or {last}"
