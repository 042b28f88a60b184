// Cells: the places of memory. What is at home fills its cell; what is not leaves a rim. So the
// state of a memory can be read without colours.

class Cell {
  constructor(parent, left, top, width, height, node, place) {
    this.parts = { left, top, width, height };
    this.group = draw(parent, "g", { class: "cell", "data-node": node, "data-slot": place });
    draw(this.group, "rect", { class: "room", x: left, y: top, width, height });
    this.fill = draw(this.group, "rect", { class: "fill" });
    this.label = draw(this.group, "text", { x: left + width / 2, y: top + height / 2 });
  }

  // Show the elements that are in this place, the last one of them in colour.
  show(elements, look) {
    set(this.group, { "data-element": elements.join(" ") });
    const element = elements[elements.length - 1];
    this.fill.style.display = elements.length ? "" : "none";
    this.label.textContent = "";
    if (!elements.length) return;
    const { left, top, width, height } = this.parts;
    const rim = look.home(element) ? 0.5 : Math.min(width, height) * 0.14;
    set(this.group, { "data-home": look.home(element) });
    set(this.fill, {
      x: left + rim, y: top + rim, width: width - 2 * rim, height: height - 2 * rim,
      fill: look.colour(element).fill,
    });
    const text = elements.length > 1 ? "…" : look.text(element);
    const size = Math.min(11, (height - 2 * rim) * 0.72, (width - 2 * rim) / (0.6 * text.length));
    if (size < look.smallest) return;
    this.label.textContent = text;
    this.label.style.fill = look.colour(element).ink;
    set(this.label, { "font-size": size.toFixed(1) });
  }
}
