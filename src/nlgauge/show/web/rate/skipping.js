// Declare that an item cannot be rated: a reason, which may be empty, and a second key press.
import { h } from "../dom.js";

export function skipping(skip) {
  const reason = h("input", { type: "text", id: "reason", maxlength: 2000, dir: "auto", autocomplete: "off", onkeydown: keys });
  const node = h(
    "div",
    { class: "rate-skip", id: "skipping", hidden: true },
    h("label", { for: "reason" }, "Why can this item not be rated? (optional)"),
    reason,
    h("button", { type: "button", id: "skip-now", onclick: done }, "Skip this item"),
    h("button", { type: "button", onclick: close }, "Cancel"),
  );
  const button = h("button", { type: "button", id: "skip", "aria-expanded": "false", "aria-controls": "skipping", onclick: toggle }, "Skip");

  function toggle() {
    if (!node.hidden) return close();
    show(true);
    reason.focus();
  }

  function close() {
    show(false);
    button.focus();
  }

  function show(open) {
    node.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  }

  function done() {
    show(false);
    skip(reason.value.trim());
  }

  function keys(event) {
    if (event.key === "Enter") done();
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return { node, button, toggle };
}
