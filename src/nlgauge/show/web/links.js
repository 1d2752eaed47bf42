// Tokens of two texts and what goes from one to the other: curves between two columns, or a matrix.
import { g, h } from "./dom.js";
import { bare } from "./painted.js";
import { svg } from "./charts.js";
import { plural } from "./format.js";

const ROW = 19;
const LEFT = 130;
// A wide character of a name.
const CHARACTER = 8;

// Each token of the prediction with its nearest in the reference, as strong as the similarity.
export function alignmentLinks(one, width) {
  const [ours, theirs] = weighed(one);
  const nearest = ours.map(i => theirs.reduce((best, j, place) => (one.similarity[i][j] > one.similarity[i][theirs[best]] ? place : best), 0));
  const ways = ours.map((i, from) => {
    const j = theirs[nearest[from]];
    const cosine = one.similarity[i][j];
    const strength = Math.max(0.04, (cosine - 0.3) / 0.7) ** 1.3;
    return { from, to: nearest[from], opacity: strength, thickness: 2.2, tip: `${bare(one.prediction[i])} ~ ${bare(one.reference[j])}\ncosine ${cosine.toFixed(2)}` };
  });
  return columns(ours.map(i => one.prediction[i]), theirs.map(j => one.reference[j]), ways, Math.min(width, 520 + LEFT), "Each token of the prediction with its nearest in the reference");
}

// Mass that goes from each token of the prediction to tokens of the reference.
export function transportLinks(one, width) {
  const most = Math.max(...one.plan.flat(), 1e-12);
  const dearest = Math.max(...one.cost.flat(), 1e-12);
  const ways = [];
  one.plan.forEach((row, from) =>
    row.forEach((mass, to) => {
      if (mass <= most * 1e-3) return;
      const cost = one.cost[from][to];
      ways.push({
        from,
        to,
        opacity: 0.35 + 0.6 * (mass / most),
        thickness: 0.8 + 5 * (mass / most),
        dear: cost / dearest,
        tip: `${bare(one.prediction[from])} → ${bare(one.reference[to])}\nmass ${mass.toPrecision(3)}, cost ${cost.toPrecision(3)}`,
      });
    }),
  );
  return columns(one.prediction, one.reference, ways, Math.min(width, 420 + LEFT), "Mass that goes from each token of the prediction to tokens of the reference");
}

// Two columns of tokens in a picture of this width; names that are longer than their column are cut, and the tip has them whole.
function columns(ours, theirs, ways, width, label) {
  const left = Math.min(LEFT, Math.floor(0.36 * width));
  const right = width - left;
  const most = Math.max(3, Math.floor(left / CHARACTER));
  const name = (token, place, attributes) => {
    const word = [...bare(token)];
    const cut = word.length > most;
    return g("text", { class: "name", y: y(place) + 4, tip: cut ? word.join("") : null, ...attributes }, cut ? `${word.slice(0, most - 1).join("")}…` : word.join(""));
  };
  const y = place => 12 + place * ROW;
  const middle = (left + right) / 2;
  const curve = ({ from, to, opacity, thickness, dear, tip }) =>
    g("path", {
      class: dear === undefined ? "link" : "link mass",
      d: `M${left + 6},${y(from)}C${middle},${y(from)} ${middle},${y(to)} ${right - 6},${y(to)}`,
      "stroke-opacity": opacity.toFixed(2),
      "stroke-width": thickness.toFixed(2),
      vars: dear === undefined ? {} : { "--dear": `${Math.round(100 * dear)}%` },
      tip,
    });
  return svg(
    width,
    Math.max(ours.length, theirs.length) * ROW + 8,
    label,
    ways.map(curve),
    ours.map((token, place) => name(token, place, { x: left, "text-anchor": "end" })),
    theirs.map((token, place) => name(token, place, { x: right })),
  );
}

// The tokens that weigh something: start and end marks do not.
function weighed(one) {
  return [one.prediction_weights, one.reference_weights].map(weights => weights.map((_, place) => place).filter(place => weights[place] > 0));
}

// The whole matrix on a canvas: rows are the prediction, columns the reference, a frame marks the nearest token of each row.
export function alignmentMatrix(one, width) {
  const [ours, theirs] = weighed(one);
  const [left, top] = [84, 70];
  const cell = Math.max(10, Math.min(18, Math.floor((width - left - 30) / Math.max(1, theirs.length))));
  const [wide, high] = [left + cell * theirs.length, top + cell * ours.length];
  const label = `Similarity of ${plural(ours.length, "token")} of the prediction and ${theirs.length} of the reference`;
  const canvas = h("canvas", { width: wide * 2, height: high * 2, role: "img", "aria-label": label });
  canvas.style.width = `${wide}px`;
  canvas.style.height = `${high}px`;
  const value = (row, column) => one.similarity[ours[row]][theirs[column]];
  const paint = at => paintMatrix(canvas, { ours: ours.map(i => one.prediction[i]), theirs: theirs.map(j => one.reference[j]), value, cell, left, top }, at);
  canvas.addEventListener("mousemove", event => {
    const box = canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - left) / cell);
    const row = Math.floor((event.clientY - box.top - top) / cell);
    const inside = row >= 0 && row < ours.length && column >= 0 && column < theirs.length;
    if (inside) canvas.dataset.tip = `${bare(one.prediction[ours[row]])} ~ ${bare(one.reference[theirs[column]])}\ncosine ${value(row, column).toFixed(2)}`;
    else delete canvas.dataset.tip;
    paint(inside ? [row, column] : null);
  });
  canvas.addEventListener("mouseleave", () => paint(null));
  paint(null);
  return canvas;
}

// A color of the style sheet as a canvas takes it: one color, not one for each theme.
function colorOf(node, name) {
  node.style.color = `var(${name})`;
  return getComputedStyle(node).color;
}

function paintMatrix(canvas, { ours, theirs, value, cell, left, top }, at) {
  const [ink, strong, heat] = ["--ink-2", "--ink", "--heat"].map(name => colorOf(canvas, name));
  const paper = canvas.getContext("2d");
  paper.setTransform(2, 0, 0, 2, 0, 0);
  paper.clearRect(0, 0, canvas.width, canvas.height);
  paper.font = `${Math.min(11, cell)}px Inter, system-ui, sans-serif`;
  paper.lineWidth = 1;
  paper.strokeStyle = strong;
  paper.fillStyle = heat;
  ours.forEach((_, row) => {
    let nearest = 0;
    theirs.forEach((__, column) => {
      const strength = Math.max(0, (value(row, column) - 0.15) / 0.85);
      paper.globalAlpha = strength * strength * 0.95;
      paper.fillRect(left + column * cell, top + row * cell, cell - 0.6, cell - 0.6);
      if (value(row, column) > value(row, nearest)) nearest = column;
    });
    paper.globalAlpha = 1;
    if (theirs.length) paper.strokeRect(left + nearest * cell + 0.2, top + row * cell + 0.2, cell - 1, cell - 1);
  });
  paper.textBaseline = "middle";
  paper.textAlign = "right";
  ours.forEach((token, row) => {
    paper.fillStyle = at && at[0] === row ? strong : ink;
    paper.fillText(bare(token).slice(0, 14), left - 6, top + row * cell + cell / 2);
  });
  paper.textAlign = "left";
  theirs.forEach((token, column) => {
    paper.save();
    paper.translate(left + column * cell + cell / 2, top - 6);
    paper.rotate(-Math.PI / 3);
    paper.fillStyle = at && at[1] === column ? strong : ink;
    paper.fillText(bare(token).slice(0, 14), 0, 0);
    paper.restore();
  });
  if (!at) return;
  paper.strokeRect(left, top + at[0] * cell, cell * theirs.length, cell);
  paper.strokeRect(left + at[1] * cell, top, cell, cell * ours.length);
}
