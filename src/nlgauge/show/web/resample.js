// Scores of some segments with their intervals and tests, from stored scores and sums. Points come first; resamples follow in short slices, so that the page stays responsive.
import { store } from "./store.js";
import { run } from "./programs.js";
import { maxT, ranked, twoSided, votes } from "./ranking.js";

// More segments or documents than these are put together at random.
const MOST_UNITS = 2000;
// Fewer give points without intervals.
export const LEAST_UNITS = 5;
const SLICE = 12;
// More pairs have letters, but no rows of their own.
const MOST_PAIRS = 1000;

// Yields the view of a selection: first points, then intervals and letters too. `mask` has 1 for each selected segment, `systems` are the numbers of the selected systems.
export async function* recomputed(mask, systems) {
  const segments = Array.from(mask.keys()).filter(segment => mask[segment]);
  const sources = await sourcesOf(systems, segments);
  const totals = sources.map(source => source.blocks.map(block => summed(block, segments)));
  const points = sources.map((source, place) => totals[place].map(sums => source.score(sums.map(value => Float64Array.of(value)))));
  const { count } = unitsOf(segments);
  const few = count < 2 ? "only one segment (or document): nothing to resample" : count < LEAST_UNITS ? `fewer than ${LEAST_UNITS} segments (or documents) are selected` : "";
  yield viewed(sources, totals, points, null, systems, segments, few);
  if (few) return;
  const drawn = await resampled(sources, segments);
  yield viewed(sources, totals, points, drawn, systems, segments, "");
}

// What outputs are computed from: an output that is a mean, or the sums of a metric. A block has the numbers of one system in one segment; pairs of systems that lack different segments have blocks of the segments of both.
async function sourcesOf(systems, segments) {
  const { outputs } = store.meta;
  const found = outputs.flatMap((output, number) => (output.from === "mean" ? [mean(output, number)] : []));
  for (const described of store.meta.sums) {
    const numbers = await store.sums(described);
    found.push(pooled(described, numbers));
  }
  for (const source of found) {
    const isKnown = (system, segment) => source.isKnown(system, segment);
    const known = systems.map(system => segments.map(segment => isKnown(system, segment)));
    source.missing = known.map(list => list.filter(one => !one).length);
    const differ = (i, j) => known[i].some((one, place) => one !== known[j][place]);
    source.blocks = systems.map(system => ({ system, source, counts: segment => isKnown(system, segment) }));
    source.pairs = [];
    systems.forEach((one, i) => systems.slice(i + 1).forEach((other, k) => {
      const j = i + 1 + k;
      const pair = { i, j, ours: i, theirs: j, apart: differ(i, j) };
      if (pair.apart) {
        const counts = segment => isKnown(one, segment) && isKnown(other, segment);
        pair.ours = source.blocks.push({ system: one, source, counts }) - 1;
        pair.theirs = source.blocks.push({ system: other, source, counts }) - 1;
      }
      pair.common = segments.filter(segment => isKnown(one, segment) && isKnown(other, segment));
      source.pairs.push(pair);
    }));
    source.unequal = source.pairs.some(({ apart }) => apart);
  }
  return found;
}

function mean(output, number) {
  return {
    outputs: [[number, 0]],
    width: 2,
    isKnown: (system, segment) => !Number.isNaN(store.score(number, system, segment)),
    read: (system, segment, into, at, weight) => {
      into[at] += weight * store.score(number, system, segment);
      into[at + 1] += weight;
    },
    score: ([sum, known]) => [sum.map((value, row) => (known[row] > 0 ? value / known[row] : NaN))],
  };
}

function pooled({ label, width, program, outputs: names }, numbers) {
  const { outputs, segments } = store.meta;
  const own = outputs.flatMap((output, number) => (output.label === label && output.from === "sums" ? [[number, names.indexOf(output.inner)]] : []));
  const [[first]] = own;
  return {
    outputs: own,
    width,
    isKnown: (system, segment) => outputs[first].column === null || !Number.isNaN(store.score(first, system, segment)),
    read: (system, segment, into, at, weight) => {
      const from = (system * segments + segment) * width;
      for (let k = 0; k < width; k++) into[at + k] += weight * numbers[from + k];
    },
    score: columns => run(program, columns),
  };
}

function summed({ source, system, counts }, segments) {
  const into = new Float64Array(source.width);
  for (const segment of segments) if (counts(segment)) source.read(system, segment, into, 0, store.weights?.[segment] ?? 1);
  return Array.from(into);
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
  const random = generator(store.meta.test.seed);
  const places = Array.from({ length: numbers.size }, (_, place) => place);
  for (let i = places.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [places[i], places[j]] = [places[j], places[i]];
  }
  owners = owners.map(owner => places[owner] % MOST_UNITS);
  return { owners, count: MOST_UNITS, grouped: numbers.size };
}

// Every block's sums after each bootstrap resample, and what changes places after each swap, as columns.
async function resampled(sources, segments) {
  const { owners, count } = unitsOf(segments);
  const { resamples, seed } = store.meta.test;
  const blocks = sources.flatMap(source => source.blocks);
  let width = 0;
  for (const block of blocks) {
    block.at = width;
    width += block.source.width;
  }
  const rows = new Float64Array(count * width);
  segments.forEach((segment, place) => {
    const from = owners[place] * width;
    for (const { source, system, counts, at } of blocks) if (counts(segment)) source.read(system, segment, rows, from + at, store.weights?.[segment] ?? 1);
  });
  const bootstrap = columnsOf(width, resamples);
  const swaps = columnsOf(width, resamples);
  const random = generator(seed);
  const times = new Uint16Array(count);
  const sums = new Float64Array(width);
  let began = performance.now();
  for (let draw = 0; draw < resamples; draw++) {
    times.fill(0);
    for (let unit = 0; unit < count; unit++) times[Math.floor(random() * count)] += 1;
    added(times, rows, width, sums);
    sums.forEach((value, column) => { bootstrap[column][draw] = value; });
    for (let unit = 0; unit < count; unit++) times[unit] = random() < 0.5 ? 1 : 0;
    added(times, rows, width, sums);
    sums.forEach((value, column) => { swaps[column][draw] = value; });
    if (performance.now() - began > SLICE) {
      await pause();
      began = performance.now();
    }
  }
  const of = (columns, block) => columns.slice(block.at, block.at + block.source.width);
  return { bootstrap: block => of(bootstrap, block), swaps: block => of(swaps, block), ownerOf: new Map(segments.map((segment, place) => [segment, owners[place]])) };
}

function columnsOf(width, resamples) {
  return Array.from({ length: width }, () => new Float64Array(resamples));
}

function added(times, rows, width, sums) {
  sums.fill(0);
  for (let unit = 0; unit < times.length; unit++) {
    const often = times[unit];
    if (often === 0) continue;
    for (let column = 0, from = unit * width; column < width; column++) sums[column] += often * rows[from + column];
  }
}

// Lets the browser paint and answer before the next slice.
function pause() {
  return new Promise(done => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}

// sfc32, seeded by one number: the same selection has the same intervals.
function generator(seed) {
  let [a, b, c, d] = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 1];
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}

// The numbers of every output for the page, with null for systems that are not selected.
function viewed(sources, totals, points, drawn, systems, segments, few) {
  const { systems: names, outputs, test } = store.meta;
  const empty = () => names.map(() => null);
  const found = outputs.map(output => ({ ...output, stale: output.whole || "not computed again" }));
  sources.forEach((source, place) => {
    const tests = drawn === null ? [] : source.pairs.map(pair => tested(source, pair, totals[place], points[place], drawn));
    for (const [number, result] of source.outputs) {
      const output = outputs[number];
      const one = { ...output, scores: empty(), low: empty(), high: empty(), letters: empty(), ranks: empty(), pairs: null, missing: output.column === null ? null : empty(), unequal: source.unequal, reason: few };
      systems.forEach((system, at) => {
        const [score] = points[place][at][result];
        one.scores[system] = Number.isFinite(score) ? score : null;
        if (one.missing) one.missing[system] = source.missing[at];
        if (drawn === null || one.scores[system] === null) return;
        const ends = quantiles(source.score(drawn.bootstrap(source.blocks[at]))[result], test.confidence);
        if (ends) [one.low[system], one.high[system]] = ends;
        else one.reason = "undefined in some resamples";
      });
      if (drawn !== null && systems.length > 1) compare(one, source.pairs.map((pair, k) => ({ ...pair, ...tests[k][result] })), systems);
      one.best = bestOf(one, systems);
      found[number] = one;
    }
  });
  const { order, inTop, votes: count } = votes(found.filter(({ stale }) => !stale), systems);
  return { outputs: found, order, in_top: names.map((_, system) => inTop.get(system) ?? 0), votes: count, ready: drawn !== null || few !== "", few, units: unitsOf(segments) };
}

// The difference of a pair on each output: observed, after swaps, and in resamples.
function tested(source, pair, totals, points, drawn) {
  const [ours, theirs] = [source.blocks[pair.ours], source.blocks[pair.theirs]];
  const [moved, back] = [drawn.swaps(ours), drawn.swaps(theirs)];
  const after = (whole, out, into) => out.map((column, k) => column.map((value, row) => whole[k] - value + into[k][row]));
  const one = source.score(after(totals[pair.ours], moved, back));
  const other = source.score(after(totals[pair.theirs], back, moved));
  const [x, y] = [source.score(drawn.bootstrap(ours)), source.score(drawn.bootstrap(theirs))];
  const units = new Set(pair.common.map(segment => drawn.ownerOf.get(segment))).size;
  return one.map((values, result) => {
    const observed = points[pair.ours][result][0] - points[pair.theirs][result][0];
    const swapped = values.map((value, row) => value - other[result][row]);
    return { observed, drawn: swapped, resampled: x[result].map((value, row) => value - y[result][row]), units, p: twoSided(observed, swapped, units) };
  });
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
