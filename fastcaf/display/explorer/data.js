// From the text in the page to typed arrays, and small things that several files use.

const TYPES = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };

/** Numbers that packing.py packed. */
async function unpacked(part) {
  const bytes = Uint8Array.from(atob(part.data), (one) => one.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new TYPES[part.bytes](await new Response(inflated).arrayBuffer());
}

/** Row numbers, which are sent as differences. */
async function unpackedNumbers(part) {
  let sum = 0;
  return Uint32Array.from(await unpacked(part), (step) => (sum += step));
}

/** What the page shows: everything of content.py, with its arrays unpacked. */
async function readData() {
  const data = JSON.parse(document.getElementById("data").textContent);
  data.rows.numbers = await unpackedNumbers(data.rows.numbers);
  data.rows.shown = await unpackedNumbers(data.rows.shown);
  data.points = await unpacked(data.points);
  for (const path of data.paths) {
    path.labels = await unpacked(path.labels);
    path.strengths = await unpacked(path.strengths);
  }
  return data;
}

/** The label of a row whose label is in the page, at a stop; -1 for noise. */
function labelAt(path, stop, row) {
  return path.labels[row * path.stops.length + stop] - path.noise;
}

/** The membership of a shown row in its own cluster, at a stop. */
function membershipAt(path, stop, shown) {
  return path.strengths[shown * path.stops.length + stop] / path.finest;
}

/** Red, green and blue of "#rrggbb". */
function parts(colour) {
  return [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
}

/** The colours for this theme: dark ones are lightened where the paper is dark. */
function colourFor(data) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  data.colours = data.palette.map((colour) => (dark ? lightened(parts(colour)) : parts(colour)));
  data.shades = data.colours.map((colour) => `rgb(${colour.join(",")})`);
}

/** As much white as it takes to be seen on a dark ground. */
function lightened(colour) {
  const light = (0.21 * colour[0] + 0.72 * colour[1] + 0.07 * colour[2]) / 255;
  const white = Math.max(0, (0.38 - light) / (1 - light));
  return colour.map((one) => Math.round(one + white * (255 - one)));
}

/** "#rrggbb" of a variable of the style sheet, which knows light from dark. */
function themed(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A number for people. */
function formatted(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return Number(value.toPrecision(digits)).toLocaleString("en", { maximumFractionDigits: 8 });
}

function counted(n, one) {
  return `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
}
