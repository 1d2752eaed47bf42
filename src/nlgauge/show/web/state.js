// The reader's choices: one object, one writer, and an address that has all of it, so that it can be shared.

export const state = {
  section: "leaderboard",
  // null: the first segment listed.
  segment: null,
  output: 0,
  label: null,
  a: 0,
  b: 1,
  // The output that sorts the leaderboard; null: the order of the result.
  board: null,
  // The order of the segments.
  sort: "gap",
  query: "",
  range: null,
  filters: {},
  x: 0,
  y: 1,
  method: "spearman",
  system: 0,
  // null: the reference that counted.
  reference: null,
  whole: "text",
  value: null,
  every: false,
  // The text of two runs: "both" shows their differences.
  run: "both",
};

// A change of these is a step that the Back button undoes.
const STEPS = ["section", "segment", "output", "label", "a", "b", "board", "range"];
const listeners = new Map();
let fields = [];
let defaults = {};
let waiting;
let isStep = false;
let seen = null;

export function on(event, call) {
  listeners.set(event, [...(listeners.get(event) ?? []), call]);
}

export function tell(event) {
  return Promise.all((listeners.get(event) ?? []).map(call => call()));
}

export function set(change, ...events) {
  Object.assign(state, change);
  events.forEach(tell);
  isStep ||= Object.keys(change).some(name => STEPS.includes(name));
  clearTimeout(waiting);
  waiting = setTimeout(keep, 250);
}

function keep() {
  const address = toAddress();
  const step = isStep;
  isStep = false;
  if (address === location.hash) return;
  try {
    history[step ? "pushState" : "replaceState"](null, "", address || location.pathname + location.search);
    seen = location.hash;
  } catch {
    // A page in a frame or one that was opened from disk may not be allowed to.
  }
}

// Each choice with its key, how it is written, and how it is read: undefined if there is no such thing.
function described(meta, ids, sorts) {
  const named = list => ({
    write: value => list[value],
    read: text => {
      const place = list.indexOf(text);
      if (place >= 0) return place;
      return /^\d{1,9}$/.test(text) && Number(text) < list.length ? Number(text) : undefined;
    },
  });
  const among = list => ({ write: value => value, read: text => (list.includes(text) ? text : undefined) });
  const outputs = named(meta.outputs.map(output => output.name));
  const systems = named(meta.systems);
  const free = { write: value => value, read: text => text.slice(0, 200) };
  const counted = { write: value => String(value + 1), read: text => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) - 1 : undefined) };
  return [
    ["s", "segment", named(ids)],
    ["o", "output", outputs],
    ["w", "label", among(meta.labels)],
    ["a", "a", systems],
    ["b", "b", systems],
    ["sort", "board", outputs],
    ["by", "sort", among(sorts)],
    ["q", "query", free],
    ["r", "range", { write: ends => ends.map(end => end.toPrecision(6)).join("~"), read: readRange }],
    ["x", "x", outputs],
    ["y", "y", outputs],
    ["c", "method", among(["spearman", "pearson", "kendall"])],
    ["one", "system", systems],
    ["ref", "reference", counted],
    ["form", "whole", among(["text", "links", "matrix"])],
    ["value", "value", free],
    ["run", "run", among(["both", "old", "new"])],
    ["every", "every", { write: () => "yes", read: text => (text === "yes" ? true : undefined) }],
  ];
}

function readRange(text) {
  const ends = text.split("~").map(Number);
  return ends.length === 2 && ends.every(Number.isFinite) && ends[0] < ends[1] ? ends : undefined;
}

// The state as an address; choices that are as the page opens are left out.
function toAddress() {
  const query = new URLSearchParams();
  for (const [key, name, { write }] of fields) {
    if (state[name] !== defaults[name] && state[name] !== null) query.set(key, write(state[name]));
  }
  for (const [field, value] of Object.entries(state.filters)) query.set(`f.${defaults.fields[field].name}`, defaults.fields[field].values[value]);
  const text = query.toString();
  return text || state.section !== "leaderboard" ? `#${state.section}${text && `?${text}`}` : "";
}

// The state that an address describes: what it does not name, or names wrongly, is as the page opens.
function fromAddress(address) {
  const [section, text = ""] = address.replace(/^#/, "").split("?");
  const query = new URLSearchParams(text);
  const { fields: columns, ...chosen } = { ...defaults, filters: {} };
  chosen.section = document.querySelector(`main > section[id="${CSS.escape(section)}"]`) ? section : "leaderboard";
  for (const [key, name, { read }] of fields) {
    const value = query.has(key) ? read(query.get(key)) : undefined;
    if (value !== undefined) chosen[name] = value;
  }
  columns.forEach((field, number) => {
    const place = field.values.indexOf(query.get(`f.${field.name}`));
    if (place >= 0) chosen.filters[number] = place;
  });
  if (chosen.a === chosen.b) [chosen.a, chosen.b] = [defaults.a, defaults.b];
  return chosen;
}

// Takes the state that the page opens with as the default, then what the address says; follows the address from now on.
export function begin(meta, ids, sorts) {
  fields = described(meta, ids, sorts);
  defaults = { ...state, fields: meta.fields };
  Object.assign(state, fromAddress(location.hash));
  seen = location.hash;
  const follow = async () => {
    if (location.hash === seen) return;
    seen = location.hash;
    clearTimeout(waiting);
    isStep = false;
    const { section } = state;
    Object.assign(state, fromAddress(location.hash));
    await tell("address");
    if (state.section !== section) tell("section");
  };
  addEventListener("hashchange", follow);
  addEventListener("popstate", follow);
}
