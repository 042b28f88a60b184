// The links that messages take. Those of a cube are its edges, both ways. In a tree of switches a
// message goes up from every part that it leaves and down into every part that it enters.

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
}

class TreeLinks {
  // Of each level, the inner one first: its first dimension, and the bits of the nodes that
  // share an uplink.
  constructor(levels, n) {
    this.n = n;
    this.all = [];
    this.levels = levels.map(([start, bits], kind) => {
      const first = this.all.length;
      for (let part = 0; part < 1 << n - bits; part += 1) {
        const nodes = bits ? `${part << bits}-${(part + 1 << bits) - 1}` : `${part}`;
        this.all.push({ key: `${kind}:${part}:up`, name: `${nodes} ↑`, kind });
        this.all.push({ key: `${kind}:${part}:down`, name: `${nodes} ↓`, kind });
      }
      return { start, bits, first };
    });
    this.kinds = levels.map(([, bits]) => {
      const name = bits ? `of ${1 << bits} nodes` : "of a node";
      return { name: `uplinks ${name}`, short: name };
    });
    this.hints = [
      "A row for each way up (↑) from a part of the tree, and each way down (↓) into it; click to go there.",
      "A row for the ways up and down of all nodes, or of parts of so many nodes; click to go there.",
    ];
  }

  of(hops) {
    const source = Math.floor(hops[0] / this.n);
    const target = hops.reduce((node, hop) => node ^ 1 << hop % this.n, source);
    const taken = this.levels.filter(({ start }) => (source ^ target) >> start);
    const ends = (node, down) => taken.map(({ first, bits }) => first + 2 * (node >> bits) + down);
    return [...ends(source, 0), ...ends(target, 1).reverse()];
  }
}

function linksOf(scene) {
  return scene.tree.length ? new TreeLinks(scene.tree, scene.n) : new CubeLinks(scene.n);
}
