// Agreement of scores over all outputs of all systems, and the largest disagreements of two scores.
import { byId, g, h, redraw } from "./dom.js";
import { on, set, state } from "./state.js";
import { briefOf, color, correlation, nameOf, number, plural, swatch } from "./format.js";
import { snippet } from "./listed.js";
import { current, isChosen, isSelected, unselected } from "./selection.js";
import { svg } from "./charts.js";
import { store } from "./store.js";
import { data } from "./data.js";
import { scaleLinear } from "./scales.js";

const METHODS = { spearman: "Spearman", pearson: "Pearson", kendall: "Kendall" };
// More points than these are drawn as a sample, taken at even distances.
const POINTS = 3000;
// Disagreements that are listed.
const LISTED = 6;
const places = new Map();

export function agreement() {
  const found = store.meta.agreement;
  const root = byId("agreement");
  places.clear();
  root.hidden = found.ids.length < 2;
  if (root.hidden) return;
  const choice = ([id, name]) => h("button", { type: "button", "aria-pressed": String(state.method === id), onclick: () => set({ method: id }, "xy") }, name);
  const note = h("div", {});
  const list = h("ol", { class: "quarrel" });
  const colors = () => store.meta.systems.map((_, system) => color(system)).join();
  let worst = [];
  let painted;
  const update = () => {
    redraw(note, !store.live && unselected());
    redraw(list, worst.map(one => h("li", {}, quarrel(one))));
  };
  const draw = () => {
    const all = points();
    worst = firstOfSegments(byGap(all), LISTED);
    painted = colors();
    update();
    redraw(
      root,
      h("div", { class: "head" }, h("h2", {}, "Agreement"), h("div", { class: "choose", role: "group", "aria-label": "Coefficient" }, Object.entries(METHODS).map(choice))),
      note,
      h("div", { class: "two wide" }, h("div", {}, map(), caption()), scatter(all, list)),
    );
  };
  on("xy", draw);
  on("pair", () => painted === colors() || draw());
  on("selection", () => {
    // A report shows all segments whatever is selected: only the note and the hits of a search in the list change.
    if (!store.live && painted === colors()) {
      update();
      return;
    }
    places.clear();
    draw();
  });
  on("address", draw);
  draw();
}

function caption() {
  return h("div", { class: "caption" }, "Correlation over all outputs of all systems, pooled, scores oriented so that higher is better, ordered so that similar scores are neighbors. ", rated() && ["Scores in ", h("i", {}, "italics"), " are of people. "], "Scores that always agree add no evidence to each other.", folded());
}

function rated() {
  return store.meta.outputs.some(output => output.people);
}

// Outputs that are the same everywhere appear once.
function folded() {
  const { outputs } = store.meta;
  const found = current("agreement");
  const pairs = Object.entries(found.same).map(([one, other]) => `${nameOf(outputs[one])} equals ${nameOf(outputs[other])}`);
  return pairs.length > 0 && h("details", {}, h("summary", {}, `Shown once: ${plural(pairs.length, "score")}`), pairs.join(", "), " on every segment.");
}

// The two metrics that agree least: there is most to see.
export function leastAgreeing() {
  const { outputs, agreement: found } = store.meta;
  if (found.ids.length < 2) return [0, 1];
  let worst = [2, found.ids[0], found.ids[1]];
  found.ids.forEach((one, i) => {
    for (let j = 0; j < i; j++) {
      const [ours, theirs] = [outputs[one], outputs[found.ids[j]]];
      const value = found.spearman[i][j];
      const meant = !ours.people && !theirs.people && ours.up !== null && theirs.up !== null && ours.label !== theirs.label;
      if (meant && value !== null && value < worst[0]) worst = [value, found.ids[j], one];
    }
  });
  return worst.slice(1);
}

// The tree next to the map: similar scores are joined.
function tree(found, size, top, depth) {
  const count = found.ids.length;
  const leaf = new Map(found.order.map((number_, place) => [number_, top + place * size + size / 2]));
  const deepest = Math.max(...found.tree.map(([, , distance]) => distance), 0.01);
  const x = distance => depth - 4 - (distance / deepest) * (depth - 8);
  const joins = new Map();
  const node = number_ => (number_ < count ? [x(0), leaf.get(number_)] : joins.get(number_));
  const lines = found.tree.map(([one, other, distance], place) => {
    const [[xa, ya], [xb, yb]] = [node(one), node(other)];
    joins.set(count + place, [x(distance), (ya + yb) / 2]);
    return `M${xa},${ya}H${x(distance)}V${yb}H${xb}`;
  });
  return g("path", { class: "tree", d: lines.join("") });
}

function map() {
  const { outputs } = store.meta;
  const found = current("agreement");
  const matrix = found[state.method];
  const count = found.ids.length;
  const [left, top, foot, depth] = [196, 8, 104, 56];
  const size = Math.max(16, Math.min(34, Math.floor(520 / count)));
  const picture = svg(left + size * count + 10, top + size * count + foot, "Agreement of every two scores", tree(found, size, top, depth));
  const at = place => found.ids[found.order[place]];
  found.order.forEach((one, row) => {
    const output = outputs[at(row)];
    const style = output.people ? " human" : "";
    const middle = top + row * size + size / 2;
    picture.append(g("text", { class: `row${style}`, x: left - 8, y: middle + 4, "text-anchor": "end", tip: output.label }, briefOf(output) + (output.up === false ? " ↓" : "")));
    for (let column = 0; column < row; column++) {
      const value = matrix[one][found.order[column]];
      picture.append(cell(value, at(row), at(column), left + column * size, top + row * size, size));
    }
    picture.append(g("rect", { class: "self", x: left + row * size + 0.5, y: top + row * size + 0.5, width: size - 1, height: size - 1 }));
    const slanted = `translate(${left + row * size + size / 2 + 4},${top + count * size + 10}) rotate(-48)`;
    picture.append(g("text", { class: `col${style}`, transform: slanted, "text-anchor": "end", tip: output.label }, briefOf(output)));
  });
  const named = place => nameOf(outputs[at(place)]);
  const rows = () => found.order.map((one, row) => [named(row), ...found.order.map(other => (matrix[one][other] === null ? null : { value: matrix[one][other], text: correlation(matrix[one][other]) }))]);
  const table = { columns: [METHODS[state.method], ...found.order.map((_, place) => named(place))], rows };
  return h("figure", { class: "map" }, picture, data("agreement", table, { drawn: picture }));
}

function cell(value, row, column, x, y, size) {
  const { outputs } = store.meta;
  const chosen = (row === state.x && column === state.y) || (row === state.y && column === state.x);
  const strength = Math.min(1, Math.abs(value ?? 0));
  return g(
    "g",
    {
      class: chosen ? "cell chosen" : "cell",
      tip: `${nameOf(outputs[row])} and ${nameOf(outputs[column])}\n${METHODS[state.method]} ${correlation(value)}`,
      onclick: () => set({ x: column, y: row }, "xy"),
    },
    g("rect", { class: value < 0 ? "neg" : "pos", x: x + 0.5, y: y + 0.5, width: size - 1, height: size - 1, rx: 2, "fill-opacity": strength.toFixed(2) }),
    size >= 24 && g("text", { class: strength > 0.62 ? "in" : "out", x: x + size / 2, y: y + size / 2 + 3.5, "text-anchor": "middle" }, value === null ? "" : correlation(value)),
  );
}

// The rank of every output of a system among all, from 0, the worst, to 1; NaN without a score.
function percentiles(number_) {
  if (places.has(number_)) return places.get(number_);
  const { systems, segments, outputs } = store.meta;
  const size = systems.length * segments;
  const start = outputs[number_].column * size;
  const values = store.scores.subarray(start, start + size);
  const flip = outputs[number_].up === false ? -1 : 1;
  const known = Uint32Array.from({ length: size }, (_, i) => i).filter(i => !Number.isNaN(values[i]) && (!store.live || (isSelected(i % segments) && isChosen(Math.floor(i / segments)))));
  known.sort((i, j) => (values[i] - values[j]) * flip);
  const found = new Float32Array(size).fill(NaN);
  for (let from = 0; from < known.length; ) {
    let to = from;
    while (to + 1 < known.length && values[known[to + 1]] === values[known[from]]) to += 1;
    for (let place = from; place <= to; place++) found[known[place]] = known.length > 1 ? (from + to) / 2 / (known.length - 1) : 0.5;
    from = to + 1;
  }
  places.set(number_, found);
  return found;
}

function points() {
  const [xs, ys] = [percentiles(state.x), percentiles(state.y)];
  const { segments } = store.meta;
  const found = [];
  for (let i = 0; i < xs.length; i++) {
    if (!Number.isNaN(xs[i]) && !Number.isNaN(ys[i])) found.push({ x: xs[i], y: ys[i], gap: xs[i] - ys[i], system: Math.floor(i / segments), segment: i % segments });
  }
  return found;
}

// Which score is on an axis of the scatter: the cells of the map choose two at once, but need a pointer.
function picker(which, label) {
  const { outputs } = store.meta;
  const found = current("agreement");
  const options = found.ids.map(number_ => h("option", { value: number_, selected: state[which] === number_ }, nameOf(outputs[number_])));
  return h("select", { "aria-label": label, onchange: event => set({ [which]: Number(event.target.value) }, "xy") }, options);
}

function byGap(all) {
  return [...all].sort((one, other) => Math.abs(other.gap) - Math.abs(one.gap));
}

function scatter(all, list) {
  const { outputs, systems } = store.meta;
  const [first, second] = [outputs[state.x], outputs[state.y]];
  const [width, height, left, foot] = [620, 430, 46, 40];
  const x = scaleLinear([0, 1], [left, width - 8]);
  const y = scaleLinear([0, 1], [height - foot, 8]);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(share => [
    g("text", { x: x(share), y: height - foot + 16, "text-anchor": "middle" }, String(100 * share)),
    g("text", { x: left - 8, y: y(share) + 4, "text-anchor": "end" }, String(100 * share)),
  ]);
  const every = Math.ceil(all.length / POINTS);
  const dot = one =>
    g("circle", {
      cx: x(one.x),
      cy: y(one.y),
      r: all.length > 600 ? 2 : 3.6,
      fill: color(one.system),
      "fill-opacity": (0.3 + 0.65 * Math.min(1, Math.abs(one.gap) * 1.6)).toFixed(2),
      tip: `${systems[one.system]}, ${store.ids[one.segment]}\n${nameOf(first)} ${number(store.score(state.x, one.system, one.segment), first)}, ${nameOf(second)} ${number(store.score(state.y, one.system, one.segment), second)}`,
      onclick: () => set({ segment: one.segment, system: one.system }, "segment", "goto"),
    });
  const picture = svg(
    width,
    height,
    `Every output by its percentile on ${nameOf(first)} and on ${nameOf(second)}`,
    g("path", { class: "corner", d: `M${x(0.5)},${y(0)}L${x(1)},${y(0)}L${x(1)},${y(0.5)}Z` }),
    g("path", { class: "corner", d: `M${x(0)},${y(0.5)}L${x(0)},${y(1)}L${x(0.5)},${y(1)}Z` }),
    g("line", { class: "zero", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
    g("g", { class: "grid" }, grid),
    g("text", { class: "title", x: x(0.5), y: height - 4, "text-anchor": "middle" }, `percentile on ${nameOf(first)}, % →`),
    g("text", { class: "title", transform: `translate(12,${y(0.5)}) rotate(-90)`, "text-anchor": "middle" }, `percentile on ${nameOf(second)}, % →`),
    g("g", { class: "points" }, all.filter((_, place) => place % every === 0).map(dot)),
    g("text", { class: "corner-text", x: x(0.985), y: y(0.03), "text-anchor": "end" }, `${nameOf(first)} likes, ${nameOf(second)} does not`),
    g("text", { class: "corner-text", x: x(0.015), y: y(0.955) }, `${nameOf(second)} likes, ${nameOf(first)} does not`),
  );
  const row = one => [store.ids[one.segment], systems[one.system], store.score(state.x, one.system, one.segment), store.score(state.y, one.system, one.segment), 100 * one.x, 100 * one.y];
  const table = { columns: ["segment", "system", nameOf(first), nameOf(second), `percentile on ${nameOf(first)}, %`, `percentile on ${nameOf(second)}, %`], rows: () => byGap(all).map(row) };
  return h(
    "figure",
    {},
    h("figcaption", {}, h("b", {}, `${nameOf(first)} and ${nameOf(second)}`), ": every output of every system by its percentile on both. Off the diagonal, the two disagree.", every > 1 && ` One of ${every} points is drawn.`),
    h("div", { class: "duel" }, picker("x", "Score across"), h("span", { class: "vs" }, "against"), picker("y", "Score upwards")),
    picture,
    h("h3", {}, "Largest disagreements"),
    list,
    data(`${nameOf(first)} and ${nameOf(second)}`, table, { drawn: picture }),
  );
}

// The first points of different segments.
function firstOfSegments(list, count) {
  const chosen = new Map();
  for (const one of list) {
    if (chosen.size === count) break;
    if (!chosen.has(one.segment)) chosen.set(one.segment, one);
  }
  return [...chosen.values()];
}

function quarrel(one) {
  const [first, second] = [state.x, state.y].map(number_ => store.meta.outputs[number_]);
  const liked = one.gap > 0 ? first : second;
  const label = store.meta.labels.includes(liked.label) ? liked.label : state.label;
  return h(
    "button",
    { type: "button", class: "plain", onclick: () => set({ segment: one.segment, system: one.system, label }, "segment", "goto") },
    swatch(one.system),
    h("span", { class: "id" }, store.ids[one.segment]),
    h("span", { class: "name" }, store.meta.systems[one.system]),
    h(
      "span",
      { class: "gap" },
      `${nameOf(first)} ${Math.round(100 * one.x)}%`,
      h("span", { class: "dumb", vars: { "--u": Math.min(one.x, one.y), "--w": Math.abs(one.gap) }, "aria-hidden": "true" }),
      `${nameOf(second)} ${Math.round(100 * one.y)}%`,
    ),
    store.lengths && snippet(store.prediction(one.system, one.segment), 120),
  );
}
