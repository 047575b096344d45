// The gamma axis that staircase and tree share, and the staircase.

const SIDE = { left: 34, right: 12, top: 12, bottom: 24 };
const WIDEST = 9 * Math.LN10; // from the first to the last of an axis
const ZERO = 22; // pixels from gamma = 0, which has no logarithm, to the first gamma above

/** An SVG element with these attributes, put into ``parent``. */
function drawn(parent, name, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  parent.append(element);
  return element;
}

/** Where a gamma lies across a picture of this width: 0 apart, then logarithmic. */
function gammaAxis(path, width) {
  const heights = path.merges.map((merge) => merge[2]);
  const above = [...path.gammas, ...heights].filter((gamma) => gamma > 0);
  const last = above.length ? Math.log(Math.max(...above)) : 1;
  // Losses may be rounding alone: those far below the largest are drawn where the axis begins.
  const first = above.length ? Math.max(Math.log(Math.min(...above)), last - WIDEST) : 0;
  const from = SIDE.left + ZERO;
  const unit = (width - SIDE.right - 8 - from) / (last - first || 1);
  const at = (gamma) => (gamma > 0 ? from + Math.max(0, Math.log(gamma) - first) * unit : SIDE.left);
  return { at, first, last, unit, any: above.length > 0 };
}

/** Powers of ten along the axis, and 2 and 5 times them where there is room. */
function gammaTicks(axis) {
  if (!axis.any) return [];
  const decade = Math.LN10 * axis.unit;
  const factors = decade > 150 ? [1, 2, 5] : [1];
  const step = Math.max(1, Math.ceil(48 / decade));
  const ticks = [];
  for (let e = Math.floor(axis.first / Math.LN10); e <= axis.last / Math.LN10; e++) {
    if (e % step !== 0) continue;
    for (const factor of factors) {
      const log = Math.log(factor) + e * Math.LN10;
      if (log >= axis.first && log <= axis.last) ticks.push(Number(`${factor}e${e}`));
    }
  }
  return ticks;
}

function drawGammaAxis(svg, axis, width, height) {
  const floor = height - SIDE.bottom;
  drawn(svg, "line", { class: "frame", x1: SIDE.left, x2: width - SIDE.right, y1: floor, y2: floor });
  for (const gamma of [0, ...gammaTicks(axis)]) {
    const x = axis.at(gamma);
    if (gamma > 0 && x < SIDE.left + 18) continue;
    drawn(svg, "line", { class: "frame", x1: x, x2: x, y1: floor, y2: floor + 4 });
    drawn(svg, "text", { x, y: height - 7, "text-anchor": "middle" }, formatted(gamma, 1));
  }
}

/** Numbers of clusters with a line of their own, none too near to the next. */
function numberTicks(most, at) {
  const ticks = [1];
  for (const n of [2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]) {
    if (n <= most && at(ticks[ticks.length - 1]) - at(n) >= 15) ticks.push(n);
  }
  return ticks;
}

/** Draw the staircase; the answer moves its marker to a stop. */
function drawStaircase(svg, data, path, buttons) {
  svg.replaceChildren();
  const { width, height } = svg.getBoundingClientRect();
  const axis = gammaAxis(path, width);
  const most = Math.max(...path.numbers, 2);
  const tall = height - SIDE.top - SIDE.bottom - 8;
  const at = (n) => height - SIDE.bottom - 8 - (Math.log(n) / Math.log(most)) * tall;
  drawGammaAxis(svg, axis, width, height);
  for (const n of numberTicks(most, at)) {
    drawn(svg, "line", { class: "frame", x1: SIDE.left, x2: width - SIDE.right, y1: at(n), y2: at(n) });
    drawn(svg, "text", { x: SIDE.left - 6, y: at(n) + 4, "text-anchor": "end" }, String(n));
  }
  drawn(svg, "path", { class: "steps", d: stepLine(path, axis, at) });
  for (const { stop } of buttons) {
    const { gamma, nodes } = path.stops[stop];
    drawn(svg, "circle", { class: "candidate", r: 4, cx: axis.at(gamma), cy: at(nodes.length) });
  }
  const marker = drawn(svg, "line", { class: "marker", y1: SIDE.top - 6, y2: height - SIDE.bottom });
  const dot = drawn(svg, "circle", { class: "now", r: 5 });
  return (stop) => {
    const { gamma, nodes } = path.stops[stop];
    for (const end of ["x1", "x2"]) marker.setAttribute(end, axis.at(gamma));
    dot.setAttribute("cx", axis.at(gamma));
    dot.setAttribute("cy", at(nodes.length));
  };
}

function stepLine(path, axis, at) {
  const corners = path.gammas.map((gamma, i) => {
    const x = axis.at(gamma).toFixed(1);
    return `${i ? `H${x}V` : `M${x},`}${at(path.numbers[i]).toFixed(1)}`;
  });
  return corners.join("");
}

/** The stop nearest to a place across a picture. */
function stopAcross(path, width, x) {
  const axis = gammaAxis(path, width);
  let best = 0;
  path.stops.forEach((stop, i) => {
    const better = Math.abs(axis.at(stop.gamma) - x) < Math.abs(axis.at(path.stops[best].gamma) - x);
    if (better) best = i;
  });
  return best;
}
