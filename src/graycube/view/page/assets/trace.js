// A plan followed in time: who is where, who is on the way, and what every link carries.
//
// Cycle t lasts from time t to time t + 1. What crosses a link in it has arrived at t + 1. At
// time 0 everything is as the task begins, and what only moves within memory comes after it.

class Trace {
  constructor(scene) {
    this.scene = scene;
    this.n = scene.n;
    this.nodes = 1 << scene.n;
    this.block = scene.drawn.block;
    this.cycles = scene.drawn.cycles;
    this.elements = this.nodes * this.block;
    const none = { cycle: [], node: [], dimension: [], element: [], place: [] };
    this.rows = scene.crossings ?? none;
    this.links = linksOf(scene);
    this.inside = scene.inside ?? { time: [], element: [], place: [] };
    this.home = scene.home ?? { node: [], place: [] };
    this.starts = this.firstRows();
    const something = this.inside.time.length || scene.relabel;
    this.end = this.cycles || (something ? 1 : 0);
    this.reset();
    this.measureRounds();
  }

  firstRows() {
    const starts = new Int32Array(this.cycles + 2);
    for (const cycle of this.rows.cycle) starts[cycle + 1] += 1;
    for (let t = 0; t <= this.cycles; t += 1) starts[t + 1] += starts[t];
    return starts;
  }

  reset() {
    this.now = 0;
    this.insideDone = 0;
    this.node = Int32Array.from({ length: this.elements }, (_, e) => Math.floor(e / this.block));
    this.place = Int32Array.from({ length: this.elements }, (_, e) => e % this.block);
  }

  // Bring everything to a whole time.
  go(time) {
    if (time < this.now) this.reset();
    while (this.now < time) {
      this.moveInside(this.now);
      this.cross(this.now);
      this.now += 1;
      this.moveInside(this.now);
    }
  }

  moveInside(time) {
    const { inside } = this;
    while (this.insideDone < inside.time.length && inside.time[this.insideDone] <= time) {
      this.place[inside.element[this.insideDone]] = inside.place[this.insideDone];
      this.insideDone += 1;
    }
  }

  rowsOf(cycle) {
    if (cycle >= this.cycles) return [0, 0];
    return [this.starts[cycle], this.starts[cycle + 1]];
  }

  cross(cycle) {
    const { rows } = this;
    const [first, stop] = this.rowsOf(cycle);
    for (let r = first; r < stop; r += 1) {
      const element = rows.element[r];
      this.node[element] ^= this.scene.flips[rows.dimension[r]];
      this.place[element] = rows.place[r];
    }
  }

  // The ways of the elements that cross links in a cycle: of each, its links in order.
  flights(cycle) {
    const { rows } = this;
    const [first, stop] = this.rowsOf(cycle);
    const ways = new Map();
    for (let r = first; r < stop; r += 1) {
      const way = ways.get(rows.element[r]) ?? [];
      way.push(rows.node[r] * this.n + rows.dimension[r]);
      ways.set(rows.element[r], way);
    }
    for (const [element, hops] of ways) ways.set(element, this.links.of(hops));
    return ways;
  }

  // What crosses each link from one cycle to another.
  loads(from, to) {
    const loads = new Int32Array(this.links.all.length);
    for (let cycle = from; cycle < Math.min(to, this.cycles); cycle += 1) {
      for (const way of this.flights(cycle).values()) {
        for (const link of way) loads[link] += 1;
      }
    }
    return loads;
  }

  isHome(element) {
    const { home } = this;
    return this.node[element] === home.node[element] && this.place[element] === home.place[element];
  }

  // The elements at each place of each node, without those on their way.
  held(away) {
    const held = Array.from({ length: this.elements }, () => []);
    for (let e = 0; e < this.elements; e += 1) {
      if (!away.has(e)) held[this.node[e] * this.block + this.place[e]].push(e);
    }
    return held;
  }

  // The node that an element is coloured by.
  shownBy(element, by) {
    return by === "source" ? Math.floor(element / this.block) : this.home.node[element];
  }

  measureRounds() {
    const { rounds, seconds } = this.scene.drawn;
    this.marks = [...rounds, this.cycles];
    if (!rounds.length) this.marks = [0, this.end];
    this.clock = [0];
    for (let r = 0; r + 1 < this.marks.length; r += 1) {
      this.clock.push(this.clock[r] + (seconds[r] ?? 0));
    }
  }

  get price() {
    return this.clock[this.clock.length - 1];
  }

  // The number of the round that a cycle belongs to.
  roundOf(cycle) {
    return Math.min(below(this.marks, cycle), this.marks.length - 2);
  }

  secondsAt(cycle) {
    const r = this.roundOf(cycle);
    const part = (cycle - this.marks[r]) / (this.marks[r + 1] - this.marks[r] || 1);
    return this.clock[r] + part * (this.clock[r + 1] - this.clock[r]);
  }

  cycleAt(seconds) {
    if (seconds >= this.price) return this.end;
    const r = below(this.clock, seconds);
    const part = (seconds - this.clock[r]) / (this.clock[r + 1] - this.clock[r] || 1);
    return this.marks[r] + part * (this.marks[r + 1] - this.marks[r]);
  }
}

// The last index of an ascending list whose entry is not above a value.
function below(list, value) {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (list[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
