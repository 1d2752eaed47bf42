// Two runs: what changed between the old and the new run, in words, on every score, on slices and on segments.
import { byId, g, h, redraw } from "./dom.js";
import { on, set, state } from "./state.js";
import { arrow, number, pValue, plural, swatch } from "./format.js";
import { snippet } from "./listed.js";
import { svg } from "./charts.js";
import { store } from "./store.js";
import { data } from "./data.js";
import { difference } from "./words.js";
import { scaleLinear } from "./scales.js";

const SHOWN = 5;
const FORMS = { both: "differences", old: "old", new: "new" };

export function runs() {
  const root = byId("runs");
  const found = store.meta.runs;
  root.hidden = !found;
  document.querySelector("nav a[href='#runs']").hidden = !found;
  if (!found) return;
  const draw = () => {
    const { names, sentences, rows, slices, confidence } = found;
    const sure = slices.filter(one => one.sure);
    const rest = slices.filter(one => !one.sure);
    redraw(
      root,
      h("div", { class: "head" }, h("h2", {}, "Runs"), h("p", { class: "small" }, names[0], " against ", names[1])),
      h("p", { class: "verdict", id: "runs-verdict" }, sentences.slice(0, 1)),
      sentences.length > 1 && h("p", { class: "lede" }, sentences.slice(1).join(" ")),
      h("div", { class: "forest" }, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scores of both runs" }, table(rows, rows)), data("runs", tableOf(rows))),
      movers(found),
      sure.length > 0 && [h("h3", {}, "Slices with a significant difference"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Slices with a significant difference" }, table(sure, slices))],
      rest.length > 0 && h("details", {}, h("summary", {}, `${plural(rest.length, "other slice")} without a significant difference`), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Other slices" }, table(rest, slices))),
      slices.length > 0 && data("slices of runs", tableOf(slices)),
      found.differences.map(listed),
      h("p", { class: "caption" }, `Gain: improvement of the new run on the segments of both runs, with its ${100 * confidence}% interval; a filled dot is significant by p (Holm). p by paired randomization; Holm for all systems and scores together, and for all slices of a score. `, found.caution && `Caution: ${found.caution}.`),
    );
  };
  on("pair", draw);
  on("output", draw);
  on("address", draw);
  draw();
}

function pairName(row) {
  return store.meta.runs.pairs[row.pair].name;
}

// The output of the page that a row or a column is about; -1 if the page has none.
function placeOf(label, name) {
  return store.meta.outputs.findIndex(output => output.label === label && (output.people || output.output === name));
}

function table(rows, family) {
  const several = store.meta.runs.pairs.length > 1;
  const sliced = rows[0].field !== undefined;
  const head = [several && "system", sliced && "slice", "score", "old", "new", "", "gain", "p", "p (Holm)"].filter(name => name !== false);
  const line = row => {
    const output = placeOf(row.label, row.output);
    const can = output >= 0 && store.meta.outputs[output].column !== null;
    const name = [row.name, h("span", { class: "dir" }, arrow(row))];
    const { system } = store.meta.runs.pairs[row.pair];
    const choose = () => set({ output, system, range: null }, "output");
    return h(
      "tr",
      { class: row.sure ? "sure" : "unsure" },
      several && h("th", { scope: "row" }, swatch(system), pairName(row)),
      sliced && h("th", { scope: "row" }, `${row.field} = ${row.value}`, h("small", {}, ` ${plural(row.segments, "segment")}`)),
      h("th", { scope: "row" }, sliced || !can ? name : h("button", { type: "button", class: row.people ? "plain human" : "plain", "data-key": `run ${row.pair} ${row.name}`, "aria-pressed": String(output === state.output && system === state.system), tip: row.label, onclick: choose }, name)),
      [row.old, row.new].map(value => h("td", { class: "num" }, number(value, row))),
      h("td", {}, interval(row, family)),
      h("td", { class: "num" }, number(row.gain, row, true)),
      [row.p, row.p_holm].map(p => h("td", { class: "num pv", tip: p === null ? `No test\n${row.reason}` : null }, pValue(p))),
    );
  };
  return h("table", { class: "runs" }, h("thead", {}, h("tr", {}, head.map((name, place) => (name ? h("th", { scope: "col", class: place > head.length - 7 ? "num" : null }, name) : h("td"))))), h("tbody", {}, rows.map(line)));
}

// The gain with its interval, on one scale for all rows of a score.
function interval(row, family) {
  if (row.gain === null) return null;
  const width = 130;
  const alike = family.filter(other => other.label === row.label && other.output === row.output);
  const most = Math.max(1e-9, ...alike.flatMap(other => [other.gain, other.low, other.high]).filter(value => value !== null).map(Math.abs)) * 1.08;
  const x = scaleLinear([-most, most], [4, width - 4]);
  const tone = row.up === null ? "var(--ink-3)" : row.gain < 0 ? "var(--bad)" : "var(--accent)";
  return svg(
    width,
    20,
    `${row.name}: gain ${number(row.gain, row, true)}`,
    g("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: 20 }),
    row.low !== null && g("line", { class: "whisker", x1: x(row.low), x2: x(row.high), y1: 10, y2: 10, stroke: tone }),
    g("circle", { class: row.sure ? "dot" : "hollow", cx: x(row.gain), cy: 10, r: 4, fill: tone, stroke: tone }),
  );
}

function tableOf(rows) {
  const sliced = rows[0]?.field !== undefined;
  const columns = ["system", ...(sliced ? ["column", "value", "segments"] : []), "score of", "old", "new", "gain", "low", "high", "p", "p (Holm)"];
  const shown = (value, row, sign) => ({ value, text: number(value, row, sign) });
  const line = row => [
    pairName(row),
    ...(sliced ? [row.field, row.value, row.segments] : []),
    row.name,
    ...[row.old, row.new].map(value => shown(value, row)),
    ...[row.gain, row.low, row.high].map(value => shown(value, row, true)),
    ...[row.p, row.p_holm].map(value => ({ value, text: pValue(value) })),
  ];
  return { columns, rows: () => rows.map(line) };
}

// The segments that lost and gained most on the chosen score.
function movers(found) {
  const output = store.meta.outputs[state.output];
  const column = found.columns.findIndex(([label, name]) => output.label === label && (output.people || output.output === name));
  const pair = Math.max(0, found.pairs.findIndex(one => one.system === state.system));
  if (column < 0) return h("p", { class: "caption" }, `${output.name} has no scores of segments in both runs.`);
  const flip = output.up === false ? -1 : 1;
  const { system } = found.pairs[pair];
  const list = store.ids
    .map((_, segment) => ({ segment, old: store.oldScore(column, pair, segment), now: store.score(state.output, system, segment) }))
    .map(one => ({ ...one, gain: (one.now - one.old) * flip }))
    .filter(one => !Number.isNaN(one.gain) && number(one.old, output) !== number(one.now, output))
    .sort((one, other) => other.gain - one.gain);
  const item = ({ segment, old, now }) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "plain", "data-key": `moved ${segment}`, onclick: () => set({ segment, system }, "segment", "goto") },
        h("span", { class: "num delta" }, `${number(old, output)} → ${number(now, output)}`),
        h("span", { class: "id" }, store.ids[segment]),
        snippet(store.headline(segment), 70),
      ),
    );
  const part = (name, items) => h("div", {}, h("h3", {}, name), items.length ? h("ol", { class: "quarrel" }, items.map(item)) : h("p", { class: "small" }, "none"));
  const better = list.filter(({ gain }) => gain > 0);
  const worse = list.filter(({ gain }) => gain < 0).reverse();
  return h(
    "div",
    {},
    h("p", { class: "small" }, h("b", {}, output.name), found.pairs.length > 1 ? ` of ${found.pairs[pair].name}` : "", `: ${plural(better.length, "segment")} better, ${worse.length.toLocaleString("en")} worse, ${(found.compared - list.length).toLocaleString("en")} as before.`),
    h("div", { class: "makers" }, part("Lost most", worse.slice(0, SHOWN)), part("Gained most", better.slice(0, SHOWN))),
  );
}

function listed({ what, count, items }) {
  return h(
    "details",
    { class: "differs" },
    h("summary", {}, `${what}: ${count.toLocaleString("en")}`),
    h("ul", {}, items.map(item => h("li", {}, item))),
    count > items.length && h("p", { class: "small" }, `and ${(count - items.length).toLocaleString("en")} more`),
  );
}

// The text of a system in the old run, against its text in the new run; null without an old run.
export function oldText(system, segment, text, old) {
  const found = store.meta.runs;
  const pair = found?.pairs.findIndex(one => one.system === system) ?? -1;
  if (pair < 0 || !found.texts || text === null) return null;
  const name = found.names[1];
  if (!(pair in (old ?? {}))) return h("p", { class: "small" }, store.isCompared(segment) ? `The same text as in ${name}.` : `Not compared with ${name}.`);
  const pieces = difference(old[pair], text);
  const form = pieces === null && state.run === "both" ? "old" : state.run;
  const choice = ([id, label]) => h("button", { type: "button", "data-key": `form of runs ${system} ${id}`, "aria-pressed": String(form === id), disabled: id === "both" && pieces === null, onclick: () => set({ run: id }, "why") }, label);
  const shown = { old: () => old[pair], new: () => text, both: () => pieces.map(([kind, piece]) => (kind === "equal" ? piece : h(kind === "delete" ? "del" : "ins", {}, piece))) };
  return h(
    "div",
    { class: "rundiff" },
    h("div", { class: "choose", role: "group", "aria-label": `Text of the old and the new run, ${store.meta.systems[system]}` }, Object.entries(FORMS).map(choice), h("span", { class: "small" }, ` since ${name}`)),
    pieces === null && h("p", { class: "small" }, "The texts are too long to compare word by word."),
    h("p", { class: "text", dir: "auto" }, shown[form]()),
  );
}
