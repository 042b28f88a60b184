"""A hypercube of network namespaces: a node is one, an edge is a pair of virtual interfaces.

Each direction of a link has a token bucket of its own. A node has one address, and routes to
all others through the lowest dimension in which they differ; the kernels of the nodes between
pass packets on.
"""

import json
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MIN_DIMS, MAX_DIMS = 2, 5
MTU = 3000
"""Bytes of a packet: two processors cannot pass on many more small ones."""
BURST = 3200
"""Bytes of a full bucket. A packet passes while it is not empty, so an idle link sends two."""
QUEUE = 64_000_000
"""Bytes that may wait at a link, so that none is lost."""
ROUTE = "rto_min 5s"
"""Nothing is lost, so nothing is sent again before it has waited its turn."""
READY = 10.0  # seconds
_OF_NODES = 16  # from this number on, classes are those of senders

SETTINGS = (
    "net.ipv4.ip_forward=1",
    "net.ipv4.conf.all.rp_filter=0",  # what comes back takes another way
    "net.ipv4.conf.default.rp_filter=0",
    "net.ipv4.conf.all.send_redirects=0",
    "net.ipv4.conf.default.send_redirects=0",
    "net.ipv4.tcp_congestion_control=reno",  # the others are noisy in both directions at once
    "net.ipv4.tcp_slow_start_after_idle=0",
    "net.ipv4.tcp_early_retrans=0",
    # Two processors may deliver packets in another order; this is no reason to send them again.
    "net.ipv4.tcp_sack=0",
    "net.ipv4.tcp_reordering=300",
    "net.ipv4.tcp_autocorking=0",
    # The usual buffers begin with a few packets, and links would wait for acknowledgements.
    "net.ipv4.tcp_wmem=4096 1048576 1048576",
    "net.ipv4.tcp_rmem=4096 8388608 33554432",
    "net.ipv6.conf.all.disable_ipv6=1",
    "net.ipv6.conf.default.disable_ipv6=1",
)


@dataclass(frozen=True)
class Network:
    """2^dims nodes; a link carries ``rate`` Mbit/s in each direction."""

    dims: int
    rate: float

    @property
    def nodes(self) -> range:
        """Their numbers."""
        return range(1 << self.dims)

    def build(self) -> None:
        """Make it all, and wait until every link is up."""
        _batch("ip", None, (f"netns add {name(u)}" for u in self.nodes))
        for u in self.nodes:
            self._enter(u, ["sysctl", "-q", "-w", *SETTINGS])
        for u in self.nodes:
            _batch("ip", u, self._pairs(u))
        for u in self.nodes:
            _batch("ip", u, self._routes(u))
            _batch("tc", u, self._buckets())
        self._wait()

    def remove(self) -> None:
        """Take it down, to build another one; at the end of all it goes by itself."""
        _batch("ip", None, (f"netns del {name(u)}" for u in self.nodes))

    def _pairs(self, u: int) -> Iterator[str]:
        yield "link set lo up"
        for d in range(self.dims):
            v = u ^ 1 << d
            if u < v:
                here, there = (f"mtu {MTU} address {_hardware(node, d)}" for node in (u, v))
                yield (
                    f"link add {port(d)} {here} type veth "
                    f"peer name {port(d)} {there} netns {name(v)}"
                )

    def _routes(self, u: int) -> Iterator[str]:
        yield f"addr add {address(u)}/32 dev {port(0)}"
        for d in range(self.dims):
            v = u ^ 1 << d
            yield f"link set {port(d)} gso_max_segs 1 up"  # no packets of many
            yield f"neigh add {address(v)} lladdr {_hardware(v, d)} dev {port(d)} nud permanent"
        for v in self.nodes:
            if u != v:
                d = ((u ^ v) & -(u ^ v)).bit_length() - 1
                via = f"via {address(u ^ 1 << d)} dev {port(d)} onlink"
                yield f"route add {address(v)}/32 {via} src {address(u)} {ROUTE}"

    def _buckets(self) -> Iterator[str]:
        """Acknowledgements go first: behind data of the other direction they would come late.

        Nothing else is so short, so no packet overtakes another one of its own message. What
        different nodes have sent takes turns: behind a message that begins a little early, the
        end of another one would come late.
        """
        bits = round(self.rate * 1e6)
        for d in range(self.dims):
            at = f"dev {port(d)}"
            limits = f"ceil {bits}bit burst {BURST} cburst {BURST} quantum {MTU}"
            yield f"qdisc add {at} root handle 1: htb"
            yield f"class add {at} parent 1: classid 1:1 htb rate {bits}bit {limits}"
            yield from _leaf(at, "1:2", f"rate {round(0.1 * bits)}bit {limits} prio 0")
            short = "match u16 0 0xffc0 at 2"  # the length is less than 64 bytes
            yield f"filter add {at} parent 1: prio 1 protocol ip u32 {short} flowid 1:2"
            for u in self.nodes:
                leaf = f"1:{_OF_NODES + u:x}"
                yield from _leaf(at, leaf, f"rate {bits // 1000}bit {limits} prio 1")
                sender = f"u32 match ip src {address(u)}/32"
                yield f"filter add {at} parent 1: prio 2 protocol ip {sender} flowid {leaf}"

    def _wait(self) -> None:
        """The kernel takes up to a second to say that a link is up; MPI asks for that."""
        end = time.monotonic() + READY
        while any(state != "UP" for u in self.nodes for state in self._states(u)):
            if time.monotonic() > end:
                raise TimeoutError(f"the links are not up after {READY:.0f} seconds")
            time.sleep(0.02)

    def _states(self, u: int) -> Iterator[str]:
        links = json.loads(_output(["ip", "-n", name(u), "-j", "link"]))
        yield from (link["operstate"] for link in links if link["ifname"] != "lo")

    def _enter(self, u: int, command: list[str]) -> None:
        _output(["nsenter", f"--net=/run/netns/{name(u)}", *command])


def _leaf(at: str, name: str, limits: str) -> Iterator[str]:
    yield f"class add {at} parent 1:1 classid {name} htb {limits}"
    yield f"qdisc add {at} parent {name} bfifo limit {QUEUE}"


def name(u: int) -> str:
    """The namespace of a node."""
    return f"node{u}"


def port(d: int) -> str:
    """The interface of a node to its neighbour over dimension d."""
    return f"d{d}"


def address(u: int) -> str:
    """The address of a node."""
    return f"10.0.0.{u + 1}"


def _hardware(u: int, d: int) -> str:
    return f"02:00:00:00:{d:02x}:{u:02x}"


def _batch(tool: str, u: int | None, lines: Iterable[str]) -> None:
    where = [] if u is None else ["-n", name(u)]
    _output([tool, *where, "-batch", "-"], "\n".join(lines) + "\n")


def _output(command: list[str], text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise OSError(f"{' '.join(command[:4])}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
