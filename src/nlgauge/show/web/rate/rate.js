// One item on a screen: the texts, their marks, the questions. Everything can be done without a mouse.
import { byId, clear, h, say } from "../dom.js";
import { clock } from "./clock.js";
import { fromPoints, marked, nextMissing, toPoints } from "./marks.js";
import { markList } from "./marklist.js";
import { passage } from "./passage.js";
import { question } from "./questions.js";
import { keeper, saver } from "./saving.js";
import { skipping } from "./skipping.js";

const SEVERITIES = ["neutral", "minor", "major", "critical"];
let work, at, item, texts, state, history, future, gesture, warned, claim, asked, passages, list, times, saving, skip;
let status = "";
const rules = () => work.protocol.spans;
const sideText = mark => texts[mark.side ?? "target"] ?? "";
// What was said about an item: the last rating or skip that was not taken back.
const response = (each = item) => each.responses.at(-1);
const isSkipped = () => response()?.kind === "skip";

start();

async function start() {
  const inside = byId("d-work");
  work = inside ? JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(inside.textContent), letter => letter.charCodeAt(0)))) : await (await fetch("/api/work")).json();
  saving = inside ? keeper(work.offline, told) : saver(told, extend);
  for (const event of saving.kept ?? []) {
    const about = work.items.find(other => other.key === event.item);
    if (about) about.responses = applied(about.responses, event);
  }
  saving.open?.();
  addEventListener("keydown", keys);
  addEventListener("beforeunload", event => { if (changed()) event.preventDefault(); });
  if (work.items.length) show(Math.max(0, work.items.findIndex(other => !response(other))));
  else clear(byId("main"), h("h1", {}, work.title), h("p", {}, "You have no items."));
  document.documentElement.dataset.ready = "";
}

// Further items, if the server has proposed some.
async function extend({ items }) {
  if (items <= work.items.length) return;
  const fresh = await (await fetch("/api/work")).json();
  const known = new Set(work.items.map(each => each.key));
  work.items.push(...fresh.items.filter(each => !known.has(each.key)));
  if (response() && !changed()) unrated();
  else update();
}

function applied(responses, { kind, answers, spans, reason }) {
  if (kind === "undo") return responses.slice(0, -1);
  return [...responses, kind === "skip" ? { kind, reason } : { kind, answers, spans }];
}

function show(place) {
  if (item) item.draft = changed() ? state : null;
  at = Math.max(0, Math.min(work.items.length - 1, place));
  item = work.items[at];
  texts = { target: item.outputs[0], source: item.source ?? "" };
  state = item.draft ?? savedState();
  [history, future, gesture, warned, claim] = [[], [], "", false, 1];
  times = clock();
  draw();
  update();
  (passages.at(-1)?.node ?? asked[0]?.node.querySelector("input, textarea") ?? byId("next")).focus({ preventScroll: true });
  scrollTo(0, 0);
  say(`Item ${at + 1} of ${work.items.length}${isSkipped() ? ", skipped" : response() ? ", rated" : ""}`);
}

function savedState() {
  const saved = response();
  return { answers: { ...saved?.answers }, spans: fromPoints(sideText, saved?.spans ?? []) };
}

function changed() {
  return Boolean(item) && JSON.stringify(state) !== JSON.stringify(savedState());
}

// What the parts of the page know and can do.
function shared() {
  const severities = rules()?.severities ?? [];
  return {
    answers: () => state.answers,
    marks: () => state.spans,
    give: (name, value, part = "") => change(`give ${name} ${part}`, () => {
      const answers = { ...state.answers, [name]: value };
      if (value === undefined) delete answers[name];
      state = { ...state, answers };
    }),
    setMarks: (words, spans) => { change("", () => { state = { ...state, spans }; }); say(words); },
    level: severity => (SEVERITIES.includes(severity) ? severity : "evidence"),
    claim: number => { claim = number; },
    excerpt: mark => (mark.start === null ? "" : sideText(mark).slice(mark.start, mark.end)),
    say: words => { byId("needed").textContent = words; say(words); },
    categories: rules()?.categories ?? [],
    keys: severities.map((severity, place) => `${place + 1} ${severity}`).join(", "),
  };
}

function draw() {
  const { protocol } = work;
  const of = shared();
  passages = [];
  const shownText = (side, label, text) => {
    if (!rules()?.sides.includes(side)) return h("p", { class: "rate-text", dir: "auto" }, text);
    const made = passage(side, label, text, of);
    passages.push(made);
    return [made.node, tools(made)];
  };
  const given = [
    item.source !== undefined && pane("Source", neighbor("Before", item.context?.before), shownText("source", "Source", item.source), neighbor("After", item.context?.after)),
    (item.references ?? []).map((text, place) => pane(item.references.length > 1 ? `Reference ${place + 1}` : "Reference", h("p", { class: "rate-text", dir: "auto" }, text))),
  ];
  const outputs = item.outputs.map((text, place) => {
    const label = item.outputs.length > 1 ? `Text ${place + 1}` : "Text";
    return pane(label, place === 0 && item.outputs.length === 1 ? shownText("target", label, text) : h("p", { class: "rate-text", dir: "auto" }, text));
  });
  list = markList(of);
  asked = protocol.questions.map(each => question(each, item.outputs.length, item.claims ?? [], of));
  skip = skipping(skipped);
  const isWide = item.outputs.length > 1;
  clear(
    byId("main"),
    h("div", { class: "rate-bar" }, h("h1", {}, work.title), h("span", { class: "rate-small", id: "place" }), h("progress", { id: "done", max: work.items.length, "aria-label": "Items rated" }), h("span", { class: "rate-small rate-code" }, work.annotator)),
    protocol.instructions && h("div", { class: "rate-instructions" }, protocol.instructions.split("\n\n").map(text => h("p", { dir: "auto" }, text))),
    isWide ? [h("div", { class: "rate-given" }, given), h("div", { class: "rate-panes rate-many" }, outputs)] : h("div", { class: "rate-panes" }, h("div", {}, given), h("div", {}, outputs)),
    rules() && list.node,
    asked.map(each => each.node),
    h(
      "div",
      { class: "rate-foot" },
      h("p", { id: "needed", class: "rate-small" }),
      h("p", { id: "saved", class: "rate-small" }, status),
      work.offline && h("button", { type: "button", onclick: saveFile }, "Save ratings as a file"),
      skip.button,
      h("button", { type: "button", id: "undo", onclick: undo }, "Undo"),
      h("button", { type: "button", id: "back", onclick: () => show(at - 1) }, "Back"),
      h("button", { type: "button", id: "next", class: "rate-go", onclick: next, "aria-describedby": "needed" }, "Next"),
    ),
    skip.node,
    h("details", { id: "keys", class: "rate-keys" }, h("summary", {}, "Keys"), h("dl", {}, keyList().map(([key, meaning]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning))))),
  );
}

function pane(label, ...content) {
  return h("section", { class: "rate-pane", "aria-label": label }, h("h2", {}, label), content);
}

function neighbor(label, text) {
  return text ? h("p", { class: "rate-context", dir: "auto" }, h("span", { class: "sr" }, `${label}: `), text) : null;
}

// The buttons of a text, for those who use a mouse.
function tools(made) {
  const { severities, missing } = rules();
  return h(
    "div",
    { class: "rate-tools" },
    severities.map((severity, place) => h("button", { type: "button", onclick: () => mark(made, severity) }, h("kbd", { "aria-hidden": "true" }, String(place + 1)), ` ${severity}`)),
    h("button", { type: "button", onclick: () => unmark(made) }, "remove mark"),
    missing && made.side === "target" && h("button", { type: "button", class: "rate-missing", "data-key": "missing", onclick: omit }, "Something is missing"),
  );
}

function keyList() {
  const { side_by_side: beside, spans } = work.protocol;
  return [
    ...(spans ? [["← → Home End", "move by word; Alt by character"], ["Shift ← →", "extend"], ...spans.severities.map((severity, place) => [String(place + 1), `mark ${severity}`]), ["Backspace", "remove the mark"]] : []),
    ...(spans?.missing ? [["m", "something is missing"]] : []),
    ...(spans?.categories.length ? [["c", "category of the mark"]] : []),
    ...((spans?.sides.length ?? 0) > 1 ? [["s", "source or text"]] : []),
    ...asked.flatMap(each => (each.groups?.[0] ?? each).hints.map(([key, words]) => [key, `${each.text} ${words}`])),
    ...(groups().every(each => each.keys.length) ? [] : [["1 to 9", beside > 1 ? (asked.some(each => each.groups) ? "rank of the text" : "choose") : "answer the question"]]),
    ["digits Enter", "on a scale: a number"],
    ["Tab", "next control"],
    ["Enter", "next item; saves"],
    ["u, Shift u", "undo, also of a skip; redo"],
    ["x", "skip an item that cannot be rated"],
    ["b, n", "back, next open item"],
    ["?", "keys"],
  ];
}

function update() {
  passages.forEach(each => each.update());
  list.update();
  asked.forEach(each => each.update());
  const done = work.items.filter(other => response(other)).length;
  const skips = work.items.filter(other => response(other)?.kind === "skip").length;
  byId("place").textContent = `${at + 1} of ${work.items.length}, ${done} done${skips ? `, ${skips} of them skipped` : ""}`;
  byId("done").max = work.items.length;
  byId("done").value = done;
  byId("undo").disabled = history.length === 0 && !isSkipped();
  skip.button.disabled = isSkipped();
  byId("back").disabled = at === 0;
  byId("needed").textContent = needed()?.words ?? doneWords(done, skips);
  byId("needed").classList.remove("rate-wanted");
}

function doneWords(done, skips) {
  if (!response() || changed()) return "Everything that is asked for is there.";
  const all = done === work.items.length ? `All items are ${skips ? "done" : "rated"}. You can close this page.` : "";
  if (!isSkipped()) return all || "This item is rated.";
  const reason = response().reason && `: ${response().reason}`;
  return `You skipped this item${reason}. Undo takes this back. ${all}`;
}

// What is missing for Next, and where.
function needed() {
  if (isSkipped() && !changed()) return null;
  const open = asked.find(each => each.missing());
  if (open) return { words: open.words(), focus: open.focus, required: true };
  const unnamed = rules()?.categories.length ? state.spans.find(each => !each.category) : null;
  if (unnamed) return { words: `Choose the category of the mark “${shared().excerpt(unnamed) || "missing"}”.`, focus: () => list.focus(unnamed), required: true };
  const { warn_below: limit } = work.protocol;
  const scale = work.protocol.questions.find(each => each.kind === "scale");
  if (limit !== null && scale && state.answers[scale.id] < limit && state.spans.length === 0) {
    return { words: "The score is low and nothing is marked: mark what is wrong, or press Next again.", focus: () => passages.at(-1)?.node.focus(), required: false };
  }
  return null;
}

// Changes of one gesture, such as a slider that is dragged, are undone at once.
function change(name, apply) {
  if (!name || name !== gesture) history.push(state);
  gesture = name;
  future = [];
  apply();
  if (JSON.stringify(history.at(-1)) === JSON.stringify(state)) history.pop();
  update();
}

function undo() {
  if (!history.length) return isSkipped() ? takeBack() : undefined;
  future.push(state);
  state = history.pop();
  gesture = "";
  update();
  say("undone");
}

function redo() {
  if (!future.length) return;
  history.push(state);
  state = future.pop();
  gesture = "";
  update();
  say("redone");
}

function mark(made, severity) {
  const { limit, overlap } = rules();
  const { start, end } = made.selected();
  if (start === end) return;
  const note = severity === "evidence" ? `claim ${claim}` : "";
  const spans = marked(state.spans, { side: made.side, start, end, severity, category: "", note }, overlap);
  if (limit && spans.length > limit) return shared().say(`At most ${limit} marks are allowed in a text.`);
  made.collapse();
  shared().setMarks(`${severity}, ${made.text.slice(start, end)}`, spans);
}

function unmark(made) {
  const found = made.under();
  if (found) shared().setMarks("mark removed", state.spans.filter(other => other !== found));
}

function omit() {
  const spans = nextMissing(state.spans, rules().severities);
  const { limit } = rules();
  if (limit && spans.length > limit) return shared().say(`At most ${limit} marks are allowed in a text.`);
  const found = spans.find(each => each.start === null);
  shared().setMarks(found ? `something is missing, ${found.severity}` : "nothing is missing", spans);
}

function next() {
  const reason = needed();
  if (reason && (reason.required || !warned)) {
    warned = true;
    byId("needed").classList.add("rate-wanted");
    byId("needed").textContent = reason.words;
    say(reason.words);
    reason.focus();
    return;
  }
  if (changed() || !response()) {
    item.draft = null;
    save({ kind: "rating", answers: state.answers, spans: toPoints(sideText, state.spans).map(lean), ...times.read() });
  }
  unrated();
}

// Saves what was said about the item; the page goes on before the answer.
function save(event) {
  const about = item;
  const before = about.responses;
  about.responses = applied(before, event);
  saving.save({ item: about.key, ...event }, () => { about.responses = before; update(); });
}

function skipped(reason) {
  save({ kind: "skip", reason, ...times.read() });
  restart();
  say("skipped");
  unrated();
}

function takeBack() {
  save({ kind: "undo" });
  restart();
  say("skip taken back");
}

// The item as it is saved, without changes.
function restart() {
  state = savedState();
  [history, future, gesture] = [[], [], ""];
  item.draft = null;
  update();
}

// A mark without default values, as the log has it.
function lean(mark) {
  return Object.fromEntries(Object.entries(mark).filter(([name, value]) => name === "severity" || (value !== "" && value !== null && value !== "target")));
}

function told(words, waiting) {
  status = waiting > 1 && words.startsWith("Not saved") ? `${words} (${waiting} ratings)` : words;
  const shown = byId("saved");
  if (!shown) return;
  shown.textContent = status;
  shown.classList.toggle("rate-wanted", words.startsWith("Not saved"));
  if (words.startsWith("Not saved")) say(status);
}

function saveFile() {
  const link = h("a", { href: URL.createObjectURL(new Blob([saving.file(work.annotator)], { type: "application/jsonl" })), download: `${work.annotator}-ratings.jsonl` });
  link.click();
}

function keys(event) {
  const { target } = event;
  if (target.type === "text" || (target.tagName === "TEXTAREA" && !(event.key === "Enter" && event.ctrlKey))) return;
  if (event.key === "Enter") {
    if (["BUTTON", "SUMMARY"].includes(target.tagName) && target.id !== "next") return;
    event.preventDefault();
    next();
    return;
  }
  // The letters of a list of categories choose in it.
  if (event.ctrlKey || event.metaKey || (target.tagName === "SELECT" && event.key.length === 1)) return;
  const inText = passages.find(each => each.node === target);
  if (inText && /^(ArrowLeft|ArrowRight|Home|End)$/.test(event.key)) inText.move(event);
  else if (event.altKey) return;
  else if (/^[1-9]$/.test(event.key)) digit(Number(event.key), inText);
  else if (inText && (event.key === "Backspace" || event.key === "Delete")) unmark(inText);
  else if (event.key === "u") undo();
  else if (event.key === "U") redo();
  else if (event.key === "m" && rules()?.missing) omit();
  else if (event.key === "c" && rules()?.categories.length) list.focus(inText?.under());
  else if (event.key === "s" && passages.length > 1) (passages.find(each => each.node !== target) ?? passages[0]).node.focus();
  else if (event.key === "x") isSkipped() || skip.toggle();
  else if (event.key === "b") show(at - 1);
  else if (event.key === "n") unrated();
  else if (event.key === "?") byId("keys").open = !byId("keys").open;
  else if (!press(event.key.toLowerCase(), inText)) return;
  event.preventDefault();
}

function unrated() {
  const open = work.items.findIndex((other, place) => place > at && !response(other));
  const first = work.items.findIndex(other => !response(other));
  if (open >= 0 || first >= 0) show(open >= 0 ? open : first);
  else update();
}

// The groups of answers on the page: one per question, or one per claim or text.
function groups() {
  return asked.flatMap(each => each.groups ?? [each]);
}

// A number key marks in a text; elsewhere it answers the question with the focus, or the first open one.
function digit(number, inText) {
  if (inText) {
    const severity = rules().severities[number - 1];
    if (severity) mark(inText, severity);
    return;
  }
  answer(groups().filter(each => !each.keys.length), number - 1);
}

// A key that the protocol names answers its question from everywhere.
function press(key, inText) {
  const those = groups().filter(each => each.keys.includes(key));
  if (those.length) answer(those, those[0].keys.indexOf(key), inText);
  return those.length > 0;
}

function answer(those, place, stays) {
  const chosen = (those.length === 1 && those[0].keys.length ? those[0] : null) ?? those.find(each => each.node.contains(document.activeElement)) ?? those.find(each => each.missing());
  if (!chosen?.choose(place) || stays) return;
  const all = groups();
  (all.slice(all.indexOf(chosen) + 1).find(each => each.missing()) ?? chosen).focus();
}
