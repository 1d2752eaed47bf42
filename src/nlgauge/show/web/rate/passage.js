// A text whose words can be walked over and marked, by keys or by the mouse.
import { clear, h } from "../dom.js";
import { charactersOf, markAt, step, unitsOf } from "./marks.js";

// `side` names the text; `of` has marks(), rules and change of the item.
export function passage(side, label, text, of) {
  const units = unitsOf(text);
  const first = units[0] ?? { start: 0, end: 0 };
  let [head, anchor] = [first, first];
  const node = h("p", { class: "rate-text rate-target", id: `text-${side}`, dir: "auto", tabindex: 0, role: "group", "data-key": `text-${side}` });
  node.addEventListener("mouseup", dragged);

  function selected() {
    return { start: Math.min(head.start, anchor.start), end: Math.max(head.end, anchor.end) };
  }

  function update() {
    const marks = of.marks().filter(mark => mark.side === side && mark.start !== null);
    const chosen = selected();
    const edges = new Set([0, text.length, chosen.start, chosen.end, ...marks.flatMap(mark => [mark.start, mark.end])]);
    const sorted = [...edges].sort((one, other) => one - other);
    const pieces = sorted.slice(0, -1).map((from, place) => piece(from, sorted[place + 1], chosen));
    clear(node, pieces);
    node.setAttribute("aria-label", `${label}, ${marks.length} ${marks.length === 1 ? "mark" : "marks"}. Arrow keys move by word, Shift extends, ${of.keys}.`);
  }

  function piece(from, to, chosen) {
    const mark = markAt(of.marks(), side, from);
    const inside = text.length > 0 && from >= chosen.start && to <= chosen.end;
    const names = [mark && `rate-mark rate-${of.level(mark.severity)}`, inside && "rate-at"].filter(Boolean).join(" ");
    return h(mark ? "mark" : "span", { class: names || null, "data-from": from, title: mark ? [mark.severity, mark.category, mark.note].filter(Boolean).join(", ") : null }, text.slice(from, to));
  }

  // The place of a click, or the words of a selection.
  function dragged() {
    const chosen = getSelection();
    if (!chosen || !chosen.anchorNode || !node.contains(chosen.anchorNode) || !node.contains(chosen.focusNode)) return;
    const [start, end] = [offset(chosen.anchorNode, chosen.anchorOffset), offset(chosen.focusNode, chosen.focusOffset)].sort((one, other) => one - other);
    const hit = units.filter(unit => unit.start < Math.max(end, start + 1) && unit.end > start);
    if (!hit.length) return;
    [anchor, head] = [hit[0], hit.at(-1)];
    chosen.removeAllRanges();
    node.focus({ preventScroll: true });
    update();
  }

  function offset(at, inside) {
    const from = (at.nodeType === Node.TEXT_NODE ? at.parentElement : at).closest("[data-from]")?.dataset.from;
    return Number(from ?? 0) + (at.nodeType === Node.TEXT_NODE ? inside : 0);
  }

  // The name of a key that moves, in the direction of the text.
  function move(event) {
    const backwards = getComputedStyle(node).direction === "rtl" ? "ArrowRight" : "ArrowLeft";
    const all = event.altKey ? charactersOf(text) : units;
    if (!all.length) return;
    if (event.key === "Home") head = all[0];
    else if (event.key === "End") head = all.at(-1);
    else head = step(all, head, event.key !== backwards);
    if (!event.shiftKey) anchor = head;
    update();
  }

  function collapse() {
    anchor = head;
    update();
  }

  return { node, side, text, update, move, selected, collapse, under: () => markAt(of.marks(), side, head.start) };
}
