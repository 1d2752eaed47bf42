// The form of the page "Which metric?": answers with the rules of choose.js as soon as a field changes. The address of the page follows the form.
(() => {
  const { settings, languages } = window.nlgaugeChoose;
  const prepared = nlgaugeAdvisor.prepare(window.nlgaugeChoose);
  const form = document.querySelector(".choose-form"), answer = document.querySelector(".choose-answer");
  const state = { task: "translation", lang: "en", have: "references", want: settings.OVERALL, level: "texts", budget: "60", labels: "0" };
  for (const [key, value] of new URLSearchParams(location.search)) if (key in state) state[key] = value;
  const element = (name, properties = {}, ...children) => { const made = Object.assign(document.createElement(name), properties); made.append(...children); return made; };

  const field = (key, title, input) => {
    state[key] = input.value;
    input.addEventListener("change", () => { state[key] = input.value; draw(); });
    form.append(element("label", {}, element("span", { textContent: title }), input));
  };
  const select = (values, chosen) => element("select", {}, ...values.map(([value, text]) => element("option", { value, textContent: text, selected: value === chosen })));
  const plain = values => values.map(value => [value, value]);
  const number = value => element("input", { type: "number", min: 0, value });
  const inputs = [["references", "references"], ["source", "source"], ["references,source", "references and source"], ["none", "neither references nor source"]];
  field("task", "Task", select(plain(settings.TASKS), state.task));
  field("lang", "Language of the texts", select(Object.entries(languages), state.lang));
  field("have", "You have", select(inputs, state.have));
  field("want", "Quality", select(plain(Object.keys(settings.QUALITIES)), state.want));
  field("level", "To compare", select(plain(settings.LEVELS), state.level));
  field("budget", "CPU seconds per 1,000 texts", number(state.budget));
  field("labels", "Texts with human scores", number(state.labels));
  form.addEventListener("submit", event => event.preventDefault());

  const titles = {
    good: "Recommended", fair: "Best available; agreement with people is modest",
    weak: "Weak evidence: use only together with human judgment", none: "No recommendation",
  };
  const agreement = row => row.value.toFixed(2) + (row.low === null ? "" : ` [${row.low.toFixed(2)}, ${row.high.toFixed(2)}]`);
  const sampled = row => row.benchmark + (row.sample === null ? "" : ` (sample of ${row.sample})`);
  const benchmark = row => sampled(row) + (state.want === settings.OVERALL ? "" : `, ${row.dimension}`);
  const code = text => element("code", { textContent: text });
  const linked = label => element("a", { href: `../metrics/${label.match(/^\w+/)[0]}/` }, code(label));
  const listed = texts => element("ul", {}, ...texts.map(text => element("li", { textContent: text })));

  const remarks = (advised, labels) => [
    advised.family, `${Number(advised.seconds_per_1000.toPrecision(2))} s per 1,000 texts`,
    ...(advised.tested ? [`not beaten on ${advised.unbeaten} of ${advised.tested} benchmarks`] : []),
    ...(advised.not_separated.length ? [`not separated by the evidence from ${advised.not_separated.map(label => labels.indexOf(label) + 1).join(" and ")}`] : []),
    ...advised.separated.map(row => `${labels.indexOf(row.better) + 1} is significantly better than ${labels.indexOf(row.worse) + 1} on ${sampled(row)}`),
  ];
  const table = recommendations => {
    const labels = recommendations.map(({ metric }) => metric);
    const body = recommendations.map((advised, at) => element("tbody", {},
      element("tr", {}, element("th", { scope: "rowgroup", colSpan: 2 }, `${at + 1}. `, linked(advised.metric), listed(remarks(advised, labels)))),
      ...advised.evidence.map(row => element("tr", {}, element("td", { textContent: benchmark(row) }), element("td", { textContent: agreement(row) })))));
    const head = element("tr", {}, ...["benchmark", "agreement [95%]"].map(title => element("th", { scope: "col", textContent: title })));
    return element("div", { className: "lb-scroll", tabIndex: 0, role: "region", ariaLabel: "Recommended metrics" },
      element("table", { className: "table choose-table" }, element("thead", {}, head), ...body));
  };

  const draw = () => {
    const options = Object.entries(state);
    history.replaceState(null, "", `?${new URLSearchParams(options)}`);
    const have = state.have === "none" ? [] : state.have.split(",");
    const advice = nlgaugeAdvisor.choose(prepared, { ...state, have, budget: Math.max(0, Number(state.budget) || 0), labels: Math.max(0, Math.trunc(Number(state.labels) || 0)) });
    answer.replaceChildren(
      element("p", { className: "choose-verdict", textContent: titles[advice.verdict] }),
      ...(advice.recommendations.length ? [table(advice.recommendations)] : []),
      ...advice.indicators.map(({ metric, measures, evidence }) => element("p", {}, "As a description, not as a score: ", linked(metric), ` measures ${measures}; ${evidence.map(row => `${benchmark(row)} ${agreement(row)}`).join("; ")}`)),
      ...(advice.never_alone.length ? [element("p", {}, "Never alone: ", ...advice.never_alone.flatMap((name, at) => at ? [", ", linked(name)] : [linked(name)]))] : []),
      element("p", { textContent: "Limits of this evidence:" }), listed(advice.unknown),
      element("p", { textContent: `Next: ${advice.next}` }),
      element("p", {}, "The same on the command line: ", code(`nlgauge choose ${options.map(([key, value]) => `--${key} ${value}`).join(" ")}`)),
    );
  };
  draw();
})();
