// The outputs with scores of segments, without those that repeat another on every segment, and the range of these scores.
import { store } from "./store.js";

const ranges = new Map();
let of = null;

export function scoredOutputs() {
  return store.meta.outputs.map((output, number) => [output, number]).filter(([output]) => output.column !== null && output.same === null);
}

// The least and the largest score of all segments of all systems.
export function bounds(number) {
  if (of !== store.meta) {
    ranges.clear();
    of = store.meta;
  }
  if (!ranges.has(number)) ranges.set(number, measured(number));
  return ranges.get(number);
}

function measured(number) {
  const size = store.meta.systems.length * store.meta.segments;
  const from = store.meta.outputs[number].column * size;
  let [low, high] = [Infinity, -Infinity];
  for (let i = from; i < from + size; i++) {
    const value = store.scores[i];
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  return [low, high === low ? low + 1 : high];
}
