// The selection of the whole page: which segments and which systems, and the numbers of every output on them. Search, filters, range, expression and chosen systems make it; the report computes from its sums, the explorer asks its server.
import { byId, h, redraw, say } from "./dom.js";
import { on, set, state, tell } from "./state.js";
import { plural } from "./format.js";
import { met, parse, readsTexts } from "./selecting.js";
import { recomputed } from "./resample.js";
import { found as searched } from "./search.js";
import { store } from "./store.js";

export const selection = {
  // 1 for each selected segment; null: all.
  mask: null,
  count: 0,
  // The numbers on the selection; null: those of all segments.
  view: null,
  mistake: null,
};
let seen = "";
let turn = 0;

export function isSelected(segment) {
  return selection.mask === null || selection.mask[segment] === 1;
}

export function chosenSystems() {
  return state.systems ?? store.meta.systems.map((_, system) => system);
}

export function isChosen(system) {
  return state.systems === null || state.systems.includes(system);
}

// An output with its numbers on the selection.
export function shown(number) {
  return selection.view?.outputs[number] ?? store.meta.outputs[number];
}

// Something else that differs between the selection and all segments, such as the order of the systems.
export function current(name) {
  return selection.view?.[name] ?? store.meta[name];
}

// True if only some segments or systems are selected.
export function isActive() {
  return selection.mask !== null || state.systems !== null;
}

export function startSelection() {
  selection.count = store.meta.segments;
  on("systems", () => tell("listed"));
  on("selection", bar);
}

// Finds the selected segments, and their numbers if they are others than before.
export async function select() {
  const mine = ++turn;
  const mask = await maskOf();
  if (mine !== turn) return;
  const count = mask.reduce((sum, one) => sum + one, 0);
  selection.mask = count === store.meta.segments ? null : mask;
  selection.count = count;
  withinSystems();
  const key = `${state.systems?.join() ?? "all"} ${selection.mask === null ? "all" : selection.mask.join("")}`;
  if (key === seen) return;
  seen = key;
  numbers(mine, mask, key).catch(error => {
    if (seen === key) failed(error);
  });
}

async function numbers(mine, mask, key) {
  selection.view = null;
  if (!isActive()) {
    await tell("selection");
    return;
  }
  const steps = store.live ? asked() : recomputed(mask, chosenSystems());
  for await (const view of steps) {
    if (seen !== key) return;
    selection.view = view;
    await tell("selection");
  }
}

function failed(error) {
  selection.mistake ??= error.message;
  tell("selection");
}

// The server's numbers, which it gives for the selected systems alone, at their places among all systems.
async function* asked() {
  yield { ...pending(), ready: false };
  const answer = await store.ask("view", serverQuery());
  const systems = chosenSystems();
  const { systems: names } = store.meta;
  const spread = (values, nothing = null) => {
    const wide = names.map(() => nothing);
    values?.forEach((value, place) => { wide[systems[place]] = value; });
    return wide;
  };
  const place = (i, j, count) => (i * (2 * count - i - 1)) / 2 + j - i - 1;
  const pairs = values => {
    const wide = new Array((names.length * (names.length - 1)) / 2).fill(null);
    systems.forEach((one, i) => systems.slice(i + 1).forEach((other, k) => { wide[place(one, other, names.length)] = values[place(i, i + 1 + k, systems.length)]; }));
    return wide;
  };
  const outputs = answer.outputs.map((output, number) => ({
    ...store.meta.outputs[number],
    ...Object.fromEntries(["scores", "low", "high", "letters", "ranks"].map(name => [name, spread(output[name])])),
    missing: output.missing && spread(output.missing),
    best: output.best.map(system => systems[system]),
    pairs: output.pairs && Object.fromEntries(Object.entries(output.pairs).map(([name, values]) => [name, pairs(values)])),
    unequal: output.unequal,
    reason: output.reason,
  }));
  const words = sentences => sentences.map(sentence => sentence.map(part => (part.system === undefined ? part : { system: systems[part.system] })));
  yield { ...answer, outputs, order: answer.order.map(system => systems[system]), in_top: spread(answer.in_top, 0), verdict: words(answer.verdict), remarks: words(answer.remarks), ready: true, few: "", units: null };
}

// What is shown until the server answers.
function pending() {
  const { outputs, order, in_top, votes } = store.meta;
  return { outputs: outputs.map(output => ({ ...output, stale: "computing …" })), order: order.filter(isChosen), in_top, votes };
}

// The selection as the server reads it.
export function serverQuery() {
  const where = expression();
  return { ...(where ? { where } : {}), ...(state.systems ? { systems: state.systems.join() } : {}) };
}

function expression() {
  const quoted = text => `"${text.replace(/["\\]/g, "\\$&")}"`;
  const output = store.meta.outputs[state.output];
  const name = quoted(`${output.label}.${output.inner}`);
  const parts = [
    state.query && quoted(state.query),
    ...Object.entries(state.filters).map(([field, value]) => {
      const { name: column, values } = store.meta.fields[field];
      return `${quoted(column)} = ${values[value] === "" ? "none" : quoted(values[value])}`;
    }),
    state.range && `${name} >= ${state.range[0]} and ${name} <= ${state.range[1]}`,
    state.where.trim() && selection.mistake === null && `(${state.where})`,
  ];
  return parts.filter(Boolean).join(" and ");
}

async function maskOf() {
  const count = store.meta.segments;
  const mask = new Uint8Array(count).fill(1);
  const keep = holds => mask.forEach((one, segment) => { mask[segment] = one && holds(segment) ? 1 : 0; });
  for (const [field, value] of Object.entries(state.filters)) keep(segment => store.fields[field][segment] === value);
  if (state.range) {
    const within = ([low, high]) => segment => {
      const scores = chosenSystems().map(system => store.score(state.output, system, segment));
      return scores.some(score => score >= low) && scores.some(score => score <= high);
    };
    keep(within(state.range));
  }
  if (state.query) {
    const hits = await searched(state.query);
    keep(segment => hits[segment]);
  }
  selection.mistake = null;
  if (state.where.trim()) {
    try {
      const node = parse(state.where);
      if (readsTexts(node)) await store.everyText();
      const meets = met(node, columns());
      keep(segment => meets[segment]);
    } catch (error) {
      selection.mistake = error.message;
    }
  }
  return mask;
}

// What an expression can name on this page.
function columns() {
  const { systems, segments, outputs, fields, unstored = [] } = store.meta;
  const numbers = {};
  outputs.forEach((output, number) => {
    if (output.column === null) return;
    const first = outputs.findIndex(other => other.label === output.label) === number;
    const score = (system, segment) => store.score(number, system, segment);
    for (const name of [output.name, `${output.label}.${output.inner}`, ...(first ? [output.label] : [])]) numbers[name] ??= score;
  });
  store.meta.spans?.columns.forEach((name, column) => {
    numbers[name] ??= (system, segment) => store.spanColumns[(column * systems.length + system) * segments + segment];
  });
  const values = Object.fromEntries(fields.map((field, number) => [field.name, segment => field.values[store.fields[number][segment]] || null]));
  const texts = { id: segment => [store.ids[segment]] };
  if (store.lengths && store.sources) texts.source = segment => [store.textNow(store.sources[segment])];
  if (store.lengths && store.meta.references) texts.reference = segment => store.references(segment).map(id => store.textNow(id));
  const prediction = store.lengths ? (system, segment) => store.textNow(store.prediction(system, segment)) : null;
  return { systems, count: segments, chosen: chosenSystems(), numbers, values, texts, prediction, unstored };
}

// Compares two of the chosen systems.
function withinSystems() {
  if (state.systems === null) return;
  const free = store.meta.order.filter(isChosen);
  if (!isChosen(state.a)) state.a = free.find(system => system !== state.b) ?? free[0];
  if (!isChosen(state.b)) state.b = free.find(system => system !== state.a) ?? state.b;
  if (!isChosen(state.system)) state.system = state.a;
}

// The bar below the header: how much is selected, and a way back to all.
function bar() {
  const { segments, systems } = store.meta;
  const root = byId("selection");
  root.hidden = !isActive();
  if (root.hidden) {
    redraw(root);
    return;
  }
  const parts = [
    selection.mask !== null && `${selection.count.toLocaleString("en")} of ${plural(segments, "segment")}`,
    state.systems !== null && `${state.systems.length} of ${plural(systems.length, "system")}`,
  ].filter(Boolean);
  const { view } = selection;
  const note = selection.count === 0 ? "no segment has all that is wanted" : view === null || !view.ready ? "computing intervals …" : [view.few, caution(view.units)].filter(Boolean).join("; ");
  redraw(root, h("b", {}, parts.join(" · ")), note && h("span", { class: "small" }, note), h("button", { type: "button", class: "plain", "data-key": "clear", onclick: all }, "Clear"));
}

function caution(units) {
  if (units === null) return "";
  if (units.grouped) return `${units.grouped.toLocaleString("en")} segments (or documents) are put together at random in ${units.count.toLocaleString("en")} groups`;
  return units.count > 1 && units.count < 20 ? `with ${units.count} segments (or documents) intervals are too narrow; 20 or more are needed` : "";
}

function all() {
  set({ query: "", filters: {}, range: null, where: "", systems: null }, "address");
  say("All segments and systems");
  byId("segments").focus({ preventScroll: true });
}

// A note for a section that shows all segments whatever is selected; "" otherwise.
export function unselected() {
  return isActive() ? h("p", { class: "unfiltered", role: "note" }, `Of all ${plural(store.meta.segments, "segment")}: the selection does not change this section. `, h("code", {}, "nlgauge serve"), " computes it again.") : null;
}
