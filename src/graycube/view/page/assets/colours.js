// Colours of elements: eight hues that colour-blind people tell apart (Okabe and Ito), for the
// three highest bits of a node; the other bits make them lighter or darker. Numbers say the
// same wherever there is room for them.

const HUES = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167],
  [86, 180, 233], [213, 94, 0], [222, 205, 40], [127, 127, 127],
];

function shade(channel, amount) {
  const end = amount > 0 ? 255 : 0;
  return Math.round(channel + (end - channel) * Math.abs(amount));
}

function nodeColour(node, n) {
  const low = Math.max(0, n - 3);
  const kinds = 1 << low;
  const amount = kinds === 1 ? 0 : 0.62 * ((node & (kinds - 1)) / (kinds - 1)) - 0.22;
  return HUES[node >> low].map((channel) => shade(channel, amount));
}

// The luminance that contrasts are measured by (WCAG 2).
function luminance(rgb) {
  const [red, green, blue] = rgb.map((channel) => {
    const part = channel / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Black or white, whatever contrasts more: with any colour, that is at least 4.5 to 1.
function inkOn(rgb) {
  return luminance(rgb) > 0.179 ? "#000" : "#fff";
}

// For every node its colour and the ink that can be read on it.
function palette(n) {
  return Array.from({ length: 1 << n }, (_, node) => {
    const colour = nodeColour(node, n);
    return { fill: `rgb(${colour.join(" ")})`, ink: inkOn(colour) };
  });
}

// A colour for the part of the largest load that a link has; the style sheet has both ends.
function loadColour(part) {
  return `color-mix(in oklab, var(--load-high) ${Math.round(100 * part)}%, var(--load-low))`;
}
