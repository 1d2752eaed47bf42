// How the numbers were made: signatures and commands to copy, the test, the environment.
import { byId, clear, h } from "./dom.js";
import { store } from "./store.js";
import { cardButton } from "./cards.js";
import { plural } from "./format.js";

export function provenance() {
  const { signatures, commands, environment, config, test, version, left_out: leftOut = [] } = store.meta;
  const facts = {
    nlgauge: version,
    test: `${test.name}, max-T over all pairs, ${plural(test.resamples, "resample")}, seed ${test.seed}`,
    confidence: `${100 * test.confidence}%`,
    ...(leftOut.length ? { "left out": `${leftOut.join(" and ")}, to limit the file to max_size` } : {}),
    ...Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null)),
    ...environment,
  };
  const signature = ([label, text]) => [h("dt", {}, cardButton(label)), h("dd", {}, h("code", {}, text), copyButton(text))];
  const command = ([purpose, text]) => [h("dt", {}, purpose), h("dd", {}, h("code", {}, text), copyButton(text))];
  const fact = ([name, value]) => [h("dt", {}, name), h("dd", {}, String(value))];
  clear(
    byId("provenance"),
    h("div", { class: "head" }, h("h2", {}, "Provenance")),
    h(
      "div",
      { class: "two wide" },
      h(
        "div",
        {},
        h("h3", {}, "Signatures"),
        h("p", { class: "caption" }, "Only numbers with the same signature are comparable."),
        h("dl", { class: "sigs" }, Object.entries(signatures).flatMap(signature)),
      ),
      h("div", {}, h("h3", {}, "How it was made"), h("dl", { class: "facts" }, Object.entries(facts).flatMap(fact))),
    ),
    h(
      "div",
      { class: "commands" },
      h("h3", {}, "Commands"),
      h(
        "p",
        { class: "caption" },
        "RESULT is the directory of the saved result: ",
        h("code", {}, "nlgauge score -o RESULT"),
        ", or ",
        h("code", {}, "result.save"),
        " in Python.",
      ),
      h("dl", { class: "sigs" }, commands.flatMap(command)),
    ),
  );
}

function copyButton(text) {
  const copy = async event => {
    const button = event.currentTarget;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {
      button.textContent = "press Ctrl C";
    }
  };
  return h("button", { type: "button", class: "copy", "aria-label": "Copy", onclick: copy }, "copy");
}
