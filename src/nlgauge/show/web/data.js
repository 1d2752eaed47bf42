// The part below a picture or a table: its data as a table to read or to hear, and files to save.
import { clear, h } from "./dom.js";
import { csv, isNumeric, latex, picture, save, textOf } from "./files.js";

// Rows of a table that the page shows; files have all.
const ROWS = 100;
// A frame of a notebook may not save anything.
const isFramed = window.parent !== window;

// `name` is the name of the files; `paper` is the table for LaTeX if it differs, `drawn` the picture.
export function data(name, table, { drawn = null, paper = table } = {}) {
  const kinds = isFramed ? [] : ["CSV", "LaTeX", drawn && "SVG"].filter(Boolean);
  const inside = h("div", {});
  const build = event => {
    if (event.target.open && !inside.hasChildNodes()) clear(inside, buttons(name, table, paper, drawn), shown(name, table));
  };
  return h("details", { class: "data", ontoggle: build }, h("summary", {}, ["Table", ...kinds].join(", ")), inside);
}

function buttons(name, table, paper, drawn) {
  if (isFramed) return null;
  const button = (kind, write) => h("button", { type: "button", class: "copy", "aria-label": `Save ${name} as ${kind}`, onclick: write }, `save ${kind}`);
  return h(
    "p",
    { class: "files" },
    button("CSV", () => save(name, "csv", csv(table), "text/csv")),
    button("LaTeX", () => save(name, "tex", latex(paper), "application/x-tex")),
    drawn && button("SVG", () => save(name, "svg", picture(drawn), "image/svg+xml")),
  );
}

function shown(name, { columns, rows }) {
  const all = rows();
  const list = all.slice(0, ROWS);
  const styles = columns.map((_, column) => (isNumeric(list, column) ? "num" : null));
  const row = cells => h("tr", {}, cells.map((cell, column) => h("td", { class: styles[column], dir: styles[column] ? null : "auto" }, textOf(cell))));
  return [
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": `Table of ${name}` },
      h("table", {}, h("thead", {}, h("tr", {}, columns.map((column, place) => h("th", { scope: "col", class: styles[place] }, column)))), h("tbody", {}, list.map(row))),
    ),
    all.length > ROWS && h("p", { class: "small" }, `The first ${ROWS} of ${all.length.toLocaleString("en")} rows; files have all.`),
  ];
}
