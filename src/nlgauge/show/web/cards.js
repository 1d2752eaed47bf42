// A metric's card: on hover after a moment, on click at once, closed by Escape.
import { h } from "./dom.js";
import { store } from "./store.js";

const WIDTH = 392;
let open = null;
let opener = null;
let later;

export function cardButton(label, text = null) {
  const short = store.meta.names[label] ?? label;
  const space = short.indexOf(" ");
  const name = text ?? (space < 0 ? short : short.slice(0, space));
  const parameters = text === null && space >= 0 ? h("small", {}, short.slice(space)) : null;
  return h(
    "button",
    {
      type: "button",
      class: "cardname",
      "aria-haspopup": "dialog",
      "aria-expanded": "false",
      tip: short === label ? null : label,
      onclick: event => show(event.currentTarget, label),
      onmouseenter: event => {
        const from = event.currentTarget;
        wait(350, () => show(from, label));
      },
      onmouseleave: () => wait(250, hideCard),
    },
    name,
    parameters,
  );
}

export function hideCard() {
  if (!open) return;
  opener.setAttribute("aria-expanded", "false");
  open.remove();
  open = opener = null;
}

function wait(time, call) {
  clearTimeout(later);
  later = setTimeout(call, time);
}

function show(from, label) {
  hideCard();
  const about = store.meta.cards[label];
  if (!about || !from.isConnected) return;
  open = card(label, about);
  opener = from;
  document.body.append(open);
  const box = from.getBoundingClientRect();
  const below = box.bottom + 8;
  open.style.left = `${Math.max(12, Math.min(box.left, innerWidth - WIDTH))}px`;
  open.style.top = `${below + open.offsetHeight > innerHeight ? Math.max(12, box.top - open.offsetHeight - 8) : below}px`;
  from.setAttribute("aria-expanded", "true");
}

function card(label, about) {
  return h(
    "aside",
    { class: "card", role: "dialog", "aria-label": about.title, onmouseenter: () => clearTimeout(later), onmouseleave: () => wait(250, hideCard) },
    h("p", { class: "eyebrow" }, `${about.categories.join(", ")} · ${about.year}`),
    h("h3", {}, about.title),
    h("p", {}, about.what),
    h("h4", {}, "Reading it"),
    h("p", {}, about.read),
    about.misleads.length > 0 && [h("h4", {}, "When it misleads"), h("ul", {}, about.misleads.slice(0, 3).map(one => h("li", {}, one)))],
    h("p", { class: "sig" }, store.meta.signatures[label] ?? ""),
  );
}
