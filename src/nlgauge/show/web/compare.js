// A system against a baseline: the gain on every score, and of one score on every segment.
import { byId, g, h, redraw } from "./dom.js";
import { on, set, state } from "./state.js";
import { arrow, briefOf, color, nameOf, number, pValue, plural, swatch, tick, ties, who } from "./format.js";
import { MISSING, boardOutputs } from "./leaderboard.js";
import { snippet } from "./listed.js";
import { chosenSystems, isChosen, isSelected, shown } from "./selection.js";
import { svg } from "./charts.js";
import { store } from "./store.js";
import { data } from "./data.js";
import { scaleLinear } from "./scales.js";

// More segments than these are drawn as an outline.
const BARS = 1200;

export function compare() {
  const root = byId("compare");
  if (store.meta.systems.length < 2) {
    root.hidden = true;
    return;
  }
  const draw = () => {
    root.hidden = chosenSystems().length < 2;
    return root.hidden || redraw(
      root,
      h(
        "div",
        { class: "head" },
        h("h2", {}, "Compare"),
        h("div", { class: "duel" }, swatch(state.a), picker("a", "Compared system"), h("span", { class: "vs" }, "against"), swatch(state.b), picker("b", "Baseline")),
      ),
      h("div", { class: "two" }, forest(), waterfall()),
      h(
        "p",
        { class: "caption" },
        `Left: the gain on each score, which is the improvement over ${store.meta.systems[state.b]}, with its ${100 * store.meta.test.confidence}% interval, each on a separate scale; a filled dot is significant by p (max-T). `,
        "Choose a score to see where the gain comes from. ",
        store.meta.equal && `${store.meta.equal} `,
        gains().some(({ output }) => output.missing && lacking(output)) && MISSING,
      ),
    );
  };
  root.hidden = false;
  on("pair", draw);
  on("selection", draw);
  on("output", draw);
  on("address", draw);
  draw();
}

// How many segments each of the two systems has no score for, in words; "" if none.
function lacking(output) {
  const counts = [state.a, state.b].map(system => output.missing?.[system] ?? 0);
  return counts.some(Boolean) ? `missing: ${counts.map(count => count.toLocaleString("en")).join(" and ")}` : "";
}

function picker(which, label) {
  const other = state[which === "a" ? "b" : "a"];
  const options = store.meta.order.filter(isChosen).map(system => h("option", { value: system, selected: state[which] === system, disabled: other === system }, store.meta.systems[system]));
  return h("select", { "aria-label": label, onchange: event => set({ [which]: Number(event.target.value) }, "pair") }, options);
}

// The index of a pair in the lists of pairs: 0 and 1, 0 and 2, ..., 1 and 2, ...
function pairNumber(one, other) {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  const count = store.meta.systems.length;
  return (low * (2 * count - low - 1)) / 2 + high - low - 1;
}

// The gain of the system over the baseline on every output: plus if it is better; system minus baseline if neither direction is better.
function gains() {
  const { a, b } = state;
  const at = pairNumber(a, b);
  // The numbers of a pair are the gains of its second system over its first.
  const sign = a > b ? 1 : -1;
  return boardOutputs()
    .filter(([output]) => output.scores[a] !== null && output.scores[b] !== null)
    .map(([output, number_]) => {
      const flip = output.up === false ? -1 : 1;
      const known = output.pairs !== null && output.pairs.low[at] !== null;
      // On the segments that both systems have; the scores themselves may be means over other segments.
      const gain = known ? output.pairs.gains[at] * sign : (output.scores[a] - output.scores[b]) * flip;
      const ends = known ? [output.pairs.low[at], output.pairs.high[at]].map(end => end * sign).sort((x, y) => x - y) : null;
      const [p, corrected] = output.pairs === null ? [null, null] : [output.pairs.p[at], output.pairs.p_max_t[at]];
      return { output, number: number_, gain, ends, p, corrected, sure: corrected !== null && corrected <= 1 - store.meta.test.confidence };
    });
}

function forest() {
  const { systems } = store.meta;
  const width = 160;
  const row = found => {
    const { output, gain, ends, sure } = found;
    const most = Math.max(Math.abs(gain), ...(ends ?? []).map(Math.abs), 1e-9) * 1.1;
    const x = scaleLinear([-most, most], [4, width - 4]);
    const tone = output.up === null ? "var(--ink-3)" : color(gain > 0 ? state.a : state.b);
    const chosen = state.output === found.number;
    const choose = () => set({ output: found.number, range: null }, "output");
    return h(
      "tr",
      { class: `${sure ? "sure" : "unsure"}${chosen ? " on" : ""}${output.stale ? " stale" : ""}` },
      h(
        "th",
        { scope: "row" },
        h(
          "button",
          { type: "button", class: output.people ? "plain human" : "plain", "aria-pressed": String(chosen), disabled: output.column === null, tip: output.label, onclick: choose },
          briefOf(output),
          h("span", { class: "dir" }, arrow(output)),
        ),
        lacking(output) && h("small", { class: "missing some", tip: "Segments without a score\nof the system and of the baseline" }, lacking(output)),
      ),
      h(
        "td",
        {},
        svg(
          width,
          22,
          `${nameOf(output)}: gain ${number(gain, output, true)}`,
          g("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: 22 }),
          g("line", { class: "rail", x1: 0, x2: width, y1: 11, y2: 11 }),
          ends && g("line", { class: "whisker", x1: x(ends[0]), x2: x(ends[1]), y1: 11, y2: 11, stroke: tone }),
          g("circle", { class: sure ? "dot" : "hollow", cx: x(gain), cy: 11, r: 4, fill: tone, stroke: tone }),
        ),
      ),
      h("td", { class: "num" }, number(gain, output, true)),
      [found.p, found.corrected].map(p => h("td", { class: "num pv", tip: p === null ? "No test\nthis score is not computed from segments" : null }, pValue(p))),
    );
  };
  return h(
    "div",
    { class: "forest" },
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Comparison by score" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td"),
            h("th", { class: "sides", tip: `Better\nto the left ${systems[state.b]}, to the right ${systems[state.a]}` }, h("span", {}, `← ${systems[state.b]}`), h("span", {}, `${systems[state.a]} →`)),
            h("th", { class: "num", tip: `Gain\nimprovement over ${systems[state.b]}; negative if it is worse` }, "gain"),
            h("th", { class: "num", tip: `p\n${store.meta.test.name}, only this pair` }, "p"),
            h("th", { class: "num", tip: "p (max-T)\ncorrected for all pairs of systems" }, "p (max-T)"),
          ),
        ),
        h("tbody", {}, gains().map(row)),
      ),
    ),
    data("gains", table()),
  );
}

// The gains as numbers.
function table() {
  const row = ({ output, gain, ends, p, corrected }) => {
    const bounds = ends ?? [null, null];
    const signed = value => ({ value, text: number(value, output, true) });
    return [nameOf(output), ...[state.a, state.b].map(system => ({ value: output.scores[system], text: number(output.scores[system], output) })), signed(gain), ...bounds.map(signed), ...[p, corrected].map(value => ({ value, text: pValue(value) })), ...[state.a, state.b].map(system => output.missing?.[system] ?? null)];
  };
  const { systems } = store.meta;
  return { columns: ["score of", systems[state.a], systems[state.b], "gain", "low", "high", "p", "p (max-T)", `missing of ${systems[state.a]}`, `missing of ${systems[state.b]}`], rows: () => gains().map(row) };
}

// Every segment's difference, largest first: how broad the lead is, and which segments make it.
function waterfall() {
  const output = shown(state.output);
  if (output.column === null) return h("p", { class: "caption" }, `${nameOf(output)} has no scores of segments.`);
  const { systems, segments } = store.meta;
  const flip = output.up === false ? -1 : 1;
  const list = Array.from({ length: segments }, (_, segment) => [
    (store.score(state.output, state.a, segment) - store.score(state.output, state.b, segment)) * flip,
    segment,
  ])
    .filter(([difference, segment]) => !Number.isNaN(difference) && isSelected(segment))
    .sort((one, other) => other[0] - one[0]);
  if (!list.length) return h("p", { class: "caption" }, `No segment has a known difference on ${nameOf(output)}.`);
  const of = (system, segment) => store.score(state.output, system, segment);
  const apart = list.filter(([, segment]) => !ties(of(state.a, segment), of(state.b, segment), output));
  const wins = apart.filter(([difference]) => difference > 0).length;
  const losses = apart.length - wins;
  const equal = list.length - apart.length;
  const median = list[Math.floor(list.length / 2)][0];
  const drawn = falls(list, output, `Differences of ${plural(list.length, "segment")} on ${nameOf(output)}: ${wins} better, ${equal} equal, ${losses} worse`);
  const table = { columns: ["segment", systems[state.a], systems[state.b], "gain"], rows: () => list.map(([difference, segment]) => [store.ids[segment], of(state.a, segment), of(state.b, segment), difference]) };
  const share = (count, tone, name) => h("span", { class: "share", vars: { "--w": count, "--c": tone } }, h("b", {}, count.toLocaleString("en")), ` ${name}`);
  return h(
    "figure",
    {},
    h(
      "figcaption",
      {},
      h("b", {}, nameOf(output)),
      " of every segment, ",
      who(state.a, systems[state.a]),
      " minus ",
      who(state.b, systems[state.b]),
      output.up === false ? ", oriented so that up is better" : "",
      `; half of the segments lie above ${number(median, output)}. `,
      list.length < segments && `${plural(segments - list.length, "segment")} without a score of both are left out. `,
      "Click a bar to open its segment.",
    ),
    drawn,
    h("div", { class: "shares" }, share(wins, color(state.a), "better"), share(equal, "var(--line-2)", "equal"), share(losses, color(state.b), "worse")),
    store.lengths && h("div", { class: "makers" }, makers(list.slice(0, 3), output, state.a), makers(list.slice(-3).reverse(), output, state.b)),
    data(`gains on ${nameOf(output)}`, table, { drawn }),
  );
}

function falls(list, output, label) {
  const [width, height, left, foot, head] = [700, 236, 44, 12, 8];
  const ends = [Math.min(0, list.at(-1)[0]), Math.max(0, list[0][0])];
  const x = scaleLinear([0, list.length], [left, width - 4]);
  const y = scaleLinear(ends[0] === ends[1] ? [-1, 1] : ends, [height - foot, head]).nice();
  const open = segment => set({ segment }, "segment", "goto");
  const grid = y.ticks(5).map(value => [
    g("line", { x1: left, x2: width, y1: y(value), y2: y(value) }),
    g("text", { x: left - 6, y: y(value) + 3.5, "text-anchor": "end" }, tick(value)),
  ]);
  const picture = svg(width, height, label, g("g", { class: "grid" }, grid));
  if (list.length <= BARS) {
    const gap = list.length < 200 ? 1.2 : 0;
    const bar = ([difference, segment], place) =>
      g("rect", {
        class: "fall",
        x: x(place),
        width: Math.max(0.6, x(place + 1) - x(place) - gap),
        y: Math.min(y(0), y(difference)),
        height: Math.max(1, Math.abs(y(difference) - y(0))),
        fill: color(difference > 0 ? state.a : state.b),
        tip: `${store.ids[segment]}\n${nameOf(output)} ${number(store.score(state.output, state.a, segment), output)} against ${number(store.score(state.output, state.b, segment), output)}`,
        onclick: () => open(segment),
      });
    picture.append(g("g", {}, list.map(bar)));
  } else {
    picture.append(
      g("path", { d: outline(list, x, y, Math.max), fill: color(state.a) }),
      g("path", { d: outline(list, x, y, Math.min), fill: color(state.b) }),
    );
    picture.addEventListener("click", event => {
      const box = picture.getBoundingClientRect();
      const found = list[Math.floor(x.invert(((event.clientX - box.left) / box.width) * width))];
      if (found) open(found[1]);
    });
  }
  picture.append(g("line", { class: "zero", x1: left, x2: width, y1: y(0), y2: y(0) }));
  return picture;
}

// The outline of the sorted differences on one side of zero.
function outline(list, x, y, side) {
  const points = Array.from({ length: BARS + 1 }, (_, step) => {
    const place = (step / BARS) * list.length;
    const difference = list[Math.min(list.length - 1, Math.floor(place))][0];
    return `${x(place).toFixed(1)},${y(side(0, difference)).toFixed(1)}`;
  });
  return `M${x(0)},${y(0)}L${points.join("L")}L${x(list.length)},${y(0)}Z`;
}

function makers(list, output, system) {
  const item = ([difference, segment]) =>
    h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "plain", onclick: () => set({ segment }, "segment", "goto") },
        h("span", { class: "num delta" }, number(difference, output, true)),
        snippet(store.headline(segment), 80),
      ),
    );
  return h("div", {}, h("h3", {}, "Most for ", who(system, store.meta.systems[system])), h("ol", { class: "quarrel" }, list.map(item)));
}
