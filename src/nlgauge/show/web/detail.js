// One segment: its scores, why each system got them, its references and its source.
import { byId, g, h, redraw } from "./dom.js";
import { set, state } from "./state.js";
import { svg } from "./charts.js";
import { color, nameOf, number, plural, swatch, ties } from "./format.js";
import { markHits } from "./listed.js";
import { chosenSystems, isChosen } from "./selection.js";
import { oldText } from "./runs.js";
import { store } from "./store.js";
import { cardButton } from "./cards.js";
import { bounds, scoredOutputs } from "./scored.js";
import { marksOf } from "./marks.js";
import { KINDS, matchedIn, wholeAlignment, whyNodes } from "./why.js";
import { scaleLinear } from "./scales.js";

// At most this many systems are side by side; of more, the best and the worst of the segment, the chosen system and those compared.
const BESIDE = 4;
// Windows up to this width (as the style sheet has it) show one system below the other.
const NARROW = 760;
// Scripts that write words without spaces.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
let turn = 0;

export async function detail(order, step, segment) {
  turn += 1;
  const mine = turn;
  const { labels, explained } = store.meta;
  const available = labels.filter(label => label in explained);
  if (!available.includes(state.label)) state.label = available[0] ?? null;
  const shown = shownSystems(segment);
  const [texts, why, old, spans] = await Promise.all([textsOf(segment, shown), explanations(segment), store.old(segment), store.spans(segment)]);
  // The reader may have opened another segment since.
  if (mine !== turn) return;
  const first = shown.map(system => found(why, system)[0]).find(Boolean);
  const kind = first?.kind ?? null;
  const pane = byId("detail");
  const aligned = shown.includes(state.system) ? state.system : shown[0];
  redraw(
    pane,
    heading(segment, order, step),
    scores(segment, store.meta.systems.length > BESIDE && !state.every ? shown : null),
    store.meta.systems.length > BESIDE && h("button", { type: "button", class: "plain more", "data-key": "every", onclick: () => set({ every: !state.every }, "why") }, state.every ? "only these" : `all ${store.meta.systems.length} systems`),
    store.meta.systems.length > BESIDE && strip(segment, shown, Math.max(200, Math.min(640, pane.clientWidth - 40))),
    spans && marksOf(spans, shown, texts),
    available.length > 0 && tabs(available, kind),
    kind && h("p", { class: "reading" }, KINDS[kind]?.reading ?? ""),
    systems(shown, { ...texts, old, width: pane.clientWidth - 40 }, why, kind, segment),
    kind === "Alignment" && whole(aligned, why, pane.clientWidth - 60),
    context(texts, first, found(why, aligned), aligned),
  );
  pane.querySelectorAll(".text").forEach(markHits);
}

function shownSystems(segment) {
  const all = chosenSystems();
  if (all.length <= BESIDE) return all;
  const ranked = ranksOf(segment);
  const { up } = store.meta.outputs[state.output];
  const gain = system => store.score(state.output, system, segment) * (up === false ? -1 : 1);
  const known = all.filter(system => ranked[system] !== null).sort((one, other) => gain(other) - gain(one));
  const wanted = [...known.slice(0, 1), ...known.slice(-1), ...[state.system, state.a, state.b].filter(isChosen)];
  return [...new Set(wanted)].slice(0, BESIDE).sort((one, other) => (ranked[one] ?? Infinity) - (ranked[other] ?? Infinity) || one - other);
}

// The rank of each system by the chosen score; equal scores share the best rank, and null is without a score.
function ranksOf(segment) {
  const output = store.meta.outputs[state.output];
  const flip = output.up === false ? -1 : 1;
  const scores = store.meta.systems.map((_, system) => store.score(state.output, system, segment));
  const isBetter = (one, other) => (one - other) * flip > 0 && !ties(one, other, output);
  return scores.map(score => (Number.isNaN(score) ? null : 1 + scores.filter(other => isBetter(other, score)).length));
}

// All systems on the scale of the chosen score: a click shows a system below.
function strip(segment, shown, width) {
  const output = store.meta.outputs[state.output];
  const ranked = ranksOf(segment);
  const x = scaleLinear(bounds(state.output), [8, width - 8]);
  const levels = new Map();
  const dot = (score, system) => {
    const place = Math.round(x(score));
    const level = levels.get(place) ?? 0;
    levels.set(place, level + 1);
    const named = `${store.meta.systems[system]}\n${nameOf(output)} ${number(score, output)}, rank ${ranked[system]} of ${ranked.length}`;
    return g("circle", { class: shown.includes(system) ? "dot chosen" : "dot", cx: place, cy: 26 - Math.min(level, 3) * 6, r: shown.includes(system) ? 5 : 3.4, fill: color(system), tip: named, onclick: () => set({ system }, "why") });
  };
  const scores = store.meta.systems.map((_, system) => [store.score(state.output, system, segment), system]).filter(([score]) => !Number.isNaN(score));
  const last = scores.filter(([, system]) => shown.includes(system));
  const dots = [...scores.filter(([, system]) => !shown.includes(system)), ...last].map(([score, system]) => dot(score, system));
  return h(
    "div",
    { class: "all" },
    h("span", { class: "small" }, `All ${store.meta.systems.length} systems by ${nameOf(output)}; click a dot to show its system (keys [ and ])`),
    svg(width, 36, `All systems by ${nameOf(output)} on this segment`, g("line", { class: "rail", x1: 8, x2: width - 8, y1: 26, y2: 26 }), dots),
  );
}

async function textsOf(segment, shown) {
  if (!store.lengths) return { references: [], source: null, predictions: new Map() };
  const [references, source, predictions] = await Promise.all([
    Promise.all(store.references(segment).map(id => store.text(id))),
    store.sources ? store.text(store.sources[segment]) : null,
    Promise.all(shown.map(system => store.text(store.prediction(system, segment)))),
  ]);
  return { references, source, predictions: new Map(shown.map((system, place) => [system, predictions[place]])) };
}

async function explanations(segment) {
  if (state.label === null) return null;
  try {
    return await store.why(segment, state.label);
  } catch (error) {
    return { failed: error.message };
  }
}

function found(why, system) {
  return why?.[store.meta.systems[system]] ?? [];
}

function heading(segment, order, step) {
  const place = order.indexOf(segment);
  const where = place < 0 ? "segment, not in this selection" : `segment ${(place + 1).toLocaleString("en")} of ${order.length.toLocaleString("en")}`;
  const button = (name, key, sign, by) => h("button", { type: "button", "aria-label": `${name} segment`, tip: `${name}\n${key}`, onclick: () => step(by) }, sign);
  return h(
    "div",
    { class: "bar-top" },
    h("div", {}, h("span", { class: "eyebrow" }, where), h("h3", {}, store.ids[segment])),
    h("div", { class: "steps" }, button("Previous", "k", "↑", -1), button("Next", "j", "↓", 1)),
  );
}

function scores(segment, shown) {
  const columns = scoredOutputs();
  const heading_ = ([output, place]) => {
    const label = store.meta.labels.includes(output.label) ? output.label : state.label;
    return h(
      "th",
      { class: place === state.output ? "on" : null, scope: "col" },
      h(
        "button",
        { type: "button", class: `plain${output.people ? " human" : ""}`, "aria-label": nameOf(output), onclick: () => set({ output: place, range: null, label }, "output") },
        h("small", {}, output.people ? "people" : store.meta.names[output.label] ?? output.metric),
        output.output === output.metric && !output.people ? "score" : output.output,
      ),
    );
  };
  const cell = ([output, place], system) => {
    const value = store.score(place, system, segment);
    const [low, high] = bounds(place);
    const share = (value - low) / (high - low);
    const tip = `${store.meta.systems[system]}, ${nameOf(output)}\n${number(value, output)} between ${number(low, output)} and ${number(high, output)} over all segments`;
    const bar = h("i", { class: "bar", vars: { "--v": Number.isNaN(share) ? 0 : share.toFixed(3) }, "aria-hidden": "true" });
    return h("td", { class: place === state.output ? "on" : null, tip }, number(value, output), bar);
  };
  const rows = (shown ?? store.meta.systems.map((_, system) => system)).map(system =>
    h("tr", {}, h("th", { scope: "row" }, swatch(system), store.meta.systems[system]), columns.map(column => cell(column, system))),
  );
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scores of this segment" },
    h("table", { class: "mini" }, h("thead", {}, h("tr", {}, h("td"), columns.map(heading_))), h("tbody", {}, rows)),
  );
}

function tabs(available, kind) {
  const tab = (label, place) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${place}`,
        "aria-selected": String(label === state.label),
        "aria-controls": "why",
        tabindex: label === state.label ? 0 : -1,
        onclick: () => set({ label }, "why"),
        onkeydown: event => turnTab(event, available),
      },
      store.meta.names[label],
      place < 9 && h("kbd", { "aria-hidden": "true" }, String(place + 1)),
    );
  return h(
    "div",
    { class: "tabline" },
    h("div", { class: "tabs", role: "tablist", "aria-label": "Explanation by metric" }, available.map(tab)),
    h("span", { class: "kind" }, kind ? KINDS[kind]?.name ?? "" : "", state.label === null ? null : cardButton(state.label, "about")),
  );
}

function turnTab(event, available) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const next = (available.indexOf(state.label) + by + available.length) % available.length;
  set({ label: available[next] }, "why");
  setTimeout(() => byId(`tab-${next}`)?.focus(), 0);
}

function systems(shown, texts, why, kind, segment) {
  const long = [...texts.predictions.values()].some(text => text.length > 160);
  const columns = kind !== "TokenScores" && kind !== "Entailment" && (long || shown.length > 3);
  const width = columns && innerWidth > NARROW ? texts.width / shown.length - 40 : texts.width;
  const ranked = store.meta.systems.length > BESIDE ? ranksOf(segment) : null;
  const card = system => {
    const own = found(why, system);
    const text = texts.predictions.get(system) ?? null;
    return h(
      "article",
      { class: system === state.system ? "sys on" : "sys", vars: { "--c": color(system) } },
      h("header", {}, swatch(system), h("h4", {}, store.meta.systems[system]), ranked?.[system] && h("span", { class: "small rank" }, `rank ${ranked[system]} of ${ranked.length}`), own.length > 0 && h("span", { class: "whyscore" }, shortened(own[0].title))),
      own.length > 0 ? explained(own, { ...texts, prediction: text, width }) : text !== null && h("p", { class: "text", dir: "auto" }, text),
      own.length === 0 && kind && partly(),
      oldText(system, segment, text, texts.old),
    );
  };
  return h("div", { id: "why", role: "tabpanel", class: columns ? "columns" : "rows", vars: { "--n": shown.length } }, lacking(why, kind, segment), shown.map(card));
}

// The explanations of one output; several have headings with the decisive reference, and the prediction is printed once.
function explained(own, context_) {
  const many = own.length > 1;
  const heading_ = one => {
    const text = many ? one.title.slice(one.title.match(NUMBER)?.index ?? 0) : rest(one.title);
    const reference = many && one.reference_number !== null ? `: reference ${one.reference_number + 1}` : "";
    return text + reference;
  };
  return own.map((one, place) => {
    const head = heading_(one) && h("p", { class: many ? "small rest by-reference" : "small rest" }, heading_(one));
    return [many && head, whyNodes(one, { ...context_, again: place > 0, many, note: !many && head })];
  });
}

// Large explanations are included only for some systems.
function partly() {
  if (!store.meta.partly?.includes(state.label)) return null;
  return h("p", { class: "small" }, `This report explains ${store.meta.names[state.label]} only for the systems that it compares at first and for the best and worst system of a segment; the explorer explains all: nlgauge serve DIR.`);
}

// Why there is no explanation, and how to see it.
function lacking(why, kind, segment) {
  if (store.meta.texts === "none") return h("p", { class: "caption none" }, "This report was made without texts, so there is nothing to explain.");
  if (store.meta.kept && !store.meta.kept.includes(segment)) {
    return h("p", { class: "caption none" }, `This report contains the texts of only ${plural(store.meta.kept.length, "segment")}, without this segment; a larger max_size includes all.`);
  }
  if (why?.failed) return h("p", { class: "caption none" }, why.failed);
  if (kind || state.label === null) return null;
  if (store.live) return h("p", { class: "caption none" }, `${state.label} has no explanation of this segment.`);
  return h("p", { class: "caption none" }, "This report has no explanation of this segment; the explorer computes it: ", h("code", {}, "nlgauge serve DIR"), ".");
}

const NUMBER = /(?:([\p{L}_][\p{L}\p{N}_]*) )?(?<![\p{L}\p{N}_.])(-?\d+(?:\.\d+)?)(?![\p{L}\p{N}_])/u;

// The first number of a title such as "bleu 35.02 (brevity penalty ...)" or "bertscore f1 0.78, ...", with its name if that is not the metric's.
function shortened(title) {
  const [, name, value] = title.match(NUMBER) ?? [];
  if (value === undefined) return title;
  return name === undefined || state.label.split("(")[0].toLowerCase() === name.toLowerCase() ? value : `${name} ${value}`;
}

// The rest of a title after its first number: "brevity penalty 0.9, 7 tokens for 8".
function rest(title) {
  const number_ = title.match(NUMBER);
  return number_ ? title.slice(number_.index + number_[0].length).replace(/^[\s,;:(]+|[\s)]+$/g, "") : "";
}

function whole(system, why, width) {
  const [explanation] = found(why, system);
  if (!explanation) return null;
  const choice = form => h("button", { type: "button", "aria-pressed": String(state.whole === form), onclick: () => set({ whole: form }, "why") }, form);
  const reading = state.whole === "matrix" ? " in rows, its closest reference in columns; a frame marks the nearest token" : " at the left, its closest reference at the right";
  return h(
    "div",
    { class: "whole" },
    h("div", { class: "choose", role: "group", "aria-label": "The whole alignment" }, ["text", "links", "matrix"].map(choice)),
    state.whole !== "text" && [
      h("span", { class: "small" }, store.meta.systems[system], reading),
      wholeAlignment(explanation, state.whole, width),
    ],
  );
}

// The references and the source; n-grams of the reference that the explained system matched are marked.
function context({ references, source }, explanation, own, system) {
  const [matched] = own;
  const counted = own.map(one => one.reference_number).filter(number_ => number_ !== null);
  const chosen = Math.min(state.reference ?? counted[0] ?? 0, references.length - 1);
  const pick = (_, place) => {
    const counts = counted.includes(place);
    return h(
      "button",
      { type: "button", class: counts ? "counted" : null, "data-key": `reference ${place}`, "aria-pressed": String(place === chosen), "aria-label": `Reference ${place + 1}${counts ? ", which counted" : ""}`, tip: counts ? `Reference ${place + 1}\nwhich counted for ${store.meta.systems[system]}` : null, onclick: () => set({ reference: place }, "why") },
      String(place + 1),
    );
  };
  const sourceShown = source !== null && !(explanation?.kind === "TokenScores" && explanation.text === "source");
  return h(
    "div",
    { class: "context" },
    references.length > 0 &&
      h(
        "article",
        {},
        h(
          "header",
          {},
          h("h4", {}, references.length > 1 ? "References" : "Reference"),
          references.length > 1 && h("div", { class: "pick", role: "group", "aria-label": "Reference" }, references.map(pick)),
        ),
        h("p", { class: "text", dir: "auto" }, matchedIn(matched, references[chosen])),
        matched?.kind === "NgramMatches" && h("p", { class: "small" }, `Marked: matched by ${store.meta.systems[system]}.`),
      ),
    sourceShown &&
      h(
        "article",
        {},
        h("header", {}, h("h4", {}, "Source"), h("span", { class: "small" }, sized(source))),
        h("p", { class: "text source", dir: "auto", tabindex: 0 }, source),
      ),
  );
}

// The length of a text: in words, or in characters if its script has no spaces between words.
function sized(text) {
  const characters = text.replace(/\s/g, "");
  const unspaced = (text.match(UNSPACED) ?? []).length;
  if (2 * unspaced > [...characters].length) return plural([...characters].length, "character");
  return plural(text.split(/\s+/).filter(Boolean).length, "word");
}
