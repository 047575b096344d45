// The scatter: rows coloured by their memberships, centroids, and the way they came.

const TRAIL = 12; // stops that a trail goes back
const MARGIN = { left: 30, right: 14, top: 14, bottom: 26 };

/** A canvas of sharp pixels, and its size in those of the page. */
function prepared(canvas) {
  const { width, height } = canvas.getBoundingClientRect();
  const sharp = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * sharp);
  canvas.height = Math.round(height * sharp);
  const pen = canvas.getContext("2d");
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

/** Where a place (whole numbers of both axes) is drawn. */
function placer(data, width, height) {
  const across = (width - MARGIN.left - MARGIN.right) / data.axes.finest;
  const up = (height - MARGIN.top - MARGIN.bottom) / data.axes.finest;
  return (x, y) => [MARGIN.left + x * across, height - MARGIN.bottom - y * up];
}

/**
 * How clearly a row belongs: 0 where all clusters share it alike, 1 where one has it.  The root
 * keeps colours apart where clusters are many and memberships small.
 */
function clearness(membership, nClusters) {
  if (nClusters === 1) return 1;
  return Math.sqrt(Math.max(0, (membership - 1 / nClusters) / (1 - 1 / nClusters)));
}

/** The colour of a cluster, faded towards grey where rows are shared. */
function faded(colour, grey, share) {
  const mixed = colour.map((one, i) => Math.round(share * one + (1 - share) * grey[i]));
  return `rgb(${mixed.join(",")})`;
}

function drawScatter(canvas, data, path, stop, withTrails) {
  const { pen, width, height } = prepared(canvas);
  const place = placer(data, width, height);
  drawRows(pen, place, data, path, stop);
  if (withTrails && !data.axes.scattered) drawTrails(pen, place, data, path, stop);
  drawCentroids(pen, place, data, path, stop);
  drawAxes(pen, data, width, height);
}

function drawRows(pen, place, data, path, stop) {
  const { nodes } = path.stops[stop];
  const grey = parts(themed("--faint"));
  const n = data.rows.shown.length;
  const radius = n > 1500 ? 2 : n > 400 ? 2.6 : 3.4;
  for (let i = 0; i < n; i++) {
    const label = labelAt(path, stop, data.rows.shown[i]);
    const share = clearness(membershipAt(path, stop, i), nodes.length);
    const [x, y] = place(data.points[i], data.points[n + i]);
    const colour = label < 0 ? grey : data.colours[path.colours[nodes[label]]];
    pen.fillStyle = faded(colour, grey, share);
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
  }
}

/**
 * From where to where each branch moved over the last stops, older steps fainter.  At the first
 * gamma above 0 surplus centroids rush together from everywhere: that step is left out.
 */
function drawTrails(pen, place, data, path, stop) {
  pen.lineWidth = 1.2;
  for (let i = Math.max(2, stop - TRAIL + 1); i <= stop; i++) {
    pen.globalAlpha = 0.8 * (1 - (stop - i) / TRAIL);
    const before = path.stops[i - 1];
    const now = path.stops[i];
    const index = new Map(now.nodes.map((node, j) => [node, j]));
    before.nodes.forEach((node, j) => {
      const k = index.get(movedTo(path, node, index));
      if (k === undefined) return;
      pen.strokeStyle = data.shades[path.colours[now.nodes[k]]];
      pen.beginPath();
      pen.moveTo(...place(before.places[0][j], before.places[1][j]));
      pen.lineTo(...place(now.places[0][k], now.places[1][k]));
      pen.stroke();
    });
  }
  pen.globalAlpha = 1;
}

/** The node among those alive that ``node`` moved into; none where it was dropped on the way. */
function movedTo(path, node, alive) {
  while (node !== undefined && !alive.has(node)) {
    node = isDropped(path, node) ? undefined : path.parents[node];
  }
  return node;
}

function drawCentroids(pen, place, data, path, stop) {
  const { nodes, places, mass } = path.stops[stop];
  const total = mass.reduce((sum, one) => sum + one, 0) || 1;
  pen.lineWidth = 2;
  for (let k = nodes.length - 1; k >= 0; k--) {
    const [x, y] = place(places[0][k], data.axes.scattered ? data.axes.finest / 2 : places[1][k]);
    pen.beginPath();
    pen.arc(x, y, 4 + 9 * Math.sqrt(mass[k] / total), 0, 2 * Math.PI);
    pen.fillStyle = data.shades[path.colours[nodes[k]]];
    pen.fill();
    pen.strokeStyle = themed("--ink");
    pen.stroke();
  }
}

function drawAxes(pen, data, width, height) {
  const { names, lowest, highest } = data.axes;
  pen.fillStyle = themed("--soft");
  pen.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  writeAxis(pen, names[0], lowest[0], highest[0], MARGIN.left, width - MARGIN.right, height - 8);
  if (data.axes.scattered) return;
  pen.save();
  pen.translate(18, height - MARGIN.bottom);
  pen.rotate(-Math.PI / 2);
  writeAxis(pen, names[1], lowest[1], highest[1], 0, height - MARGIN.top - MARGIN.bottom, 0);
  pen.restore();
}

/** The ends of an axis, and its name between them as far as there is room. */
function writeAxis(pen, name, lowest, highest, from, to, y) {
  const [low, high] = [formatted(lowest, 3), formatted(highest, 3)];
  const room = to - from - pen.measureText(low).width - pen.measureText(high).width - 20;
  pen.textAlign = "left";
  pen.fillText(low, from, y);
  pen.textAlign = "right";
  pen.fillText(high, to, y);
  let text = name;
  while (text.length > 1 && pen.measureText(text).width > room) text = text.slice(0, -2) + "…";
  pen.textAlign = "center";
  pen.fillText(text, (from + to) / 2, y);
}

/** The shown row within reach of a place on the canvas, or -1. */
function rowAt(canvas, data, x, y) {
  const { width, height } = canvas.getBoundingClientRect();
  const place = placer(data, width, height);
  const n = data.rows.shown.length;
  let [found, nearest] = [-1, 12 ** 2];
  for (let i = 0; i < n; i++) {
    const [px, py] = place(data.points[i], data.points[n + i]);
    const distance = (px - x) ** 2 + (py - y) ** 2;
    if (distance < nearest) [found, nearest] = [i, distance];
  }
  return found;
}
