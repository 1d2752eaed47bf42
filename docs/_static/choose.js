// The rules of `nlgauge choose`. src/nlgauge/advisor has the same rules in Python; a test compares both on 960 questions.
"use strict";

const nlgaugeAdvisor = (() => {
  const metricName = label => label.split("(")[0].split(".")[0];
  const mean = values => values.reduce((total, value) => total + value, 0) / values.length;
  const median = values => {
    const ordered = [...values].sort((a, b) => a - b), half = Math.floor(ordered.length / 2);
    return ordered.length % 2 ? ordered[half] : (ordered[half - 1] + ordered[half]) / 2;
  };
  const unique = values => [...new Set(values)];
  const largest = (values, otherwise) => values.length ? Math.max(...values) : otherwise;
  const place = row => `${row.benchmark}\n${row.dimension}`;

  // A function of settings, table and level that computes each result once.
  const remembered = compute => {
    const results = new WeakMap();
    return (S, table, level) => {
      if (!results.has(table)) results.set(table, {});
      return results.get(table)[level] ??= compute(S, table, level);
    };
  };

  // Values of a table at a level by label, as far as they are defined on enough inputs.
  const valuesOf = remembered((S, table, level) => Object.fromEntries(Object.entries(table.metrics)
    .filter(([, entry]) => level in entry && (entry[level].defined ?? 1) >= S.LEAST_DEFINED).map(([label, entry]) => [label, entry[level]])));

  const rowsOf = remembered((S, table, level) => {
    const values = valuesOf(S, table, level);
    const control = largest(S.CONTROLS.filter(name => name in values).map(name => values[name].value), 0);
    const anchor = values[S.ANCHOR] ?? { value: control };
    return Object.entries(values).filter(([label]) => !S.CONTROLS.includes(label)).map(([label, value]) => [label, {
      benchmark: table.benchmark, dimension: table.dimension, sample: table.sample, year: table.year, coefficient: table.coefficient[level],
      value: value.value, low: value.low ?? null, high: value.high ?? null, gain: value.value - anchor.value,
      above: (value.low ?? value.value) > 0 && value.value > control, unbeaten: value.unbeaten ?? null, anchorUnbeaten: anchor.unbeaten ?? null,
    }]);
  });

  // One row per benchmark and dimension, from the largest table that has the metric.
  const rowsByMetric = (S, tables, level) => {
    const rows = new Map();
    for (const table of [...tables].sort((a, b) => a.inputs - b.inputs))
      for (const [label, row] of rowsOf(S, table, level)) {
        if (!rows.has(label)) rows.set(label, new Map());
        rows.get(label).set(place(row), row);
      }
    return new Map([...rows].map(([label, byPlace]) => [label, [...byPlace.values()]]));
  };

  const prepare = ({ evidence, settings: S }) => {
    const seconds = {};
    for (const table of evidence.sets)
      for (const [label, entry] of Object.entries(table.metrics)) if ("seconds" in entry) (seconds[label] ??= []).push(entry.seconds);
    const tables = evidence.sets.filter(table => table.inputs >= S.FEWEST_INPUTS);
    const everywhere = rowsByMetric(S, tables.filter(table => table.main), "texts");
    return {
      S, tables, needs: evidence.metrics,
      costs: Object.fromEntries(Object.entries(seconds).map(([label, values]) => [label, median(values)])),
      gains: new Map([...everywhere].map(([label, rows]) => [label, mean(rows.map(row => row.gain))])),
    };
  };

  // Tables of the language of the question alone, if enough benchmarks have it.
  const relevant = ({ S, tables }, { task, want, lang }, level) => {
    const found = tables.filter(table => table.task === task
      && (want === S.OVERALL ? table.main : S.QUALITIES[want].includes(table.dimension)) && Object.values(table.metrics).some(entry => level in entry));
    const own = found.filter(table => table.languages.includes(lang));
    return new Set(own.map(table => table.benchmark)).size >= S.FEWEST_IN_LANGUAGE ? own : found;
  };

  const choose = (prepared, question) => {
    const { S, needs, costs, gains } = prepared;
    const advice = { question, verdict: "none", recommendations: [], indicators: [], never_alone: [], unknown: [], next: next(S, question) };
    let tables = relevant(prepared, question, "texts"), level = "texts";
    if (!tables.length) {
      const tasks = unique(prepared.tables.map(table => table.task)).sort();
      advice.unknown.push(`no benchmark of the leaderboard judges ${question.want} for ${question.task}; tasks with evidence: ${tasks.join(", ")}`);
      return advice;
    }
    if (question.level === "systems") {
      const large = relevant(prepared, question, "systems").filter(table => table.systems >= S.FEWEST_SYSTEMS);
      if (unique(large.map(table => table.benchmark)).length >= S.FEWEST_LARGE_BENCHMARKS) [level, tables] = ["systems", large];
      else advice.unknown.push(`fewer than ${S.FEWEST_LARGE_BENCHMARKS} benchmarks of ${question.task} have ${S.FEWEST_SYSTEMS} systems or more,`
        + " so system-level tables hardly separate metrics; this advice uses segment-level evidence");
    }
    const rows = rowsByMetric(S, tables, level), whole = tables.filter(table => table.sample === null);
    const family = label => Object.keys(S.FAMILIES).find(name => S.FAMILIES[name].includes(metricName(label))) ?? "other";
    const cost = label => costs[label] ?? 0;
    const isDirected = label => !tables.some(table => table.metrics[label]?.undirected);
    const canCompute = label => (!needs[label].references || question.have.includes("references")) && (!needs[label].source || question.have.includes("source"))
      && (needs[label].languages === "any" || needs[label].languages.includes(question.lang)) && !needs[label].unsplit.includes(question.lang);
    const canUse = label => canCompute(label) && cost(label) <= question.budget;
    const benchmarksOf = list => unique(list.map(row => row.benchmark));
    const beatenShare = list => mean(list.map(row => row.unbeaten === false ? 1 : 0));
    const aboveShare = list => mean(list.map(row => row.above ? 1 : 0));
    const shown = row => { const { anchorUnbeaten, ...plain } = row; return plain; };

    // Limits that come from the language.
    const languages = new Map(tables.map(table => [table.benchmark, table.languages]));
    const inLanguage = [...languages.values()].filter(codes => codes.includes(question.lang)).length;
    if (!inLanguage) advice.unknown.push(`no benchmark has texts in '${question.lang}'; the evidence is from ${unique([...languages.values()].flat()).sort().join(", ")}`);
    else if (inLanguage < S.LEAST_IN_LANGUAGE * languages.size) advice.unknown.push(`only ${inLanguage} of ${languages.size} benchmarks ${inLanguage === 1 ? "has" : "have"} texts in '${question.lang}'`);
    const unsplit = S.USUAL.filter(name => needs[name].unsplit.includes(question.lang));
    if (unsplit.length) advice.unknown.push(`'${question.lang}' has no spaces between words, and these metrics treat whole sentences as words: ${unsplit.join(", ")}`);

    // Candidates, with the mean gain on the task shrunk toward the mean gain on all tasks.
    const scores = new Map(), withReferences = whole.filter(table => Object.keys(table.metrics).some(label => needs[label]?.references));
    for (const [label, list] of rows) {
      const covered = benchmarksOf(list).length, count = benchmarksOf(needs[label].references ? withReferences : whole).length;
      if (canUse(label) && isDirected(label) && !S.DESCRIPTIVE.includes(family(label)) && covered >= S.LEAST_COVERED * count && aboveShare(list) >= S.LEAST_ABOVE) {
        const weight = covered / (covered + 1), gain = mean(list.map(row => row.gain));
        scores.set(label, weight * gain + (1 - weight) * (gains.get(label) ?? gain));
      }
    }

    // One metric per family, three at most; a metric with weights comes first only if it has earned that.
    const hasEarned = label => !needs[label].weights || rows.get(label).some(row => row.unbeaten === true && row.anchorUnbeaten === false);
    const order = [...scores.keys()].sort((a, b) => hasEarned(b) - hasEarned(a) || scores.get(b) - scores.get(a));
    const families = new Map();
    for (const label of order) families.set(family(label), [...(families.get(family(label)) ?? []), label]);
    const representative = members => {
      const [best] = members;
      const near = members.filter(label => scores.get(best) - scores.get(label) <= S.NEAR && hasEarned(label) >= hasEarned(best)
        && beatenShare(rows.get(label)) <= beatenShare(rows.get(best)));
      const limit = S.DEARER * Math.min(...near.map(cost)) + S.DEARER_BY;
      const rank = label => [S.FAMILIAR.includes(label) ? 0 : 1, cost(label) > limit ? 1 : 0, -scores.get(label)];
      return near.reduce((first, label) => { const [a, b] = [rank(first), rank(label)], at = a.findIndex((value, i) => value !== b[i]); return at >= 0 && b[at] < a[at] ? label : first; });
    };
    const leaders = [...families.values()].slice(0, S.MOST_RECOMMENDED).map(representative);
    const picked = leaders.filter((label, at) => at === 0 || (beatenShare(rows.get(label)) < S.MOST_BEATEN && scores.get(leaders[0]) - scores.get(label) < S.FAR_BEHIND));
    const gainsByPlace = label => new Map(rows.get(label).map(row => [place(row), row.gain]));
    const isAbove = (label, others) => [...gainsByPlace(label)].some(([at, gain]) => others.every(other => gainsByPlace(other).has(at)) && gain > Math.max(...others.map(other => gainsByPlace(other).get(at))));
    if (picked.length > 2 && !isAbove(picked[2], picked.slice(0, 2))) picked.splice(2, 1);

    // The recommendations, each with the significant differences from those before it.
    const beats = (table, better, worse) => (valuesOf(S, table, level)[better]?.beats ?? []).includes(worse);
    advice.recommendations = picked.map((label, at) => {
      const tested = rows.get(label).map(row => row.unbeaten).filter(value => value !== null);
      const separated = picked.slice(0, at).flatMap(other => tables.flatMap(table => [[label, other], [other, label]].filter(([better, worse]) => beats(table, better, worse))
        .map(([better, worse]) => ({ better, worse, benchmark: table.benchmark, sample: table.sample }))));
      const distinct = separated.flatMap(({ better, worse }) => [better, worse]);
      return {
        metric: label, family: family(label), seconds_per_1000: cost(label), score: scores.get(label), unbeaten: tested.filter(Boolean).length, tested: tested.length,
        evidence: rows.get(label).map(shown), not_separated: picked.slice(0, at).filter(other => !distinct.includes(other)), separated,
      };
    });

    const best = new Map(whole.map(table => [place(table), largest(rowsOf(S, table, level).filter(([label]) => isDirected(label) && canUse(label)).map(([, row]) => row.value), 0)]));
    for (const [label, list] of rows)
      if (metricName(label) in S.INDICATORS && !isDirected(label) && canUse(label)) {
        const strong = list.filter(row => row.sample === null && row.coefficient !== S.COUNTS_TIES && Math.abs(row.value) > Math.max(best.get(place(row)) ?? 0, S.FAIR)
          && row.low !== null && row.high !== null && row.low * row.high > 0);
        if (strong.length) advice.indicators.push({ metric: label, measures: S.INDICATORS[metricName(label)], evidence: strong.map(shown) });
      }
    advice.indicators = advice.indicators.sort((a, b) => Math.abs(b.evidence[0].value) - Math.abs(a.evidence[0].value)).slice(0, S.MOST_INDICATORS);

    const year = Math.max(...tables.map(table => table.year)), newest = largest(whole.filter(table => table.year === year).map(table => best.get(place(table))), 1);
    if (picked.length) {
      const middle = median([...best.values()]);
      advice.verdict = middle >= S.GOOD && newest >= S.STRONG_SYSTEMS ? "good" : middle >= S.FAIR ? "fair" : "weak";
    }
    const lengths = prepared.tables.filter(table => table.task === question.task && table.sample === null).map(table => valuesOf(S, table, level)[S.LENGTH]).filter(value => value && "unbeaten" in value);
    if (lengths.every(value => value.unbeaten) && lengths.some(value => (value.low ?? 0) > 0)) {
      const [{ value, low, high }] = lengths;
      Object.assign(advice, { verdict: "none", recommendations: [] });
      advice.unknown.push(`no metric is shown to agree with people better than the number of words (${value.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}])`);
    } else if (!picked.length) advice.unknown.push("no metric that you can compute is shown to agree with people better than the controls");

    const advised = [...advice.recommendations, ...advice.indicators].map(({ metric }) => metricName(metric));
    advice.never_alone = S.USUAL.filter(name => {
      const outputs = [...rows].filter(([label]) => metricName(label) === name).map(([, list]) => list);
      return !advised.includes(name) && outputs.length && canCompute(name)
        && (outputs.every(list => beatenShare(list) >= S.MOST_BEATEN) || outputs.every(list => aboveShare(list) < S.LEAST_ABOVE));
    });
    const benchmarks = benchmarksOf(tables);
    if (benchmarks.length === 1) advice.unknown.push(`all evidence is from one benchmark, ${benchmarks[0]}`);
    if ([...rows.values()].flat().every(row => row.unbeaten === null))
      advice.unknown.push(`metrics were not tested against each other on ${question.want}; they are ordered only by their values`);
    advice.unknown.push(`the newest systems judged are of ${year}`);
    if (newest < S.STRONG_SYSTEMS) advice.unknown.push(`on the systems of ${year} no metric has an agreement above ${newest.toFixed(2)}: these metrics cannot distinguish strong systems`);
    const tested = unique([...rows.keys()].map(metricName));
    const untested = Object.keys(needs).filter(name => name === metricName(name) && needs[name].weights && !tested.includes(name) && canCompute(name));
    if (untested.length) advice.unknown.push(`no evidence on this task for: ${untested.slice(0, S.MOST_UNTESTED).join(", ")}${untested.length > S.MOST_UNTESTED ? ", ..." : ""}`);
    return advice;
  };

  const next = (S, { labels }) => {
    const missing = S.ENOUGH_LABELS - labels;
    return `${missing > 0 ? `label ${missing} ${labels ? "more " : ""}texts and run` : "run on your labels"}: nlgauge meta FILE --human COLUMN -m METRIC...`;
  };
  return { prepare, choose };
})();

if (typeof module !== "undefined") module.exports = nlgaugeAdvisor;
