// One renderer for each kind of explanation, as nlgauge.show.pages.explanation has one. Color helps; an underline, a position or a letter says the same.
import { h } from "./dom.js";
import { set, state } from "./state.js";
import { literal } from "./format.js";
import { bare, joined, painted } from "./painted.js";
import { data } from "./data.js";
import { alignmentLinks, alignmentMatrix, transportLinks } from "./links.js";

const WORD_FIRST = /^[\p{L}\p{N}]/u;
const WORD_LAST = /[\p{L}\p{N}]$/u;

export const KINDS = {
  NgramMatches: {
    name: "matched n-grams",
    reading: "Marked: part of a match; the darker and the thicker the line, the longer. Gray: no match.",
    render: ngrams,
  },
  Edits: { name: "edits", reading: "Above a red word: the word of the reference. Underlined: added. Struck out: missing.", render: edits },
  Alignment: {
    name: "similarity of tokens",
    reading: "The stronger, the nearer its nearest token on the other side. Point at a token to see its nearest token.",
    render: alignment,
  },
  Transport: { name: "transport", reading: "The darker a token, the larger its share of the cost. Below, each curve is mass that goes from a token to another: thicker means more, redder means more expensive.", render: transport },
  WordAlignment: {
    name: "matched words",
    reading: "Underlined: matched (dashed by stem, dotted by synonym or paraphrase). Shading changes with every chunk.",
    render: words,
  },
  TokenScores: { name: "value of each token", reading: "The darker, the larger the value. Point at a token to see its values.", render: tokens },
  WordGroups: { name: "words by group", reading: "Words in groups by their role in the score.", render: groups },
  Distributions: {
    name: "predictions of a model",
    reading: "Tokens whose probability differs most: to the left more likely for the reference, to the right for the prediction.",
    render: distributions,
  },
  ErrorSpans: { name: "errors", reading: "Underlined: errors, thicker if more severe. Point at an error to see the confidence.", render: errorSpans },
  Entailment: { name: "entailment", reading: "Each sentence of the text with the verdicts of its premises; a frame marks the decisive premise.", render: entailment },
  Verdict: { name: "verdict", reading: "The answer of the judge: the probability or share of each level, and the share that the levels cover.", render: verdict },
};

// The display of an explanation; texts has the prediction, the references and the source.
export function whyNodes(explanation, texts) {
  const kind = KINDS[explanation.kind];
  if (!kind) return h("p", {}, explanation.title);
  return [cause(explanation), texts.note, kind.render(explanation, { ...texts, reference: texts.references[explanation.reference_number ?? 0] ?? null })];
}

// The cause of the score in one sentence; words of a text are isolated from the direction of the sentence.
function cause({ cause: sentence }) {
  if (!sentence) return null;
  return h("p", { class: "cause" }, sentence.split(/("[^"]*")/).map((piece, place) => (place % 2 ? h("bdi", {}, piece) : piece)));
}

export function wholeAlignment(explanation, form, width) {
  const drawn = form === "matrix" ? alignmentMatrix(explanation, width) : alignmentLinks(explanation, width);
  const links = { columns: ["prediction", "nearest in the reference", "cosine"], rows: () => explanation.prediction.map((token, i) => nearestOf(explanation, token, i)) };
  const matrix = { columns: ["", ...explanation.reference.map(bare)], rows: () => explanation.prediction.map((token, i) => [bare(token), ...explanation.similarity[i]]) };
  return [
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Alignment" }, drawn),
    data("alignment", form === "matrix" ? matrix : links, { drawn: form === "matrix" ? null : drawn }),
  ];
}

function nearestOf(explanation, token, i) {
  const j = largest(explanation.similarity[i]);
  return [bare(token), explanation.reference.length ? bare(explanation.reference[j]) : "", explanation.similarity[i][j] ?? null];
}

function paragraph(style, ...children) {
  return h("p", { class: style, dir: "auto" }, ...children);
}

function closest(explanation, many) {
  const number = explanation.reference_number;
  if (many) return null;
  return h("p", { class: "small" }, number === null ? "reference" : `reference ${number + 1}, which counted`);
}

function ngrams(one, { prediction, references }) {
  const most = Math.max(1, ...one.longest);
  const holders = references.length > 1 ? holdersOf(one, references) : [];
  const mark = (number, word) => {
    const size = one.longest[number];
    if (!size) return h("span", { class: "n0" }, word);
    const held = holders[number]?.length ? `\nin reference ${holders[number].map(place => place + 1).join(", ")}` : "";
    return h("mark", { class: "n", vars: { "--t": size / most }, "data-n": Math.min(4, size), tip: `${size}-gram\nlongest match with it${held}` }, word);
  };
  return [paragraph("text", joined(prediction, one.tokens, one.spans.prediction, one.longest, mark)), orders(one.orders)];
}

// The matched n-grams of an explanation with patterns that find them in a text: [first token, number of tokens, pattern].
function matches(one) {
  const characters = one.tokens.every(token => [...token].length <= 1);
  const found = [];
  one.longest.forEach((size, from) => {
    const run = one.longest.slice(from, from + size);
    if (size && run.length === size && run.every(other => other >= size)) found.push([from, size, patternOf(one.tokens.slice(from, from + size).map(bare), characters)]);
  });
  return found;
}

// A pattern for tokens with any space between them; words must be whole, characters need not.
function patternOf(tokens, characters) {
  const before = !characters && WORD_FIRST.test(tokens[0]) ? "(?<![\\p{L}\\p{N}])" : "";
  const after = !characters && WORD_LAST.test(tokens.at(-1)) ? "(?![\\p{L}\\p{N}])" : "";
  return new RegExp(before + tokens.map(literal).join("\\s*") + after, "giu");
}

// For each token the references with its longest matched n-gram.
function holdersOf(one, references) {
  const holders = one.longest.map(() => new Set());
  for (const [from, size, pattern] of matches(one)) {
    references.forEach((reference, place) => {
      if (reference.search(pattern) < 0) return;
      for (let token = from; token < from + size; token++) if (one.longest[token] === size) holders[token].add(place);
    });
  }
  return holders.map(set_ => [...set_].sort((x, y) => x - y));
}

// A reference with the n-grams marked that an explanation matched in it; the text itself for explanations of other kinds.
export function matchedIn(one, reference) {
  if (one?.kind !== "NgramMatches" || reference === undefined) return reference;
  const sizes = new Array(reference.length).fill(0);
  for (const [, size, pattern] of matches(one)) {
    for (const hit of reference.matchAll(pattern)) {
      for (let place = hit.index; place < hit.index + hit[0].length; place++) sizes[place] = Math.max(sizes[place], size);
    }
  }
  const most = Math.max(1, ...one.longest);
  const out = [];
  for (let from = 0, to; from < reference.length; from = to) {
    for (to = from + 1; to < reference.length && sizes[to] === sizes[from]; ) to += 1;
    const text = reference.slice(from, to);
    out.push(sizes[from] ? h("mark", { class: "n", vars: { "--t": sizes[from] / most }, "data-n": Math.min(4, sizes[from]), tip: `${sizes[from]}-gram` }, text) : text);
  }
  return out;
}

function orders(list) {
  const expects = list.some(order => order.expected !== null);
  const meter = (part, whole, name) => {
    if (!whole) return h("td", {}, "");
    const share = (100 * part) / whole;
    return h("td", {}, h("span", { class: "meter", vars: { "--v": part / whole }, role: "img", "aria-label": `${name} ${share.toFixed(0)}%` }), h("small", {}, share.toFixed(0)));
  };
  const row = ({ name, matched, predicted, expected }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", {}, h("small", {}, `${+matched.toFixed(1)}/${+predicted.toFixed(1)}`)),
      meter(matched, predicted, "precision"),
      expects && meter(matched, expected ?? 0, "recall"),
    );
  return h(
    "table",
    { class: "orders" },
    h("thead", {}, h("tr", {}, h("td"), h("th", { scope: "col" }, "matched"), h("th", { scope: "col" }, "precision %"), expects && h("th", { scope: "col" }, "recall %"))),
    h("tbody", {}, list.slice(0, 8).map(row)),
  );
}

function edits(one) {
  const shifts = one.edits.filter(edit => edit.kind === "shift");
  const counts = {};
  // Characters have no spaces between them, words do.
  const apart = one.edits.every(edit => [...edit.prediction, ...edit.reference].every(token => [...token].length <= 1)) ? "" : " ";
  const nodes = one.edits.filter(edit => edit.kind !== "shift").flatMap(({ kind, reference, prediction, target }) => {
    counts[kind] = (counts[kind] ?? 0) + Math.max(reference.length, prediction.length, kind === "jump" ? 1 : 0);
    if (kind === "equal") return [prediction.join(apart), apart];
    if (kind === "insert") return [h("ins", { tip: "inserted\nnot in the reference" }, prediction.join(apart)), apart];
    if (kind === "delete") return [h("del", { tip: "deleted\nonly in the reference" }, reference.join(apart)), apart];
    if (kind === "jump") return [h("span", { class: "jump", tip: `jump\nreading continues at ${target}` }, "⤳"), apart];
    return prediction.flatMap((word, place) => [
      h("span", { class: "sub", tip: `substituted\n${reference[place] ?? "nothing"} → ${word}` }, h("del", {}, reference[place] ?? "∅"), h("ins", {}, word)),
      apart,
    ]);
  });
  const tally = [["replace", "substituted", "ruby"], ["insert", "inserted", "ins"], ["delete", "deleted", "del"], ["equal", "equal", "eq"]];
  return [
    paragraph("text edits", nodes),
    h(
      "p",
      { class: "tally" },
      tally.map(([kind, name, style]) => h("span", { class: `tally-${style}` }, h("b", {}, String(counts[kind] ?? 0)), ` ${name}`)),
      shifts.length > 0 && h("span", { class: "tally-shift" }, h("b", {}, String(shifts.length)), " moved"),
    ),
    shifts.length > 0 &&
      h(
        "details",
        { class: "shifts" },
        h("summary", {}, "Moves before the alignment"),
        h("ol", {}, shifts.map(shift => h("li", {}, h("q", {}, shift.prediction.join(apart)), ` to place ${shift.target}`))),
      ),
  ];
}

// The place of the largest of some values.
function largest(values) {
  return values.reduce((best, value, place) => (value > values[best] ? place : best), 0);
}

function alignment(one, { prediction, reference, again, many }) {
  const cosine = (i, j) => one.similarity[i][j];
  const forward = one.prediction.map((_, i) => largest(one.similarity[i]));
  const backward = one.reference.map((_, j) => largest(one.similarity.map(row => row[j])));
  const shade = value => Math.max(0, Math.min(1, (value - 0.35) / 0.6)) ** 1.7;
  const [ours, theirs] = [[], []];
  const light = (nodes, value) =>
    nodes.forEach((node, place) => {
      if (node) node.style.setProperty("--t", shade(value(place)));
    });
  const rest = () => {
    light(ours, i => cosine(i, forward[i]));
    light(theirs, j => cosine(backward[j], j));
    [...ours, ...theirs].forEach(node => node?.classList.remove("here", "match"));
  };
  const token = (nodes, others, names, value, best) => (place, word) => {
    const enter = () => {
      rest();
      light(others, other => value(place, other));
      nodes[place].classList.add("here");
      others[best[place]]?.classList.add("match");
    };
    const near = names.length ? `${word} ~ ${bare(names[best[place]])}\ncosine ${value(place, best[place]).toFixed(2)}` : word;
    nodes[place] = h("span", { class: "tok", vars: { "--t": shade(value(place, best[place])) }, tip: near, onmouseenter: enter, onmouseleave: rest }, word);
    return nodes[place];
  };
  const above = paragraph("text heat prediction", painted(prediction, one.prediction, one.spans.prediction, token(ours, theirs, one.reference, cosine, forward)));
  return [
    !again && above,
    closest(one, many),
    paragraph("text heat second", painted(reference, one.reference, one.spans.reference, token(theirs, ours, one.prediction, (j, i) => cosine(i, j), backward))),
  ];
}

// Both texts, tokens shaded by their share of the cost, and the moves below.
function transport(one, { prediction, reference, width, again, many }) {
  const costs = one.plan.map((row, from) => row.map((mass, to) => mass * one.cost[from][to]));
  const total = costs.flat().reduce((sum, value) => sum + value, 0);
  const sides = [costs.map(row => row.reduce((sum, value) => sum + value, 0)), one.reference.map((_, to) => costs.reduce((sum, row) => sum + row[to], 0))];
  const most = Math.max(...sides.flat(), 1e-12);
  const token = (side, names, of) => (place, word) => {
    const moves = names.map((name, other) => [name, of(place, other)]).filter(([, value]) => value > 0).sort((x, y) => y[1] - x[1]);
    const listed = moves.slice(0, 3).map(([name, value]) => `${bare(name)} ${((100 * value) / total).toFixed(0)}%`);
    return h("span", { class: "tok", vars: { "--t": (sides[side][place] / most).toFixed(3) }, tip: [word, ...(listed.length ? ["share of the cost", ...listed] : ["costs nothing"])].join("\n") }, word);
  };
  const drawn = transportLinks(one, width ?? 550);
  const rows = () => one.plan.flatMap((row, from) => row.flatMap((mass, to) => (mass > 0 ? [[bare(one.prediction[from]), bare(one.reference[to]), mass, one.cost[from][to]]] : [])));
  return [
    !again && paragraph("text heat prediction", painted(prediction, one.prediction, one.spans.prediction, token(0, one.reference, (from, to) => costs[from][to]))),
    closest(one, many),
    paragraph("text heat second", painted(reference, one.reference, one.spans.reference, token(1, one.prediction, (to, from) => costs[from][to]))),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Transport" }, drawn),
    data("transport", { columns: ["prediction", "reference", "mass", "cost"], rows }, { drawn }),
  ];
}

function words(one, { prediction, reference }) {
  const [ours, theirs] = [[], []];
  const matched = side => new Map(one.matches.map((match, place) => [match[side], { other: match[1 - side], why: match[2], chunk: one.chunks[place] }]));
  const token = (nodes, others, matches, names) => (place, word) => {
    const match = matches.get(place);
    if (!match) return h("span", { class: "n0" }, word);
    const both = change => [nodes[place], others[match.other]].forEach(node => node?.classList.toggle("here", change));
    nodes[place] = h(
      "span",
      {
        class: `word ${match.why}`,
        "data-odd": match.chunk % 2,
        tip: `${names[match.other]}\n${match.why} match, chunk ${match.chunk}`,
        onmouseenter: () => both(true),
        onmouseleave: () => both(false),
      },
      word,
    );
    return nodes[place];
  };
  const counts = {};
  one.matches.forEach(([, , why]) => { counts[why] = (counts[why] ?? 0) + 1; });
  return [
    paragraph("text", painted(prediction, one.prediction, one.spans.prediction, token(ours, theirs, matched(0), one.reference))),
    closest(one),
    paragraph("text second", painted(reference, one.reference, one.spans.reference, token(theirs, ours, matched(1), one.prediction))),
    h(
      "p",
      { class: "tally" },
      Object.entries(counts).map(([why, count]) => h("span", { class: `word ${why}` }, h("b", {}, String(count)), ` ${why}`)),
      h("span", {}, h("b", {}, String(new Set(one.chunks).size)), new Set(one.chunks).size === 1 ? " chunk" : " chunks"),
    ),
  ];
}

function tokens(one, texts) {
  const names = Object.keys(one.values);
  const values = { ...one.values };
  const helps = "what it helps";
  // Information without and with the summary: the difference shows the help of the summary.
  if (one.text === "source" && names.length > 1) values[helps] = one.values[names[0]].map((value, place) => value - one.values[names[1]][place]);
  const all = Object.keys(values);
  const chosen = all.includes(state.value) ? state.value : all.includes(helps) ? helps : all[0];
  const most = Math.max(...Object.values(one.values).flat().map(Math.abs), 1e-9);
  const gain = chosen === helps;
  const text = one.text === "source" ? texts.source : one.text === "reference" ? texts.reference : texts.prediction;
  const mark = (place, word) => {
    const value = values[chosen][place];
    const strength = Math.min(1, Math.abs(value) / (gain ? most * 0.6 : most));
    const sign = gain && value < -0.5 ? "-" : value < 0 ? "~" : null;
    const tip = `${word.trim()}\n${all.map(name => `${name} ${Number(values[name][place]).toFixed(2)}`).join("\n")}`;
    return h("span", { class: "tok", vars: { "--t": strength }, "data-sign": sign, tip }, word);
  };
  const choice = name => h("button", { type: "button", "aria-pressed": String(name === chosen), onclick: () => set({ value: name }, "why") }, name);
  const sum = name => one.values[name].reduce((total, value) => total + Number(value), 0).toFixed(1);
  return [
    all.length > 1 && h("div", { class: "choose", role: "group", "aria-label": "Value shown" }, all.map(choice)),
    paragraph(`text ${gain ? "gain" : "info"}`, painted(one.text ? text : null, one.tokens, one.spans[one.text], mark)),
    h("p", { class: "tally" }, names.map(name => h("span", {}, `${name} `, h("b", {}, sum(name))))),
    one.text === "source" && texts.prediction !== null && [h("p", { class: "small" }, "summary"), paragraph("text second", texts.prediction)],
  ];
}

function groups(one) {
  const group = ([name, list]) => [h("dt", {}, name, h("b", {}, String(list.length))), h("dd", {}, list.map(word => h("span", { class: "chip" }, word)))];
  return h("dl", { class: "groups" }, Object.entries(one.groups).flatMap(group));
}

function distributions(one) {
  const differences = folded(one.differences);
  const most = Math.max(...differences.map(([, ours, theirs]) => Math.abs(ours - theirs)), 1e-9);
  const row = ([token, ours, theirs]) => {
    const share = (ours - theirs) / most;
    return h(
      "tr",
      { tip: `${token}\nprediction ${ours.toFixed(4)}, reference ${theirs.toFixed(4)}` },
      h("th", { scope: "row" }, token),
      h("td", { class: "diverging" }, h("span", { class: share < 0 ? "less" : "more", vars: { "--v": Math.abs(share).toFixed(3) } })),
      h("td", { class: "num" }, ours.toFixed(3)),
      h("td", { class: "num" }, theirs.toFixed(3)),
    );
  };
  const headings = ["token", "← reference · prediction →", "pred.", "ref."];
  const guess = side => h("p", { class: "text", dir: "auto" }, side.map(({ token, probability, likeliest }) => [guessed(token, probability, likeliest), " "]));
  return [
    h("table", { class: "dist" }, h("thead", {}, h("tr", {}, headings.map(name => h("th", { scope: "col" }, name)))), h("tbody", {}, differences.map(row))),
    h("p", { class: "small" }, `These tokens make up ${Math.round(100 * one.covered)}% of the whole difference.`),
    h("details", {}, h("summary", {}, "Predictions of the model at each place"), h("p", { class: "small" }, "prediction"), guess(one.prediction), h("p", { class: "small" }, "reference"), guess(one.reference)),
  ];
}

// Tokens that differ only in the mark of a space are one row; white space is shown by a sign.
function folded(differences) {
  const rows = new Map();
  for (const [token, ours, theirs] of differences) {
    const name = seen(token);
    const [, a, b] = rows.get(name) ?? [name, 0, 0];
    rows.set(name, [name, a + ours, b + theirs]);
  }
  return [...rows.values()];
}

// A token with visible signs for white space.
function seen(token) {
  const name = bare(token);
  if (name.trim()) return name.trim();
  return /[\nĊ]/.test(token) ? "⏎" : "▁";
}

function guessed(token, probability, likeliest) {
  const others = likeliest.slice(0, 5).map(([other, value]) => `${seen(other)} ${value.toFixed(2)}`);
  return h("span", { class: "tok info", vars: { "--t": 1 - probability }, tip: `${seen(token)} ${probability.toFixed(2)}\n${others.join("\n")}` }, seen(token));
}

function errorSpans(one) {
  const marks = one.errors.map(error => [error.start, error.end]);
  const mark = (place, word) => {
    const { severity, confidence } = one.errors[place];
    return h("span", { class: `error ${severity}`, tip: `${severity}\n${confidence === null ? "confidence unknown" : `confidence ${confidence.toFixed(2)}`}` }, word);
  };
  const counts = {};
  one.errors.forEach(({ severity }) => { counts[severity] = (counts[severity] ?? 0) + 1; });
  const tally = Object.entries(counts).map(([severity, count]) => h("span", { class: `error ${severity}` }, h("b", {}, String(count)), ` ${severity}`));
  return [
    paragraph("text", painted(one.text, marks.map(() => ""), marks, mark)),
    h("p", { class: "tally" }, tally.length ? tally : "no error found"),
  ];
}

function entailment(one) {
  const labels = Object.keys(one.probabilities);
  const premise = (text, place, hypothesis) => {
    const values = labels.map(label => [label, Number(one.probabilities[label][place][hypothesis])]);
    return h(
      "li",
      { class: one.best[hypothesis] === place ? "premise decided" : "premise" },
      h("span", { class: "stack", role: "img", "aria-label": values.map(([label, value]) => `${label} ${value.toFixed(2)}`).join(", ") }, values.map(([label, value]) => h("i", { class: `part ${label}`, vars: { "--v": value.toFixed(3) } }))),
      h("span", { class: "small" }, values.map(([label, value]) => `${label} ${value.toFixed(2)}`).join(" · ")),
      h("p", { class: "text second", dir: "auto" }, text),
    );
  };
  const strongest = hypothesis => one.premises.map((text, place) => [text, place]).sort((x, y) => (y[1] === one.best[hypothesis]) - (x[1] === one.best[hypothesis]));
  const item = (text, hypothesis) => {
    const [first, ...others] = strongest(hypothesis);
    return h(
      "article",
      { class: "hypothesis" },
      paragraph("text", text),
      h("ol", {}, first && premise(first[0], first[1], hypothesis)),
      others.length > 0 && h("details", {}, h("summary", {}, `${others.length} more ${others.length === 1 ? "premise" : "premises"}`), h("ol", {}, others.map(([one_, place]) => premise(one_, place, hypothesis)))),
    );
  };
  return [one.hypotheses.length ? one.hypotheses.map(item) : h("p", { class: "caption none" }, "No sentence to check."), moduleTable(one.modules ?? [])];
}

function moduleTable(modules) {
  const row = ({ module, model, name, value, meaning }) => h("tr", {}, h("th", { scope: "row" }, module), [model, name, Number(value).toFixed(4), meaning].map(cell => h("td", {}, cell)));
  const head = h("thead", {}, h("tr", {}, ["module", "model", "number", "value", "meaning"].map(name => h("th", { scope: "col" }, name))));
  return modules.length ? h("table", { class: "orders" }, head, h("tbody", {}, modules.map(row))) : null;
}

function verdict(one) {
  const level = ([name, share]) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, h("span", { class: "meter", vars: { "--v": Number(share) }, role: "img", "aria-label": `${name} ${(100 * share).toFixed(0)}%` }), h("small", {}, Number(share).toFixed(2))));
  const said = (prompt, place) => [h("p", { class: "small" }, "prompt"), h("pre", { class: "said" }, prompt), h("p", { class: "small" }, "replies"), (one.replies[place] ?? []).map(reply => h("pre", { class: "said" }, reply))];
  const covered = Number(one.covered);
  return [
    h("p", {}, h("b", {}, one.criterion), one.reason ? `: no score, ${one.reason}` : "", one.read_by ? h("small", {}, ` read by: ${one.read_by}`) : ""),
    h("table", { class: "orders" }, h("tbody", {}, Object.entries(one.levels).map(level))),
    Number.isNaN(covered) ? null : h("p", { class: "small" }, `The levels cover ${(100 * covered).toFixed(0)}% of the probability.`),
    one.prompts.length ? h("details", {}, h("summary", {}, "Prompts and replies"), one.prompts.map(said)) : one.replies.flat().map(reply => h("pre", { class: "said" }, reply)),
  ];
}
