"""A machine of network namespaces: a place is one, a cable is a pair of virtual interfaces.

Each direction of a cable has a token bucket of its own. A node has one address, and routes to
all others as the machine's messages go; the kernels of the places between pass packets on.
"""

import json
import subprocess
import time
from collections.abc import Iterable, Iterator

from cables import Cables

import graycube as gc

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


class Network:
    """The nodes of a machine, its links and their rates; start-ups are those of the kernel."""

    def __init__(self, machine: gc.Machine) -> None:
        self.nodes = range(1 << machine.dims)
        self.cables = Cables(machine)

    @property
    def places(self) -> dict[str, list[str]]:
        """The namespaces, and the neighbours of each: port k leads to the k-th one."""
        return self.cables.neighbours

    def build(self) -> None:
        """Make it all, and wait until every link is up."""
        _batch("ip", None, (f"netns add {here}" for here in self.places))
        for here in self.places:
            _output(["nsenter", f"--net=/run/netns/{here}", "sysctl", "-q", "-w", *SETTINGS])
        for here in self.places:
            _batch("ip", here, self._pairs(here))
        for here in self.places:
            _batch("ip", here, self._routes(here))
            _batch("tc", here, self._buckets(here))
        self._wait()

    def remove(self) -> None:
        """Take it down, to build another one; at the end of all it goes by itself."""
        _batch("ip", None, (f"netns del {here}" for here in self.places))

    def _pairs(self, here: str) -> Iterator[str]:
        yield "link set lo up"
        for k, there in enumerate(self.places[here]):
            back = self.places[there].index(here)
            if self._number(here) < self._number(there):
                mine, other = self._hardware(here, k), self._hardware(there, back)
                yield (
                    f"link add {port(k)} mtu {MTU} address {mine} type veth "
                    f"peer name {port(back)} mtu {MTU} address {other} netns {there}"
                )

    def _routes(self, here: str) -> Iterator[str]:
        source = ""
        if here in self.cables.nodes:
            yield f"addr add {self._address(here)}/32 dev {port(0)}"
            source = f"src {self._address(here)}"
        for k, there in enumerate(self.places[here]):
            hardware = self._hardware(there, self.places[there].index(here))
            known = f"{self._address(there)} lladdr {hardware} dev {port(k)}"
            yield f"link set {port(k)} gso_max_segs 1 up"  # no packets of many
            yield f"neigh add {known} nud permanent"
        for target in self.cables.nodes:
            if target != here:
                there = self.cables.onward[here, target]
                via = f"via {self._address(there)} dev {port(self.places[here].index(there))}"
                yield f"route add {self._address(target)}/32 {via} onlink {source} {ROUTE}"

    def _buckets(self, here: str) -> Iterator[str]:
        """Acknowledgements go first: behind data of the other direction they would come late.

        Nothing else is so short, so no packet overtakes another one of its own message. What
        different nodes have sent takes turns: behind a message that begins a little early, the
        end of another one would come late.
        """
        for k, there in enumerate(self.places[here]):
            bits, at = self.cables.rates[here, there], f"dev {port(k)}"
            if bits is None:
                continue
            limits = f"ceil {bits}bit burst {BURST} cburst {BURST} quantum {MTU}"
            yield f"qdisc add {at} root handle 1: htb"
            yield f"class add {at} parent 1: classid 1:1 htb rate {bits}bit {limits}"
            yield from _leaf(at, "1:2", f"rate {round(0.1 * bits)}bit {limits} prio 0")
            short = "match u16 0 0xffc0 at 2"  # the length is less than 64 bytes
            yield f"filter add {at} parent 1: prio 1 protocol ip u32 {short} flowid 1:2"
            for u, node in enumerate(self.cables.nodes):
                leaf = f"1:{_OF_NODES + u:x}"
                yield from _leaf(at, leaf, f"rate {bits // 1000}bit {limits} prio 1")
                sender = f"u32 match ip src {self._address(node)}/32"
                yield f"filter add {at} parent 1: prio 2 protocol ip {sender} flowid {leaf}"

    def _number(self, here: str) -> int:
        return [*self.places].index(here)

    def _address(self, here: str) -> str:
        return f"10.0.0.{self._number(here) + 1}"

    def _hardware(self, here: str, k: int) -> str:
        return f"02:00:00:00:{k:02x}:{self._number(here):02x}"

    def _wait(self) -> None:
        """The kernel takes up to a second to say that a link is up; MPI asks for that."""
        end = time.monotonic() + READY
        while any(state != "UP" for here in self.places for state in _states(here)):
            if time.monotonic() > end:
                raise TimeoutError(f"the links are not up after {READY:.0f} seconds")
            time.sleep(0.02)


def _states(here: str) -> Iterator[str]:
    links = json.loads(_output(["ip", "-n", here, "-j", "link"]))
    yield from (link["operstate"] for link in links if link["ifname"] != "lo")


def _leaf(at: str, name: str, limits: str) -> Iterator[str]:
    yield f"class add {at} parent 1:1 classid {name} htb {limits}"
    yield f"qdisc add {at} parent {name} bfifo limit {QUEUE}"


def port(k: int) -> str:
    """The interface of a place to its neighbour of that number: on a cube, over dimension k."""
    return f"d{k}"


def _batch(tool: str, here: str | None, lines: Iterable[str]) -> None:
    where = [] if here is None else ["-n", here]
    _output([tool, *where, "-batch", "-"], "\n".join(lines) + "\n")


def _output(command: list[str], text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise OSError(f"{' '.join(command[:4])}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
