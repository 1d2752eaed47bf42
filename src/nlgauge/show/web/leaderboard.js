// Which system is best, and how sure that is: the verdict in words, and every score of every system with its interval.
import { byId, h, redraw } from "./dom.js";
import { on, set, state } from "./state.js";
import { chosenSystems, current, isActive, isChosen, selection, shown } from "./selection.js";
import { arrow, nameOf, number, plural, swatch, who } from "./format.js";
import { spread, strip } from "./charts.js";
import { store } from "./store.js";
import { cardButton } from "./cards.js";
import { data } from "./data.js";

// More systems than these have long rows of letters: the ranks that each may have say the same in less space.
const LETTERS = 8;
// A table of more systems than these is set in small print and sorted.
const SMALL = 6;
export const MISSING = "Means over different segments are not comparable; the comparison uses the segments that both systems have.";
// The group of human scores, which no label of a metric is.
const PEOPLE = Symbol("people");
// The least width of a strip that can be read.
const STRIP = 58;

export function leaderboard() {
  on("pair", draw);
  on("selection", draw);
  on("board", draw);
  on("address", draw);
  draw();
}

// Human scores and the outputs of metrics with their numbers, without outputs that repeat another on every segment.
export function boardOutputs() {
  return store.meta.outputs.map((_, number) => [shown(number), number]).filter(([output]) => output.same === null);
}

// The system with the best printed score; null if several have it.
function best(output) {
  return output.best.length === 1 && store.meta.systems.length > 1 ? output.best[0] : null;
}

function draw() {
  const root = byId("leaderboard");
  const count = boardOutputs().length;
  const put = width => redraw(root, verdict(), table(width), caption(), data("scores", scores(), { paper: paper() })).querySelector(".scroll");
  const width = Math.max(STRIP, Math.min(96, Math.floor((root.clientWidth - 236) / count) - 15));
  const board = put(width);
  // Long names take room that is known when they are drawn.
  const over = board.scrollWidth - board.clientWidth;
  if (over > 0 && width > STRIP) put(Math.max(STRIP, width - Math.ceil(over / count)));
}

// Every score with all that is known of it, one row each.
function scores() {
  const { systems } = store.meta;
  const row = (output, system) => [
    systems[system],
    nameOf(output),
    { value: output.scores[system], text: number(output.scores[system], output) },
    { value: output.low[system], text: number(output.low[system], output) },
    { value: output.high[system], text: number(output.high[system], output) },
    output.letters[system] ?? "",
    output.ranks[system] === null ? "" : output.ranks[system].join("–"),
    output.missing?.[system] ?? null,
  ];
  const rows = () => boardOutputs().flatMap(([output]) => chosenSystems().map(system => row(output, system)));
  return { columns: ["system", "score of", "score", "low", "high", "letters", "ranks", "missing segments"], rows };
}

// The leaderboard as a paper has it: one row per system, the best in bold.
function paper() {
  const { systems } = store.meta;
  const outputs = boardOutputs();
  const cell = (output, system) => ({ value: output.scores[system], text: number(output.scores[system], output), strong: best(output) === system });
  return {
    columns: ["system", ...outputs.map(([output]) => `${nameOf(output)} ${arrow(output)}`.trim())],
    rows: () => ordered().map(system => [systems[system], ...outputs.map(([output]) => cell(output, system))]),
  };
}

function verdict() {
  const { systems, segments, title, test } = store.meta;
  const [sentences, remarks, votes, alike] = ["verdict", "remarks", "votes", "alike"].map(current);
  // The report computes the numbers of a selection, and the explorer also their words.
  const ofAll = isActive() && !selection.view?.verdict && h("small", { class: "scope" }, `Of all ${plural(segments, "segment")}${store.meta.systems.length > 1 ? ` and ${plural(systems.length, "system")}` : ""}: `);
  const humans = store.meta.outputs.filter(output => output.people).length;
  const metrics = new Set(boardOutputs().filter(([output]) => !output.people).map(([output]) => output.label)).size;
  const facts = [plural(systems.length, "system"), plural(segments, "segment"), plural(metrics, "metric"), ...(humans > 0 ? [plural(humans, "human score")] : [])];
  const spoken = sentence => sentence.map(part => (part.system === undefined ? part.text : who(part.system, systems[part.system])));
  const [head, ...more] = sentences;
  const level = (1 - test.confidence).toFixed(2).replace(/^0/, "");
  const tested = `Each metric has one vote. Significant: p (max-T) ≤ ${level}, all pairs of systems tested together by ${test.name} (${plural(test.resamples, "resample")}); best group: no system is significantly ahead. `;
  const about = systems.length === 1 ? "The intervals show how much each score varies between samples." : (votes > 0 || store.meta.humans > 0) && !alike && [tested, "A significant difference need not matter to readers."];
  const lede = [...more, ...remarks].map(sentence => [spoken(sentence), " "]).concat(about || []);
  return h("div", { class: "verdict" }, h("p", { class: "eyebrow" }, h("bdi", {}, title), ` · ${facts.join(" · ")}`), h("h1", { id: "verdict" }, ofAll, spoken(head)), lede.length > 0 && h("p", { class: "lede" }, lede));
}

function table(width) {
  const { systems } = store.meta;
  const outputs = boardOutputs();
  const several = systems.length > 1;
  const groups = grouped(outputs);
  const kind = ["board", outputs.length < 9 && "few", systems.length > SMALL && "small"].filter(Boolean).join(" ");
  const cell = (output, system) => {
    const leader = best(output);
    return h(
      "td",
      { class: output.stale ? "stale" : leader === system ? "best" : null, tip: described(output, system) },
      h("span", { class: "score" }, number(output.scores[system], output), h("sup", {}, several ? mark(output, system) : "")),
      strip(output, system, width, output.best.includes(system) ? null : (output.best[0] ?? null)),
      output.missing?.some(Boolean) && h("small", { class: output.missing[system] > 0 ? "missing some" : "missing" }, output.missing[system] > 0 ? `${output.missing[system].toLocaleString("en")} missing` : "none missing"),
    );
  };
  const row = system =>
    h(
      "tr",
      { class: system === state.a || system === state.b ? "on" : null },
      h("th", { scope: "row" }, swatch(system), systems[system]),
      several && h("td", { class: "num top" }, String(current("in_top")[system]), h("small", {}, `/${current("votes")}`)),
      outputs.map(([output]) => cell(output, system)),
    );
  const foot = ([output]) => {
    const [low, high] = spread(output);
    return h("td", {}, h("span", { class: "ends" }, h("span", {}, number(low, output)), h("span", {}, number(high, output))));
  };
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scores of every system" },
    h(
      "table",
      { class: kind },
      h(
        "thead",
        {},
        h("tr", { class: "groups" }, h("td"), several && h("td"), groups.map(([label, span]) => h("th", { colspan: span, scope: "colgroup", class: label === PEOPLE ? "human" : null }, label === PEOPLE ? "people" : cardButton(label)))),
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "system"),
          several && h("th", { scope: "col", class: "num", tip: "Best group\nmetrics on which no system is significantly better; each metric counts once" }, "top"),
          outputs.map(([output, number_]) => heading(output, number_, groups)),
        ),
      ),
      h("tbody", {}, ordered().map(row)),
      h("tfoot", {}, h("tr", {}, h("td"), several && h("td"), outputs.map(foot))),
    ),
  );
}

function heading(output, number_, groups) {
  const alone = !output.people && groups.find(([label]) => label === output.label)[1] === 1 && output.output === output.metric;
  const direction = output.up === null ? "No direction\nneither more nor less is better" : output.up ? "Higher is better" : "Lower is better";
  const sorting = state.board === number_ ? (output.up === false ? "ascending" : "descending") : "none";
  const sort = () => set({ board: state.board === number_ ? null : number_ }, "board");
  return h(
    "th",
    { scope: "col", "aria-sort": sorting },
    h(
      "button",
      { type: "button", class: output.people ? "sort human" : "sort", "aria-label": `sort by ${nameOf(output)}`, onclick: sort },
      alone ? "score" : output.output,
      h("span", { class: "dir", tip: direction }, arrow(output) || "·"),
      state.board === number_ && h("span", { class: "mark" }),
    ),
  );
}

// The outputs of one metric are adjacent: [label, number]. Human scores are one group.
function grouped(outputs) {
  const groups = [];
  for (const [output] of outputs) {
    const label = output.people ? PEOPLE : output.label;
    if (groups.at(-1)?.[0] === label) groups.at(-1)[1] += 1;
    else groups.push([label, 1]);
  }
  return groups;
}

function ordered() {
  const order = current("order").filter(isChosen);
  if (state.board === null) return order;
  const output = shown(state.board);
  const sign = output.up === false ? -1 : 1;
  // Unknown values come last.
  const worth = output.scores.map(score => (score === null ? -Infinity : sign * score));
  return order.sort((i, j) => (worth[i] === worth[j] ? 0 : worth[j] - worth[i]));
}

function mark(output, system) {
  if (store.meta.systems.length <= LETTERS) return output.letters[system] ?? "";
  const rank = output.ranks[system];
  if (rank === null) return "";
  return rank[0] === rank[1] ? String(rank[0]) : `${rank[0]}–${rank[1]}`;
}

function described(output, system) {
  const percent = `${100 * store.meta.test.confidence}%`;
  const interval =
    output.low[system] === null
      ? `no interval: ${output.reason}`
      : `${percent} interval ${number(output.low[system], output)} to ${number(output.high[system], output)}`;
  return `${store.meta.systems[system]}, ${nameOf(output)}\n${number(output.scores[system], output)}, ${interval}${output.stale ? `; of all segments: ${output.stale}` : ""}`;
}

// Whether systems lack different segments of some output.
function unequal() {
  return boardOutputs().some(([output]) => output.unequal);
}

function caption() {
  const { systems, test, equal } = store.meta;
  const stale = isActive() ? boardOutputs().filter(([output]) => output.stale) : [];
  const marks = systems.length > LETTERS ? "After a score: the ranks that the system may have, given the significant differences. " : "Systems that share a letter do not differ significantly. ";
  const several = systems.length > 1;
  return h(
    "p",
    { class: "caption" },
    h("b", {}, "How to read it. "),
    `Dot: score; line: ${100 * test.confidence}% interval`,
    several ? "; the shaded band is the interval of the best system. " : ". ",
    several && marks,
    several && [h("b", {}, "top"), ": on how many metrics no system is significantly better. "],
    store.meta.humans > 0 && several && "Systems are in the order of the human scores. ",
    "Click a score to sort, a metric for its card. ",
    equal && `${equal} `,
    unequal() && MISSING,
    stale.length > 0 && h("span", { class: "stale" }, ` In gray, of all segments: ${stale.map(([output]) => `${nameOf(output)} (${output.stale})`).join(", ")}.`, !store.live && [" ", h("code", {}, "nlgauge serve"), " computes them for a selection."]),
  );
}
