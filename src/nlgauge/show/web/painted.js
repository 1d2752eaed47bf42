// Texts with marked tokens. Explanations have the places of tokens in code points; strings of the page count UTF-16 units.

// Marks that tokenizers put before or after a piece of a word, and pieces that are not of the text.
const EDGES = /^(##|[ĠĊ▁]+)|<\/w>$/g;
const SPECIAL = /^(\[(CLS|SEP|PAD|MASK)\]|<\/?s>|<pad>|<\|.*\|>)$/;

export function bare(token) {
  return token.replace(EDGES, "");
}

export function isSpecial(token) {
  return SPECIAL.test(token);
}

// The text in pieces: strings between tokens, and what `mark(number, word)` makes of each token; tokens that the text does not have are left out.
// Without places the tokens themselves are shown, with spaces between them.
export function painted(text, tokens, spans, mark) {
  if (text === null || text === undefined || !spans || !spans.some(Boolean)) {
    return tokens.flatMap((token, number) => (isSpecial(token) ? [] : [token.startsWith("##") ? "" : " ", mark(number, bare(token))]));
  }
  const places = units(text, spans);
  const order = places.map((_, number) => number).filter(number => places[number]).sort((i, j) => places[i][0] - places[j][0]);
  const out = [];
  let at = 0;
  for (const number of order) {
    const [start, end] = places[number];
    if (start < at) continue;
    if (start > at) out.push(text.slice(at, start));
    out.push(mark(number, text.slice(start, end)));
    at = end;
  }
  out.push(text.slice(at));
  return out;
}

// Neighbors with the same value become one mark, with the space between them; a screen reader then meets words.
export function joined(text, tokens, spans, values, mark) {
  const out = [];
  let run = null;
  const flush = () => {
    if (run) out.push(mark(run.number, run.word), ...(run.gap === undefined ? [] : [run.gap]));
    run = null;
  };
  for (const part of painted(text, tokens, spans, (number, word) => ({ number, word }))) {
    if (typeof part === "string") {
      if (run && run.gap === undefined && /^\s*$/.test(part)) run.gap = part;
      else {
        flush();
        out.push(part);
      }
    } else if (run && values[run.number] === values[part.number]) {
      run = { number: run.number, word: run.word + (run.gap ?? "") + part.word };
    } else {
      flush();
      run = part;
    }
  }
  flush();
  return out;
}

// Places in code points as places in UTF-16 units.
export function units(text, spans) {
  if (!/[\ud800-\udfff]/.test(text)) return spans;
  const offsets = [0];
  for (const character of text) offsets.push(offsets.at(-1) + character.length);
  return spans.map(span => span && [offsets[span[0]], offsets[span[1]]]);
}
