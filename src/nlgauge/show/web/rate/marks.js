// Marks of a text as plain data: offsets are those of JavaScript (UTF-16) on the page, code points elsewhere.

const words = new Intl.Segmenter(undefined, { granularity: "word" });
const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

// The words of a text, or its characters if it has no words.
export function unitsOf(text) {
  const found = [...words.segment(text)].filter(unit => unit.isWordLike || unit.segment.trim()).map(placed);
  return found.length ? found : charactersOf(text);
}

export function charactersOf(text) {
  return [...letters.segment(text)].map(placed);
}

function placed(unit) {
  return { start: unit.index, end: unit.index + unit.segment.length };
}

// The unit after a place, or before it; the same place at an end of the text.
export function step(units, place, forward) {
  const next = forward ? units.find(unit => unit.start >= place.end) : units.findLast(unit => unit.end <= place.start);
  return next ?? place;
}

export function toPoints(text, marks) {
  return marks.map(mark => (mark.start === null ? { ...mark } : { ...mark, start: points(text(mark), mark.start), end: points(text(mark), mark.end) }));
}

export function fromPoints(text, marks) {
  return marks.map(mark => {
    const side = mark.side ?? "target";
    const [start, end] = [mark.start ?? null, mark.end ?? null];
    return { category: "", note: "", ...mark, side, start: start === null ? null : units16(text({ side }), start), end: end === null ? null : units16(text({ side }), end) };
  });
}

// The number of code points before an offset.
function points(text, offset) {
  return [...text.slice(0, offset)].length;
}

function units16(text, count) {
  return [...text].slice(0, count).join("").length;
}

// The marks with a further one; a mark of the same place changes its severity, others that overlap go if the
// protocol has no overlapping marks.
export function marked(marks, mark, overlap) {
  const same = marks.find(other => other.side === mark.side && other.start === mark.start && other.end === mark.end && other.note === mark.note);
  if (same) return marks.map(other => (other === same ? { ...same, severity: mark.severity } : other));
  const free = marks.filter(other => overlap || other.side !== mark.side || other.start === null || other.end <= mark.start || other.start >= mark.end);
  return [...free, mark];
}

// The innermost mark at a place.
export function markAt(marks, side, place) {
  return marks
    .filter(mark => mark.side === side && mark.start !== null && mark.start <= place && place < mark.end)
    .sort((one, other) => one.end - one.start - (other.end - other.start))[0];
}

// The mark of something that is missing, with the next severity; none after the last.
export function nextMissing(marks, severities) {
  const found = marks.find(mark => mark.start === null);
  if (!found) return [...marks, { side: "target", start: null, end: null, severity: severities[0], category: "", note: "" }];
  const next = severities[severities.indexOf(found.severity) + 1];
  return next ? marks.map(mark => (mark === found ? { ...found, severity: next } : mark)) : marks.filter(mark => mark !== found);
}
