// Sums of columns of units after bootstrap resamples and after random swaps.
//
// A byte has the counts of several units: how often a resample takes each. One table has the sums for all 256 bytes, so that a resample needs one addition for all of these units.
const BYTES = 256;
// Bytes whose tables are added together.
const TOGETHER = 4;
// Milliseconds after which the browser can paint and answer.
const SLICE = 12;

// `columns` have a number for each of `count` units. The result has two lists with an array of `resamples` sums for each column: in bootstrap resamples, and of the units that swaps move, each with probability 1/2.
export async function resampledSums(columns, count, resamples, seed) {
  const random = generator(seed);
  const rest = slices();
  const { bytes, above } = await bootstrapped(count, resamples, random, rest);
  const bootstrap = await summed(columns, bytes, 2, resamples, rest);
  columns.forEach((column, number) => {
    const sums = bootstrap[number];
    for (let k = 0; k < above.length; k += 3) sums[above[k]] += above[k + 2] * column[above[k + 1]];
  });
  const moved = new Uint8Array(TOGETHER * Math.ceil(count / 8 / TOGETHER) * resamples);
  random(new Uint32Array(moved.buffer));
  return { bootstrap, swaps: await summed(columns, moved, 1, resamples, rest) };
}

// The counts of the units in every resample, two bits each: a byte for four units, the bytes of the same units together. `above` has resample, unit and the rest of counts above 3.
async function bootstrapped(count, resamples, random, rest) {
  const bytes = new Uint8Array(TOGETHER * Math.ceil(count / 4 / TOGETHER) * resamples);
  const above = [];
  const times = new Uint16Array(count);
  const numbers = new Uint32Array(count);
  const scale = count / 2 ** 32;
  for (let draw = 0; draw < resamples; draw++) {
    times.fill(0);
    random(numbers);
    for (let k = 0; k < count; k++) times[Math.floor(numbers[k] * scale)] += 1;
    for (let unit = 0; unit < count; unit++) {
      if (times[unit] > 3) above.push(draw, unit, times[unit] - 3);
      bytes[(unit >> 2) * resamples + draw] |= Math.min(3, times[unit]) << (2 * (unit & 3));
    }
    await rest();
  }
  return { bytes, above };
}

// The sum of each column in every resample.
async function summed(columns, bytes, bits, resamples, rest) {
  const sums = columns.map(() => new Float64Array(resamples));
  const tables = new Float64Array(TOGETHER * BYTES);
  const size = TOGETHER * resamples;
  for (let group = 0; group * size < bytes.length; group++) {
    const of = bytes.subarray(group * size, (group + 1) * size);
    for (let number = 0; number < columns.length; number++) {
      tabulate(tables, columns[number], group * TOGETHER * (8 / bits), bits);
      addTo(sums[number], tables, of);
    }
    await rest();
  }
  return sums;
}

// The sums for all bytes of the units from `first` on: every further unit repeats what is there, once for each count.
function tabulate(tables, column, first, bits) {
  const each = 8 / bits;
  for (let table = 0; table < TOGETHER; table++) {
    for (let k = 0; k < each; k++) {
      const unit = first + table * each + k;
      const value = unit < column.length ? column[unit] : 0;
      const size = 1 << (bits * k);
      const end = table * BYTES + (size << bits);
      for (let at = table * BYTES + size; at < end; at++) tables[at] = tables[at - size] + value;
    }
  }
}

function addTo(sums, tables, bytes) {
  const count = sums.length;
  for (let draw = 0; draw < count; draw++) {
    sums[draw] += tables[bytes[draw]] + tables[BYTES + bytes[count + draw]] + tables[2 * BYTES + bytes[2 * count + draw]] + tables[3 * BYTES + bytes[3 * count + draw]];
  }
}

// sfc32, seeded by one number: the same selection has the same intervals. The result fills an array with random numbers of 32 bits, and returns it.
export function generator(seed) {
  const state = Int32Array.of(seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 1);
  const fill = into => {
    let [a, b, c, d] = state;
    for (let k = 0; k < into.length; k++) {
      const sum = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + sum) | 0;
      into[k] = sum;
    }
    state.set([a, b, c, d]);
    return into;
  };
  fill(new Uint32Array(15));
  return fill;
}

// A function to call often, which lets the browser paint and answer when a slice of time is over.
function slices() {
  let began = performance.now();
  return () => {
    if (performance.now() - began <= SLICE) return undefined;
    return new Promise(done => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        began = performance.now();
        done();
      };
      port2.postMessage(null);
    });
  };
}
