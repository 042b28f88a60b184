// Where the nodes of a cube stand: every dimension is a step on the page, as if the cube cast a
// shadow. The steps were chosen so that boxes do not touch each other, and links pass them by.
// Everything has a size for each number of dimensions. On a narrow page a cube of up to six
// dimensions is tall: its numbers can be read where the picture is as wide as a phone.

const FORMS = {
  wide: {
    steps: [
      [],
      [[260, 0]],
      [[260, 0], [0, 170]],
      [[250, 0], [0, 190], [140, 95]],
      [[170, -30], [0, 215], [92, 96], [400, 30]],
      [[197, 28], [18, 122], [82, 60], [424, -1], [-50, 280]],
      [[161, -40], [4, 108], [73, 27], [586, 34], [-115, 416], [236, 230]],
      [[64, 0], [-27, 105], [75, 47], [287, -72], [-26, 270], [102, 103], [653, -180]],
      [[51, 30], [-39, 89], [84, 34], [260, -50], [-59, 214], [102, 79], [738, -72], [-30, 403]],
    ],
    boxes: [
      [96, 64], [96, 64], [96, 64], [96, 64], [76, 54], [66, 46], [58, 40], [24, 15], [14, 10],
    ],
    aside: [0, 9, 9, 9, 7.5, 6, 5.5, 2, 1.2],
    dot: [0, 9, 9, 9, 8, 6.5, 6.5, 3.2, 2.4],
    thick: [0, 6, 6, 6, 5, 4, 3, 2, 1.4],
    pitch: [0, 8, 8, 8, 7, 6, 5, 4, 3.4],
    tip: [9, 9, 9, 9, 9, 6, 0, 0, 0],
    number: [13, 13, 13, 13, 13, 13, 15, 9, 6],
    bits: [0, 11, 11, 11, 11, 10, 0, 0, 0],
    head: [18, 18, 18, 18, 18, 17, 18, 0, 0],
    apart: [0, 34, 34, 34, 34, 30, 24, 16, 13],
    least: [0, 0, 0, 420, 520, 640, 760, 900, 1000],
  },
  tall: {
    steps: [
      [],
      [[150, 0]],
      [[150, 0], [0, 120]],
      [[185, 0], [0, 165], [92, 80]],
      [[66, 64], [-32, 68], [133, 48], [0, 186]],
      [[46, 47], [68, 16], [23, 130], [137, -14], [-1, 238]],
      [[43, -11], [-16, 95], [77, 75], [156, 27], [2, 218], [3, 358]],
    ],
    boxes: [[96, 64], [96, 64], [96, 64], [84, 58], [60, 44], [40, 28], [28, 25]],
    aside: [0, 9, 9, 8, 6, 4.5, 3],
    dot: [0, 9, 9, 8, 7, 5.5, 4],
    thick: [0, 6, 6, 5, 4, 3, 1.8],
    pitch: [0, 8, 8, 7, 6, 4, 2.5],
    tip: [9, 9, 9, 8, 7, 5, 0],
    number: [13, 13, 13, 13, 12, 12, 12],
    bits: [0, 11, 11, 10, 9, 0, 0],
    head: [18, 18, 18, 17, 16, 15, 15],
    apart: [0, 34, 34, 26, 22, 18, 14],
  },
};

const MARGIN = 10;

// The form for n dimensions in a frame of this width: the steps and boxes of any number of
// dimensions, and all other sizes for this one.
function formOf(n, width) {
  const tall = n < FORMS.tall.boxes.length && width < FORMS.wide.least[n];
  const { steps, boxes, ...sizes } = FORMS[tall ? "tall" : "wide"];
  const own = Object.entries(sizes).map(([name, all]) => [name, all[n]]);
  return { tall, steps, boxes, box: boxes[n], ...Object.fromEntries(own) };
}

// How wide a picture is at least, so that one can read it; a phone scrolls what is wider.
function leastWidth({ tall }, width) {
  return tall ? 0.7 * width : Math.min(0.8 * width, 1060);
}

// The boxes of all nodes, by their middles, and the size of the picture.
function arrange(n, { tall, steps, boxes, box: [width, height], least: wide }) {
  const scale = [width / boxes[n][0], height / boxes[n][1]];
  const raw = Array.from({ length: 1 << n }, (_, node) => [0, 1].map((axis) =>
    steps[n].reduce((sum, step, d) => sum + (node >> d & 1 ? scale[axis] * step[axis] : 0), 0)));
  const least = [0, 1].map((axis) => Math.min(...raw.map((at) => at[axis])));
  const most = [0, 1].map((axis) => Math.max(...raw.map((at) => at[axis])));
  const start = [width / 2 + MARGIN, height / 2 + MARGIN];
  return {
    box: { width, height },
    at: raw.map((at) => at.map((x, axis) => x - least[axis] + start[axis])),
    size: [0, 1].map((axis) => most[axis] - least[axis] + 2 * start[axis]),
    least: tall ? 0 : wide,
  };
}

// The lane of a directed link: from box to box, to the right of the way back.
function lane(from, to, box, aside) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  const [sx, sy] = [-dy / length * aside, dx / length * aside];
  const out = Math.min((box.width / 2 + 2) / Math.abs(dx), (box.height / 2 + 2) / Math.abs(dy), 0.45);
  const point = (part) => [from[0] + sx + part * dx, from[1] + sy + part * dy];
  return [point(out), point(1 - out)];
}

// How a box is divided into so many equal cells, as square as possible.
function division(count, width, height) {
  let best = null;
  for (let rows = 1; rows <= count; rows += 1) {
    const columns = Math.ceil(count / rows);
    const side = Math.min(width / columns, height / rows, 22);
    if (best === null || side > best.side) best = { rows, columns, side };
  }
  return best;
}
