// Elements are made from text, never from markup: nothing here can turn data into code.

const SVG = "http://www.w3.org/2000/svg";
const FOCUSABLE = "button, select, input, textarea, summary, a[href], [tabindex]";

// h("p", { class: "caption" }, "words", child, [more children]); what is null, undefined or false is left out.
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

// The same for pictures.
export function g(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

export function clear(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(isShown));
  return node;
}

// The same for a part of the page that is drawn again: the keyboard focus stays, and tables stay scrolled.
export function redraw(root, ...children) {
  const focused = document.activeElement;
  const held = focused !== root && root.contains(focused) ? [keyOf(focused), alike(root, focused).indexOf(focused)] : null;
  const scrolled = [...root.querySelectorAll(".scroll")].map(node => [node.scrollLeft, node.scrollTop]);
  clear(root, ...children);
  // A place that is set costs a layout.
  root.querySelectorAll(".scroll").forEach((node, place) => {
    if (scrolled[place]?.some(Boolean)) [node.scrollLeft, node.scrollTop] = scrolled[place];
  });
  if (held) {
    const same = [...root.querySelectorAll(FOCUSABLE)].filter(node => keyOf(node) === held[0]);
    (same[held[1]] ?? same[0] ?? root.closest("section"))?.focus({ preventScroll: true });
  }
  return root;
}

// The identity of a control that is drawn again: its key, else its id, else its name.
function keyOf(node) {
  return node.dataset.key ?? (node.id || `${node.tagName} ${node.getAttribute("aria-label") ?? node.textContent}`);
}

function alike(root, node) {
  return [...root.querySelectorAll(FOCUSABLE)].filter(other => keyOf(other) === keyOf(node));
}

export function byId(id) {
  return document.getElementById(id);
}

// The announcement of a screen reader, without moving the focus.
export function say(text) {
  byId("said").textContent = text;
}

function isShown(child) {
  return child !== null && child !== undefined && child !== false;
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (!isShown(value)) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "vars") Object.entries(value).forEach(([key, one]) => node.style.setProperty(key, one));
    else if (name === "tip") node.dataset.tip = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter(isShown));
  return node;
}
