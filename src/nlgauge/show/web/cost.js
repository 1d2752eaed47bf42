// The cost of the scores, and their agreement with human scores if there are any.
import { byId, clear, g, h } from "./dom.js";
import { correlation, nameOf, plural, seconds } from "./format.js";
import { svg } from "./charts.js";
import { store } from "./store.js";
import { cardButton } from "./cards.js";
import { data } from "./data.js";
import { scaleLinear, scaleLog } from "./scales.js";

// Features that took less than this are not listed.
const LEAST = 0.005;
const FEATURES = 6;

export function cost() {
  const { costs, segments, systems, environment } = store.meta;
  const items = segments * systems.length;
  const metrics = byTime(costs.metrics);
  const features = byTime(costs.features).filter(([, time]) => time > LEAST).slice(0, FEATURES);
  const total = sum(Object.values(costs.metrics)) + sum(Object.values(costs.features));
  const all = [...metrics, ...features].map(([, time]) => time);
  const x = scaleLog([Math.max(1e-5, Math.min(...all, 1) * 0.7), Math.max(...all, 1e-2) * 1.3], [0, 1]).clamp(true);
  const share = time => {
    const part = total ? time / total : 0;
    return part < 0.001 ? "< .1%" : `${(100 * part).toFixed(part < 0.01 ? 1 : 0)}%`;
  };
  const row = ([name, time], heading, style) =>
    h(
      "tr",
      { class: style },
      h("th", { scope: "row" }, heading(name)),
      h("td", { class: "barcell" }, h("span", { class: "costbar", vars: { "--v": x(Math.max(time, 1e-6)).toFixed(3) } })),
      h("td", { class: "num" }, seconds(time)),
      h("td", { class: "num" }, seconds(time / items)),
      h("td", { class: "num" }, share(time)),
    );
  const headings = [["metric", null], ["log scale", "logn"], ["time", "num"], ["an output", "num"], ["share", "num"]];
  const table = h(
    "table",
    { class: "costs" },
    h("thead", {}, h("tr", {}, headings.map(([name, style]) => h("th", { class: style, scope: "col" }, name)))),
    h(
      "tbody",
      {},
      metrics.map(one => row(one, name => cardButton(name), "metric")),
      features.length > 0 && h("tr", { class: "between" }, h("th", { colspan: 5 }, "shared by several metrics, computed once")),
      features.map(one => row(one, readable, "feature")),
      h("tr", { class: "between" }, h("th", { colspan: 5 }, "the whole run")),
      costs.whole.map(one => h("tr", { class: "whole" }, h("th", { scope: "row" }, one.name), h("td", { colspan: 4 }, one.value, one.note && [" ", h("small", {}, one.note)]))),
    ),
  );
  const cores = environment.cores ? ` on ${environment.cores} cores` : "";
  clear(
    byId("cost"),
    h("div", { class: "head" }, h("h2", {}, "Cost"), h("p", { class: "keys" }, `${seconds(total)} for ${plural(items, "output")}${cores}`)),
    h("div", { class: "two wide" }, h("div", {}, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cost of each metric" }, table), data("cost", times())), worth()),
  );
}

function times() {
  const { costs, segments, systems } = store.meta;
  const items = segments * systems.length;
  const row = kind => ([name, time]) => [name, kind, { value: time, text: seconds(time) }, { value: time / items, text: seconds(time / items) }];
  return { columns: ["name", "kind", "seconds", "seconds an output"], rows: () => [...byTime(costs.metrics).map(row("metric")), ...byTime(costs.features).map(row("shared"))] };
}

function byTime(times) {
  return Object.entries(times).sort((one, other) => other[1] - one[1]);
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

// A feature such as HiddenStates(model='minilm', layer=6), without the names of its parameters.
function readable(name) {
  return name.replace(/\w+=/g, "").replace(/[()']/g, " ").replace(/ ,/g, ",").trim();
}

// Agreement with people against the time of a metric.
function worth() {
  const { agreement, outputs, costs, segments, systems } = store.meta;
  const humans = agreement.ids.map((number, place) => [outputs[number], place]).filter(([output]) => output.people);
  if (!humans.length) return h("p", { class: "caption" }, "With human scores in the data, this section shows their agreement with each metric against its cost.");
  const points = agreement.ids
    .map((number, place) => [outputs[number], place])
    .filter(([output]) => !output.people && output.up !== null && costs.metrics[output.label] !== undefined)
    .map(([output, place]) => ({
      output,
      time: Math.max(1e-3, (1000 * costs.alone[output.label]) / (segments * systems.length)),
      r: sum(humans.map(([, other]) => agreement.pearson[place][other] ?? 0)) / humans.length,
    }));
  if (!points.length) return null;
  const [width, height, left, foot] = [520, 330, 46, 42];
  const times = points.map(({ time }) => time);
  const rs = points.map(({ r }) => r);
  const [least, most] = [Math.min(...times) * 0.5, Math.max(...times) * 4];
  const x = scaleLog([least, most], [left, width - 8]);
  const y = scaleLinear([Math.min(0, ...rs) - 0.02, Math.max(...rs) + 0.05], [height - foot, 10]);
  placeLabels(points, x, y);
  const lines = y.ticks(6).map(value => [
    g("line", { x1: left, x2: width, y1: y(value), y2: y(value) }),
    g("text", { x: left - 7, y: y(value) + 4, "text-anchor": "end" }, correlation(value)),
  ]);
  const decades = [0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000].filter(time => time >= least && time <= most);
  const marks = decades.map(time => g("text", { x: x(time), y: height - foot + 17, "text-anchor": "middle" }, time >= 1000 ? `${time / 1000} s` : `${time} ms`));
  // At the right end names are at the left of their points.
  const side = time => (x(time) > width - 130 ? -1 : 1);
  const point = ({ output, time, r, at }) => [
    g("line", { class: "lead", x1: x(time), y1: y(r), x2: x(time) + 9 * side(time), y2: at }),
    g("circle", { class: "dot", cx: x(time), cy: y(r), r: 4.5, fill: "var(--accent)", tip: `${nameOf(output)}\nr ${correlation(r)}, ${time.toPrecision(2)} ms` }),
    g("text", { class: "name", x: x(time) + 11 * side(time), y: at + 4, "text-anchor": side(time) < 0 ? "end" : "start" }, nameOf(output)),
  ];
  const drawn = svg(
    width,
    height,
    "Correlation with the human scores against cost",
    g("g", { class: "grid" }, lines, marks),
    g("text", { class: "title", x: (left + width) / 2, y: height - 4, "text-anchor": "middle" }, "time for one output, log scale →"),
    points.map(point),
  );
  const table = { columns: ["score of", "milliseconds an output", "mean correlation"], rows: () => points.map(({ output, time, r }) => [nameOf(output), time, { value: r, text: correlation(r) }]) };
  return h(
    "figure",
    {},
    h("figcaption", {}, h("b", {}, "Cost and agreement. "), `Mean Pearson correlation with ${humans.map(([output]) => output.output).join(", ")}, against the time of the metric for one output, shared features included.`),
    drawn,
    data("cost and agreement", table, { drawn }),
  );
}

// Moves names down that would cover others.
function placeLabels(points, x, y) {
  const taken = [];
  points.sort((one, other) => other.r - one.r);
  for (const point of points) {
    point.at = y(point.r);
    for (const other of taken) {
      if (Math.abs(other.x - x(point.time)) < 100 && Math.abs(other.y - point.at) < 13) point.at = other.y + 13;
    }
    taken.push({ x: x(point.time), y: point.at });
  }
}
