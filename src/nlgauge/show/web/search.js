// Finds segments by their texts or ids. Texts are a few long strings: one pass of a regular expression finds the texts, those the segments.
import { searched } from "./listed.js";
import { store } from "./store.js";

// For each segment 1 if one of its texts or its id contains the words, in any case; otherwise 0.
export async function found(query) {
  const { segments, systems } = store.meta;
  const hits = store.lengths ? await textsWith() : null;
  const small = query.toLowerCase();
  const kept = new Uint8Array(segments);
  for (let segment = 0; segment < segments; segment++) {
    let hit = store.ids[segment].toLowerCase().includes(small);
    if (hits && !hit) {
      hit = Boolean(store.sources && hits[store.sources[segment]]);
      for (let system = 0; system < systems.length && !hit; system++) hit = Boolean(hits[store.prediction(system, segment)]);
      for (const id of hit ? [] : store.references(segment)) hit ||= Boolean(hits[id]);
    }
    kept[segment] = hit ? 1 : 0;
  }
  return kept;
}

async function textsWith() {
  const hits = new Uint8Array(store.lengths.length);
  const pattern = searched();
  let id = 0;
  for (let block = 0; block < store.meta.blocks; block++) {
    const text = await store.block(block);
    while (id < hits.length && store.blockOf[id] < block) id += 1;
    for (const match of text.matchAll(pattern)) {
      const end = match.index + match[0].length;
      while (id < hits.length && store.blockOf[id] === block && store.starts[id] + store.lengths[id] <= match.index) id += 1;
      // A match that extends into the next text does not count.
      if (id < hits.length && store.blockOf[id] === block && end <= store.starts[id] + store.lengths[id]) hits[id] = 1;
    }
  }
  return hits;
}
