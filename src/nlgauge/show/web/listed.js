// Search hits, marked in texts.
import { h } from "./dom.js";
import { state } from "./state.js";
import { literal } from "./format.js";
import { store } from "./store.js";

// The pattern that finds what was searched for; null if nothing was.
export function searched() {
  return state.query ? new RegExp(literal(state.query), "giu") : null;
}

// The start of a text, with hits marked; the text may have to be opened first.
export function snippet(id, length) {
  const node = h("span", { class: "snippet", dir: "auto" });
  if (id === null) return node;
  const fill = text => {
    node.textContent = text.slice(0, length);
    markHits(node);
  };
  const ready = store.textNow(id);
  if (ready !== null) fill(ready);
  else store.text(id).then(fill);
  return node;
}

// Marks search hits in the text of a node, also across elements.
export function markHits(node) {
  const pattern = searched();
  if (!pattern) return;
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const pieces = [];
  let size = 0;
  while (walker.nextNode()) {
    pieces.push([walker.currentNode, size]);
    size += walker.currentNode.data.length;
  }
  const hits = [...node.textContent.matchAll(pattern)].map(hit => [hit.index, hit.index + hit[0].length]);
  for (const [piece, start] of pieces) {
    const inside = hits.map(([from, to]) => [Math.max(0, from - start), Math.min(piece.data.length, to - start)]).filter(([from, to]) => from < to);
    for (const [from, to] of inside.reverse()) {
      const part = piece.splitText(from);
      part.splitText(to - from);
      part.replaceWith(h("mark", { class: "hit" }, part.data));
    }
  }
}
