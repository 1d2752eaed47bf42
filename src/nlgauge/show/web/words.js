// The difference of two texts, word by word.

// More tokens than these are not compared: the table of the comparison has the product of both numbers.
export const MOST = 2000;

// Words with the space after them; in scripts without spaces words as the browser finds them.
function tokens(text) {
  if (typeof Intl.Segmenter !== "function") return text.split(/(?<=\s)(?=\S)/u);
  const found = [];
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)) {
    if (/^\s+$/u.test(segment) && found.length) found[found.length - 1] += segment;
    else found.push(segment);
  }
  return found;
}

// The pieces of both texts in order: [kind, text] with "equal", "delete" (only in the old text) or "insert"; null if the texts are too long.
export function difference(old, text) {
  const [ours, theirs] = [tokens(old), tokens(text)];
  if (ours.length > MOST || theirs.length > MOST) return null;
  const same = (one, other) => one.trimEnd() === other.trimEnd();
  let from = 0;
  while (from < ours.length && from < theirs.length && same(ours[from], theirs[from])) from += 1;
  let [a, b] = [ours.length, theirs.length];
  while (a > from && b > from && same(ours[a - 1], theirs[b - 1])) {
    a -= 1;
    b -= 1;
  }
  const width = b - from + 1;
  // The length of the longest common subsequence of what is left from each place on.
  const longest = new Uint16Array((a - from + 1) * width);
  for (let i = a - from - 1; i >= 0; i--) {
    for (let j = b - from - 1; j >= 0; j--) {
      const at = i * width + j;
      longest[at] = same(ours[from + i], theirs[from + j]) ? longest[at + width + 1] + 1 : Math.max(longest[at + width], longest[at + 1]);
    }
  }
  const pieces = [];
  const add = (kind, word) => {
    if (pieces.at(-1)?.[0] === kind) pieces.at(-1)[1] += word;
    else pieces.push([kind, word]);
  };
  theirs.slice(0, from).forEach(word => add("equal", word));
  let [i, j] = [0, 0];
  while (from + i < a || from + j < b) {
    const at = i * width + j;
    if (from + i < a && from + j < b && same(ours[from + i], theirs[from + j])) {
      add("equal", theirs[from + j]);
      i += 1;
      j += 1;
    } else if (from + j >= b || (from + i < a && longest[at + width] >= longest[at + 1])) {
      add("delete", ours[from + i]);
      i += 1;
    } else {
      add("insert", theirs[from + j]);
      j += 1;
    }
  }
  theirs.slice(b).forEach(word => add("equal", word));
  return pieces;
}
