// The marks of an item as a list: words, severity, category.
import { byId, clear, h } from "../dom.js";

export function markList(of) {
  const node = h("section", { class: "rate-marks", "aria-label": "Marks" });

  function row(mark, place) {
    const words = of.excerpt(mark);
    const name = words ? `“${words}”` : "something is missing";
    return h(
      "li",
      {},
      h("span", { class: `rate-mark rate-${of.level(mark.severity)}`, dir: "auto" }, words || "missing"),
      h("span", { class: "rate-small" }, [mark.severity, mark.side === "source" ? "in the source" : "", mark.note].filter(Boolean).join(", ")),
      of.categories.length ? category(mark, place, name) : null,
      h("button", { type: "button", class: "rate-remove", "aria-label": `Remove the mark of ${name}`, "data-key": `remove-${place}`, onclick: () => of.setMarks("mark removed", of.marks().filter(other => other !== mark)) }, "remove"),
    );
  }

  function category(mark, place, name) {
    const options = ["", ...of.categories].map(value => h("option", { value, selected: value === mark.category }, value || "category?"));
    const changed = event => of.setMarks(`category ${event.target.value}`, of.marks().map(other => (other === mark ? { ...mark, category: event.target.value } : other)));
    return h("select", { id: `category-${place}`, "data-key": `category-${place}`, "aria-label": `Category of ${name}`, onchange: changed }, options);
  }

  function update() {
    const focused = document.activeElement?.dataset?.key;
    clear(node, of.marks().length ? h("ul", {}, of.marks().map(row)) : null);
    if (focused && !document.activeElement?.dataset?.key) node.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  // The category of a mark, or of the last one.
  function focus(mark) {
    const place = mark ? of.marks().indexOf(mark) : of.marks().length - 1;
    byId(`category-${place}`)?.focus();
  }

  return { node, update, focus };
}
