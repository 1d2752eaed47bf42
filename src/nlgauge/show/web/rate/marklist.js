// The marks of an item as a list: words, severity, category.
import { byId, clear, h } from "../dom.js";

export function markList(of) {
  const node = h("section", { class: "rate-marks", "aria-label": "Marks" });

  let drawn = "";

  function row(mark, place) {
    const words = of.excerpt(mark);
    const name = words ? `“${words}”` : "something is missing";
    return h(
      "li",
      {},
      h("span", { class: `rate-mark rate-${of.level(mark.severity)}`, dir: "auto" }, words || "missing"),
      h("span", { class: "rate-small" }, [mark.severity, mark.side === "source" ? "in the source" : "", mark.note].filter(Boolean).join(", ")),
      of.categories.length ? category(place, name) : null,
      h("button", { type: "button", class: "rate-remove", "aria-label": `Remove the mark of ${name}`, "data-key": `remove-${place}`, onclick: () => of.setMarks("mark removed", of.marks().filter((_, other) => other !== place)) }, "remove"),
    );
  }

  function category(place, name) {
    const options = ["", ...of.categories].map(value => h("option", { value }, value || "category?"));
    const changed = event => of.setMarks(`category ${event.target.value}`, of.marks().map((mark, other) => (other === place ? { ...mark, category: event.target.value } : mark)));
    return h("select", { id: `category-${place}`, "data-key": `category-${place}`, "aria-label": `Category of ${name}`, onchange: changed }, options);
  }

  // A list of categories in which somebody types must stay the same element.
  function update() {
    const marks = of.marks();
    const places = JSON.stringify(marks.map(mark => ({ ...mark, category: "" })));
    if (places !== drawn) {
      const focused = node.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      clear(node, marks.length ? h("ul", {}, marks.map(row)) : null);
      if (focused) (node.querySelector(`[data-key="${focused}"]`) ?? byId("next")).focus();
      drawn = places;
    }
    marks.forEach((mark, place) => {
      const list = byId(`category-${place}`);
      if (list) list.value = mark.category;
    });
  }

  // The category of a mark, or of the last one.
  function focus(mark) {
    const place = mark ? of.marks().indexOf(mark) : of.marks().length - 1;
    byId(`category-${place}`)?.focus();
  }

  return { node, update, focus };
}
