// Where the data is: in this file, as gzip in base64, or behind the explorer's addresses. Each part is opened when it is first needed, and once.
import { byId } from "./dom.js";

const api = document.documentElement.dataset.api ?? null;
// A byte order mark is a character of a text like any other.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const parts = new Map();
// Segments in one part of old texts.
const OLD = 256;

export const store = {
  // True in the explorer, which computes the parts that a report does not contain.
  live: api !== null,
  result: 0,
  blocks: [],
  answers: new Map(),

  async open(result = 0) {
    this.result = result;
    parts.clear();
    this.answers.clear();
    this.blocks = [];
    this.meta = JSON.parse(decoder.decode(await part("meta")));
    const texts = this.meta.texts !== "none";
    const [scores, ids, lengths, predictions, references, offsets, sources, ...fields] = await Promise.all([
      numbers("scores", Float32Array),
      part("ids"),
      texts ? numbers("lengths", Uint32Array) : null,
      texts ? numbers("predictions", Uint32Array) : null,
      texts && this.meta.references ? numbers("references", Uint32Array) : null,
      texts && this.meta.references ? numbers("reference_offsets", Uint32Array) : null,
      texts && this.meta.sources ? numbers("sources", Uint32Array) : null,
      ...this.meta.fields.map((_, number) => numbers(`field${number}`, Uint32Array)),
    ]);
    const { weights, units } = this.meta;
    this.weights = weights ? await numbers("weights", Float32Array) : null;
    this.units = units ? await numbers("units", Uint32Array) : null;
    Object.assign(this, { scores, predictions, allReferences: references, offsets, sources, lengths, fields });
    this.ids = JSON.parse(decoder.decode(ids));
    this.spanColumns = this.meta.spans ? await numbers("span_columns", Float32Array) : null;
    if (lengths) this.place();
    this.oldScores = this.meta.runs ? await numbers("old_scores", Float32Array) : null;
    return this.meta;
  },

  // The block and the start of each text: blocks contain whole texts, about a million units each.
  place() {
    const count = this.lengths.length;
    this.starts = new Uint32Array(count);
    this.blockOf = new Uint16Array(count);
    let block = 0;
    let size = 0;
    for (let id = 0; id < count; id++) {
      if (size && size + this.lengths[id] > 1 << 20) {
        block += 1;
        size = 0;
      }
      this.blockOf[id] = block;
      this.starts[id] = size;
      size += this.lengths[id];
    }
  },

  score(output, system, segment) {
    const { column } = this.meta.outputs[output];
    return column === null ? NaN : this.scores[(column * this.meta.systems.length + system) * this.meta.segments + segment];
  },

  // The score of the old run, by its column and pair; NaN for a segment that is not compared.
  oldScore(column, pair, segment) {
    return this.oldScores[(column * this.meta.runs.pairs.length + pair) * this.meta.segments + segment];
  },

  isCompared(segment) {
    const { columns, pairs } = this.meta.runs;
    return columns.some((_, column) => pairs.some((__, pair) => !Number.isNaN(this.oldScore(column, pair, segment))));
  },

  // Texts of the old run that differ from those of the new one, by the number of the pair.
  async old(segment) {
    if (!this.meta.runs?.texts) return {};
    const all = await part(`old${Math.floor(segment / OLD)}`, bytes => JSON.parse(decoder.decode(bytes)));
    return all[segment] ?? {};
  },

  prediction(system, segment) {
    return this.predictions ? this.predictions[system * this.meta.segments + segment] : null;
  },

  references(segment) {
    return this.allReferences ? Array.from(this.allReferences.subarray(this.offsets[segment], this.offsets[segment + 1])) : [];
  },

  // The text that stands for a segment in a list.
  headline(segment) {
    return this.references(segment)[0] ?? this.prediction(0, segment);
  },

  async block(number) {
    this.blocks[number] = decoder.decode(await part(`text${number}`));
    return this.blocks[number];
  },

  async text(id) {
    if (id === null) return null;
    await this.block(this.blockOf[id]);
    return this.textNow(id);
  },

  // The text if its block is open already, otherwise null.
  textNow(id) {
    const block = id === null ? undefined : this.blocks[this.blockOf[id]];
    return block === undefined ? null : block.substr(this.starts[id], this.lengths[id]);
  },

  // Explanations of a segment by one metric: { system: [explanation, ...] }; null if there are none.
  async why(segment, label) {
    if (this.live) return this.ask("why", { segment, label });
    const number = this.meta.why[segment];
    if (number === undefined) return null;
    const all = await part(`why${number}`, bytes => JSON.parse(decoder.decode(bytes)));
    return all[segment]?.[label] ?? null;
  },

  // The error spans of a segment: { system: { voice: [mark, ...] } }; null if there are none.
  async spans(segment) {
    const described = this.meta.spans;
    if (!described || this.meta.texts === "none") return null;
    try {
      const all = await part(`spans${Math.floor(segment / described.size)}`, bytes => JSON.parse(decoder.decode(bytes)));
      return all[segment] ?? null;
    } catch {
      return null; // no segment of this part has marks
    }
  },

  // The sums of a metric: its statistics of every system and segment.
  sums({ part: name, whole }) {
    return numbers(name, whole ? Uint32Array : Float32Array);
  },

  // Opens every block of texts, so that all texts can be read at once.
  async everyText() {
    if (this.lengths) await Promise.all(Array.from({ length: this.meta.blocks }, (_, number) => this.block(number)));
  },

  // The agreement of metrics with people at a level, on a dimension; in a report always of all segments.
  async trust(level, dimension, selection = {}) {
    if (this.live) return this.ask("trust", { level, dimension, ...selection });
    const all = await part("trust", bytes => JSON.parse(decoder.decode(bytes)));
    return all[`${level} ${dimension}`];
  },

  // How well metrics find the errors that people mark, of the selection; in a report always of all segments.
  async spanScores(selection) {
    return this.live && Object.keys(selection).length ? this.ask("spans", selection) : this.meta.spans.scores;
  },

  // An answer of the explorer, asked for once.
  ask(what, query) {
    const address = `${api}/${this.result}/${what}?${new URLSearchParams(query)}`;
    if (!this.answers.has(address)) this.answers.set(address, fetched(address).then(answer => answer.json()));
    return this.answers.get(address);
  },

  // The number of the page that compares two results.
  compared(result, old) {
    return fetched(`${api}/compare?${new URLSearchParams({ new: result, old })}`).then(answer => answer.json());
  },

  results() {
    return fetched(`${api}/results`).then(answer => answer.json());
  },
};

async function fetched(address) {
  const answer = await fetch(address, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

// A part, opened once for all callers: the promise is cached, not its value, so that simultaneous callers do not open it twice.
function part(name, read = bytes => bytes) {
  if (!parts.has(name)) parts.set(name, opened(name).then(read));
  return parts.get(name);
}

async function opened(name) {
  if (api !== null) {
    const answer = await fetched(`${api}/${store.result}/part/${name}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
  const text = byId(`d-${name}`).textContent;
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), character => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// An array whose bytes of the same place are stored together.
async function numbers(name, Kind) {
  const bytes = await part(name);
  const size = Kind.BYTES_PER_ELEMENT;
  const count = bytes.length / size;
  const plain = new Uint8Array(bytes.length);
  for (let byte = 0; byte < size; byte++) {
    for (let i = 0, from = byte * count; i < count; i++) plain[i * size + byte] = bytes[from + i];
  }
  return new Kind(plain.buffer);
}
