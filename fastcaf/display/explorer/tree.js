// The tree of the merges, lying: gamma runs to the right as in the staircase.

/** For every node the one that it merged into; the root has none. */
function parentsOf(path) {
  const parents = new Array(path.starts + path.merges.length);
  path.merges.forEach(([first, second], i) => {
    parents[first] = parents[second] = path.starts + i;
  });
  return parents;
}

/** Whether a node ended by being dropped: its rows went to another, which stayed in its place. */
function isDropped(path, node) {
  const parent = path.parents[node];
  if (parent === undefined) return false;
  const survivor = path.merges[parent - path.starts][4];
  return survivor >= 0 && survivor !== node;
}

/** The node among those alive that ``node`` is a part of. */
function ancestorOf(path, node, alive) {
  while (!alive.has(node)) node = path.parents[node];
  return node;
}

/**
 * The room that each leaf gets.  Clusters at the first gamma above 0 get the same, and their
 * leaves share it: many surplus centroids that fuse there at once do not push the others aside.
 */
function leafRoom(path) {
  const alive = new Map(path.stops[Math.min(1, path.stops.length - 1)].nodes.map((node) => [node, 0]));
  const ancestors = [];
  for (let leaf = 0; leaf < path.starts; leaf++) {
    ancestors.push(ancestorOf(path, leaf, alive));
    alive.set(ancestors[leaf], alive.get(ancestors[leaf]) + 1);
  }
  return ancestors.map((ancestor) => 1 / (alive.get(ancestor) * alive.size));
}

/** Heights of the nodes from 0 to 1: leaves in the order that keeps branches apart. */
function layout(path) {
  const n = path.starts;
  const room = leafRoom(path);
  const heights = new Array(n + path.merges.length).fill(0.5);
  const open = [n + path.merges.length - 1];
  let used = 0;
  while (open.length) {
    const node = open.pop();
    if (node < n) {
      heights[node] = used + room[node] / 2;
      used += room[node];
    } else open.push(path.merges[node - n][1], path.merges[node - n][0]);
  }
  path.merges.forEach(([first, second], i) => {
    heights[n + i] = (heights[first] + heights[second]) / 2;
  });
  return heights;
}

/** Draw the tree; the answer moves its marker to a stop. */
function drawTree(svg, data, path) {
  svg.replaceChildren();
  const { width, height } = svg.getBoundingClientRect();
  const axis = gammaAxis(path, width);
  const tall = height - SIDE.top - SIDE.bottom;
  const heights = layout(path);
  const at = (node) => SIDE.top + heights[node] * tall;
  for (const [kind, lines] of branchLines(path, axis, at, width - SIDE.right)) {
    const [name, colour] = kind.split(" ");
    const stroke = data.shades[Number(colour)];
    drawn(svg, "path", { class: `branch ${name}`, stroke, d: lines.join("") });
  }
  const later = drawn(svg, "rect", { class: "later", y: 1, height: height - SIDE.bottom - 2 });
  drawGammaAxis(svg, axis, width, height);
  const marker = drawn(svg, "line", { class: "marker", y1: SIDE.top - 6, y2: height - SIDE.bottom });
  const dots = drawn(svg, "g", {});
  return (stop) => {
    const x = axis.at(path.stops[stop].gamma);
    for (const end of ["x1", "x2"]) marker.setAttribute(end, x);
    later.setAttribute("x", x);
    later.setAttribute("width", Math.max(0, width - x - 1));
    drawAlive(dots, data, path, stop, x, at);
  };
}

/** Lines of equal kind and colour together: from the birth of each node to its merge. */
function branchLines(path, axis, at, end) {
  const kinds = new Map();
  const add = (kind, colour, line) => {
    const key = `${kind} ${colour}`;
    if (!kinds.has(key)) kinds.set(key, []);
    kinds.get(key).push(line);
  };
  const birth = (node) => (node < path.starts ? SIDE.left : axis.at(path.merges[node - path.starts][2]));
  path.merges.forEach(([first, second, gamma, kind], i) => {
    const x = axis.at(gamma).toFixed(1);
    const middle = at(path.starts + i).toFixed(1);
    for (const node of [first, second]) {
      const own = kind === "dropped" && !isDropped(path, node) ? "fused" : kind;
      const line = `M${birth(node).toFixed(1)},${at(node).toFixed(1)}H${x}V${middle}`;
      add(own, path.colours[node], line);
    }
  });
  const root = path.starts + path.merges.length - 1;
  add("fused", path.colours[root], `M${birth(root).toFixed(1)},${at(root).toFixed(1)}H${end}`);
  return kinds;
}

/** The clusters of a stop as dots on the marker. */
function drawAlive(group, data, path, stop, x, at) {
  group.replaceChildren();
  const { nodes, mass } = path.stops[stop];
  const total = mass.reduce((sum, one) => sum + one, 0) || 1;
  const small = nodes.length > 40 ? 1.5 : 3;
  nodes.forEach((node, k) => {
    const r = small + 4 * Math.sqrt(mass[k] / total);
    drawn(group, "circle", { cx: x, cy: at(node), r, fill: data.shades[path.colours[node]] });
  });
}
