// The links that messages take. Those of a cube are its edges, both ways. In a tree of switches a
// message goes up from every part that it leaves and down into every part that it enters; through
// network cards it leaves and enters once. On a torus or a mesh it goes along the sides.

class CubeLinks {
  constructor(n) {
    this.n = n;
    this.all = [];
    for (let node = 0; node < 1 << n; node += 1) {
      for (let d = 0; d < n; d += 1) {
        this.all.push({ key: `${node}:${d}`, name: `${node} → ${node ^ 1 << d}`, kind: d, node });
      }
    }
    this.kinds = Array.from({ length: n }, (_, d) => ({ name: `dimension ${d}`, short: `dim ${d}` }));
    this.hints = [
      "A row for each directed link, by dimension; click to go there.",
      "A row for each dimension, the elements that cross it on all its links; click to go there.",
    ];
  }

  // The links of a message that crosses dimensions one after the other, each as node * n + d.
  of(hops) {
    return hops;
  }

  // What is written beside the number of a node.
  place(node) {
    return bits(node, this.n);
  }
}

class TreeLinks extends CubeLinks {
  // Nodes that differ in the dimensions below `within` have links of their own. Of each level
  // above, the inner one first: its first dimension, and the bits of the nodes that share a card
  // or an uplink. Nested levels pass on what leads further out.
  constructor({ levels, within, nested }, n) {
    super(n);
    Object.assign(this, { within, nested });
    this.all = this.all.filter(({ kind }) => kind < within);
    this.levels = levels.map(([start, bits], level) => {
      const first = this.all.length;
      for (let part = 0; part < 1 << n - bits; part += 1) {
        const nodes = bits ? `${part << bits}-${(part + 1 << bits) - 1}` : `${part}`;
        this.all.push({ key: `${level}:${part}:up`, name: `${nodes} ↑`, kind: within + level });
        this.all.push({ key: `${level}:${part}:down`, name: `${nodes} ↓`, kind: within + level });
      }
      return { start, bits, first, stop: nested ? n : levels[level + 1]?.[0] ?? n };
    });
    const what = nested ? "uplinks" : "cards";
    this.kinds = [...this.kinds.slice(0, within), ...levels.map(([, bits]) => {
      const name = bits ? `of ${1 << bits} nodes` : "of a node";
      return { name: `${what} ${name}`, short: name };
    })];
    const [out, into] = nested ? ["from a part of the tree", "into it"] : ["out of a card", "into one"];
    this.hints = [
      `A row for each way up (↑) ${out}, and each way down (↓) ${into}; click to go there.`,
      "A row for the ways up and down of all nodes, or of parts of so many nodes; click to go there.",
    ];
  }

  of(hops) {
    const source = Math.floor(hops[0] / this.n);
    const flip = hops.reduce((sum, hop) => sum ^ 1 << hop % this.n, 0);
    const own = hops.filter((hop) => hop % this.n < this.within);
    const links = own.map((hop) => Math.floor(hop / this.n) * this.within + hop % this.n);
    const taken = this.levels.filter(({ start, stop }) => flip >> start & (1 << stop - start) - 1);
    const end = ({ first, bits }, node, down) => first + 2 * (node >> bits) + down;
    const up = taken.map((level) => end(level, source, 0));
    const down = taken.map((level) => end(level, source ^ flip, 1));
    if (this.nested) return [...up, ...down.reverse()];
    return [...links, ...up.flatMap((link, k) => [link, down[k]])];
  }
}

class TorusLinks {
  // Of each side, that of the lowest bits first, its length, whether it is joined, and its number
  // as its user counts. Over a dimension the number of a node changes by the bits of its flip.
  constructor(sides, flips, n) {
    this.n = n;
    this.flips = flips;
    this.all = [];
    this.numbers = new Map();
    let start = 0;
    this.sides = sides.map(([length, joined, name], kind) => {
      const side = { length, joined, start, kind, name };
      start += Math.log2(length);
      return side;
    });
    for (const side of this.sides) this.add(side);
    this.kinds = this.sides.map(({ length, joined, name }) => ({
      name: `side ${name}, ${joined ? "a ring" : "a path"} of ${length}`, short: `side ${name}`,
    }));
    this.hints = [
      "A row for each directed link, by the side that it lies along; click to go there.",
      "A row for each side, the elements that pass links along it; click to go there.",
    ];
  }

  // Two nodes are joined once, though a ring of two would have two links each way.
  add({ length, joined, kind, name }) {
    for (let node = 0; node < 1 << this.n; node += 1) {
      for (const step of [1, -1]) {
        const end = this.along(kind, node) + step;
        if (joined ? length === 2 && step < 0 : end < 0 || end >= length) continue;
        const partner = this.next(kind, node, step);
        this.numbers.set(`${node}:${kind}:${step}`, this.all.length);
        this.all.push({ key: `${node}:${name}:${step}`, name: `${node} → ${partner}`, kind, node, partner });
      }
    }
  }

  // The place of a node along a side, and the node that is a step from there.
  along(kind, node) {
    const { length, start } = this.sides[kind];
    return node >> start & length - 1;
  }

  next(kind, node, step) {
    const { length, start } = this.sides[kind];
    const [here, there] = [this.along(kind, node), this.along(kind, node) + step & length - 1];
    return node ^ (here ^ there) << start;
  }

  // Hops over dimensions of one side are one way along it, the shorter one.
  of(hops) {
    let node = Math.floor(hops[0] / this.n);
    const flips = this.sides.map(() => 0);
    for (const hop of hops) {
      const flip = this.flips[hop % this.n];
      flips[this.sides.findIndex(({ length, start }) => flip >> start & length - 1)] ^= flip;
    }
    return flips.flatMap((flip, kind) => {
      const way = this.way(kind, node, node ^ flip);
      node ^= flip;
      return way;
    });
  }

  way(kind, source, target) {
    const { length, joined } = this.sides[kind];
    const [here, there] = [this.along(kind, source), this.along(kind, target)];
    const ahead = there - here & length - 1;
    const half = 2 * ahead === length;  // then nodes in the first and third quarter go up
    const up = joined ? (half ? Math.floor(here * 4 / length) % 2 === 0 : 2 * ahead < length) : there > here;
    const links = [];
    for (let node = source; node !== target; node = this.next(kind, node, up ? 1 : -1)) {
      links.push(this.numbers.get(`${node}:${kind}:${up ? 1 : -1}`));
    }
    return links;
  }

  // Where a node is along each side, as its user names the sides.
  place(node) {
    if (this.sides.length === 1) return "";  // it is the number
    return this.sides.map(({ kind }) => this.along(kind, node)).reverse().join(",");
  }
}

function linksOf({ n, tree, sides, flips }) {
  if (tree) return new TreeLinks(tree, n);
  return sides.length ? new TorusLinks(sides, flips, n) : new CubeLinks(n);
}
