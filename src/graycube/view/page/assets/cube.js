// The cube: nodes with their memories, directed links with their loads, elements on their way.

const MOST_CELLS = 36;
const LEGIBLE_DOT = 5;

class Cube {
  constructor(svg, trace, form, choose) {
    this.svg = svg;
    this.trace = trace;
    this.form = form;
    this.n = trace.n;
    this.plan = this.arrange();
    this.colours = palette(trace.n);
    this.dots = [];
    const [width, height] = this.plan.size;
    svg.replaceChildren();
    set(svg, {
      viewBox: `0 0 ${width} ${height}`, style: `--wide:${width}px;--least:${this.plan.least}px`,
      "aria-label": `${this.kind()} of ${amount(trace.nodes, "node")}`,
    });
    this.links = this.drawLinks(draw(svg, "g", { class: "links" }));
    this.boxes = this.drawNodes(draw(svg, "g", { class: "nodes" }), choose);
    this.flock = draw(svg, "g", { class: "dots" });
  }

  kind() {
    return this.constructor.name;
  }

  arrange() {
    return arrange(this.n, this.form);
  }

  // Where a link is drawn: points from its start to its end.
  lane(k) {
    const { at, box } = this.plan;
    const { node, kind } = this.trace.links.all[k];
    return lane(at[node], at[node ^ 1 << kind], box, this.form.aside);
  }

  drawLinks(group) {
    return this.trace.links.all.map((link, k) => this.drawLink(group, link, this.lane(k)));
  }

  drawLink(group, { key, name }, ends) {
    const [[x1, y1], [x2, y2]] = ends;
    const part = draw(group, "g", { class: "link", "data-link": key });
    const line = ends.length === 2
      ? draw(part, "line", { x1, y1, x2, y2 }) : draw(part, "polyline", { points: ends.join(" ") });
    const tip = this.form.tip ? draw(part, "path", { class: "tip", d: arrow(ends, this.form.tip) }) : null;
    const title = draw(part, "title");
    return { part, line, tip, title, ends, name };
  }

  drawNodes(group, choose) {
    return this.plan.at.map((middle, node) => {
      const { width, height } = this.plan.box;
      const part = draw(group, "g", {
        class: "node", tabindex: node ? -1 : 0, role: "button", "data-node": node,
        "aria-label": nodeName(this.trace, node),
        transform: `translate(${middle[0] - width / 2} ${middle[1] - height / 2})`,
      });
      draw(part, "rect", { class: "box", width, height, rx: Math.min(6, width / 6) });
      this.nameNode(part, node);
      part.addEventListener("click", () => choose(node));
      part.addEventListener("focus", () => choose(node));
      return { part, cells: this.drawCells(part, node) };
    });
  }

  nameNode(part, node) {
    const { width, height } = this.plan.box;
    const { number: size, bits: small, head, tall } = this.form;
    if (!head) {
      const y = (height + 0.72 * size) / 2;
      draw(part, "text", { class: "number", x: width / 2, y, "text-anchor": "middle", "font-size": size }, node);
      return;
    }
    const { relabel } = this.trace.scene;
    const full = relabel ? `${node}→${relabel[node]}` : `${node}`;
    const number = 0.6 * size * full.length > width - 4 ? `${node}` : full;  // the panel says more
    const left = tall ? 3 : 5;
    draw(part, "text", { class: "number", x: left, y: size + 1, "font-size": size }, number);
    if (!small || (relabel && this.n > 3)) return;  // too small to read: the panel says it
    draw(part, "text", {
      class: "bits", x: width - left, y: size + 1, "text-anchor": "end", "font-size": small,
    }, this.trace.links.place(node));
  }

  drawCells(part, node) {
    const { block } = this.trace;
    const { head, tall } = this.form;
    const { width, height } = this.plan.box;
    if (!head || block === 0) return [];
    const rim = tall ? 3 : 4;
    const room = [width - 2 * rim, height - head - rim];
    if (block > MOST_CELLS || division(block, ...room).side < 3.5) {
      const at = { x: rim, y: head + rim - 2, height: room[1] };
      draw(part, "rect", { class: "room", ...at, width: room[0] });
      const bar = draw(part, "rect", { class: "share", ...at, width: 0 });
      return [{ bar, room: room[0] }];
    }
    const { rows, columns } = division(block, ...room);
    const [wide, high] = [Math.min(22, room[0] / columns), Math.min(22, room[1] / rows)];
    const start = [rim + (room[0] - wide * columns) / 2, head + (room[1] - high * rows) / 2];
    return Array.from({ length: block }, (_, place) => new Cell(
      part, start[0] + (place % columns) * wide + 0.5, start[1] + Math.floor(place / columns) * high + 0.5,
      wide - 1, high - 1, node, place));
  }

  // The memories at rest.
  showMemories(held, by) {
    const { trace } = this;
    const look = lookOf(trace, this.colours, by, 6.5);
    this.boxes.forEach(({ cells }, node) => cells.forEach((cell, place) => {
      if (cell instanceof Cell) cell.show(held[node * trace.block + place], look);
      else this.showShare(cell, held.slice(node * trace.block, (node + 1) * trace.block).flat());
    }));
  }

  showShare({ bar, room }, elements) {
    const home = elements.filter((element) => this.trace.isHome(element)).length;
    set(bar, { width: room * home / this.trace.block });
  }

  showLoads(loads, most) {
    this.links.forEach((link, k) => {
      const load = loads[k];
      const part = most ? load / most : 0;
      set(link.part, { "data-load": load, class: load ? "link used" : "link" });
      link.part.style.setProperty("--paint", load ? loadColour(part) : "");
      link.line.style.strokeWidth = load ? this.form.thick * (0.35 + 0.65 * part) : "";
      link.title.textContent = `link ${link.name}: ${amount(load, "element")}`;
    });
  }

  // The elements on their way, at a part of a cycle.
  showDots(flights, part, by) {
    const { trace, colours } = this;
    const ways = [...flights];
    while (this.dots.length < ways.length) this.dots.push(new Dot(this.flock, this.form));
    this.dots.forEach((dot, k) => {
      dot.group.style.display = k < ways.length ? "" : "none";
      if (k >= ways.length) {
        dot.group.removeAttribute("data-element");
        return;
      }
      const [element, way] = ways[k];
      const hop = Math.min(way.length - 1, Math.floor(part * way.length));
      const node = trace.shownBy(element, by);
      dot.show(element, this.links[way[hop]].ends, part * way.length - hop, colours[node], node);
      set(dot.group, { "data-link": trace.links.all[way[hop]].key });
    });
  }

  select(node) {
    this.boxes.forEach(({ part }, k) => {
      part.classList.toggle("chosen", k === node);
      set(part, { tabindex: k === node ? 0 : -1, "aria-pressed": k === node });
    });
  }
}

function nodeName({ links }, node) {
  const place = links.place(node);
  return place ? `node ${node} (${place})` : `node ${node}`;
}

class Dot {
  constructor(parent, { dot: r }) {
    this.group = draw(parent, "g", { class: "dot" });
    draw(this.group, "circle", { r });
    this.text = r < LEGIBLE_DOT ? null : draw(this.group, "text", { "font-size": r * 1.15 });
  }

  show(element, ends, part, colour, node) {
    const [x, y] = pointAt(ends, part);
    set(this.group, { "data-element": element, transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`, fill: colour.fill });
    if (!this.text) return;
    this.text.textContent = node;
    this.text.style.fill = colour.ink;
  }
}

// The point at a part of a lane.
function pointAt(ends, part) {
  const lengths = ends.slice(1).map(([x, y], k) => Math.hypot(x - ends[k][0], y - ends[k][1]));
  let rest = part * lengths.reduce((sum, length) => sum + length, 0);
  let k = 0;
  while (k < lengths.length - 1 && rest > lengths[k]) {
    rest -= lengths[k];
    k += 1;
  }
  return [0, 1].map((axis) => ends[k][axis] + rest / lengths[k] * (ends[k + 1][axis] - ends[k][axis]));
}

// The arrowhead at the end of a lane.
function arrow(ends, size) {
  const [from, to] = ends.slice(-2);
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const [ux, uy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  const back = [to[0] - ux * size, to[1] - uy * size];
  const side = [-uy * size * 0.55, ux * size * 0.55];
  return `M${to} L${back[0] + side[0]},${back[1] + side[1]} L${back[0] - side[0]},${back[1] - side[1]}Z`;
}

// How elements look: their colours, what is written on them, and whether they are at home.
function lookOf(trace, colours, by, smallest, names = false) {
  return {
    smallest,
    colour: (element) => colours[trace.shownBy(element, by)],
    home: (element) => trace.isHome(element),
    text: (element) => (names ? trace.scene.labels[element] : `${trace.shownBy(element, by)}`),
  };
}
