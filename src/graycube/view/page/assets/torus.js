// A torus or a mesh: nodes in rows and columns, and the links that join the ends of a side again.
// Links between neighbours are straight. The others run in tracks below a row or beside a column.

const NEAR = 0.35;  // where tracks begin between two boxes
const PLANE = 14;  // the room around the first two sides, where there are more

class Torus extends Cube {
  kind() {
    return this.trace.links.sides.some(({ joined }) => joined) ? "Torus" : "Mesh";
  }

  arrange() {
    return new Grid(this.trace.links, this.n, this.form).plan();
  }

  drawLinks(group) {
    for (const [x, y, width, height] of this.plan.parts) draw(group, "rect", { class: "part", x, y, width, height, rx: 8 });
    return super.drawLinks(group);
  }

  lane(k) {
    return this.plan.lanes[k];
  }
}

class Grid {
  constructor(links, n, form) {
    this.links = links;
    this.n = n;
    this.form = form;
    this.box = form.box;
    this.place();
    this.tracks = [0, 1].map((axis) => this.tracksOf(axis));
    this.rooms = this.tracks.map((tracks) => form.pitch * new Set(tracks.values()).size);
  }

  // The column and the row of each node. Each further side lies where it makes the picture less
  // long, or less wide if it is tall; a single ring is bent into two rows or columns.
  place() {
    const { sides } = this.links;
    const { tall } = this.form;
    const turned = tall && sides.length > 1 && sides[0].length > sides[1].length;
    const further = (counts, length) => tall || counts[0] * length > 2 * counts[1] * length ** 0.5;
    const counts = [1, 1];
    const steps = sides.map(({ length }, kind) => {
      const axis = kind < 2 ? kind ^ turned : Number(further(counts, length));
      counts[axis] *= length;
      if (kind === 1 && sides.length > 2) this.planes = [...counts];
      return [axis, counts[axis] / length];
    });
    this.cells = Array.from({ length: 1 << this.n }, (_, node) => {
      const cell = [0, 0];
      steps.forEach(([axis, step], kind) => { cell[axis] += step * this.links.along(kind, node); });
      return cell;
    });
    this.counts = counts;
    if (sides.length > 1 || counts[0] < 4) return;
    const half = counts[0] / 2;
    const bent = ([place]) => (place < half ? [place, 0] : [2 * half - 1 - place, 1]);
    const turn = (pair) => (tall ? pair.reverse() : pair);
    this.counts = turn([half, 2]);
    this.cells = this.cells.map((cell) => turn(bent(cell)));
  }

  // The axis along which a link passes other nodes by, or -1.
  farAxis({ node, partner }) {
    return [0, 1].findIndex((axis) => Math.abs(this.cells[node][axis] - this.cells[partner][axis]) > 1);
  }

  // The track of each pair of cells that a link joins: short ones are near the boxes, and what
  // overlaps is apart.
  tracksOf(axis) {
    const pairs = new Map();
    for (const link of this.links.all) {
      const ends = [link.node, link.partner].map((node) => this.cells[node][axis]);
      if (this.farAxis(link) === axis) pairs.set(ends.join(), ends);
    }
    const length = ([, [from, to]]) => Math.abs(from - to);
    const taken = [];
    const found = new Map();
    for (const [key, ends] of [...pairs].sort((one, other) => length(one) - length(other))) {
      const [low, high] = [Math.min(...ends), Math.max(...ends)];
      const clear = (others) => others.every(([start, stop]) => high < start || stop < low);
      const at = taken.findIndex(clear);
      const track = at < 0 ? taken.push([]) - 1 : at;
      taken[track].push([low, high]);
      found.set(key, track);
    }
    return found;
  }

  // The middle of a cell. Tracks along one axis need room between the cells of the other one.
  middle(axis, cell) {
    const gap = this.form.apart + this.rooms[1 - axis];
    const planes = this.planes ? 2 * PLANE * Math.floor(cell / this.planes[axis]) + PLANE : 0;
    return MARGIN + planes + this.box[axis] / 2 + cell * (this.box[axis] + gap);
  }

  // Where the boxes and tracks of a cell end.
  after(axis, cell) {
    const room = this.rooms[1 - axis];
    return this.middle(axis, cell) + this.box[axis] / 2 + (room ? NEAR * this.form.apart + room : 0);
  }

  plan() {
    const [width, height] = this.box;
    const at = this.cells.map((cell) => [0, 1].map((axis) => this.middle(axis, cell[axis])));
    const lanes = this.links.all.map((link) => {
      const axis = this.farAxis(link);
      if (axis >= 0) return this.around(axis, link, at[link.node][1 - axis]);
      return lane(at[link.node], at[link.partner], { width, height }, this.form.aside);
    });
    const rim = MARGIN + (this.planes ? PLANE : 0);
    const size = [0, 1].map((axis) => this.after(axis, this.counts[axis] - 1) + rim);
    return { box: { width, height }, at, lanes, parts: this.frames(), size, least: leastWidth(this.form, size[0]) };
  }

  // Out of a box, along a track, and into the other box.
  around(axis, link, level) {
    const [from, to] = [link.node, link.partner].map((node) => this.cells[node][axis]);
    const edge = level + this.box[1 - axis] / 2;
    const track = edge + NEAR * this.form.apart + this.form.pitch * (this.tracks[axis].get(`${from},${to}`) + 0.5);
    const [start, end] = [this.port(axis, from, to, [from, to]), this.port(axis, to, from, [from, to])];
    const points = [[start, edge + 1], [start, track], [end, track], [end, edge + 1]];
    return axis ? points.map(([along, across]) => [across, along]) : points;
  }

  // Where a link leaves or enters a box: apart from straight ones, and deep tracks inside.
  port(axis, cell, other, pair) {
    const up = other > cell;
    const mine = [...this.tracks[axis]].filter(([key]) => {
      const [from, to] = key.split(",").map(Number);
      return (from === cell && to > cell === up) || (to === cell && from > cell === up);
    }).sort((one, another) => another[1] - one[1]).map(([key]) => key);
    const inner = 1.8 * this.form.aside;
    const part = (mine.indexOf(pair.join()) + 0.5) / mine.length;
    return this.middle(axis, cell) + (up ? 1 : -1) * (inner + part * (this.box[axis] / 2 - inner - 2));
  }

  // Around each plane of the first two sides.
  frames() {
    if (!this.planes) return [];
    const [across, down] = [0, 1].map((axis) => Array.from({ length: this.counts[axis] / this.planes[axis] }, (_, k) => {
      const first = this.middle(axis, k * this.planes[axis]) - this.box[axis] / 2 - PLANE / 2;
      return [first, this.after(axis, (k + 1) * this.planes[axis] - 1) + PLANE / 2 - first];
    }));
    return across.flatMap(([x, width]) => down.map(([y, height]) => [x, y, width, height]));
  }
}
