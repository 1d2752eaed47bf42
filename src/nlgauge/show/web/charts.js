// Pieces of pictures that several sections draw.
import { g, h } from "./dom.js";
import { color, nameOf, number } from "./format.js";
import { scaleLinear } from "./scales.js";

// A picture with a sentence for those who do not see it.
export function svg(width, height, label, ...children) {
  return g("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label }, ...children);
}

// The range of an output's strip: every interval of it, with a little air, but nothing that the score cannot be.
export function spread(output) {
  const all = [...output.scores, ...output.low, ...output.high].filter(value => value !== null);
  if (!all.length) return [0, 1];
  const low = Math.min(...all);
  const high = Math.max(...all);
  const air = (high - low || Math.abs(high) || 1) * 0.08;
  const [least, most] = output.bounds;
  return [Math.max(low - air, least ?? -Infinity), Math.min(high + air, most ?? Infinity)];
}

// A score as a dot on its interval; the interval of the best system is a band behind it.
export function strip(output, system, width, best = null) {
  const score = output.scores[system];
  if (score === null) return h("span", { class: "none" }, "–");
  const x = scaleLinear(spread(output), [1, width - 1]);
  const [low, high] = [output.low[system], output.high[system]];
  const interval = low === null ? "" : `, interval ${number(low, output)} to ${number(high, output)}`;
  const band = best !== null && output.low[best] !== null;
  return svg(
    width,
    16,
    `${nameOf(output)} ${number(score, output)}${interval}`,
    band && g("rect", { class: "band", x: x(output.low[best]), width: Math.max(1, x(output.high[best]) - x(output.low[best])), y: 0, height: 16, rx: 2 }),
    g("line", { class: "rail", x1: 0, x2: width, y1: 8, y2: 8 }),
    low !== null && g("line", { class: "whisker", x1: x(low), x2: x(high), y1: 8, y2: 8, stroke: color(system) }),
    g("circle", { class: "dot", cx: x(score), cy: 8, r: 3.6, fill: color(system) }),
  );
}

// Lets the reader choose a range of a picture: with the pointer, or with the arrow keys (shift for the right end, Escape for all).
export function brush(picture, { left, right, top, height, range, invert, position, changed }) {
  const shade = g("rect", { class: "selection", y: top, height });
  const area = g("rect", { class: "overlay", x: left, y: top, width: right - left, height, tabindex: 0, role: "slider", "aria-label": "Range kept" });
  const shown = ends => {
    shade.toggleAttribute("hidden", ends === null);
    area.setAttribute("aria-valuetext", ends === null ? "all" : `${invert(ends[0]).toPrecision(3)} to ${invert(ends[1]).toPrecision(3)}`);
    area.setAttribute("aria-valuenow", ends === null ? 0 : 1);
    if (ends === null) return;
    shade.setAttribute("x", ends[0]);
    shade.setAttribute("width", Math.max(0, ends[1] - ends[0]));
  };
  const within = value => Math.max(left, Math.min(right, value));
  const place = event => {
    const box = picture.getBoundingClientRect();
    return within(((event.clientX - box.left) / box.width) * picture.viewBox.baseVal.width);
  };
  let ends = range === null ? null : range.map(position);
  let start = null;
  const done = next => {
    ends = next;
    shown(ends);
    changed(ends === null ? null : ends.map(invert));
  };
  area.addEventListener("pointerdown", event => {
    start = place(event);
    area.setPointerCapture(event.pointerId);
  });
  area.addEventListener("pointermove", event => {
    if (start !== null) shown([start, place(event)].sort((a, b) => a - b));
  });
  area.addEventListener("pointerup", event => {
    if (start === null) return;
    const found = [start, place(event)].sort((a, b) => a - b);
    start = null;
    done(found[1] - found[0] < 4 ? null : found);
  });
  area.addEventListener("keydown", event => {
    const step = { ArrowLeft: -0.05, ArrowRight: 0.05 }[event.key];
    if (event.key === "Escape" && ends !== null) done(null);
    if (step === undefined) return;
    event.preventDefault();
    const [a, b] = ends ?? [left, right];
    const by = step * (right - left);
    done(event.shiftKey ? [a, Math.max(a + 4, within(b + by))] : [Math.min(b - 4, within(a + by)), b]);
  });
  picture.append(g("g", { class: "brush" }, shade, area));
  shown(ends);
}
