// Opens the data, draws the sections, and listens to keys.
import { byId, h } from "./dom.js";
import { begin, on, set, state, tell } from "./state.js";
import { countSystems } from "./format.js";
import { tips } from "./tips.js";
import { store } from "./store.js";
import { hideCard } from "./cards.js";
import { leaderboard } from "./leaderboard.js";
import { compare } from "./compare.js";
import { trust } from "./trust.js";
import { agreement, leastAgreeing } from "./agreement.js";
import { startSelection } from "./selection.js";
import { segmentKeys, segments, sorts } from "./segments.js";
import { cost } from "./cost.js";
import { provenance } from "./provenance.js";
import { live } from "./live.js";
import { runs } from "./runs.js";

const THEMES = { auto: "◐", light: "☀", dark: "☾" };
const KEYS = [
  ["j k", "next and previous segment"],
  ["1 … 9", "explanation by that metric"],
  ["[ ]", "previous and next system"],
  ["m", "alignment as text, links or matrix"],
  ["/", "find in texts"],
  ["e", "only segments that meet an expression"],
  ["x", "swap the two systems"],
  ["r l c w a s", "to runs, leaderboard, compare, trust, agreement, segments"],
  ["t", "light, dark or system setting"],
  ["Esc", "close"],
];
const SECTIONS = { r: "runs", l: "leaderboard", c: "compare", w: "trust", a: "agreement", s: "segments" };

start().catch(error => {
  byId("leaderboard").append(h("p", { class: "failed" }, `This page could not be read: ${error.message}. Use a browser of 2024 or later.`));
  throw error;
});

async function start() {
  theme(kept());
  byId("theme").addEventListener("click", nextTheme);
  byId("help").addEventListener("click", help);
  tips();
  await show(chosenResult());
  addEventListener("keydown", keys);
  document.addEventListener("click", event => {
    if (!event.target.closest(".card, .cardname")) hideCard();
  });
  document.querySelectorAll("header a, a.skip").forEach(link => link.addEventListener("click", follow));
  on("section", toSection);
  if (state.section !== "leaderboard") toSection();
  markSections();
  document.documentElement.dataset.ready = "";
  performance.mark("ready");
}

async function show(result) {
  const meta = await store.open(result);
  countSystems(meta.systems.length);
  if (meta.systems.length > 1) [state.a, state.b] = meta.pair;
  state.system = state.a;
  if (meta.systems.length === 1) state.sort = "worst";
  // The page opens on a metric, which can explain its scores.
  state.output = Math.max(0, meta.outputs.findIndex(output => !output.people));
  [state.x, state.y] = leastAgreeing();
  state.label = meta.labels.find(label => label in meta.explained) ?? null;
  begin(meta, store.ids, sorts);
  startSelection();
  runs();
  leaderboard();
  performance.mark("first");
  compare();
  trust();
  agreement();
  cost();
  provenance();
  await segments();
  await live(other => {
    // Another result is another page: the choices of this page do not apply to it.
    location.assign(`${location.pathname}?result=${other}`);
  });
}

// A link of the navigation changes the section and keeps everything else that was chosen.
function follow(event) {
  event.preventDefault();
  set({ section: event.currentTarget.hash.slice(1) }, "section");
}

function toSection() {
  const section = byId(state.section);
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}

function chosenResult() {
  const given = new URLSearchParams(location.search).get("result") ?? "";
  return store.live && /^\d{1,4}$/.test(given) ? Number(given) : 0;
}

function theme(next) {
  document.documentElement.dataset.theme = next;
  byId("theme").textContent = THEMES[next];
  byId("theme").setAttribute("aria-label", `Theme: ${next}`);
  try {
    localStorage.setItem("nlgauge-theme", next);
  } catch {
    // Pages opened from disk may not be allowed to.
  }
  tell("theme");
}

function kept() {
  try {
    const found = localStorage.getItem("nlgauge-theme");
    return found in THEMES ? found : "auto";
  } catch {
    return "auto";
  }
}

function nextTheme() {
  const names = Object.keys(THEMES);
  theme(names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length]);
}

function help() {
  const keyed = ([names, meaning]) => [h("dt", {}, names.split(" ").map(name => h("kbd", {}, name))), h("dd", {}, meaning)];
  const box = h(
    "dialog",
    { class: "help", "aria-label": "Keyboard" },
    h("h3", {}, "Keyboard"),
    h("dl", {}, KEYS.flatMap(keyed)),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
  document.body.append(box);
  box.addEventListener("close", () => box.remove());
  box.showModal();
}

function keys(event) {
  if (event.key === "Escape") {
    hideCard();
    if (["query", "where"].includes(event.target.id)) event.target.blur();
    return;
  }
  const writing = event.target.matches?.("input, select, textarea") || document.querySelector("dialog[open]");
  if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
  const { systems, labels, explained } = store.meta;
  if (event.key in SECTIONS && !byId(SECTIONS[event.key]).hidden) {
    set({ section: SECTIONS[event.key] }, "section");
  } else if (event.key in segmentKeys && byId("detail")) {
    event.preventDefault();
    segmentKeys[event.key]();
  } else if (/^[1-9]$/.test(event.key)) {
    const label = labels.filter(one => one in explained)[Number(event.key) - 1];
    if (label) set({ label }, "why");
  } else if (event.key === "[" || event.key === "]") {
    const by = event.key === "]" ? 1 : systems.length - 1;
    set({ system: (state.system + by) % systems.length }, "why");
  } else if (event.key === "x" && systems.length > 1) set({ a: state.b, b: state.a }, "pair");
  else if (event.key === "t") nextTheme();
  else if (event.key === "?") help();
}

// Marks the section that is in view in the navigation.
function markSections() {
  const links = [...document.querySelectorAll("nav a")];
  const seen = new IntersectionObserver(
    entries =>
      entries
        .filter(entry => entry.isIntersecting)
        .forEach(entry => links.forEach(link => link.setAttribute("aria-current", String(link.hash === `#${entry.target.id}`)))),
    { rootMargin: "-30% 0px -60% 0px" },
  );
  document.querySelectorAll("main section").forEach(section => seen.observe(section));
}
