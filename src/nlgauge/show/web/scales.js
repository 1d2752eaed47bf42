// Scales from numbers to places in a picture, and the outline of a distribution.

// A linear scale: a function with its inverse, round ticks, and a domain that can be widened to round numbers.
export function scaleLinear([first, last], [from, to]) {
  let [low, high] = [first, last];
  const share = (value, start, end) => (end === start ? 0.5 : (value - start) / (end - start));
  const scale = value => from + share(value, low, high) * (to - from);
  scale.invert = place => low + share(place, from, to) * (high - low);
  scale.domain = () => [low, high];
  scale.ticks = count => multiples(low, high, count);
  scale.nice = () => {
    for (let last = null, round = 0; round < 10; round++) {
      const [step, down] = increment(low, high, 10);
      const next = down ? [Math.floor(low * step) / step, Math.ceil(high * step) / step] : [Math.floor(low / step) * step, Math.ceil(high / step) * step];
      if (step === last) break;
      [[low, high], last] = [next, step];
    }
    return scale;
  };
  return scale;
}

// A logarithmic scale of positive numbers.
export function scaleLog([low, high], [from, to]) {
  let isClamped = false;
  const scale = value => {
    const share = (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low));
    return from + (isClamped ? Math.max(0, Math.min(1, share)) : share) * (to - from);
  };
  scale.domain = () => [low, high];
  scale.clamp = clamped => {
    isClamped = clamped;
    return scale;
  };
  return scale;
}

// The distance of about `count` round ticks: 1, 2 or 5 times a power of ten. Below 1 its reciprocal, which is whole, and true.
function increment(low, high, count) {
  const step = (high - low) / count;
  const power = Math.floor(Math.log10(step));
  const rest = step / 10 ** power;
  const factor = rest >= Math.sqrt(50) ? 10 : rest >= Math.sqrt(10) ? 5 : rest >= Math.sqrt(2) ? 2 : 1;
  return power < 0 ? [10 ** -power / factor, true] : [10 ** power * factor, false];
}

function multiples(low, high, count) {
  if (!(high > low)) return [low];
  const [step, down] = increment(low, high, count);
  const [start, end] = down ? [Math.ceil(low * step - 1e-9), Math.floor(high * step + 1e-9)] : [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  return Array.from({ length: Math.max(0, end - start + 1) }, (_, place) => (down ? (start + place) / step : (start + place) * step));
}

// The path of an area between a line at the height `base` and a smooth curve through points [x, y] with increasing x, which has no hills that the points do not have (Steffen 1990).
export function hillPath(points, base) {
  const slopes = points.map((_, place) => slopeAt(points, place));
  slopes[0] = endSlope(points[0], points[1], slopes[1]);
  slopes[points.length - 1] = endSlope(points.at(-2), points.at(-1), slopes.at(-2));
  const curves = points.slice(1).map(([x, y], place) => {
    const [before, height] = points[place];
    const third = (x - before) / 3;
    return `C${before + third},${height + third * slopes[place]},${x - third},${y - third * slopes[place + 1]},${x},${y}`;
  });
  const [[left, top]] = points;
  return `M${left},${base}L${left},${top}${curves.join("")}L${points.at(-1)[0]},${base}Z`;
}

function slopeAt(points, place) {
  if (place === 0 || place === points.length - 1) return 0;
  const [[x0, y0], [x1, y1], [x2, y2]] = points.slice(place - 1, place + 2);
  const [before, after] = [x1 - x0, x2 - x1];
  const [one, other] = [(y1 - y0) / before, (y2 - y1) / after];
  const mean = (one * after + other * before) / (before + after);
  return (Math.sign(one) + Math.sign(other)) * Math.min(Math.abs(one), Math.abs(other), 0.5 * Math.abs(mean));
}

function endSlope([x0, y0], [x1, y1], inner) {
  return (3 * ((y1 - y0) / (x1 - x0)) - inner) / 2;
}
