// A tree of switches, or computers with network cards: nodes in their parts, and above every part
// its ways up and down. Nodes with links of their own stand as a cube in the innermost part.

const BAR = 12;
const [SHAPE, TALL_SHAPE] = [1.9, 0.6];  // how much wider than high a part may be

class Tree extends Cube {
  kind() {
    return this.trace.links.nested ? "Tree" : "Cluster";
  }

  arrange() {
    return arrangeTree(this.trace.links, this.n, this.form);
  }

  drawLinks(group) {
    const { plan } = this;
    for (const [x, y, width, height] of plan.parts) draw(group, "rect", { class: "part", x, y, width, height, rx: 8 });
    for (const path of plan.switches) draw(group, "path", { class: "switch", d: path });
    return super.drawLinks(group);
  }

  lane(k) {
    return this.plan.lanes[k] ?? super.lane(k);
  }
}

// The boxes of all nodes, by their middles, the parts around them, their switches, the lanes of
// all links, and the size of the picture.
function arrangeTree(links, n, form) {
  const levels = [...links.levels, { start: n }];
  const high = n > 6 ? 16 : 26;
  const space = form.tall ? 6 : 10;
  const inner = links.within ? arrange(links.within, form) : { at: [form.box.map((side) => side / 2)], size: form.box };
  const sizes = [inner.size];
  const columns = [];
  for (let k = 0; k + 1 < levels.length; k += 1) {
    columns.push(columnsOf(1 << levels[k + 1].start - levels[k].start, sizes[k], [high, space], form.tall ? TALL_SHAPE : SHAPE));
    sizes.push(around(1 << levels[k + 1].start - levels[k].start, columns[k], sizes[k], [high, space]));
  }
  const found = { parts: [], switches: [], at: [], lanes: [] };
  const place = (k, number, left, top) => {
    const [width, height] = sizes[k];
    if (k === 0) {
      inner.at.forEach(([x, y], j) => { found.at[(number << links.within) + j] = [left + x, top + y]; });
      if (links.within) found.parts.push([left, top, width, height]);
      return;
    }
    found.parts.push([left, top, width, height]);
    const bits = levels[k].start - levels[k - 1].start;
    const [wide, tall] = sizes[k - 1];
    const bars = [];
    for (let j = 0; j < 1 << bits; j += 1) {
      const [row, column] = [Math.floor(j / columns[k - 1]), j % columns[k - 1]];
      const x = left + space + column * (wide + space);
      const bar = top + space + BAR / 2 + row * (tall + high + BAR + space);
      if (column === 0) bars.push(bar);
      const below = bar + high + BAR / 2;
      place(k - 1, (number << bits) + j, x, below);
      lanesAbove(found.lanes, levels[k - 1], (number << bits) + j, [x, wide], [below, bar], form.aside);
    }
    const ends = [left + space / 2, left + width - space];
    found.switches.push(bars.map((y) => `M${ends[0]},${y} H${ends[1]}`).join(" ")
      + ` M${ends[0]},${bars[0]} V${bars[bars.length - 1]}`);
  };
  place(levels.length - 1, 0, MARGIN, MARGIN);
  const [width, height] = sizes[levels.length - 1].map((side) => side + 2 * MARGIN);
  return { ...found, box: { width: form.box[0], height: form.box[1] }, size: [width, height], least: leastWidth(form, width) };
}

// The ways up and down of a part: one pair, or one for each of its nodes that have their own.
function lanesAbove(lanes, { start, bits, first }, number, [left, width], [bottom, top], aside) {
  const many = 1 << start - bits;
  for (let k = 0; k < many; k += 1) {
    const x = left + width * (k + 0.5) / many;
    const at = first + 2 * (number * many + k);
    lanes[at] = [[x - aside, bottom - 1], [x - aside, top + 3]];
    lanes[at + 1] = [[x + aside, top + 3], [x + aside, bottom - 1]];
  }
}

// How big a part is whose children stand in so many columns.
function around(count, columns, [width, height], [high, space]) {
  const rows = Math.ceil(count / columns);
  return [columns * (width + space) + space, rows * (height + high + BAR + space) + space];
}

function columnsOf(count, size, gaps, shape) {
  const powers = Array.from({ length: Math.log2(count) + 1 }, (_, k) => 1 << k);
  const odd = (columns) => {
    const [width, height] = around(count, columns, size, gaps);
    return Math.abs(Math.log(width / height / shape));
  };
  return powers.reduce((best, one) => (odd(one) < odd(best) ? one : best));
}
