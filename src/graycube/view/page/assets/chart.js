// The chart: links (or dimensions, where links are many) down, cycles or rounds across.

const MOST_LINK_ROWS = 64;
const MOST_COLUMNS = 240;

class Chart {
  constructor(parts, trace, jump) {
    this.svg = parts.svg;
    this.reading = parts.reading;
    this.trace = trace;
    this.links = trace.links.all.length <= MOST_LINK_ROWS;
    parts.hint.textContent = trace.links.hints[this.links ? 0 : 1];
    this.row = 0;
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.read(null));
    new ResizeObserver(() => this.fit()).observe(this.svg.parentElement);
    this.svg.addEventListener("click", (event) => jump(this.columns[this.columnAt(event)].from));
  }

  // The rows: of each, its name and the links that it counts.
  rowsOf() {
    const { all, kinds } = this.trace.links;
    return kinds.flatMap(({ name }, head) => {
      const links = [...all.keys()].filter((k) => all[k].kind === head);
      if (!this.links) return [{ name, links, head }];
      return links.map((k) => ({ name: all[k].name, links: [k], head }));
    });
  }

  columnsOf(unit) {
    const { trace } = this;
    if (unit === "round") {
      return trace.marks.slice(0, -1).map((from, r) => ({ from, to: trace.marks[r + 1], name: `round ${r}` }));
    }
    const each = Math.max(1, Math.ceil(trace.end / MOST_COLUMNS));
    return Array.from({ length: Math.ceil(trace.end / each) }, (_, k) => {
      const [from, to] = [k * each, Math.min(trace.end, (k + 1) * each)];
      return { from, to, name: each > 1 ? `cycles ${from} to ${to - 1}` : `cycle ${from}` };
    });
  }

  draw(unit) {
    this.unit = unit;
    this.columns = this.columnsOf(unit);
    this.rows = this.rowsOf();
    this.counts = this.columns.map(({ from, to }) => {
      const loads = this.trace.loads(from, to);
      return this.rows.map(({ links }) => links.reduce((sum, link) => sum + loads[link], 0));
    });
    this.most = Math.max(1, ...this.counts.map((column) => Math.max(0, ...column)));
    this.measure();
    this.svg.replaceChildren();
    this.drawRows();
    this.counts.forEach((column, k) => this.drawColumn(column, k));
    this.cursor = draw(this.svg, "rect", { class: "cursor", y: 14, width: this.wide, height: this.high * this.rows.length + 2 });
    this.beam = draw(this.svg, "line", { class: "beam", y1: 8, y2: 16 + this.high * this.rows.length });
  }

  // Draw anew in a frame that has become wider or narrower.
  fit() {
    if (this.svg.parentElement.clientWidth === this.frame) return;
    this.draw(this.unit);
    this.show(this.time);
  }

  measure() {
    this.gutter = this.links ? 62 : 110;
    this.frame = this.svg.parentElement.clientWidth;
    const room = this.frame - this.gutter - 10;
    this.wide = Math.max(7, Math.min(34, room / Math.max(1, this.columns.length)));
    this.high = this.links ? (this.rows.length > 32 ? 7 : 12) : 24;
    const width = this.gutter + this.wide * this.columns.length + 8;
    const height = 18 + this.high * this.rows.length;
    set(this.svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    set(this.svg, { "aria-label": `${this.columns.length} columns of time, ${this.rows.length} rows of links` });
  }

  drawRows() {
    const width = this.gutter + this.wide * this.columns.length;
    this.rows.forEach(({ head }, k) => {
      const y = 15 + this.high * k;
      if (head % 2) draw(this.svg, "rect", { class: "band", x: 0, y, width, height: this.high });
    });
    this.rows.forEach(({ name, head }, k) => {
      const y = 15 + this.high * k;
      const first = k === 0 || this.rows[k - 1].head !== head;
      const label = this.high > 9 ? name : this.trace.links.kinds[head].short;
      if (this.high > 9 || first) {
        draw(this.svg, "text", { class: "axis", x: this.gutter - 6, y: y + Math.max(6, this.high / 2), "text-anchor": "end" }, label);
      }
    });
    const each = Math.ceil(24 / this.wide);
    for (let k = 0; k < this.columns.length; k += each) {
      draw(this.svg, "text", { class: "axis", x: this.gutter + this.wide * (k + 0.5), y: 6, "text-anchor": "middle" },
        this.columns[k].name.match(/\d+/)[0]);
    }
  }

  drawColumn(counts, column) {
    counts.forEach((count, row) => {
      if (!count) return;
      const part = count / this.most;
      const height = Math.max(2, (this.high - 2) * (0.3 + 0.7 * part));
      const mark = draw(this.svg, "rect", {
        class: "load", "data-row": row, "data-column": column, "data-load": count,
        x: this.gutter + this.wide * column + 0.5, y: 15 + this.high * (row + 1) - 1 - height,
        width: this.wide - 1, height,
      });
      mark.style.fill = loadColour(part);
    });
  }

  // The cursor at a time in cycles.
  show(time) {
    this.time = time;
    if (!this.columns.length) return;
    const column = Math.min(this.columns.length - 1, below(this.columns.map(({ from }) => from), time));
    const { from, to } = this.columns[column];
    const left = this.gutter + this.wide * column;
    set(this.cursor, { x: left, "data-column": column });
    const at = left + this.wide * Math.min(1, (time - from) / (to - from || 1));
    set(this.beam, { x1: at, x2: at });
    if (column !== this.column) this.keepInView(left);
    this.column = column;
    if (document.activeElement === this.svg) this.read([this.row, column]);
  }

  // Scroll a chart that is wider than its frame, so that a column is seen.
  keepInView(left) {
    const frame = this.svg.parentElement;
    const hidden = left < frame.scrollLeft + this.wide || left + this.wide > frame.scrollLeft + this.frame;
    if (hidden) frame.scrollLeft = left - this.frame / 2;
  }

  columnAt(event) {
    const { left, width } = this.svg.getBoundingClientRect();
    const x = (event.clientX - left) * this.svg.viewBox.baseVal.width / width;
    return Math.max(0, Math.min(this.columns.length - 1, Math.floor((x - this.gutter) / this.wide)));
  }

  point(event) {
    const { top, height } = this.svg.getBoundingClientRect();
    const y = (event.clientY - top) * this.svg.viewBox.baseVal.height / height;
    const row = Math.max(0, Math.min(this.rows.length - 1, Math.floor((y - 15) / this.high)));
    this.read([row, this.columnAt(event)]);
  }

  read(cell) {
    if (cell === null || !this.rows.length || !this.columns.length) {
      this.reading.textContent = "";
      return;
    }
    const [row, column] = cell;
    const what = this.links ? "link " : "";
    this.reading.textContent = `${this.columns[column].name}, ${what}${this.rows[row].name}: `
      + amount(this.counts[column][row], "element");
  }

  // Up and down on the keyboard.
  move(step) {
    this.row = Math.max(0, Math.min(this.rows.length - 1, this.row + step));
    this.read([this.row, this.column ?? 0]);
  }
}
