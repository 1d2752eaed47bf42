// Error spans: what people and metrics mark in a segment, next to each other, and how well metrics find the errors of people.
import { h, redraw } from "./dom.js";
import { units } from "./painted.js";
import { swatch } from "./format.js";
import { data } from "./data.js";
import { store } from "./store.js";

const SIDE = { target: "", source: "in the source, ", reference: "in the reference, " };
const KNOWN = ["neutral", "minor", "major", "critical"];
// More lines under a text than these cannot be told apart.
const LANES = 8;
// The voices that the reader chose; null until then.
let chosen = null;

export function marksOf(spans, shown, texts) {
  const { voices } = store.meta.spans;
  const here = voices.map((_, voice) => voice).filter(voice => Object.values(spans).some(own => voice in own));
  const root = h("div", { class: "marks", role: "group", "aria-label": "Marked errors" });
  const draw = () => {
    let on = here.filter(voice => chosen?.has(voices[voice].name));
    if (on.length === 0) on = here.slice(0, 1);
    on = on.slice(0, LANES);
    redraw(
      root,
      h("div", { class: "choose voices", role: "group", "aria-label": "Marks by" }, h("span", { class: "small" }, "marks by"), here.map(voice => choice(voice, on, draw))),
      on.length > 1 && h("p", { class: "small" }, on.length === 2 ? `${voices[on[0]].name} is tinted, ${voices[on[1]].name} is the line below.` : `Lines from top to bottom: ${on.map(voice => voices[voice].name).join(", ")}.`),
      h("p", { class: "small" }, "dotted: minor; solid: major; double: critical; dashed: another severity"),
      shown.map(system => card(system, spans[system] ?? {}, on, texts)),
    );
  };
  draw();
  return root;
}

function choice(voice, on, draw) {
  const { name, kind } = store.meta.spans.voices[voice];
  const turn = () => {
    const names = new Set(on.map(one => store.meta.spans.voices[one].name));
    if (names.has(name)) names.delete(name);
    else names.add(name);
    chosen = names;
    draw();
  };
  return h("button", { type: "button", "aria-pressed": String(on.includes(voice)), "data-key": `voice ${name}`, class: kind === "people" ? "human" : null, onclick: turn }, name);
}

function card(system, own, on, texts) {
  const text = texts.predictions.get(system) ?? null;
  if (text === null) return null;
  const { voices } = store.meta.spans;
  const read = on.filter(voice => voice in own);
  const placed = read.map(voice => ({ voice, lane: on.indexOf(voice), marks: own[voice].filter(([start, , , , side]) => start !== null && side === "target") }));
  const all = read.flatMap(voice => own[voice].map(mark => ({ mark, voice })));
  const inText = all.filter(({ mark: [start] }) => start !== null);
  const nowhere = all.filter(({ mark: [start] }) => start === null);
  const silent = on.filter(voice => !(voice in own));
  return h(
    "article",
    { class: "marked" },
    h("header", {}, swatch(system), h("h4", {}, store.meta.systems[system])),
    h("p", { class: `text marks-text ${on.length > 2 ? "many-lanes" : on.length > 1 ? "two-lanes" : ""}`, dir: "auto" }, pieces(text, placed, on.length)),
    nowhere.length > 0 && h("p", { class: "chips" }, nowhere.map(({ mark, voice }) => h("span", { class: "chip" }, `missing: ${described(mark, voice)}`))),
    inText.length > 0 && h("ul", { class: "marks-list small" }, inText.map(({ mark, voice }) => h("li", {}, h("q", { dir: "auto" }, words(mark, text, texts)), `: ${described(mark, voice)}`))),
    all.length === 0 && read.length > 0 && h("p", { class: "small" }, `no error marked by ${read.map(voice => voices[voice].name).join(", ")}`),
    silent.length > 0 && h("p", { class: "small" }, `not read by ${silent.map(voice => voices[voice].name).join(", ")}`),
  );
}

function described([, , severity, category, side, note], voice) {
  const parts = [severity, category, note && `“${note}”`, store.meta.spans.voices[voice].name];
  return `${SIDE[side]}${parts.filter(Boolean).join(", ")}`;
}

function words([start, end, , , side], text, texts) {
  const whole = side === "target" ? text : side === "source" ? texts.source : texts.references[0];
  return [...(whole ?? "")].slice(start, end).join("");
}

// The text in pieces between neighboring ends of marks; a piece has one style for each voice that marks it.
function pieces(text, placed, count) {
  const lanes = placed.map(({ voice, lane, marks }) => {
    const places = units(text, marks.map(([start, end]) => [start, end]));
    return { voice, lane, marks: marks.map((mark, k) => ({ mark, start: places[k][0], end: places[k][1] })) };
  });
  const cuts = [...new Set([0, text.length, ...lanes.flatMap(({ marks }) => marks.flatMap(({ start, end }) => [start, end]))])].sort((one, other) => one - other);
  const out = [];
  for (let k = 0; k + 1 < cuts.length; k++) {
    const [from, to] = [cuts[k], cuts[k + 1]];
    const piece = text.slice(from, to);
    const here = lanes.map(({ voice, lane, marks }) => ({ voice, lane, own: marks.filter(({ start, end }) => start <= from && to <= end).sort((one, other) => one.end - one.start - other.end + other.start) })).filter(({ own }) => own.length > 0);
    out.push(here.length === 0 ? piece : mark(piece, here, count));
  }
  return out;
}

function mark(piece, here, count) {
  const tip = here.flatMap(({ voice, own }) => own.map(one => described(one.mark, voice))).join("\n");
  const style = severity => (KNOWN.includes(severity) ? severity : "other");
  if (count > 2) return h("mark", { class: "err in-lanes", tip, vars: lines(here, style) }, piece);
  // Of nested marks the inner is on top, and the line of the outer is one step lower.
  const wrap = (inside, { lane, own }) => h("mark", { class: `err ${lane === 0 ? "first-voice" : "second-voice"} ${style(own[0].mark[2])}${own.length > 1 ? " nested-err" : ""}`, tip }, inside);
  return here.reduce(wrap, piece);
}

// One thin line for each voice under the text.
function lines(here, style) {
  const color = "var(--ink)";
  const image = { minor: `repeating-linear-gradient(90deg, ${color} 0 2px, transparent 2px 4px)`, major: `linear-gradient(${color}, ${color})`, critical: `linear-gradient(${color} 1px, transparent 1px 2px, ${color} 2px)`, neutral: `repeating-linear-gradient(90deg, ${color} 0 1px, transparent 1px 6px)`, other: `repeating-linear-gradient(90deg, ${color} 0 5px, transparent 5px 8px)` };
  const kinds = here.map(({ own }) => style(own[0].mark[2]));
  return {
    "background-image": kinds.map(kind => image[kind]).join(", "),
    "background-size": kinds.map(kind => `100% ${kind === "critical" ? 3 : 2}px`).join(", "),
    "background-position": here.map(({ lane }) => `0 calc(1.25em + ${lane * 4}px)`).join(", "),
    "background-repeat": "no-repeat",
  };
}

// The table of F, with sentinels in gray, in the order of the values.
export function spanScores({ rows, notes }) {
  const shown = value => (value === null ? "n/a" : value.toFixed(3));
  const interval = row => (row.low === null ? "" : `[${shown(row.low)}, ${shown(row.high)}]`);
  const line = row => h("tr", { class: row.kind === "metric" ? null : row.kind }, h("th", { scope: "row" }, row.name), h("td", {}, shown(row.precision)), h("td", {}, shown(row.recall)), h("td", {}, shown(row.value)), h("td", {}, interval(row)), h("td", {}, row.letters));
  const names = ["metric", "precision", "recall", "F", "interval", "letters"];
  return h(
    "div",
    { id: "span-scores" },
    h("h3", {}, "Error spans"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Error spans by metric" }, h("table", { class: "span-table" }, h("thead", {}, h("tr", {}, names.map(name => h("th", { scope: "col" }, name)))), h("tbody", {}, rows.map(line)))),
    notes.map(note => h("p", { class: "caption" }, note)),
    data("error spans", { columns: names, rows: () => rows.map(row => [row.name, shown(row.precision), shown(row.recall), shown(row.value), interval(row), row.letters]) }),
  );
}
