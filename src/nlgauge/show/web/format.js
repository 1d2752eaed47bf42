// How numbers, names and systems are written, the same everywhere on the page.
import { h } from "./dom.js";
import { state } from "./state.js";

// Up to this many systems have a color each; of more, only the two compared systems.
const COLORS = 8;
let systems = 0;

export function countSystems(count) {
  systems = count;
}

export function color(system) {
  if (systems <= COLORS) return `var(--s${system})`;
  if (system === state.a) return "var(--s0)";
  return system === state.b ? "var(--s1)" : "var(--ink-4)";
}

export function isColored(system) {
  return systems <= COLORS || system === state.a || system === state.b;
}

export function swatch(system) {
  return h("i", { class: "swatch", vars: { "--c": color(system) }, "aria-hidden": "true" });
}

export function who(system, name) {
  return h("span", { class: "who" }, swatch(system), name);
}

// A score with the decimals of its output; a true minus sign, and none before what is shown as zero.
export function number(value, output, sign = false) {
  if (value === null || value === undefined || Number.isNaN(value)) return "n/a";
  const shown = Math.abs(value).toFixed(output.decimals);
  if (Number(shown) === 0) return shown;
  return (value < 0 ? "−" : sign ? "+" : "") + shown;
}

// Two scores tie if they are printed alike; nothing ties with a missing score.
export function ties(one, other, output) {
  return number(one, output) === number(other, output) && !Number.isNaN(one);
}

// A p-value as tables print it.
export function pValue(value) {
  if (value === null || value === undefined) return "n/a";
  return value < 0.0001 ? "<.0001" : value.toFixed(4);
}

// A correlation: .53, −.12, 1.00.
export function correlation(value) {
  return value === null ? "n/a" : value.toFixed(2).replace("0.", ".").replace("-", "−");
}

// A tick of an axis without the noise of floats.
export function tick(value) {
  return String(Math.round(value * 1e6) / 1e6).replace("-", "−");
}

export function arrow(output) {
  if (output.up === null) return "";
  return output.up ? "↑" : "↓";
}

export function nameOf(output) {
  return output.name;
}

// The name in tables and pictures, where the tip has the whole.
export function briefOf(output) {
  return output.brief;
}

export function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

export function seconds(time) {
  if (time >= 100) return `${Math.round(time)} s`;
  if (time >= 1) return `${time.toFixed(1)} s`;
  if (time >= 0.01) return `${Math.round(time * 1000)} ms`;
  return `${(time * 1000).toFixed(time >= 0.001 ? 1 : 2)} ms`;
}

// A text as a regular expression that finds just this text.
export function literal(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
