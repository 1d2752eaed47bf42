// Scores of some segments with their intervals and tests, from stored scores and sums. Points come first; resamples follow in short slices, so that the page stays responsive.
import { store } from "./store.js";
import { generator, resampledSums } from "./drawn.js";
import { run } from "./programs.js";
import { maxT, ranked, twoSided, votes } from "./ranking.js";

// More segments or documents than these are put together at random.
const MOST_UNITS = 2000;
// Fewer give points without intervals.
export const LEAST_UNITS = 5;
// More pairs have letters, but no rows of their own.
const MOST_PAIRS = 1000;

// Yields the view of a selection: first points, then intervals and letters too. `mask` has 1 for each selected segment, `systems` are the numbers of the selected systems.
export async function* recomputed(mask, systems) {
  const segments = Array.from(mask.keys()).filter(segment => mask[segment]);
  const units = unitsOf(segments);
  const sources = await sourcesOf(systems, segments, units);
  const { count } = units;
  const few = count < 2 ? "only one segment (or document): nothing to resample" : count < LEAST_UNITS ? `fewer than ${LEAST_UNITS} segments (or documents) are selected` : "";
  yield viewed(sources, null, systems, units, few);
  if (few) return;
  const { seed, resamples } = store.meta.test;
  const drawn = await resampledSums(sources.flatMap(({ blocks }) => blocks.flatMap(({ columns }) => columns)), count, resamples, seed);
  yield viewed(sources, drawn, systems, units, "");
}

// What outputs are computed from: an output that is a mean, or the sums of a metric. A block has the numbers of one system, a column for each statistic with the sums of every unit; pairs of systems that lack different segments have blocks of the segments of both.
async function sourcesOf(systems, segments, units) {
  const { outputs } = store.meta;
  const found = outputs.flatMap((output, number) => (output.from === "mean" ? [mean(output, number)] : []));
  for (const described of store.meta.sums) found.push(pooled(described, await store.sums(described)));
  const weights = Float64Array.from(segments, segment => store.weights?.[segment] ?? 1);
  let first = 0;
  for (const source of found) {
    const known = systems.map(system => Uint8Array.from(segments, segment => (source.isKnown(system, segment) ? 1 : 0)));
    source.missing = known.map(list => list.reduce((sum, one) => sum - one, list.length));
    const block = (system, isKnown) => {
      const columns = Array.from({ length: source.width }, () => new Float64Array(units.count));
      source.add(system, segments, isKnown, weights, units.owners, columns);
      first += source.width;
      return { columns, totals: columns.map(column => column.reduce((sum, value) => sum + value, 0)), first: first - source.width };
    };
    source.blocks = systems.map((system, place) => block(system, known[place]));
    source.pairs = [];
    systems.forEach((one, i) => systems.slice(i + 1).forEach((other, k) => {
      const j = i + 1 + k;
      const pair = { i, j, ours: i, theirs: j, apart: known[i].some((own, place) => own !== known[j][place]), units: units.count };
      const both = pair.apart || source.missing[i] ? known[i].map((own, place) => own & known[j][place]) : null;
      if (pair.apart) {
        pair.ours = source.blocks.push(block(one, both)) - 1;
        pair.theirs = source.blocks.push(block(other, both)) - 1;
      }
      if (both) pair.units = new Set(units.owners.filter((_, place) => both[place])).size;
      source.pairs.push(pair);
    }));
    source.unequal = source.pairs.some(({ apart }) => apart);
    // The scores of every block, by output.
    source.points = source.score(Array.from({ length: source.width }, (_, k) => Float64Array.from(source.blocks, ({ totals }) => totals[k])));
  }
  return found;
}

function mean({ column }, number) {
  const start = system => (column * store.meta.systems.length + system) * store.meta.segments;
  return {
    outputs: [[number, 0]],
    width: 2,
    isKnown: (system, segment) => !Number.isNaN(store.scores[start(system) + segment]),
    add: (system, segments, isKnown, weights, owners, [sums, known]) => {
      const from = start(system);
      for (let place = 0; place < segments.length; place++) {
        if (!isKnown[place]) continue;
        sums[owners[place]] += weights[place] * store.scores[from + segments[place]];
        known[owners[place]] += weights[place];
      }
    },
    score: ([sum, known]) => [sum.map((value, row) => (known[row] > 0 ? value / known[row] : NaN))],
  };
}

function pooled({ label, width, program, outputs: names }, numbers) {
  const { outputs, segments: count } = store.meta;
  const own = outputs.flatMap((output, number) => (output.label === label && output.from === "sums" ? [[number, names.indexOf(output.inner)]] : []));
  const [[first]] = own;
  return {
    outputs: own,
    width,
    isKnown: (system, segment) => outputs[first].column === null || !Number.isNaN(store.score(first, system, segment)),
    add: (system, segments, isKnown, weights, owners, columns) => {
      for (let k = 0; k < width; k++) {
        const column = columns[k];
        for (let place = 0; place < segments.length; place++) {
          if (isKnown[place]) column[owners[place]] += weights[place] * numbers[(system * count + segments[place]) * width + k];
        }
      }
    },
    score: columns => run(program, columns),
  };
}

// The unit of each selected segment, and the number of units.
function unitsOf(segments) {
  const numbers = new Map();
  let owners = segments.map(segment => {
    const owner = store.units ? store.units[segment] : segment;
    if (!numbers.has(owner)) numbers.set(owner, numbers.size);
    return numbers.get(owner);
  });
  if (numbers.size <= MOST_UNITS) return { owners, count: numbers.size, grouped: 0 };
  const random = Float64Array.from(generator(store.meta.test.seed)(new Uint32Array(numbers.size)), value => value / 2 ** 32);
  const places = Array.from({ length: numbers.size }, (_, place) => place);
  for (let i = places.length - 1; i > 0; i--) {
    const j = Math.floor(random[i] * (i + 1));
    [places[i], places[j]] = [places[j], places[i]];
  }
  owners = owners.map(owner => places[owner] % MOST_UNITS);
  return { owners, count: MOST_UNITS, grouped: numbers.size };
}

// The numbers of every output for the page, with null for systems that are not selected.
function viewed(sources, drawn, systems, units, few) {
  const { systems: names, outputs, test } = store.meta;
  const empty = () => names.map(() => null);
  const found = outputs.map(output => ({ ...output, stale: output.whole || "not computed again" }));
  for (const source of sources) {
    const resampled = drawn === null ? [] : source.blocks.map(({ first }) => source.score(drawn.bootstrap.slice(first, first + source.width)));
    const tests = drawn === null ? [] : source.pairs.map(pair => tested(source, pair, resampled, drawn.swaps));
    for (const [number, result] of source.outputs) {
      const output = outputs[number];
      const one = { ...output, scores: empty(), low: empty(), high: empty(), letters: empty(), ranks: empty(), pairs: null, missing: output.column === null ? null : empty(), unequal: source.unequal, reason: few };
      systems.forEach((system, at) => {
        const score = source.points[result][at];
        one.scores[system] = Number.isFinite(score) ? score : null;
        if (one.missing) one.missing[system] = source.missing[at];
        if (drawn === null || one.scores[system] === null) return;
        const ends = quantiles(resampled[at][result], test.confidence);
        if (ends) [one.low[system], one.high[system]] = ends;
        else one.reason = "undefined in some resamples";
      });
      if (drawn !== null && systems.length > 1) compare(one, source.pairs.map((pair, k) => ({ ...pair, ...tests[k][result] })), systems);
      one.best = bestOf(one, systems);
      found[number] = one;
    }
  }
  const { order, inTop, votes: count } = votes(found.filter(({ stale }) => !stale), systems);
  return { outputs: found, order, in_top: names.map((_, system) => inTop.get(system) ?? 0), votes: count, ready: drawn !== null || few !== "", few, units };
}

// The difference of a pair on each output: observed, after swaps, and in resamples.
function tested(source, { ours, theirs, units }, resampled, swaps) {
  const [one, other] = [source.blocks[ours], source.blocks[theirs]];
  const columns = ({ first }) => swaps.slice(first, first + source.width);
  const [moved, back] = [columns(one), columns(other)];
  const after = (totals, out, into) => totals.map((whole, k) => subtracted(into[k], out[k], whole));
  const own = source.score(after(one.totals, moved, back));
  const others = source.score(after(other.totals, back, moved));
  return own.map((values, result) => {
    const observed = source.points[result][ours] - source.points[result][theirs];
    const swapped = subtracted(values, others[result]);
    return { observed, drawn: swapped, resampled: subtracted(resampled[ours][result], resampled[theirs][result]), units, p: twoSided(observed, swapped, units) };
  });
}

function subtracted(one, other, constant = 0) {
  const found = new Float64Array(one.length);
  for (let row = 0; row < found.length; row++) found[row] = constant + one[row] - other[row];
  return found;
}

// Adds letters, ranks and the numbers of each pair to an output.
function compare(one, pairs, systems) {
  const { systems: names, test } = store.meta;
  const flip = one.up === false ? 1 : -1;
  const corrected = maxT(pairs);
  const rows = pairs.map((pair, k) => {
    const ends = quantiles(pair.resampled, test.confidence);
    return { ...pair, gain: flip * pair.observed, ends: ends && ends.map(end => flip * end).sort((x, y) => x - y), corrected: corrected[k] };
  });
  if (one.up !== null) {
    const { letters, ranks } = ranked(standing(one, rows, systems), rows, 1 - test.confidence);
    systems.forEach((system, at) => {
      one.letters[system] = letters[at];
      one.ranks[system] = ranks[at];
    });
  }
  const count = names.length;
  if ((count * (count - 1)) / 2 > MOST_PAIRS) return;
  const numbers = () => new Array((count * (count - 1)) / 2).fill(null);
  one.pairs = { gains: numbers(), low: numbers(), high: numbers(), p: numbers(), p_max_t: numbers() };
  for (const { i, j, gain, ends, p, corrected: p_max_t } of rows) {
    const [low, high] = [systems[i], systems[j]];
    const at = (low * (2 * count - low - 1)) / 2 + high - low - 1;
    const known = { gains: Number.isFinite(gain) ? gain : null, low: ends?.[0] ?? null, high: ends?.[1] ?? null, p, p_max_t };
    Object.entries(known).forEach(([name, value]) => { one.pairs[name][at] = value; });
  }
}

// Higher for better systems: the scores, or the mean gains over the others if systems lack different segments.
function standing(one, rows, systems) {
  const known = system => one.scores[system] !== null;
  if (!one.unequal) return systems.map(system => (known(system) ? one.scores[system] * (one.up ? 1 : -1) : NaN));
  return systems.map((system, at) => {
    const gains = rows.filter(({ i, j, gain }) => (i === at || j === at) && Number.isFinite(gain)).map(({ j, gain }) => (j === at ? gain : -gain));
    // The system itself counts, with a gain of 0.
    return known(system) ? gains.reduce((sum, gain) => sum + gain, 0) / (gains.length + 1) : NaN;
  });
}

// The systems whose printed score is the best.
function bestOf(output, systems) {
  const known = systems.filter(system => output.scores[system] !== null);
  if (output.up === null || output.unequal || !known.length) return [];
  const scores = known.map(system => output.scores[system]);
  const printed = value => Math.abs(value).toFixed(output.decimals ?? 0) * Math.sign(value);
  const best = printed(output.up ? Math.max(...scores) : Math.min(...scores));
  return known.filter(system => printed(output.scores[system]) === best);
}

// The ends of a percentile interval; null if a resample has no value.
function quantiles(values, confidence) {
  if (!values.every(Number.isFinite)) return null;
  const sorted = Float64Array.from(values).sort();
  return [(1 - confidence) / 2, (1 + confidence) / 2].map(share => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    return sorted[below] + (place - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
  });
}
