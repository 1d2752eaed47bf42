// Additions of the explorer to a report: several results, slices of the segments, and a text of the reader.
import { byId, clear, h, say } from "./dom.js";
import { arrow, nameOf, number, plural, swatch } from "./format.js";
import { serverQuery } from "./selection.js";
import { on } from "./state.js";
import { store } from "./store.js";
import { whyNodes } from "./why.js";
import { data } from "./data.js";

export async function live(choose) {
  if (!store.live) return;
  const names = await store.results();
  if (names.length > 1) {
    const shown = store.result < names.length;
    const options = names.map((name, place) => h("option", { value: place, selected: place === store.result }, name));
    const comparison = shown ? [] : [h("option", { value: "", selected: true }, store.meta.runs.names.join(" against "))];
    const choice = h("select", { "aria-label": "Result", onchange: event => choose(Number(event.target.value)) }, comparison, options);
    byId("results").replaceChildren(choice, ...(shown && !store.meta.runs ? [against(names, choose)] : []));
  }
  const root = byId("live");
  root.hidden = false;
  clear(root, h("div", { class: "head" }, h("h2", {}, "Slices")), slices(), h("h3", { class: "apart" }, "Explain your text"), own());
}

// What opens this result against another: a button for two results, else a choice.
function against(names, choose) {
  const others = names.map((_, place) => place).filter(place => place !== store.result);
  const open = async old => {
    try {
      choose(await store.compared(store.result, old));
    } catch (error) {
      say(error.message);
      byId("results").append(h("span", { class: "small" }, error.message));
    }
  };
  if (others.length === 1) return h("button", { type: "button", class: "plain", tip: `Compare these two\n${names[store.result]} against ${names[others[0]]}`, onclick: () => open(others[0]) }, "Compare these two");
  const options = others.map(place => h("option", { value: place }, names[place]));
  return h("select", { "aria-label": "Compare with", onchange: event => open(Number(event.target.value)) }, h("option", { value: "", disabled: true, selected: true }, "compare with …"), options);
}

function slices() {
  const dimensions = store.meta.slices ?? [];
  if (!dimensions.length) return h("p", { class: "caption" }, "The segments have no column to slice by.");
  const shown = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Slices" });
  const files = h("div", {});
  const draw = async by => {
    clear(files);
    clear(shown, h("p", { class: "caption" }, "Computing …"));
    try {
      const found = await store.ask("slices", { by, ...(serverQuery().where ? { where: serverQuery().where } : {}) });
      clear(shown, table(found));
      clear(files, data(`slices by ${by}`, numbers(found)));
    } catch (error) {
      clear(shown, h("p", { class: "caption" }, error.message));
    }
  };
  const choice = h("select", { "aria-label": "Slice by", onchange: event => draw(event.target.value) }, h("option", { value: "" , disabled: true, selected: true }, "slice by …"), dimensions.map(name => h("option", { value: name }, name)));
  on("selection", () => choice.value && draw(choice.value));
  return [choice, h("p", { class: "caption" }, "Scores, intervals and letters of each slice, computed only from its segments; fitted values of the whole corpus stay."), shown, files];
}

// Outputs that the leaderboard has: a slice has the same outputs in the same order.
function isShown(_, place) {
  return store.meta.outputs[place].same === null;
}

function numbers(found) {
  const shown = (value, output) => ({ value, text: number(value, output) });
  const row = (slice, output, system) => [
    slice.value,
    slice.segments,
    store.meta.systems[system],
    nameOf(output),
    ...[output.scores, output.low, output.high].map(values => shown(values[system], output)),
    output.letters[system] ?? "",
  ];
  const rows = () => found.flatMap(slice => slice.outputs.filter(isShown).flatMap(output => store.meta.systems.map((_, system) => row(slice, output, system))));
  return { columns: ["slice", "segments", "system", "score of", "score", "low", "high", "letters"], rows };
}

function table(found) {
  const outputs = found[0].outputs.filter(isShown);
  const head = h("tr", {}, h("th", { scope: "col" }, "slice"), h("th", { scope: "col" }, "system"), outputs.map(output => h("th", { scope: "col", class: "num" }, nameOf(output), " ", arrow(output))));
  const cell = (output, system) =>
    h(
      "td",
      { class: "num", tip: output.low[system] === null ? output.reason || "no interval" : `${number(output.low[system], output)} to ${number(output.high[system], output)}` },
      number(output.scores[system], output),
      h("sup", {}, output.letters[system] ?? ""),
    );
  const rows = found.flatMap(({ value, segments, few, outputs: own }) =>
    store.meta.systems.map((name, system) =>
      h(
        "tr",
        { class: system === 0 ? "begins" : null },
        system === 0 && h("th", { scope: "rowgroup", rowspan: store.meta.systems.length }, value, h("small", {}, plural(segments, "segment"), few ? ": too few segments" : "")),
        h("th", { scope: "row" }, swatch(system), name),
        own.filter(isShown).map(output => cell(output, system)),
      ),
    ),
  );
  return h("table", { class: "slices" }, h("thead", {}, head), h("tbody", {}, rows));
}

function own() {
  const labels = store.meta.labels.filter(label => label in store.meta.explained);
  if (!labels.length) return null;
  const field = (name, rows) => h("label", {}, h("span", { class: "small" }, name), h("textarea", { rows, dir: "auto", name }));
  const shown = h("div", { class: "own-shown" });
  const asked = async event => {
    event.preventDefault();
    const given = new FormData(event.target);
    const texts = { label: given.get("metric"), prediction: given.get("prediction"), reference: given.get("reference"), source: given.get("source") };
    const query = Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
    try {
      const { scores, why } = await store.ask("own", { prediction: "", ...query });
      const line = Object.entries(scores).map(([name, value]) => `${name} ${value === null ? "n/a" : value.toPrecision(4)}`).join(", ");
      const context = { prediction: texts.prediction, references: texts.reference ? [texts.reference] : [], source: texts.source || null, width: shown.clientWidth };
      clear(shown, h("p", {}, h("b", {}, line)), why.map(one => whyNodes(one, context)));
    } catch (error) {
      clear(shown, h("p", { class: "caption" }, error.message));
    }
  };
  return h(
    "form",
    { class: "own", onsubmit: asked },
    field("prediction", 3),
    field("reference", 3),
    store.meta.sources && field("source", 3),
    h("div", { class: "line" }, h("select", { name: "metric", "aria-label": "Metric" }, labels.map(label => h("option", { value: label }, label))), h("button", { type: "submit" }, "Explain")),
    shown,
  );
}
