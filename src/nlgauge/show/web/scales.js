// From numbers of data to places of a picture and back, round numbers for axes, and a smooth area.

// A scale has the place of a value; invert has the value of a place, ticks are round values, nice extends the domain to round ends.
export function scaleLinear(domain, range) {
  const [low, high] = domain;
  const [from, to] = range;
  const x = value => (high === low ? (from + to) / 2 : from + ((value - low) / (high - low)) * (to - from));
  x.invert = place => (to === from ? (low + high) / 2 : low + ((place - from) / (to - from)) * (high - low));
  x.ticks = count => ticks(low, high, count);
  x.nice = () => scaleLinear(rounded(low, high), range);
  return x;
}

// The same for positive values by their logarithm; places stay within the range if it is clamped.
export function scaleLog(domain, range, isClamped = false) {
  const linear = scaleLinear(domain.map(Math.log), range);
  const [least, most] = [Math.min(...range), Math.max(...range)];
  const x = value => {
    const place = linear(Math.log(value));
    return isClamped ? Math.min(most, Math.max(least, place)) : place;
  };
  x.clamp = isWanted => scaleLog(domain, range, isWanted);
  return x;
}

// The round step, 1, 2 or 5 times a power of ten, that divides a length into about so many parts.
function roundStep(length, count) {
  const power = 10 ** Math.floor(Math.log10(length / count));
  const share = length / count / power;
  return power * (share >= Math.sqrt(50) ? 10 : share >= Math.sqrt(10) ? 5 : share >= Math.sqrt(2) ? 2 : 1);
}

// Multiples of a small step are divided by its inverse, which is a whole number: 3 / 10 and not 3 * 0.1.
function multiple(number, step) {
  return step < 1 ? number / Math.round(1 / step) : number * step;
}

function ticks(low, high, count) {
  if (!(high > low)) return Number.isFinite(low) ? [low] : [];
  const step = roundStep(high - low, count);
  const slack = 1e-10;
  const first = Math.ceil(low / step - slack);
  const last = Math.floor(high / step + slack);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => multiple(first + place, step));
}

function rounded(low, high) {
  if (!(high > low)) return [low, high];
  const step = roundStep(high - low, 10);
  const ends = [multiple(Math.floor(low / step + 1e-10), step), multiple(Math.ceil(high / step - 1e-10), step)];
  // Round ends may have a longer step.
  return roundStep(ends[1] - ends[0], 10) === step ? ends : rounded(...ends);
}

// The path of the area between points, from left to right, and a floor: smooth, and nowhere higher or lower than the points.
export function smoothArea(points, floor) {
  if (!points.length) return "";
  const rise = points.slice(1).map(([x, y], place) => (y - points[place][1]) / (x - points[place][0]));
  const tangent = points.map((_, place) => {
    const [before, after] = [rise[place - 1], rise[place]];
    if (before === undefined || after === undefined || before * after <= 0) return 0;
    const [one, other] = [points[place][0] - points[place - 1][0], points[place + 1][0] - points[place][0]];
    const mean = (before * other + after * one) / (one + other);
    return Math.sign(before) * 2 * Math.min(Math.abs(before), Math.abs(after), Math.abs(mean) / 2);
  });
  const last = points.length - 1;
  if (last > 0) {
    tangent[0] = (3 * rise[0] - tangent[1]) / 2;
    tangent[last] = (3 * rise[last - 1] - tangent[last - 1]) / 2;
  }
  const curve = points.slice(1).map(([x, y], place) => {
    const [x0, y0] = points[place];
    const third = (x - x0) / 3;
    return `C${thousandths(x0 + third)},${thousandths(y0 + third * tangent[place])} ${thousandths(x - third)},${thousandths(y - third * tangent[place + 1])} ${thousandths(x)},${thousandths(y)}`;
  });
  return `M${thousandths(points[0][0])},${thousandths(points[0][1])}${curve.join("")}L${thousandths(points[last][0])},${thousandths(floor)}L${thousandths(points[0][0])},${thousandths(floor)}Z`;
}

function thousandths(value) {
  return Math.round(value * 1000) / 1000;
}
