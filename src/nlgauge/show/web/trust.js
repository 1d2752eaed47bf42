// Which metric to trust here: the agreement of each metric with the human scores of this result, and the outputs on which it differs most from people.
import { byId, g, h, redraw } from "./dom.js";
import { on, set, state } from "./state.js";
import { number, plural, swatch } from "./format.js";
import { snippet } from "./listed.js";
import { isChosen, isSelected, serverQuery, unselected } from "./selection.js";
import { svg } from "./charts.js";
import { spanScores } from "./marks.js";
import { store } from "./store.js";
import { data } from "./data.js";
import { scaleLinear } from "./scales.js";

// Outputs of the list of disagreements.
const MOST = 8;
// Systems from which on the outputs of one input have ranks.
const RANKED = 3;
let turn = 0;
// The strongest disagreements of a report, by metric and dimension.
const known = new Map();

export function trust() {
  const root = byId("trust");
  root.hidden = !store.meta.trust && !store.meta.spans?.scores;
  document.querySelector("nav a[href='#trust']").hidden = root.hidden;
  if (root.hidden) return;
  ["trust", "output", "address", "selection"].forEach(event => on(event, draw));
  draw();
}

async function draw() {
  turn += 1;
  const mine = turn;
  const spans = store.meta.spans?.scores ? await answer(() => store.spanScores(serverQuery())) : {};
  const own = store.meta.trust ? await agreement() : { head: [h("h2", {}, "Which metric to trust here")] };
  // The reader may have chosen something else since.
  if (mine !== turn) return;
  redraw(byId("trust"), h("div", { class: "head" }, own.head), !store.live && unselected(), own.shown, spans.found && spanScores(spans.found), failure("Error spans", spans.failed));
}

// What a promise gives as `found`, or why it gives nothing as `failed`.
async function answer(asked) {
  try {
    return { found: await asked() };
  } catch (error) {
    return { failed: error.message };
  }
}

function failure(title, message) {
  return message && [h("h3", {}, title), h("p", { class: "caption" }, message)];
}

// The heading with its choices, and the agreement of metrics with human scores.
async function agreement() {
  const { levels, dimensions } = store.meta.trust;
  const level = levels.find(({ id }) => id === state.level) ?? levels[0];
  const dimension = dimensions.find(({ name }) => name === state.dimension) ?? dimensions[0];
  const { found, failed } = await answer(() => store.trust(level.id, dimension.name, store.live ? serverQuery() : {}));
  return {
    head: [h("h2", {}, "Which metric to trust here"), choice("Level", "level", levels.map(({ id, title }) => [id, title]), level.id), choice("Human score", "dimension", dimensions.map(({ name }) => [name, name]), dimension.name)],
    shown: found ? shown(found, level, dimension) : h("p", { class: "caption" }, failed),
  };
}

function choice(label, name, options, chosen) {
  const button = ([id, title]) => h("button", { type: "button", "aria-pressed": String(id === chosen), "data-key": `trust ${name} ${id}`, onclick: () => set({ [name]: id }, "trust") }, title);
  return options.length > 1 && h("div", { class: "choose", role: "group", "aria-label": label }, options.map(button));
}

function shown(found, level, dimension) {
  const chosen = chosenRow(found);
  const quarrels = chosen ? quarrelsOf(chosen.number, dimension) : [];
  return [
    h("p", { class: "answer", id: "trusted" }, found.sentence),
    h("div", { class: "two" }, h("div", {}, forest(found, level, chosen), caption(found, dimension), data(`agreement with ${dimension.name}`, numbers(found, level))), quarrels.length > 0 && list(quarrels, chosen.number, dimension)),
  ];
}

// The output of a metric in the table, which is the first of its label.
function outputOf(row) {
  return store.meta.outputs.findIndex(output => output.label === row.label);
}

// The metric that the page shows, if it is in the table, else the metric with the best agreement.
function chosenRow(found) {
  const rows = found.rows.filter(row => row.metric).map(row => ({ ...row, number: outputOf(row) })).filter(row => row.number >= 0);
  return rows.find(row => row.number === state.output) ?? rows[0];
}

function forest(found, level, chosen) {
  const width = 240;
  const known = found.rows.flatMap(row => [row.value, row.low, row.high]).concat(found.ceiling, 0).filter(value => value !== null);
  const x = scaleLinear([Math.min(...known) - 0.02, Math.max(...known) + 0.02], [4, width - 4]);
  const row = one => {
    const at = one.metric ? outputOf(one) : -1;
    const interval = one.low === null ? one.reason || "no interval" : `${store.meta.test.confidence * 100}% interval ${two(one.low)} to ${two(one.high)}`;
    return h(
      "tr",
      { class: [one.metric ? "metric" : "sentinel", chosen && at === chosen.number && "on"].filter(Boolean).join(" ") },
      h("th", { scope: "row" }, at < 0 ? one.name : h("button", { type: "button", class: "plain", "data-key": `trust ${one.label}`, "aria-pressed": String(at === chosen.number), onclick: () => set({ output: at, range: null }, "output") }, one.name), one.below.length > 0 && h("small", { class: "remark" }, `no better than ${one.below[0]}`)),
      h(
        "td",
        { tip: `${one.name}\n${level.symbol} ${two(one.value)}, ${interval}` },
        one.value !== null && svg(
          width,
          22,
          `${one.name}: ${level.symbol} ${two(one.value)}, ${interval}`,
          g("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: 22 }),
          found.ceiling !== null && g("line", { class: "ceiling", x1: x(found.ceiling), x2: x(found.ceiling), y1: 0, y2: 22 }),
          g("line", { class: "rail", x1: 0, x2: width, y1: 11, y2: 11 }),
          one.low !== null && g("line", { class: "whisker", x1: x(one.low), x2: x(one.high), y1: 11, y2: 11, stroke: one.metric ? "var(--accent)" : "var(--ink-4)" }),
          g("circle", { class: "dot", cx: x(one.value), cy: 11, r: 4, fill: one.metric ? "var(--accent)" : "var(--ink-4)" }),
        ),
      ),
      h("td", { class: "num" }, two(one.value), h("sup", {}, one.letters ?? "")),
      h("td", { class: "num small" }, one.low === null ? "" : `${two(one.low)} to ${two(one.high)}`),
    );
  };
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Agreement of metrics with people" }, h("table", { class: "trust" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "metric"), h("td"), h("th", { scope: "col", class: "num" }, level.symbol), h("th", { scope: "col", class: "num" }, "interval"))), h("tbody", {}, found.rows.map(row))));
}

function caption(found, dimension) {
  const several = dimension.labels.length > 1;
  return h(
    "p",
    { class: "caption" },
    `Agreement with ${several ? "the mean of the human scores, each standardized" : dimension.name}; intervals over ${found.over} (${plural(found.draws, "resample")}). Metrics that share a letter do not differ significantly. In gray: scores that do not measure quality. `,
    found.ceiling !== null && `Dashed line: the agreement of one person with the mean of the others (${two(found.ceiling)}). `,
    "Choose a metric to list its strongest disagreements. ",
    found.notes.map(note => `${note} `),
  );
}

function numbers(found, level) {
  return {
    columns: ["score of", "kind", level.symbol, "low", "high", "letters", "no better than"],
    rows: () => found.rows.map(row => [row.name, row.metric ? "metric" : "sentinel", row.value, row.low, row.high, row.letters ?? "", row.below.join(", ")]),
  };
}

function two(value) {
  return value === null ? "n/a" : value.toFixed(2).replace("-", "−");
}

// The strongest disagreements; in a report they are always those of all segments.
function quarrelsOf(metric, dimension) {
  const key = `${metric} ${dimension.name}`;
  if (store.live || !known.has(key)) known.set(key, strongest(metric, dimension));
  return known.get(key);
}

// The outputs whose ranks by a metric and by people differ most, one of each segment: ranks among the outputs of one input, or among all of few systems.
function strongest(metric, dimension) {
  const { systems, segments } = store.meta;
  const people = humanScores(dimension);
  const theirs = Float64Array.from({ length: people.length }, (_, i) => oriented(metric, Math.floor(i / segments), i % segments));
  const all = [theirs, people].map(values => percentiles(values, Array.from(values.keys())));
  const found = [];
  for (let segment = 0; segment < segments; segment++) {
    const places = systems.map((_, system) => system * segments + segment).filter(i => !Number.isNaN(theirs[i]) && !Number.isNaN(people[i]) && (!store.live || isChosen(Math.floor(i / segments))));
    if (store.live && !isSelected(segment)) continue;
    if (systems.length >= RANKED && places.length < 2) continue;
    const [ours, others] = systems.length < RANKED ? all : [theirs, people].map(values => percentiles(values, places));
    const gap = i => [ours[i] - others[i], all[0][i] - all[1][i]];
    const order = places.map(i => ({ i, segment, gap: gap(i) })).sort(byGap);
    if (order.length) found.push(order[0]);
  }
  return found.sort(byGap).slice(0, MOST).filter(one => Math.abs(one.gap[0]) > 0);
}

// The largest differences first; of equal ones those that are also large among all outputs.
function byGap(one, other) {
  return Math.abs(other.gap[0]) - Math.abs(one.gap[0]) || Math.abs(other.gap[1]) - Math.abs(one.gap[1]) || one.i - other.i;
}

function oriented(output, system, segment) {
  return store.score(output, system, segment) * (store.meta.outputs[output].up === false ? -1 : 1);
}

// The human scores of every output: of one dimension, or the mean of standardized scores.
function humanScores({ labels }) {
  const { systems, segments, outputs } = store.meta;
  const size = systems.length * segments;
  const columns = labels.map(label => {
    const output = outputs.findIndex(one => one.label === label);
    const values = Float64Array.from({ length: size }, (_, i) => oriented(output, Math.floor(i / segments), i % segments));
    return labels.length > 1 ? standardized(values) : values;
  });
  return Float64Array.from({ length: size }, (_, i) => {
    const known = columns.map(values => values[i]).filter(value => !Number.isNaN(value));
    return known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}

function standardized(values) {
  const known = values.filter(value => !Number.isNaN(value));
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const spread = Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / known.length) || 1;
  return values.map(value => (value - mean) / spread);
}

// The place of each of some values among them, from 0, the worst, to 1; equal values share the mean of their places.
function percentiles(values, places) {
  const found = {};
  const known = places.filter(i => !Number.isNaN(values[i])).sort((i, j) => values[i] - values[j]);
  for (let from = 0; from < known.length; ) {
    let to = from;
    while (to + 1 < known.length && values[known[to + 1]] === values[known[from]]) to += 1;
    for (let place = from; place <= to; place++) found[known[place]] = known.length > 1 ? (from + to) / 2 / (known.length - 1) : 0.5;
    from = to + 1;
  }
  return found;
}

function list(quarrels, metric, dimension) {
  const { systems, segments, outputs, labels } = store.meta;
  const output = outputs[metric];
  const people = dimension.labels.map(label => outputs.findIndex(one => one.label === label));
  const row = ({ i, segment, gap }) => {
    const system = Math.floor(i / segments);
    const human = people.map(place => `${people.length > 1 ? `${outputs[place].name} ` : ""}${number(store.score(place, system, segment), outputs[place])}`).join(", ");
    const open = () => set({ segment, system, output: metric, ...(labels.includes(output.label) ? { label: output.label } : {}) }, "segment", "goto");
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "plain", "data-key": `trust ${i}`, onclick: open },
        swatch(system),
        h("span", { class: "id" }, store.ids[segment]),
        h("span", { class: "name" }, systems[system]),
        h("span", { class: "gap" }, gap[0] > 0 ? "metric higher" : "people higher", `: ${output.name} ${number(store.score(metric, system, segment), output)}, people ${human}`),
        store.lengths && snippet(store.prediction(system, segment), 120),
      ),
    );
  };
  const ranks = systems.length < RANKED ? "all outputs" : "the outputs of one input";
  return h("div", {}, h("h3", {}, `Strongest disagreements of ${output.name}`), h("p", { class: "caption" }, `By the difference of ranks among ${ranks}; one output per segment, ${plural(quarrels.length, "segment")}.`), h("ol", { class: "quarrel" }, quarrels.map(row)));
}
