// Runs the programs of metrics, which are plain data: steps [operation, ...places of earlier values]. `nlgauge.metric.program` explains them; the metric's own score made them.
const ONE = {
  negative: a => -a,
  absolute: Math.abs,
  logical_not: a => (a === 0 ? 1 : 0),
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
  maximum: (a, b) => (a >= b || Number.isNaN(a) ? a : b),
  minimum: (a, b) => (a <= b || Number.isNaN(a) ? a : b),
  greater: (a, b) => (a > b ? 1 : 0),
  greater_equal: (a, b) => (a >= b ? 1 : 0),
  less: (a, b) => (a < b ? 1 : 0),
  less_equal: (a, b) => (a <= b ? 1 : 0),
  equal: (a, b) => (a === b ? 1 : 0),
  not_equal: (a, b) => (a === b ? 0 : 1),
  logical_and: (a, b) => (a !== 0 && b !== 0 ? 1 : 0),
  logical_or: (a, b) => (a !== 0 || b !== 0 ? 1 : 0),
  power: (a, b) => (a === 1 ? 1 : a ** b),
};

// The results of a program for many rows; `columns` and what is returned are arrays of numbers, one for each input and result.
export function run({ steps, outputs }, columns) {
  const count = columns[0].length;
  const values = [];
  for (const [name, ...places] of steps) {
    const found = new Float64Array(count);
    const [x, y, z] = places.map(place => values[place]);
    if (name === "input") found.set(columns[places[0]]);
    else if (name === "constant") found.fill(Number(places[0]));
    else if (name === "where") for (let i = 0; i < count; i++) found[i] = x[i] === 0 ? z[i] : y[i];
    else if (Object.hasOwn(ONE, name)) for (let i = 0, of = ONE[name]; i < count; i++) found[i] = of(x[i]);
    else if (Object.hasOwn(TWO, name)) for (let i = 0, of = TWO[name]; i < count; i++) found[i] = of(x[i], y[i]);
    else throw new Error(`this page does not know the operation ${name}`);
    values.push(found);
  }
  return outputs.map(place => values[place]);
}
