// Tables as CSV and LaTeX, pictures as SVG, and how the reader saves them. Nothing is sent: the browser writes what the page made.
//
// A table is { columns: [name, ...], rows: () => [[cell, ...], ...] }; a cell is a text, a number, null if it is unknown,
// or { value, text, strong }: a number with the text that is shown of it, strong if it is the best.
import { store } from "./store.js";

// First characters of a formula in a spreadsheet.
const FORMULA = /^[=+\-@\t\r]/;
const LATEX = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", $: "\\$", "&": "\\&", "#": "\\#", _: "\\_", "%": "\\%", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
  "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", '"': "''", "`": "\\textasciigrave{}", "−": "$-$", "–": "--", "↑": "$\\uparrow$", "↓": "$\\downarrow$",
};
// The properties of style sheets that a picture outside the page needs.
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-dasharray", "opacity", "font-family", "font-size", "font-weight", "font-style", "text-anchor"];

export function valueOf(cell) {
  return cell !== null && typeof cell === "object" ? cell.value : cell;
}

export function textOf(cell) {
  if (cell !== null && typeof cell === "object") return cell.text;
  if (cell === null || Number.isNaN(cell)) return "n/a";
  return typeof cell === "number" ? String(Number(cell.toPrecision(4))).replace("-", "−") : cell;
}

// True if a column is aligned right: it has only numbers.
export function isNumeric(rows, column) {
  return rows.length > 0 && rows.every(row => valueOf(row[column]) === null || typeof valueOf(row[column]) === "number");
}

// Every number in full, an empty field if it is unknown.
export function csv({ columns, rows }) {
  const field = cell => {
    const value = valueOf(cell);
    if (value === null || Number.isNaN(value)) return "";
    if (typeof value === "number") return String(value);
    const safe = FORMULA.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [columns, ...rows()].map(row => `${row.map(field).join(",")}\n`).join("");
}

// A table for a paper, by booktabs.
export function latex({ columns, rows }) {
  const list = rows();
  const escaped = text => text.replace(/[\\{}$&#_%~^<>|"`−–↑↓]/g, sign => LATEX[sign]);
  const shown = cell => (cell !== null && cell?.strong ? `\\textbf{${escaped(textOf(cell))}}` : escaped(textOf(cell)));
  // After the end of a row a bracket or a star would be read as its argument.
  const line = cells => `  ${cells.join(" & ").replace(/^(?=[[*])/, "{}")} \\\\`;
  const places = columns.map((_, column) => (isNumeric(list, column) ? "r" : "l")).join("");
  const body = [line(columns.map(escaped)), "  \\midrule", ...list.map(row => line(row.map(shown)))];
  return ["% needs \\usepackage{booktabs}", `\\begin{tabular}{@{}${places}@{}}`, "  \\toprule", ...body, "  \\bottomrule", "\\end{tabular}", ""].join("\n");
}

// The picture by itself, in the colors of paper: styles become attributes, what can be pointed at becomes a title.
export function picture(node) {
  const root = document.documentElement;
  const theme = root.dataset.theme;
  // Nothing is painted in between.
  root.dataset.theme = "light";
  const copy = styled(node);
  root.dataset.theme = theme;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const { width, height } = node.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  copy.prepend(titled(node.getAttribute("aria-label") ?? ""));
  return `${new XMLSerializer().serializeToString(copy)}\n`;
}

function styled(node) {
  const copy = node.cloneNode(false);
  ["class", "role", "aria-label", "style", "data-tip"].forEach(name => copy.removeAttribute(name));
  const style = getComputedStyle(node);
  for (const name of STYLES) copy.setAttribute(name, plainColor(style.getPropertyValue(name)));
  if (node.dataset.tip) copy.append(titled(node.dataset.tip));
  for (const child of node.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.cloneNode());
    else if (!child.classList.contains("brush")) copy.append(styled(child));
  }
  return copy;
}

function titled(text) {
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  title.textContent = text;
  return title;
}

// A mixed color as other programs know it.
function plainColor(value) {
  const [, parts, , alpha] = value.match(/^color\(srgb ([\d. ]+)( \/ ([\d.]+))?\)$/) ?? [];
  if (parts === undefined) return value;
  const channels = parts.trim().split(" ").map(share => Math.round(255 * share));
  return alpha === undefined ? `rgb(${channels.join(",")})` : `rgba(${channels.join(",")},${alpha})`;
}

export function save(name, ending, text, type) {
  const stem = `${store.meta.title}-${name}`.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 80);
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = `${stem}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
