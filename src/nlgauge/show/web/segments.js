// The workspace of segments: a list that can be searched, filtered and ordered at the left, one segment at the right.
import { byId, clear, g, h, redraw, say } from "./dom.js";
import { on, set, state } from "./state.js";
import { arrow, color, isColored, nameOf, plural, tick } from "./format.js";
import { brush, svg } from "./charts.js";
import { snippet } from "./listed.js";
import { chosenSystems, isChosen, isSelected, select, selection } from "./selection.js";
import { store } from "./store.js";
import { data } from "./data.js";
import { detail } from "./detail.js";
import { bounds, scoredOutputs } from "./scored.js";
import { scaleLinear, smoothArea } from "./scales.js";

const ROW = 36;
// Rows that are drawn above and below those in view.
const SPARE = 4;
const ORDERS = { gap: "systems differ most", worst: "worst first", best: "best first", order: "as given", long: "longest text" };
const KEYS = [["j", "next"], ["k", "previous"], ["1–9", "explanation"], ["/", "find"], ["?", "all keys"]];

let order = new Uint32Array();
let viewport;
let spacer;
let rowsNode;
let countNode;
let nothing;
let mistakeNode;
let drawn = [-1, -1];

export const sorts = Object.keys(ORDERS);

export const segmentKeys = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => byId("query").focus(),
  e: () => byId("where").focus(),
  m: () => set({ whole: { text: "links", links: "matrix", matrix: "text" }[state.whole] }, "why"),
};

// The segment that is shown: the chosen one, else the first of the list.
function current() {
  return state.segment ?? order[0] ?? 0;
}

export async function segments() {
  const root = byId("segments");
  if (!scoredOutputs().length) {
    clear(root, h("div", { class: "head" }, h("h2", {}, "Segments")), h("p", { class: "caption" }, "No metric of this result scores segments one by one."));
    return;
  }
  const histogram = h("div", { class: "hist" });
  const outputs = h("select", { "aria-label": "Score", onchange: event => set({ output: Number(event.target.value), range: null }, "output") });
  const spread = () => {
    if (!isScored(state.output)) state.output = scoredOutputs()[0][1];
    clear(outputs, scoredOutputs().map(([output, number]) => h("option", { value: number, selected: number === state.output }, `${nameOf(output)} ${arrow(output)}`)));
    const picture = distribution();
    clear(histogram, picture);
    redraw(root.querySelector(".under"), tables(picture));
  };
  const show = () => detail(order, step, current());
  const again = async () => {
    spread();
    await refresh();
    reveal();
    await show();
  };
  on("output", again);
  on("systems", () => {
    root.querySelector("details.systems summary").textContent = state.systems === null ? "Systems: all" : `Systems: ${state.systems.length} of ${store.meta.systems.length}`;
  });
  on("listed", async () => {
    await refresh();
    await show();
  });
  on("segment", () => {
    rows(true);
    reveal();
    viewport.setAttribute("aria-activedescendant", `segment-${current()}`);
    show();
  });
  on("why", show);
  on("theme", show);
  on("pair", again);
  on("address", async () => {
    build(root, histogram, outputs);
    await again();
  });
  on("goto", () => root.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" }));
  addEventListener("resize", () => rows(true));
  build(root, histogram, outputs);
  await again();
}

function isScored(output) {
  return scoredOutputs().some(([, number]) => number === output);
}

function build(root, histogram, outputs) {
  countNode = h("span", { class: "count", role: "status" });
  rowsNode = h("div", { class: "window" });
  spacer = h("div", { class: "spacer" }, rowsNode);
  const jumps = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -1e9, End: 1e9 };
  const move = event => {
    if (!(event.key in jumps)) return;
    event.preventDefault();
    step(jumps[event.key]);
  };
  viewport = h("div", { class: "viewport", role: "listbox", tabindex: 0, "aria-label": "Segments", onscroll: () => rows(), onkeydown: move }, spacer);
  nothing = h("p", { class: "nothing", role: "status", hidden: true });
  const list = h("div", { class: "list" }, h("div", { class: "filters" }, h("div", { class: "line" }, query(), ordering()), where(), h("div", { class: "line" }, outputs, countNode), filters(), systems(), histogram), nothing, viewport);
  drawn = [-1, -1];
  redraw(
    root,
    h("div", { class: "head" }, h("h2", {}, "Segments"), h("p", { class: "keys" }, KEYS.map(([key, meaning]) => [h("kbd", {}, key), ` ${meaning} `]))),
    h("div", { class: "bench" }, list, h("div", { id: "detail", class: "detail" })),
    h("div", { class: "under" }),
  );
}

// The scores of the segments that are listed, and how the chosen score is spread.
function tables(picture) {
  const { systems } = store.meta;
  const columns = scoredOutputs();
  const row = (segment, system) => [store.ids[segment], systems[system], ...columns.map(([, number]) => store.score(number, system, segment))];
  const listed = { columns: ["segment", "system", ...columns.map(([output]) => nameOf(output))], rows: () => Array.from(order).flatMap(segment => systems.map((_, system) => row(segment, system))) };
  const output = store.meta.outputs[state.output];
  const [low, high] = bounds(state.output);
  const counts = systems.map((_, system) => counted(system, low, high, binsOf()));
  const bin = (_, place) => [low + (place / binsOf()) * (high - low), low + ((place + 1) / binsOf()) * (high - low), ...counts.map(of => of[place])];
  const spreadOut = { columns: ["from", "to", ...systems], rows: () => Array.from({ length: binsOf() }, bin) };
  return [
    h("div", {}, h("span", { class: "small" }, "Segments listed above, with all scores"), data("segments", listed)),
    h("div", {}, h("span", { class: "small" }, `Distribution of ${nameOf(output)}, in numbers of segments`), data(`distribution of ${nameOf(output)}`, spreadOut, { drawn: picture })),
  ];
}

function binsOf() {
  return store.meta.segments > 400 ? 60 : 24;
}

function query() {
  let waiting;
  const changed = event => {
    clearTimeout(waiting);
    waiting = setTimeout(() => set({ query: event.target.value.trim() }, "listed"), 160);
  };
  const attributes = { id: "query", type: "search", placeholder: "Find in texts and ids", "aria-label": "Find in texts and ids", autocomplete: "off", spellcheck: "false" };
  return h("input", { ...attributes, value: state.query, oninput: changed });
}

function ordering() {
  const offered = Object.keys(ORDERS).filter(id => (store.meta.systems.length > 1 || id !== "gap") && (store.lengths || id !== "long"));
  return h("select", { "aria-label": "Order", onchange: event => set({ sort: event.target.value }, "listed") }, offered.map(id => h("option", { value: id, selected: state.sort === id }, ORDERS[id])));
}

// A choice for each column of the data that has few values.
function filters() {
  const choice = (field, number) => {
    const changed = event => {
      const chosen = { ...state.filters };
      if (event.target.value === "") delete chosen[number];
      else chosen[number] = Number(event.target.value);
      set({ filters: chosen }, "listed");
    };
    const options = [h("option", { value: "" }, `${field.name}: all`), ...field.values.map((value, place) => h("option", { value: place }, `${field.name}: ${value}`))];
    options[(state.filters[number] ?? -1) + 1].selected = true;
    return h("select", { "aria-label": field.name, onchange: changed }, options);
  };
  const { fields, numbers } = store.meta;
  const [first, ...more] = numbers;
  const hint = first !== undefined && h("p", { class: "caption" }, h("b", {}, first), more.length ? ` and ${plural(more.length, "other field")} contain` : " contains", " numbers; if people gave them, show them as human scores with ", h("code", {}, `--human ${first}`), ".");
  return [fields.length > 0 && h("div", { class: "line fields" }, fields.map(choice)), hint];
}

// Which segments are selected, by an expression over scores, fields and texts.
function where() {
  let waiting;
  const changed = event => {
    clearTimeout(waiting);
    waiting = setTimeout(() => set({ where: event.target.value }, "listed"), 250);
  };
  mistakeNode = h("p", { id: "mistake", class: "mistake", role: "alert" });
  const attributes = { id: "where", type: "text", placeholder: "Only segments where …, such as bleu < 5 and words > 20", "aria-label": "Only segments where", "aria-describedby": "mistake", autocomplete: "off", spellcheck: "false" };
  return [h("input", { ...attributes, value: state.where, oninput: changed }), mistakeNode];
}

// Which systems take part in everything that the page shows.
function systems() {
  const names = store.meta.systems;
  if (names.length < 3) return null;
  const changed = event => {
    const boxes = [...event.target.closest("details").querySelectorAll("input")];
    const chosen = boxes.flatMap((box, system) => (box.checked ? [system] : []));
    if (!chosen.length) event.target.checked = true;
    else set({ systems: chosen.length === names.length ? null : chosen }, "systems");
  };
  const box = (name, system) => h("label", {}, h("input", { type: "checkbox", checked: isChosen(system), "data-key": `system ${system}`, onchange: changed }), " ", name);
  return h("details", { class: "systems" }, h("summary", {}, state.systems === null ? "Systems: all" : `Systems: ${state.systems.length} of ${names.length}`), h("div", {}, names.map(box)));
}

// Which segments are listed, and in which order.
async function refresh() {
  const { segments: count } = store.meta;
  const chosen = chosenSystems();
  const [low, high, mean] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)];
  for (let segment = 0; segment < count; segment++) {
    let [least, most, sum, known] = [Infinity, -Infinity, 0, 0];
    for (const system of chosen) {
      const score = store.score(state.output, system, segment);
      if (Number.isNaN(score)) continue;
      least = Math.min(least, score);
      most = Math.max(most, score);
      sum += score;
      known += 1;
    }
    low[segment] = least;
    high[segment] = most;
    mean[segment] = sum / known;
  }
  await select();
  const kept = Uint32Array.from({ length: count }, (_, segment) => segment).filter(isSelected);
  mistakeNode.textContent = selection.mistake ?? "";
  byId("where").setAttribute("aria-invalid", String(selection.mistake !== null));
  order = sorted(kept, { low, high, mean });
  spacer.style.height = `${order.length * ROW}px`;
  countNode.textContent = order.length === count ? plural(count, "segment") : `${order.length.toLocaleString("en")} of ${plural(count, "segment")}`;
  nothing.hidden = order.length > 0;
  nothing.textContent = order.length ? "" : state.query ? `No segment of this selection contains “${state.query}”.` : "No segment of this selection.";
  viewport.scrollTop = 0;
  rows(true);
}

function sorted(kept, { low, high, mean }) {
  if (state.sort === "order") return kept;
  const flip = store.meta.outputs[state.output].up === false ? -1 : 1;
  const keys = {
    gap: segment => high[segment] - low[segment],
    worst: segment => -mean[segment] * flip,
    best: segment => mean[segment] * flip,
    long: segment => store.lengths[store.sources ? store.sources[segment] : store.prediction(0, segment)],
  };
  // Unknown values come last.
  const values = Float64Array.from(kept, segment => {
    const value = keys[state.sort](segment);
    return Number.isNaN(value) ? -Infinity : value;
  });
  const places = Uint32Array.from(kept, (_, place) => place).sort((i, j) => (values[j] === values[i] ? kept[i] - kept[j] : values[j] - values[i]));
  return places.map(place => kept[place]);
}

// Draws the rows that are in view; the list may have a hundred thousand.
function rows(force = false) {
  const from = Math.max(0, Math.floor(viewport.scrollTop / ROW) - SPARE);
  const to = Math.min(order.length, Math.ceil((viewport.scrollTop + viewport.clientHeight) / ROW) + SPARE);
  if (!force && from === drawn[0] && to === drawn[1]) return;
  drawn = [from, to];
  const x = scaleLinear(bounds(state.output), [5, 133]);
  rowsNode.style.transform = `translateY(${from * ROW}px)`;
  clear(rowsNode, Array.from(order.subarray(from, to), (segment, place) => row(segment, from + place, x)));
}

function row(segment, place, x) {
  const chosen = segment === current();
  return h(
    "div",
    {
      class: chosen ? "seg on" : "seg",
      role: "option",
      id: `segment-${segment}`,
      "aria-selected": String(chosen),
      "aria-posinset": place + 1,
      "aria-setsize": order.length,
      onclick: () => set({ segment }, "segment"),
    },
    h("span", { class: "id" }, store.ids[segment]),
    snippet(store.headline(segment), 90),
    dots(segment, x),
  );
}

// One dot for each system, those that are compared on top.
function dots(segment, x) {
  const middle = ROW / 2;
  const all = store.meta.systems.map((_, system) => ({ system, score: store.score(state.output, system, segment) })).filter(({ system, score }) => isChosen(system) && !Number.isNaN(score));
  const scores = all.map(({ score }) => score);
  const isCompared = ({ system }) => system === state.a || system === state.b;
  all.sort((one, other) => isCompared(one) - isCompared(other));
  return g(
    "svg",
    { width: 138, height: ROW, "aria-hidden": "true" },
    g("line", { class: "rail", x1: 5, x2: 133, y1: middle, y2: middle }),
    scores.length > 1 && g("line", { class: "span", x1: x(Math.min(...scores)), x2: x(Math.max(...scores)), y1: middle, y2: middle }),
    all.map(({ system, score }) => g("circle", { class: "dot", cx: x(score), cy: middle, r: isColored(system) ? 4 : 2.2, fill: color(system) })),
  );
}

// The distribution of the score over segments, a curve for each system; a range of it can be selected.
function distribution() {
  const output = store.meta.outputs[state.output];
  const [low, high] = bounds(state.output);
  const { systems } = store.meta;
  const [width, height, foot] = [424, 74, 18];
  const bins = binsOf();
  const x = scaleLinear([low, high], [8, width - 8]);
  const hills = systems.map((_, system) => smoothed(counted(system, low, high, bins)));
  const y = scaleLinear([0, Math.max(1, ...hills.map(hill => Math.max(...hill)))], [height - foot, 4]);
  const shape = hill => smoothArea(hill.map((value, bin) => [x(low + ((bin + 0.5) / bins) * (high - low)), y(value)]), height - foot);
  const picture = svg(
    width,
    height,
    `Distribution of ${nameOf(output)}`,
    hills.map((hill, system) => isColored(system) && g("path", { class: "hill", d: shape(hill), stroke: color(system), fill: color(system) })),
    g("line", { class: "rail", x1: 8, x2: width - 8, y1: height - foot, y2: height - foot }),
    g("g", { class: "grid" }, x.ticks(6).map(value => g("text", { x: x(value), y: height - 5, "text-anchor": "middle" }, tick(value)))),
  );
  // The slider inside must be reachable, so the picture is a group and not an image.
  picture.setAttribute("role", "group");
  brush(picture, {
    left: 8,
    right: width - 8,
    top: 0,
    height: height - foot,
    range: state.range,
    position: x,
    invert: x.invert,
    changed: range => set({ range }, "listed"),
  });
  return picture;
}

function counted(system, low, high, bins) {
  const found = new Array(bins).fill(0);
  for (let segment = 0; segment < store.meta.segments; segment++) {
    const score = store.score(state.output, system, segment);
    if (!Number.isNaN(score)) found[Math.min(bins - 1, Math.floor(((score - low) / (high - low)) * bins))] += 1;
  }
  return found;
}

function smoothed(counts) {
  const last = counts.length - 1;
  return counts.map((count, bin) => (counts[Math.max(0, bin - 1)] + 2 * count + counts[Math.min(last, bin + 1)]) / 4);
}

function step(by) {
  if (!order.length) return;
  const next = Math.max(0, Math.min(order.length - 1, order.indexOf(current()) + by));
  set({ segment: order[next] }, "segment");
  say(`${store.ids[order[next]]}, ${next + 1} of ${order.length}`);
}

// Scrolls the list so that the chosen segment is in view.
function reveal() {
  const place = order.indexOf(current());
  if (place < 0) return;
  const top = place * ROW;
  if (top < viewport.scrollTop) viewport.scrollTop = top;
  else if (top + ROW > viewport.scrollTop + viewport.clientHeight) viewport.scrollTop = top + ROW - viewport.clientHeight;
}
