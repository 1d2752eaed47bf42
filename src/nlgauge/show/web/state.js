// The reader's choices: one object, one writer, and an address that has all of it, so that it can be shared.
import { say } from "./dom.js";

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
  // The expression that segments must meet, and the numbers of the chosen systems; null: all.
  where: "",
  systems: null,
  // The level and the human dimension of the section on trust; null: the first.
  level: null,
  dimension: null,
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
const STEPS = ["section", "segment", "output", "label", "a", "b", "board", "range", "where", "systems", "level", "dimension"];
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
  published();
  isStep ||= Object.keys(change).some(name => STEPS.includes(name));
  clearTimeout(waiting);
  waiting = setTimeout(keep, 250);
}

// What is chosen, for whoever reads the page with a program.
function published() {
  document.documentElement.dataset.state = JSON.stringify(state);
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
    ["where", "where", { write: value => value, read: text => text.slice(0, 2000) }],
    ["t", "level", among(meta.trust?.levels.map(level => level.id) ?? [])],
    ["d", "dimension", among(meta.trust?.dimensions.map(({ name }) => name) ?? [])],
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
  for (const system of state.systems ?? []) query.append("on", defaults.names[system]);
  const text = query.toString();
  return text || state.section !== "leaderboard" ? `#${state.section}${text && `?${text}`}` : "";
}

// The state that an address describes: what it does not name, or names wrongly, is as the page opens.
function fromAddress(address) {
  const [section, text = ""] = address.replace(/^#/, "").split("?");
  const query = new URLSearchParams(text);
  const dropped = [];
  const { fields: columns, names, ...chosen } = { ...defaults, filters: {} };
  chosen.section = document.querySelector(`main > section[id="${CSS.escape(section)}"]`) ? section : "leaderboard";
  for (const [key, name, { read }] of fields) {
    const value = query.has(key) ? read(query.get(key)) : undefined;
    if (value !== undefined) chosen[name] = value;
    else if (query.has(key)) dropped.push(`${key}=${query.get(key)}`);
  }
  columns.forEach((field, number) => {
    const wanted = query.get(`f.${field.name}`);
    const place = field.values.indexOf(wanted);
    if (place >= 0) chosen.filters[number] = place;
    else if (wanted !== null) dropped.push(`f.${field.name}=${wanted}`);
  });
  const on = query.getAll("on");
  const numbers = names.map((_, system) => system).filter(system => on.includes(names[system]));
  if (numbers.length && numbers.length < names.length) chosen.systems = numbers;
  dropped.push(...on.filter(name => !names.includes(name)).map(name => `on=${name}`));
  if (chosen.a === chosen.b) [chosen.a, chosen.b] = [defaults.a, defaults.b];
  if (dropped.length) say(`Not on this page, and left out of the address: ${dropped.join(", ").slice(0, 300)}`);
  return chosen;
}

// Takes the state that the page opens with as the default, then what the address says; follows the address from now on.
export function begin(meta, ids, sorts) {
  fields = described(meta, ids, sorts);
  defaults = { ...state, fields: meta.fields, names: meta.systems };
  Object.assign(state, fromAddress(location.hash));
  published();
  seen = location.hash;
  const follow = async () => {
    if (location.hash === seen) return;
    seen = location.hash;
    clearTimeout(waiting);
    isStep = false;
    const { section } = state;
    Object.assign(state, fromAddress(location.hash));
    published();
    await tell("address");
    if (state.section !== section) tell("section");
  };
  addEventListener("hashchange", follow);
  addEventListener("popstate", follow);
}
