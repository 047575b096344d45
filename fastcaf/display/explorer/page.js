// The page: one state (path and stop), shown everywhere at once.

const byId = (id) => document.getElementById(id);

/** A new element with this text; text is never read as HTML. */
function made(name, text = "", attributes = {}) {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function startPage(data) {
  const state = { path: 0, stop: data.start, moveStaircase: null, moveTree: null, timer: 0 };
  const current = () => data.paths[state.path];
  const go = (stop, path = state.path) => {
    const another = path !== state.path;
    state.path = path;
    state.stop = Math.max(0, Math.min(stop, current().stops.length - 1));
    if (another) drawCurves(data, state);
    show(data, state);
  };
  writeHeader(data);
  makeButtons(data, state, go);
  byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  byId("trails").addEventListener("change", () => showScatter(data, state));
  byId("download").addEventListener("click", () => download(current(), data, state.stop));
  for (const id of ["staircase", "tree"]) followPointer(byId(id), current, go);
  pointAtRows(data, state);
  playOnDemand(state, current, go);
  const redraw = () => {
    colourFor(data);
    drawCurves(data, state);
    show(data, state);
  };
  new ResizeObserver(redraw).observe(byId("scatter").parentElement);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  redraw();
  document.body.dataset.ready = "yes";
}

function writeHeader(data) {
  byId("headline").textContent = data.headline;
  byId("shape").textContent = data.shape;
  byId("doubts").append(...data.doubts.map((doubt) => made("p", doubt)));
  byId("notes").append(...data.notes.map((note) => made("li", note)));
  byId("summary").textContent = data.summary;
  byId("summary").parentElement.open = window.innerWidth >= 900; // there is room for it
  byId("trails").parentElement.hidden = data.axes.scattered;
  byId("key").textContent =
    "Full colour: the row belongs to one cluster. Grey: several share it." +
    (data.axes.scattered ? " Heights are random: there is one feature." : "");
}

/** Buttons for the candidates, and for the paths where there are several. */
function makeButtons(data, state, go) {
  for (const button of data.buttons) {
    const note = button.note ? ` (${button.note})` : "";
    const element = made("button", counted(button.clusters, "cluster") + note, {
      type: "button", title: button.reason, "data-path": button.path, "data-stop": button.stop,
    });
    element.addEventListener("click", () => go(button.stop, button.path));
    byId("candidates").append(element);
  }
  if (data.paths.length < 2) return;
  byId("paths").append(made("span", "paths:", { class: "small" }));
  data.paths.forEach((path, i) => {
    const element = made("button", path.name, { type: "button", "data-path": i });
    element.addEventListener("click", () => go(alikeStop(data, state, path), i));
    byId("paths").append(element);
  });
}

/** The stop of another path with as many clusters as there are now, or nearly. */
function alikeStop(data, state, path) {
  if (path === data.paths[state.path]) return state.stop;
  const wanted = data.paths[state.path].stops[state.stop].nodes.length;
  const away = path.stops.map((stop) => Math.abs(stop.nodes.length - wanted));
  const alike = [...away.keys()].filter((i) => away[i] === Math.min(...away));
  return alike[Math.floor((alike.length - 1) / 2)];
}

function drawCurves(data, state) {
  const path = data.paths[state.path];
  const buttons = data.buttons.filter((button) => button.path === state.path);
  state.moveStaircase = drawStaircase(byId("staircase"), data, path, buttons);
  state.moveTree = drawTree(byId("tree"), data, path);
}

function show(data, state) {
  const path = data.paths[state.path];
  showLevel(path, state.stop);
  showPressed(state);
  state.moveStaircase(state.stop);
  state.moveTree(state.stop);
  showTable(data, path, state.stop);
  showScatter(data, state);
}

function showLevel(path, stop) {
  const { gamma, nodes } = path.stops[stop];
  const lost = path.axis !== "gamma";
  const where = lost ? `${formatted(gamma)} nats lost by merging` : `gamma = ${formatted(gamma)}`;
  const words = `${counted(nodes.length, "cluster")} at ${where}`;
  byId("along").textContent = lost ? "loss" : "gamma";
  byId("against").textContent = `Number of clusters against ${path.axis}`;
  byId("level").textContent = `${words} (${stop + 1} of ${path.stops.length})`;
  const slider = byId("slider");
  slider.max = path.stops.length - 1;
  slider.value = stop;
  slider.setAttribute("aria-valuetext", words);
}

function showPressed(state) {
  for (const button of byId("candidates").children) {
    const here = button.dataset.path == state.path && button.dataset.stop == state.stop;
    button.setAttribute("aria-pressed", here);
  }
  for (const button of byId("paths").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", button.dataset.path == state.path);
  }
}

function showScatter(data, state) {
  const path = data.paths[state.path];
  drawScatter(byId("scatter"), data, path, state.stop, byId("trails").checked);
  const n = path.stops[state.stop].nodes.length;
  byId("scatter").setAttribute(
    "aria-label",
    `Scatter of ${counted(data.rows.shown.length, "row")} in ${counted(n, "cluster")}`,
  );
}

function showTable(data, path, stop) {
  const { nodes, mass, confidence } = path.stops[stop];
  const rows = new Array(nodes.length).fill(0);
  const n = data.rows.numbers.length;
  let noise = 0;
  for (let i = 0; i < n; i++) {
    const label = labelAt(path, stop, i);
    if (label < 0) noise++;
    else rows[label]++;
  }
  const lines = nodes.map((node, k) => {
    const line = made("tr");
    const name = made("td", String(k));
    const swatch = made("span", "", { class: "swatch" });
    swatch.style.background = data.shades[path.colours[node]];
    name.prepend(swatch);
    const share = `${((100 * rows[k]) / n).toFixed(1)} %`;
    const cells = [rows[k].toLocaleString("en"), share, formatted(mass[k]), confidence[k].toFixed(2)];
    line.append(name, ...cells.map((cell) => made("td", cell)));
    return line;
  });
  byId("clusters").tBodies[0].replaceChildren(...lines);
  const nowhere = noise ? ` ${counted(noise, "row")} of them noise: in no cluster.` : "";
  byId("counted").textContent = whatCounts(data) + nowhere;
}

function whatCounts(data) {
  const { total, numbers, shown, allLabelled } = data.rows;
  const all = total.toLocaleString("en");
  const drawnRows = `the ${shown.length.toLocaleString("en")} rows shown`;
  const rows = allLabelled ? `all ${all} rows` : `${drawnRows} of ${all}; so does the download`;
  const sure = shown.length === total ? "" : ` (of ${drawnRows})`;
  return (
    `Rows and share count ${rows}. Mass: sum of the memberships in the fit. ` +
    `Confidence: mean membership of a cluster's own mass${sure}. Rows are numbered from 0.`
  );
}

/** Move the slider while the pointer is down in a picture. */
function followPointer(svg, current, go) {
  const follow = (event) => {
    const { left, width } = svg.getBoundingClientRect();
    go(stopAcross(current(), width, event.clientX - left));
  };
  svg.addEventListener("pointerdown", follow);
  svg.addEventListener("pointermove", (event) => event.buttons & 1 && follow(event));
}

/** Tell about the row under the pointer. */
function pointAtRows(data, state) {
  const canvas = byId("scatter");
  canvas.addEventListener("pointermove", (event) => {
    const { left, top } = canvas.getBoundingClientRect();
    const found = rowAt(canvas, data, event.clientX - left, event.clientY - top);
    if (found < 0) return;
    const path = data.paths[state.path];
    const row = data.rows.shown[found];
    const membership = membershipAt(path, state.stop, found).toFixed(2);
    const label = labelAt(path, state.stop, row);
    byId("pointed").textContent =
      `Row ${data.rows.numbers[row]}: ${label < 0 ? "noise" : `cluster ${label}`}, membership ${membership}.`;
  });
}

/** Play: a stop after the other, up to the last. */
function playOnDemand(state, current, go) {
  const button = byId("play");
  const halt = () => {
    clearInterval(state.timer);
    state.timer = 0;
    button.textContent = "Play";
    button.setAttribute("aria-pressed", "false");
  };
  button.addEventListener("click", () => {
    if (state.timer) return halt();
    if (state.stop === current().stops.length - 1) go(0);
    button.textContent = "Stop";
    button.setAttribute("aria-pressed", "true");
    state.timer = setInterval(() => {
      go(state.stop + 1);
      if (state.stop === current().stops.length - 1) halt();
    }, 200);
  });
}

/** Labels at a stop as a file of row numbers and labels. */
function download(path, data, stop) {
  const lines = ["row,label"];
  data.rows.numbers.forEach((row, i) => lines.push(`${row},${labelAt(path, stop, i)}`));
  const url = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
  const link = made("a", "", { href: url, download: `labels_${path.stops[stop].nodes.length}_clusters.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Where a browser is too old to inflate data the page says so, and stays empty. */
function giveUp(error) {
  const words = `This browser cannot show the page (${error.message}). A newer one can.`;
  byId("doubts").append(made("p", words));
  throw error;
}

readData()
  .then((data) => {
    for (const path of data.paths) path.parents = parentsOf(path);
    startPage(data);
  })
  .catch(giveUp);
