// What is known now, for the organizer alone: progress, estimates with intervals, agreement, and when to stop.
import { byId, clear, g, h, redraw, say } from "../dom.js";

const EVERY = 3000;
let shown = "";

start();

async function start() {
  clear(byId("main"), h("div", { class: "rate-bar" }, h("h1", {}, "What is known now"), h("span", { class: "rate-small" }, "for the organizer; annotators do not see this page")), h("p", { id: "trouble", class: "rate-small", role: "alert" }), h("div", { id: "known" }));
  await refresh();
  document.documentElement.dataset.ready = "";
  setInterval(refresh, EVERY);
}

async function refresh() {
  try {
    const answer = await fetch("/api/state");
    const text = await answer.text();
    byId("trouble").textContent = answer.ok ? "" : text;
    if (answer.ok && text !== shown) {
      if (shown) say("New ratings");
      shown = text;
      draw(JSON.parse(text));
    }
  } catch {
    byId("trouble").textContent = "The server does not answer. The numbers below are the last known ones.";
  }
}

const number = (value, digits = 1) => (value === null || value === undefined ? "n/a" : value.toFixed(digits));
const range = (low, high, digits) => (low === null || high === null ? "n/a" : `${number(low, digits)} to ${number(high, digits)}`);

function draw(state) {
  const names = [...new Set(state.estimates.map(row => row.dimension))];
  redraw(
    byId("known"),
    h("p", {}, `${state.finished} of ${state.segments} segments finished, in whole blocks, by the protocol ${state.protocol}.`),
    state.selected && h("p", {}, state.selected),
    names.map(name => estimates(name, state)),
    !names.length && h("p", {}, "Estimates appear when two segments of a finished block are rated."),
    state.needed.length > 0 && needed(state.needed),
    state.decision && decision(state.decision),
    state.agreement.length > 0 && section("Agreement of annotators", table(["Dimension", "Coefficient", "Value", "95% interval", "Outputs"], state.agreement.map(row => [row.dimension, row.coefficient, number(row.value, 2), range(row.low, row.high, 2), String(row.n)]), 2)),
    annotators(state.annotators),
    state.skips.length > 0 && skipped(state),
    state.surprises.length > 0 && surprises(state.surprises),
  );
}

function section(title, ...content) {
  return h("section", { class: "rate-section", "aria-label": title }, h("h2", {}, title), content);
}

function table(heads, rows, words) {
  const cell = (value, place) => (place === 0 ? h("th", { scope: "row" }, value) : h("td", { class: place >= words ? "rate-num" : null }, value));
  return h("div", { class: "rate-scroll", tabindex: 0, role: "group", "aria-label": heads.join(", ") }, h("table", { class: "rate-known" }, h("thead", {}, h("tr", {}, heads.map(name => h("th", { scope: "col" }, name)))), h("tbody", {}, rows.map(row => h("tr", {}, row.map(cell))))));
}

function estimates(name, state) {
  const rows = state.estimates.filter(row => row.dimension === name).sort((one, other) => other.estimate - one.estimate);
  const ends = rows.flatMap(row => [row.low, row.high, row.classical_low, row.classical_high, row.estimate]).filter(value => value !== null);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const digits = high - low < 5 ? 2 : 1;
  const x = value => 10 + ((value - low) / (high - low || 1)) * 300;
  const strip = row =>
    g(
      "svg",
      { width: 320, height: 30, "aria-hidden": "true" },
      g("line", { class: "rate-rail", x1: 10, x2: 310, y1: 15, y2: 15 }),
      row.classical_low !== null && g("line", { class: "rate-thin", x1: x(row.classical_low), x2: x(row.classical_high), y1: 23, y2: 23 }),
      row.low !== null && g("line", { class: "rate-thick", x1: x(row.low), x2: x(row.high), y1: 13, y2: 13 }),
      g("circle", { class: "rate-dot", cx: x(row.estimate), cy: 13, r: 4.5 }),
    );
  const means = rows.map(row => [row.system, number(row.estimate, digits), range(row.low, row.high, digits), strip(row), range(row.classical_low, row.classical_high, digits), `${row.labels} of ${row.of}`, number(row.effective_labels, 0)]);
  const pairs = state.differences.filter(row => row.dimension === name);
  return section(
    `Scores: ${name}`,
    table(["System", "Mean", "95% interval", `${number(low, digits)} to ${number(high, digits)}`, "Only ratings", "Rated", "Worth"], means, 1),
    h("p", { class: "rate-small" }, `The intervals are for a number of ratings that was fixed in advance. The thick line is the interval ${state.metrics.length ? "with the help of the metrics" : "of the mean"}, the thin line the interval of only the ratings. Worth: how many ratings would be as good without metrics.`),
    pairs.length > 0 && table(["Difference", "Estimate", "Interval for all pairs", "Better"], pairs.map(row => [`${row.system} minus ${row.other}`, number(row.estimate, digits), range(row.low, row.high, digits), row.better ?? "not decided"]), 1),
  );
}

// How many further segments intervals of the planned width need.
function needed(rows) {
  const more = rows.some(row => row.needed === null) ? null : Math.max(0, ...rows.map(row => Math.ceil(row.needed) - row.labels));
  return h("p", {}, more === null ? `Intervals of width ${rows[0].width} need more segments than there are.` : `Intervals of width ${rows[0].width} need about ${more} more segments.`);
}

function decision(found) {
  const title = "When to stop";
  const words = found.enough ? "Enough: you can stop." : `Not enough yet: ${found.units} of ${found.of} segments in the planned order are finished.`;
  const rows =
    found.kind === "sure"
      ? table(["Difference", "Value", "p", "Limit now", "Looks", "Better"], found.rows.map(row => [`${row.system} minus ${row.other}`, number(row.difference, 2), number(row.p, 4), number(row.alpha, 4), `${row.looks} of ${row.of}`, row.better ?? "open"]), 1)
      : table(["System", "Mean", "Interval at any time", "Segments"], found.rows.map(row => [row.system, number(row.mean, 2), range(row.low, row.high, 2), String(row.units)]), 1);
  return section(title, h("p", { class: found.enough ? "rate-enough" : null }, words), rows, h("p", { class: "rate-small" }, "This advice uses only ratings, and is valid although you look at it often."));
}

function annotators(rows) {
  const checks = row => [
    row.repeats ? `repeats differ by ${number(row.repeat_difference)}` : "",
    row.damaged ? `${row.damaged_lower} of ${row.damaged} damaged texts lower (p = ${number(row.damaged_p, 3)})` : "",
    row.gold ? `${row.gold_passed} of ${row.gold} gold items` : "",
    row.checks_skipped ? `${row.checks_skipped} skipped` : "",
  ].filter(Boolean).join("; ");
  return section("Annotators", table(["Annotator", "Done", "Skipped", "Checks", "Page opened", "Median seconds", "Hours left"], rows.map(row => [row.annotator, `${row.done} of ${row.of}`, String(row.skipped), checks(row), String(row.opened), number(row.median_seconds), number(row.hours_left)]), 4));
}

// Texts that people declared impossible to rate, with their reasons.
function skipped(state) {
  const words = each => h("li", {}, h("b", {}, `${each.segment}, ${each.systems.join(" and ")}`), ` ${each.annotator}: `, each.reason ? h("bdi", {}, each.reason) : "no reason");
  return section("Skipped texts", table(["System", "Skipped"], state.skips.map(row => [row.system, `${row.skipped} of ${row.of}`]), 1), h("ul", {}, state.skipped.map(words)));
}

function surprises(rows) {
  return section("People and metrics disagree most", h("ul", {}, rows.map(row => h("li", {}, h("b", {}, `${row.segment}, ${row.system}`), ` people ${number(row.human)}, ${row.metric} ${number(row.score)}: `, h("bdi", {}, row.text)))));
}
