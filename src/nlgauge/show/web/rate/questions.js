// The questions of a protocol as native inputs. Each has its node, update, missing, words, focus and choose, which gives
// the answer at a place, with its keys.
import { h } from "../dom.js";

const MOST_BUTTONS = 9;
const NO_BUTTONS = { keys: [], hints: [], choose: () => false };

export function question(asked, count, claims, of) {
  if (asked.kind === "claims") return claimed(asked, claims, of);
  if (asked.kind === "text") return written(asked, of);
  if (asked.kind === "order") return ranked(asked, count, of);
  if (asked.kind === "scale" && (asked.high - asked.low) / asked.step >= MOST_BUTTONS) return slider(asked, of);
  return choice(asked, choicesOf(asked, count), of);
}

// Values and names of the answers to choose from.
function choicesOf(asked, count) {
  if (asked.kind === "yes_no") return [[true, "yes"], [false, "no"]];
  if (asked.kind === "choice") return Object.entries(asked.labels);
  if (asked.kind === "scale") {
    const values = Array.from({ length: Math.floor((asked.high - asked.low) / asked.step) + 1 }, (_, place) => asked.low + place * asked.step);
    return values.map(value => [value, asked.labels[value] ? `${value} ${asked.labels[value]}` : String(value)]);
  }
  const texts = Array.from({ length: count }, (_, place) => [place, count === 2 && asked.ties ? `Text ${place + 1} is better` : `Text ${place + 1}`]);
  return asked.ties ? [...texts.slice(0, 1), ["tie", "equally good"], ...texts.slice(1)] : texts;
}

// What Next says about a question without an answer.
function wanted(asked) {
  return `Answer “${asked.text}”${withKeys(asked)}, then Next.`;
}

function withKeys(asked) {
  return asked.keys.length ? ` (keys ${asked.keys.join(" ")})` : "";
}

function choice(asked, choices, of) {
  const name = asked.id;
  // A screen may have fewer texts than the protocol has keys for.
  const keys = asked.keys.slice(0, choices.length);
  const inputs = choices.map(([value], place) => h("input", { type: "radio", name, id: `${name}-${place}`, "data-key": `${name}-${place}`, "aria-keyshortcuts": keys[place], onchange: () => of.give(name, value) }));
  const labels = choices.map(([, words], place) => h("label", { class: "rate-choice", for: `${name}-${place}` }, inputs[place], h("kbd", { "aria-hidden": "true" }, keys[place] ?? String(place + 1)), h("span", {}, words)));
  const node = h("fieldset", { class: "rate-question", "data-question": name }, h("legend", {}, asked.text, asked.required ? null : " (optional)"), h("div", { class: "rate-choices" }, labels));
  return {
    node,
    id: name,
    text: asked.text,
    keys,
    hints: keys.map((key, place) => [key, choices[place][1]]),
    update: () => choices.forEach(([value], place) => { inputs[place].checked = of.answers()[name] === value; }),
    missing: () => asked.required && of.answers()[name] === undefined,
    words: () => wanted(asked),
    focus: () => (inputs.find(input => input.checked) ?? inputs[0]).focus(),
    choose: place => place < choices.length && (of.give(name, choices[place][0]), true),
  };
}

function slider(asked, of) {
  const name = asked.id;
  let typed = "";
  const shown = h("output", { class: "rate-value", for: `scale-${name}` });
  const give = event => { typed = ""; of.give(name, Number(event.target.value)); };
  const input = h("input", { type: "range", id: `scale-${name}`, "data-key": `scale-${name}`, min: asked.low, max: asked.high, step: asked.step, oninput: give, onchange: give, onclick: give, onkeydown: keys, onblur: () => { typed = ""; update(); } });
  const anchors = Object.entries(asked.labels).map(([value, words]) => h("button", { type: "button", tabindex: -1, vars: { "--at": `${((Number(value) - asked.low) / (asked.high - asked.low)) * 100}%` }, onclick: () => of.give(name, Number(value)) }, h("b", {}, value), ` ${words}`));
  const node = h("section", { class: "rate-question", "data-question": name, "aria-label": asked.text }, h("label", { for: `scale-${name}` }, h("b", {}, asked.text), shown), input, h("div", { class: "rate-anchors" }, anchors));

  // Digits and Enter give the number that was typed.
  function keys(event) {
    if (/^\d$/.test(event.key) && !event.ctrlKey && !event.metaKey) typed = (typed + event.key).slice(-4);
    else if (event.key === "Backspace" && typed) typed = typed.slice(0, -1);
    else if (event.key === "Enter" && typed) {
      const number = Number(typed);
      typed = "";
      if (number >= asked.low && number <= asked.high && (number - asked.low) % asked.step === 0) of.give(name, number);
      else of.say(`${number} is not between ${asked.low} and ${asked.high}.`);
    } else if (event.key === "PageUp" || event.key === "PageDown") {
      const middle = Math.round((asked.low + asked.high) / 2);
      const value = (of.answers()[name] ?? middle) + (event.key === "PageUp" ? 10 : -10) * asked.step;
      of.give(name, Math.max(asked.low, Math.min(asked.high, value)));
    } else return;
    event.preventDefault();
    event.stopPropagation();
    update();
  }

  function update() {
    const value = of.answers()[name];
    const words = value === undefined ? "not given" : String(value);
    shown.textContent = typed ? `${typed}_` : words;
    shown.classList.toggle("rate-none", value === undefined);
    input.classList.toggle("rate-unset", value === undefined);
    input.value = String(value ?? Math.round((asked.low + asked.high) / 2));
    input.setAttribute("aria-valuetext", words);
  }

  return {
    node,
    id: name,
    update,
    missing: () => asked.required && of.answers()[name] === undefined,
    words: () => wanted(asked),
    focus: () => input.focus(),
    ...NO_BUTTONS,
  };
}

function written(asked, of) {
  const area = h("textarea", { id: `text-of-${asked.id}`, "data-key": `text-of-${asked.id}`, rows: 3, maxlength: 2000, dir: "auto", oninput: event => of.give(asked.id, event.target.value || undefined) });
  return {
    node: h("section", { class: "rate-question", "data-question": asked.id, "aria-label": asked.text }, h("label", { for: `text-of-${asked.id}` }, h("b", {}, asked.text)), area),
    id: asked.id,
    update: () => { if (area.value !== (of.answers()[asked.id] ?? "")) area.value = of.answers()[asked.id] ?? ""; },
    missing: () => asked.required && !of.answers()[asked.id],
    words: () => wanted(asked),
    focus: () => area.focus(),
    ...NO_BUTTONS,
  };
}

// One group of answers for each claim.
function claimed(asked, claims, of) {
  const made = several(asked, claims, Object.entries(asked.labels), of, replaced);
  made.groups.forEach((group, number) => {
    group.node.addEventListener("focusin", () => of.claim(number + 1));
    group.node.querySelector("legend").setAttribute("dir", "auto");
  });
  return { ...made, words: () => `Claim ${made.open() + 1} has no answer${withKeys(asked)}.` };
}

const replaced = (values, number, value) => values.map((old, place) => (place === number ? value : old));

// One group of ranks for each text. Without ties, a text that gets the rank of another text takes it away.
function ranked(asked, count, of) {
  const texts = Array.from({ length: count }, (_, place) => `Text ${place + 1}`);
  const ranks = texts.map((_, place) => [place + 1, `${place + 1}${place === 0 ? " best" : place === count - 1 ? " worst" : ""}`]);
  const taken = (values, number, value) => replaced(asked.ties ? values : values.map(old => (old === value ? null : old)), number, value);
  const made = several(asked, texts, ranks, of, taken);
  const skipped = () => {
    const given = of.answers()[asked.id] ?? [];
    return ranks.find(([rank]) => !given.includes(rank) && given.some(other => other > rank))?.[0];
  };
  return {
    ...made,
    missing: () => made.missing() || skipped() !== undefined,
    words: () => (made.missing() ? `Text ${made.open() + 1} has no rank${withKeys(asked)}.` : `No text has the rank ${skipped()}.`),
  };
}

// A group of answers for each part of a question; the answer is complete when each part has one.
function several(asked, parts, choices, of, changed) {
  const answers = () => of.answers()[asked.id] ?? Array(parts.length).fill(null);
  const groups = parts.map((part, number) => {
    const inner = {
      ...of,
      answers: () => ({ [`${asked.id}-${number}`]: answers()[number] ?? undefined }),
      give: (_, value) => of.give(asked.id, changed(answers(), number, value), number),
    };
    return choice({ id: `${asked.id}-${number}`, text: part, required: true, keys: asked.keys }, choices, inner);
  });
  const open = () => answers().indexOf(null);
  return {
    node: h("section", { class: "rate-claims", "data-question": asked.id, "aria-label": asked.text }, h("h2", {}, asked.text), groups.map(group => group.node)),
    id: asked.id,
    text: asked.text,
    groups,
    open,
    update: () => groups.forEach(group => group.update()),
    missing: () => open() >= 0,
    focus: () => groups[Math.max(open(), 0)]?.focus(),
  };
}
