// The memories: all of them as a grid of cells, and that of the chosen node in words.

const MOST_IN_GRID = 1024;
const MOST_IN_PANEL = 256;

class Memories {
  constructor(svg, hint, trace, choose) {
    this.trace = trace;
    this.colours = palette(trace.n);
    this.cells = [];
    const fits = trace.elements > 0 && trace.elements <= MOST_IN_GRID;
    const longest = fits ? Math.max(...trace.scene.labels.map((label) => label.length)) : 0;
    hint.textContent = fits
      ? "A row for each node, a column for each position; in a cell, the index of its element. "
        + "A full cell: the element has arrived. A cell with a rim: it is still on its way."
      : `${amount(trace.elements, "element")} are too many for a picture: choose a node in the picture.`;
    svg.style.display = fits ? "" : "none";
    if (fits) this.drawGrid(svg, choose, Math.max(20, 8 + 6.2 * longest));
  }

  drawGrid(svg, choose, wide) {
    const { trace } = this;
    const high = trace.nodes > 32 ? 16 : 20;
    const gutter = 24 + 9 * trace.n;
    const size = [gutter + wide * trace.block + 2, 18 + high * trace.nodes];
    set(svg, { viewBox: `0 0 ${size.join(" ")}`, width: size[0], height: size[1], "aria-label": "memories of all nodes" });
    for (let place = 0; place < trace.block; place += 1) {
      draw(svg, "text", { class: "axis", x: gutter + wide * (place + 0.5), y: 12, "text-anchor": "middle" }, place);
    }
    for (let node = 0; node < trace.nodes; node += 1) this.drawRow(svg, node, choose, gutter, wide, high);
  }

  drawRow(svg, node, choose, gutter, wide, high) {
    const { trace } = this;
    const top = 18 + high * node;
    const row = draw(svg, "g", { class: "row", "data-row": node });
    draw(row, "text", { class: "axis", x: gutter - 6, y: top + high / 2, "text-anchor": "end" },
      `${node}  ${trace.links.place(node)}`);
    for (let place = 0; place < trace.block; place += 1) {
      this.cells.push(new Cell(row, gutter + wide * place + 1, top + 1, wide - 2, high - 2, node, place));
    }
    row.addEventListener("click", () => choose(node));
  }

  show(held, by) {
    const look = lookOf(this.trace, this.colours, by, 5, true);
    this.cells.forEach((cell, k) => cell.show(held[k], look));
  }
}

// What a node holds, position by position. The list itself stays, and with it the focus and how
// far it is scrolled.
function describeNode(panel, trace, node, held, colours, by) {
  const find = (selector) => panel.querySelector(selector);
  const renamed = trace.scene.relabel ? `, from now on ${trace.scene.relabel[node]}` : "";
  find("h3").textContent = `N${nodeName(trace, node).slice(1)}${renamed}`;
  const own = held.slice(node * trace.block, (node + 1) * trace.block);
  const inside = own.flat();
  const home = inside.filter((element) => trace.isHome(element)).length;
  find(".holds").textContent = `holds ${amount(inside.length, "element")}, ${home} at home`;
  const list = document.createDocumentFragment();
  own.slice(0, MOST_IN_PANEL).forEach((elements, place) => {
    describePlace(list, trace, elements, place, colours, by);
  });
  find(".places").replaceChildren(list);
  find(".rest").hidden = own.length <= MOST_IN_PANEL;
  find(".rest").textContent = `and ${amount(own.length - MOST_IN_PANEL, "position")} more`;
}

function describePlace(list, trace, elements, place, colours, by) {
  const item = write(list, "li", "");
  set(item, { "data-slot": place, "data-element": elements.join(" ") });
  write(item, "span", place, "place");
  if (!elements.length) write(item, "span", "empty", "empty");
  for (const element of elements) {
    const chip = write(item, "span", trace.scene.labels[element], "chip");
    const colour = colours[trace.shownBy(element, by)];
    chip.style.background = colour.fill;
    chip.style.color = colour.ink;
    write(item, "span", journey(trace, element), "way");
  }
}

function journey(trace, element) {
  if (trace.isHome(element)) return "✓ at home";
  const { home } = trace;
  const [node, place] = [home.node[element], home.place[element]];
  return `to node ${node}, position ${place}`;
}
