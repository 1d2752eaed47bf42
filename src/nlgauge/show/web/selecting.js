// Expressions that select segments, such as domain = news and bleu[A] < 5: the parser and the evaluation of nlgauge._core.expression and nlgauge.results.selecting for the page. Nothing is imported: tests run it alone.

const OPERATORS = ["!=", "<=", ">=", "=", "<", ">", "~"];
const MOST_CHARACTERS = 2000;
const MOST_PATTERN = 200;
const MOST_DEPTH = 50;
const NUMBER = /-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?/;
const STARTS_NUMBER = new RegExp(`(?:${NUMBER.source})(?![^\\s()+=!<>~-])`, "y");
const WHOLE_NUMBER = new RegExp(`^(?:${NUMBER.source})$`);
// A word may contain - and + but not begin with them.
const WORD = /[^\s"()[\]=!<>~+-][^\s"()[\]=!<>~]*/y;
const VALUE = /[^\s"()]+/y;
const SPACE = /\s*/y;
const TEXTS = ["id", "source", "reference", "prediction"];

// A mistake in an expression; `at` is its place.
export class ExpressionError extends Error {
  constructor(message, at) {
    super(`${message} (at character ${at + 1} of the expression).`);
    this.says = message;
    this.at = at;
  }
}

// The tree of an expression; null if it is empty.
export function parse(text) {
  if (text.length > MOST_CHARACTERS) throw new ExpressionError(`an expression has at most ${MOST_CHARACTERS} characters`, MOST_CHARACTERS);
  const reader = new Reader(text);
  if (reader.at === text.length) return null;
  const node = reader.either();
  if (reader.at < text.length) reader.fail("and, or, or the end is needed here");
  return node;
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.depth = 0;
    this.space();
  }

  fail(message, at = this.at) {
    throw new ExpressionError(message, at);
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  space() {
    this.at += this.match(SPACE).length;
  }

  taken(sign) {
    if (!this.text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    this.space();
    return true;
  }

  keyword(word) {
    return this.match(WORD) === word && this.taken(word);
  }

  either() {
    const parts = [this.both()];
    while (this.keyword("or")) parts.push(this.both());
    return parts.length === 1 ? parts[0] : { kind: "some", inner: parts };
  }

  both() {
    const parts = [this.negated()];
    while (this.keyword("and")) parts.push(this.negated());
    return parts.length === 1 ? parts[0] : { kind: "every", inner: parts };
  }

  negated() {
    this.depth += 1;
    if (this.depth > MOST_DEPTH) this.fail(`an expression has at most ${MOST_DEPTH} brackets inside each other`);
    const node = this.plain();
    this.depth -= 1;
    return node;
  }

  plain() {
    if (this.keyword("not")) return { kind: "not", inner: this.negated() };
    if (!this.taken("(")) return this.test();
    const node = this.either();
    if (!this.taken(")")) this.fail("a ) is missing");
    return node;
  }

  test() {
    const start = this.at;
    const left = this.sum();
    const at = this.at;
    const operator = OPERATORS.find(one => this.taken(one));
    if (operator === undefined) {
      if (left.length > 1 || left[0].system !== null) this.fail("a comparison such as < 5 is needed here");
      return { kind: "word", text: left[0].name ?? this.text.slice(start, at).trim() };
    }
    return { kind: "test", left, operator, right: this.right(operator), at };
  }

  sum() {
    const terms = [this.term(1)];
    while (this.text[this.at] === "+" || this.text[this.at] === "-") {
      const sign = this.text[this.at] === "-" ? -1 : 1;
      this.at += 1;
      this.space();
      terms.push(this.term(sign));
    }
    return terms;
  }

  term(sign) {
    const { at } = this;
    const number = this.match(STARTS_NUMBER);
    if (number !== undefined) {
      this.taken(number);
      return { name: null, system: null, number: Number(number), sign, at };
    }
    let name = this.quoted();
    if (name === null) {
      name = this.match(WORD);
      if (name === undefined) this.fail("a name, a number or a word is needed here");
      this.taken(name);
    }
    if (!this.taken("[")) return { name, system: null, number: 0, sign, at };
    const systemAt = this.at;
    let system = this.quoted();
    if (system === null) {
      const end = this.text.indexOf("]", this.at);
      if (end < 0) this.fail("a ] is missing", this.text.length);
      system = this.text.slice(this.at, end).trim();
      this.at = end;
    }
    if (!this.taken("]")) this.fail("a ] is missing");
    return { name, system, number: 0, sign, at, systemAt };
  }

  // A value, or a sum if the right side can only be one.
  right(operator) {
    const { at } = this;
    const quoted = this.quoted();
    if (quoted !== null && this.text[this.at] !== "[") return { text: quoted, number: null, at, quoted: true };
    this.at = at;
    const word = this.match(VALUE);
    if (word === undefined && quoted === null) this.fail(`a value is needed behind ${operator}`, at === this.text.length ? this.text.trimEnd().length : at);
    this.at += (word ?? "").length;
    this.space();
    const follows = this.text[this.at];
    if (quoted === null && !word.includes("[") && follows !== "+" && follows !== "-" && follows !== "[") {
      if (word === "none") return { text: null, number: null, at };
      return { text: word, number: WHOLE_NUMBER.test(word) ? Number(word) : null, at };
    }
    this.at = at;
    return this.sum();
  }

  quoted() {
    if (this.text[this.at] !== '"') return null;
    const start = this.at;
    let found = "";
    this.at += 1;
    while (this.at < this.text.length && this.text[this.at] !== '"') {
      if (this.text[this.at] === "\\" && '"\\'.includes(this.text[this.at + 1] ?? " ")) this.at += 1;
      found += this.text[this.at];
      this.at += 1;
    }
    if (this.at === this.text.length) this.fail('a closing " is missing', start);
    this.at += 1;
    this.space();
    return found;
  }
}

// Whether a tree reads texts, which may have to be opened first.
export function readsTexts(node) {
  if (node === null) return false;
  if (node.kind === "test") return [...node.left, ...(Array.isArray(node.right) ? node.right : [])].some(({ name }) => ["source", "reference", "prediction", "words", "length"].includes(name));
  return node.kind === "word" || [node.inner].flat().some(readsTexts);
}

// For each segment 1 if it meets a tree. `columns` has
//   systems, count, chosen;
//   numbers: { name: (system, segment) => number }, NaN if it is not known; values: { name: segment => text or null };
//   texts: { id, source, reference: segment => [text, ...] }, prediction: (system, segment) => text, or null without texts;
//   unstored: names that only the explorer knows; search: text => mask.
export function met(node, columns) {
  const of = holds => Uint8Array.from({ length: columns.count }, (_, segment) => (holds(segment) ? 1 : 0));
  if (node === null) return of(() => true);
  if (node.kind === "word") return searched(node.text, columns);
  if (node.kind === "test") return of(tested(node, columns));
  const masks = [node.inner].flat().map(inner => met(inner, columns));
  if (node.kind === "not") return of(segment => !masks[0][segment]);
  return node.kind === "some" ? of(segment => masks.some(mask => mask[segment])) : of(segment => masks.every(mask => mask[segment]));
}

function searched(text, columns) {
  const small = text.toLowerCase();
  const has = one => (one ?? "").toLowerCase().includes(small);
  const { count, texts, prediction, systems } = columns;
  return Uint8Array.from({ length: count }, (_, segment) => {
    if (Object.values(texts).some(of => of(segment).some(has))) return 1;
    return prediction && systems.some((_, system) => has(prediction(system, segment))) ? 1 : 0;
  });
}

function names(columns) {
  return [...new Set([...Object.keys(columns.numbers), ...Object.keys(columns.values), ...Object.keys(columns.texts), ...(columns.prediction ? ["prediction"] : []), "words", "length"])];
}

// The numbers of a name as { each: it differs by system, of: (system, segment) => number }; null if it has texts.
function numeric(name, columns) {
  columns.made ??= {};
  if (name in columns.made) return columns.made[name];
  let found = null;
  if (Object.hasOwn(columns.numbers, name)) found = { each: true, of: columns.numbers[name] };
  else if (Object.hasOwn(columns.values, name)) {
    const values = Array.from({ length: columns.count }, (_, segment) => columns.values[name](segment));
    const known = values.filter(value => value !== null);
    if (known.length && known.every(value => WHOLE_NUMBER.test(value))) found = { each: false, of: (_, segment) => (values[segment] === null ? NaN : Number(values[segment])) };
  } else if (name === "words" || name === "length") {
    const measured = segment => (columns.texts.source ?? columns.texts.reference)?.(segment)[0] ?? "";
    found = { each: false, of: (_, segment) => (name === "words" ? measured(segment).split(/\s+/).filter(Boolean).length : [...measured(segment)].length) };
  }
  columns.made[name] = found;
  return found;
}

function check(term, columns) {
  if (term.name === null) return;
  const known = names(columns);
  if (!known.includes(term.name)) {
    if (columns.unstored?.includes(term.name)) throw new ExpressionError(`this report does not contain ${term.name}; nlgauge serve does`, term.at);
    const near = nearest(term.name.toLowerCase(), known);
    throw new ExpressionError(`unknown column ${term.name}${near ? `; did you mean ${near}?` : ""}`, term.at);
  }
  if (term.system !== null && !columns.systems.includes(term.system)) throw new ExpressionError(`unknown system ${term.system}`, term.systemAt);
  if (term.system !== null && !Object.hasOwn(columns.numbers, term.name) && term.name !== "prediction") throw new ExpressionError(`${term.name} is the same for every system`, term.systemAt);
}

// The known name with the fewest changed letters, if most letters stay.
function nearest(text, known) {
  const distance = other => {
    let row = Array.from({ length: other.length + 1 }, (_, place) => place);
    for (let i = 1; i <= text.length; i++) {
      const next = [i];
      for (let j = 1; j <= other.length; j++) next.push(Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (text[i - 1] === other[j - 1] ? 0 : 1)));
      row = next;
    }
    return row.at(-1);
  };
  const [best] = known.map(name => [distance(name), name]).sort(([one], [other]) => one - other);
  return best && best[0] <= Math.max(1, text.length / 2) ? best[1] : null;
}

// A function that tells whether a segment meets a comparison, for the named or for any chosen system.
function tested(test, columns) {
  const rightTerms = Array.isArray(test.right) ? test.right : [];
  [...test.left, ...rightTerms].forEach(term => check(term, columns));
  let { right } = test;
  const isNumeric = terms => terms.every(({ name }) => name === null || numeric(name, columns) !== null);
  if (!Array.isArray(right) && test.operator !== "~" && right.number === null && right.text !== null && names(columns).includes(right.text) && numeric(right.text, columns) && isNumeric(test.left)) right = [{ name: right.text, system: null, number: 0, sign: 1, at: right.at }];
  if (!Array.isArray(right) && (right.number === null || test.operator === "~" || !isNumeric(test.left))) return ofTexts(test, right, columns);
  if (test.operator === "~") throw new ExpressionError('~ needs a regular expression, such as "a|b"', test.at);
  const left = sum(test.left, columns, test.at);
  const other = Array.isArray(right) ? sum(right, columns, test.at) : { each: false, of: () => right.number };
  const compare = { "=": (a, b) => a === b, "!=": (a, b) => a !== b, "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b }[test.operator];
  const systems = left.each || other.each ? columns.chosen : [0];
  // NaN fails every comparison but !=.
  return segment => systems.some(system => compare(left.of(system, segment), other.of(system, segment)));
}

function sum(terms, columns, at) {
  const parts = terms.map(({ name, system, number, sign }) => {
    if (name === null) return { each: false, of: () => sign * number };
    const found = numeric(name, columns);
    if (found === null) throw new ExpressionError(`${name} is not a number`, at);
    if (system === null) return { each: found.each, of: (own, segment) => sign * found.of(own, segment) };
    const place = columns.systems.indexOf(system);
    return { each: false, of: (_, segment) => sign * found.of(place, segment) };
  });
  return { each: parts.some(({ each }) => each), of: (system, segment) => parts.reduce((total, { of }) => total + of(system, segment), 0) };
}

// The same for a text, a regular expression or none.
function ofTexts(test, value, columns) {
  const { operator, left } = test;
  const isEqual = operator === "=";
  const isTest = isEqual || operator === "!=";
  if (left.length > 1 || left[0].name === null) {
    sum(left, columns, test.at);
    if (value.text === null || !isTest) throw new ExpressionError("a number is needed here", value.at);
    return () => !isEqual;
  }
  const [{ name, system }] = left;
  const found = numeric(name, columns);
  const place = system === null ? null : columns.systems.indexOf(system);
  const systems = place === null ? columns.chosen : [place];
  if (value.text === null && found) {
    if (!isTest) throw new ExpressionError("none can only be compared by = and !=", test.at);
    return segment => systems.every(own => Number.isNaN(found.of(own, segment))) === isEqual;
  }
  if (!isTest && operator !== "~") throw new ExpressionError(found ? "a number is needed here" : `${name} is not a number`, found ? value.at : test.at);
  const rows = strings(name, columns, systems);
  if (operator === "~") {
    const searches = pattern(value);
    return segment => rows(segment).some(row => row.some(one => one !== null && searches.test(one)));
  }
  if (value.text === null) return segment => rows(segment).every(row => row.every(one => one === null)) === isEqual;
  return segment => rows(segment).some(row => row.some(one => one === value.text) === isEqual);
}

// The texts of a name in a segment: for each system (or once for all) a list.
function strings(name, columns, systems) {
  if (Object.hasOwn(columns.numbers, name)) return segment => systems.map(system => columns.numbers[name](system, segment)).map(value => [Number.isNaN(value) ? null : String(value)]);
  if (Object.hasOwn(columns.values, name)) return segment => [[columns.values[name](segment)]];
  if (name === "prediction" && columns.prediction) return segment => systems.map(system => [columns.prediction(system, segment)]);
  if (TEXTS.includes(name) && columns.texts[name]) return segment => [columns.texts[name](segment)];
  return segment => [[String(numeric(name, columns).of(0, segment))]];
}

const ESCAPED = new Set("^$\\.*+?()[]{}|/-\"'");
const CLASSES = new Set("dDwWbBsSntr");
const QUANTIFIER = /\{[0-9]{1,3}(?:,[0-9]{0,3})?\}|[*+?]/y;
// White space of ASCII, as Python reads \s with its flag ASCII.
const BLANKS = " \\t\\n\\r\\f\\v";

// A regular expression of the part of the language that Python and browsers share.
function pattern(value) {
  const refuse = why => {
    throw new ExpressionError(`"${value.text}" is not a regular expression that can be used here: ${why}`, value.at);
  };
  const { text } = value;
  if (text === null) refuse("none is not a text");
  if ([...text].length > MOST_PATTERN) refuse(`a regular expression has at most ${MOST_PATTERN} characters`);
  let found = "";
  let at = 0;
  let inside = false;
  while (at < text.length) {
    const sign = text[at];
    if (sign === "\\") {
      const escape = text[at + 1] ?? "";
      if (!ESCAPED.has(escape) && (!CLASSES.has(escape) || (inside && "bBDWS".includes(escape)))) refuse(`\\${escape} is not supported`);
      // With the flag u an escaped " is a mistake in a browser, and - is one outside [ ].
      if (`"'`.includes(escape) || (escape === "-" && !inside)) found += escape;
      else if (escape === "s") found += inside ? BLANKS : `[${BLANKS}]`;
      else if (escape === "S") found += `[^${BLANKS}]`;
      else found += `\\${escape}`;
      at += 2;
      continue;
    }
    if (inside) {
      if (sign === "[") refuse("[ within [ ] needs a \\");
      inside = sign !== "]";
    } else if (sign === "[") {
      inside = true;
      if (text[at + 1] === "]" || text.startsWith("^]", at + 1)) refuse("[] is empty");
    } else if (sign === "(" && text[at + 1] === "?") {
      const group = text.slice(at, at + 3);
      if (!["(?:", "(?=", "(?!"].includes(group)) refuse(`${group} is not supported`);
      found += group;
      at += 3;
      continue;
    } else if (sign === "]" || sign === "}") {
      refuse(`${sign} needs a \\`);
    } else {
      QUANTIFIER.lastIndex = at;
      const quantifier = QUANTIFIER.exec(text)?.[0];
      if (quantifier) {
        let end = at + quantifier.length;
        if (text[end] === "+") refuse("possessive quantifiers are not supported");
        if (text[end] === "?") end += 1;
        found += text.slice(at, end);
        at = end;
        continue;
      }
      if (sign === "{") refuse("{ needs a \\");
    }
    found += sign === "." && !inside ? "[^\\n]" : sign;
    at += 1;
  }
  try {
    return new RegExp(found, "u");
  } catch (error) {
    return refuse(error.message);
  }
}
