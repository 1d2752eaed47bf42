// Runs the programs of metrics, which are plain data: instructions [name, a, b, c, value] that each write the register of their number. `nlgauge.metric.symbols` makes them from the metric's own score.
const SPECIAL = { nan: NaN, inf: Infinity, "-inf": -Infinity };
const ONE = {
  negative: a => -a,
  absolute: Math.abs,
  logical_not: a => (a ? 0 : 1),
  exp: Math.exp,
  log: Math.log,
  sqrt: Math.sqrt,
  isnan: a => (Number.isNaN(a) ? 1 : 0),
};
const TWO = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
  maximum: (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? NaN : a > b ? a : b),
  minimum: (a, b) => (Number.isNaN(a) || Number.isNaN(b) ? NaN : a < b ? a : b),
  greater: (a, b) => (a > b ? 1 : 0),
  greater_equal: (a, b) => (a >= b ? 1 : 0),
  less: (a, b) => (a < b ? 1 : 0),
  less_equal: (a, b) => (a <= b ? 1 : 0),
  equal: (a, b) => (a === b ? 1 : 0),
  not_equal: (a, b) => (a === b ? 0 : 1),
  logical_and: (a, b) => (a && b ? 1 : 0),
  logical_or: (a, b) => (a || b ? 1 : 0),
  power: (a, b) => a ** b,
};

// The results of a program for many rows; `columns` and what is returned are arrays of numbers, one for each input and result.
export function run({ code, results }, columns) {
  const count = columns[0].length;
  const registers = [];
  for (const [name, a, b, c, value] of code) {
    const found = new Float64Array(count);
    const [x, y, z] = [registers[a], registers[b], registers[c]];
    if (name === "input") found.set(columns[a]);
    else if (name === "constant") found.fill(SPECIAL[value] ?? value);
    else if (name === "where") for (let i = 0; i < count; i++) found[i] = x[i] !== 0 ? y[i] : z[i];
    else if (Object.hasOwn(ONE, name)) for (let i = 0, of = ONE[name]; i < count; i++) found[i] = of(x[i]);
    else if (Object.hasOwn(TWO, name)) for (let i = 0, of = TWO[name]; i < count; i++) found[i] = of(x[i], y[i]);
    else throw new Error(`this page does not know the instruction ${name}`);
    registers.push(found);
  }
  return results.map(register => registers[register]);
}
