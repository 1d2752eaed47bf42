// Elements are made from text, never from markup: nothing here can turn data into code.

const SVG = "http://www.w3.org/2000/svg";

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

export function byId(id) {
  return document.getElementById(id);
}

// What a screen reader says, without moving the focus.
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
