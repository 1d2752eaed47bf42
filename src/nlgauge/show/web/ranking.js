// From scores and p-values to letters, ranks and votes, as nlgauge.stats.letters, nlgauge.stats.corrections and nlgauge.show.page_data.facts have them.
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SLACK = 1e-9;
const CONSTANT = 1e-12;

// The smallest p that swaps of this number of units allow.
function leastP(units) {
  return Math.min(1, 2 ** (1 - units));
}

// (b + 1) / (B + 1), with b the resamples that are at least as far from 0.
export function twoSided(observed, drawn, units) {
  if (!Number.isFinite(observed) || !drawn.every(Number.isFinite)) return null;
  const largest = drawn.reduce((most, value) => Math.max(most, Math.abs(value)), Math.abs(observed)) || 1;
  const extreme = drawn.reduce((count, value) => count + (Math.abs(value / largest) >= Math.abs(observed / largest) - SLACK ? 1 : 0), 0);
  return Math.max((1 + extreme) / (1 + drawn.length), leastP(units));
}

// The same with the largest difference of all pairs in each resample; each difference is divided by the spread of its own resamples.
export function maxT(pairs) {
  const judged = pairs.filter(({ p }) => p !== null);
  const found = new Map();
  if (!judged.length) return pairs.map(() => null);
  const scaled = judged.map(({ observed, drawn }) => {
    const size = Math.abs(observed);
    const spread = Math.sqrt(drawn.reduce((sum, value) => sum + value * value, 0) / drawn.length);
    const varies = spread > CONSTANT * Math.max(1, size);
    return { spread: varies ? spread : Infinity, observed: varies ? size / spread : size <= SLACK ? size : Infinity };
  });
  const largest = Float64Array.from({ length: judged[0].drawn.length }, (_, draw) => judged.reduce((most, { drawn }, place) => Math.max(most, Math.abs(drawn[draw]) / scaled[place].spread), 0));
  judged.forEach((pair, place) => {
    const extreme = largest.reduce((count, size) => count + (size >= scaled[place].observed - SLACK ? 1 : 0), 0);
    found.set(pair, Math.max((1 + extreme) / (1 + largest.length), leastP(pair.units)));
  });
  return pairs.map(pair => found.get(pair) ?? null);
}

// beats[i][j]: i is significantly better than j.
function wins(count, pairs, alpha) {
  const beats = Array.from({ length: count }, () => new Uint8Array(count));
  for (const { i, j, gain, corrected } of pairs) {
    if (corrected === null || corrected > alpha) continue;
    if (gain > 0) beats[j][i] = 1;
    if (gain < 0) beats[i][j] = 1;
  }
  return beats;
}

// Letters and the range of ranks of each system; `standing` is higher for better systems, NaN without a score, and the gain of a pair is that of its second system.
export function ranked(standing, pairs, alpha) {
  const beats = wins(standing.length, pairs, alpha);
  const order = standing.map((_, system) => system).filter(system => !Number.isNaN(standing[system])).sort((i, j) => standing[j] - standing[i] || i - j);
  let groups = order.length ? [new Set(order)] : [];
  order.forEach((i, place) => {
    for (const j of order.slice(place + 1)) {
      if (!beats[i][j] && !beats[j][i]) continue;
      const split = groups.flatMap(group => (group.has(i) && group.has(j) ? [without(group, i), without(group, j)] : [group]));
      const distinct = split.filter((group, at) => split.findIndex(other => isSame(other, group)) === at);
      groups = distinct.filter(group => !distinct.some(other => other.size > group.size && isWithin(group, other)));
    }
  });
  const at = new Map(order.map((system, place) => [system, place]));
  const places = group => [...group].map(system => at.get(system)).sort((one, other) => one - other);
  const shown = needed(groups).sort((one, other) => compareLists(places(one), places(other)));
  const letter = number => LETTERS[number] ?? `(${number + 1})`;
  return {
    letters: standing.map((_, system) => (at.has(system) ? shown.map((group, number) => (group.has(system) ? letter(number) : "")).join("") : null)),
    ranks: standing.map((_, system) => (at.has(system) ? [1 + beats.filter(row => row[system]).length, order.length - beats[system].filter(Boolean).length] : null)),
  };
}

function without(group, system) {
  const rest = new Set(group);
  rest.delete(system);
  return rest;
}

function isWithin(group, other) {
  return [...group].every(system => other.has(system));
}

function isSame(one, other) {
  return one.size === other.size && isWithin(one, other);
}

// The groups without those whose members and pairs are all in other groups, the smallest first.
function needed(groups) {
  let remaining = [...groups];
  for (const group of [...groups].sort((one, other) => one.size - other.size)) {
    const others = remaining.filter(other => other !== group);
    const members = [...group];
    if (members.every(i => members.every(j => others.some(other => other.has(i) && other.has(j))))) remaining = others;
  }
  return remaining;
}

function compareLists(one, other) {
  for (let place = 0; place < Math.max(one.length, other.length); place++) {
    const difference = (one[place] ?? -1) - (other[place] ?? -1);
    if (difference) return difference;
  }
  return 0;
}

// The order of systems, and for each system the metrics that put it in the best group: one vote for each metric.
export function votes(outputs, systems) {
  const voices = people => {
    const found = new Map();
    for (const output of outputs) {
      const isComplete = output.up !== null && output.people === people && !output.unequal && systems.every(system => output.scores[system] !== null);
      if (isComplete && !found.has(output.metric)) found.set(output.metric, output);
    }
    return [...found.values()];
  };
  const [human, metrics] = [voices(true), voices(false)];
  const tested = output => systems.every(system => output.ranks[system] !== null);
  const inTop = new Map(systems.map(system => [system, metrics.filter(output => tested(output) && output.ranks[system][0] === 1).length]));
  const first = new Map(systems.map(system => [system, metrics.filter(output => output.best.length === 1 && output.best[0] === system).length]));
  const mean = list => new Map(systems.map(system => [system, list.reduce((sum, output) => sum + meanRank(output, system, systems), 0) / Math.max(1, list.length)]));
  const [humanRank, metricRank] = [mean(human), mean(metrics)];
  const order = [...systems].sort((i, j) => round(humanRank.get(i) - humanRank.get(j)) || inTop.get(j) - inTop.get(i) || first.get(j) - first.get(i) || round(metricRank.get(i) - metricRank.get(j)) || i - j);
  return { order, inTop, votes: metrics.length };
}

function round(value) {
  return Math.abs(value) < 1e-9 ? 0 : value;
}

// The rank of a system by its printed score; systems that tie share the mean of their ranks.
function meanRank(output, system, systems) {
  const worth = one => Number(output.scores[one].toFixed(output.decimals ?? 0)) * (output.up ? -1 : 1);
  const better = systems.filter(one => worth(one) < worth(system)).length;
  const equal = systems.filter(one => worth(one) === worth(system)).length;
  return better + (equal + 1) / 2;
}
