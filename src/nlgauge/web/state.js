// What the reader has chosen, kept in the address so that it can be sent to somebody else.

export const state = {
  a: 0,
  b: 1,
  output: 0,
  method: "spearman",
  x: 0,
  y: 1,
  segment: 0,
  label: null,
  system: 0,
  sort: "gap",
  query: "",
  range: null,
  filters: {},
  reference: 0,
  value: null,
  whole: "text",
  every: false,
};

const listeners = new Map();
let waiting;

export function on(event, call) {
  listeners.set(event, [...(listeners.get(event) ?? []), call]);
}

export function tell(event) {
  (listeners.get(event) ?? []).forEach(call => call());
}

export function set(change, ...events) {
  Object.assign(state, change);
  events.forEach(tell);
  clearTimeout(waiting);
  waiting = setTimeout(keep, 250);
}

function keep() {
  const section = location.hash.split("?")[0] || "#leaderboard";
  const chosen = { s: state.segment, o: state.output, w: state.label ?? "", a: state.a, b: state.b, q: state.query, by: state.sort };
  if (state.range) chosen.r = state.range.map(end => end.toPrecision(6)).join("~");
  for (const [field, value] of Object.entries(state.filters)) chosen[`f${field}`] = value;
  try {
    history.replaceState(null, "", `${section}?${new URLSearchParams(chosen)}`);
  } catch {
    // A page that was opened from disk may not be allowed to.
  }
}

// Takes what the address says, where it says something that there is.
export function restore(meta, sorts) {
  const query = new URLSearchParams(location.hash.split("?")[1] ?? "");
  const whole = (name, below, otherwise) => {
    const value = query.get(name) ?? "";
    return /^\d{1,9}$/.test(value) && Number(value) < below ? Number(value) : otherwise;
  };
  state.segment = whole("s", meta.segments, state.segment);
  state.output = whole("o", meta.outputs.length, state.output);
  state.a = whole("a", meta.systems.length, state.a);
  state.b = whole("b", meta.systems.length, state.b);
  if (meta.labels.includes(query.get("w"))) state.label = query.get("w");
  if (sorts.includes(query.get("by"))) state.sort = query.get("by");
  const range = (query.get("r") ?? "").split("~").map(Number);
  if (range.length === 2 && range.every(Number.isFinite) && range[0] < range[1]) state.range = range;
  meta.fields.forEach((field, number) => {
    const value = whole(`f${number}`, field.values.length, null);
    if (value !== null) state.filters[number] = value;
  });
  state.query = (query.get("q") ?? "").slice(0, 200);
  return query.has("s");
}
