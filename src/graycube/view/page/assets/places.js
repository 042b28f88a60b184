// Where the nodes of a cube stand: every dimension is a step on the page, as if the cube cast a
// shadow. The steps were chosen so that boxes do not touch each other, and links pass them by.

const STEPS = [
  [],
  [[260, 0]],
  [[260, 0], [0, 170]],
  [[250, 0], [0, 190], [140, 95]],
  [[170, -30], [0, 215], [92, 96], [400, 30]],
  [[197, 28], [18, 122], [82, 60], [424, -1], [-50, 280]],
  [[161, -40], [4, 108], [73, 27], [586, 34], [-115, 416], [236, 230]],
  [[64, 0], [-27, 105], [75, 47], [287, -72], [-26, 270], [102, 103], [653, -180]],
  [[51, 30], [-39, 89], [84, 34], [260, -50], [-59, 214], [102, 79], [738, -72], [-30, 403]],
];

const BOXES = [
  [96, 64], [96, 64], [96, 64], [96, 64], [76, 54], [66, 46], [58, 40], [24, 15], [14, 10],
];

// How wide a picture is at least, in which things can be read; a phone scrolls it.
const LEAST = [0, 0, 0, 300, 470, 800, 1060, 900, 1000];

const MARGIN = 10;

// The boxes of all nodes, by their middles, and the size of the picture.
function arrange(n, [width, height] = BOXES[n]) {
  const scale = [width / BOXES[n][0], height / BOXES[n][1]];
  const raw = Array.from({ length: 1 << n }, (_, node) => [0, 1].map((axis) =>
    STEPS[n].reduce((sum, step, d) => sum + (node >> d & 1 ? scale[axis] * step[axis] : 0), 0)));
  const least = [0, 1].map((axis) => Math.min(...raw.map((at) => at[axis])));
  const most = [0, 1].map((axis) => Math.max(...raw.map((at) => at[axis])));
  const start = [width / 2 + MARGIN, height / 2 + MARGIN];
  return {
    box: { width, height },
    at: raw.map((at) => at.map((x, axis) => x - least[axis] + start[axis])),
    size: [0, 1].map((axis) => most[axis] - least[axis] + 2 * start[axis]),
    least: LEAST[n],
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
