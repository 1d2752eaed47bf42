// Twin of features/tokenizers.py: where the tokens of a text begin and end.
#include "tokenizers.hpp"

#include <string_view>
#include <unordered_map>

const uint8_t *character_classes = nullptr;

namespace {

using Spans = std::vector<Span>;

// Most signs are visible ASCII, for which the table need not be read.
bool is_space(char32_t sign) { return sign - 0x21u >= 0x5Eu && of_class(sign, SPACE); }
bool is_digit(char32_t sign) { return sign - U'0' < 10u; }
bool is_stop(char32_t sign) { return sign == U'.' || sign == U','; }
bool is_apostrophe(char32_t sign) { return sign == U'\'' || sign == U'\u2019'; }
bool is_ascii_punctuation(char32_t sign) { return sign - 0x21u < 15u || sign - 0x3Au < 7u || sign - 0x5Bu < 6u || sign - 0x7Bu < 4u; }

// Made in its place: a processor waits where it reads as one number what was just written as two.
void add(Spans &spans, size_t start, size_t end) { spans.emplace_back(uint32_t(start), uint32_t(end)); }

// How many bits there are below the lowest one that is set.
unsigned lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
  return unsigned(__builtin_ctzll(bits));
#else
  unsigned place = 0;
  for (; !(bits & 1); bits >>= 1) ++place;
  return place;
#endif
}

// Eight bytes that are 0 or 1 as bits.
uint64_t eight_bits(const uint8_t *flags) {
  uint64_t bytes = 0;
  for (int i = 0; i < 8; ++i) bytes |= uint64_t{flags[i]} << 8 * i;
  // The factor takes byte i to bit 56 + i.
  return bytes * 0x0102040810204080u >> 56;
}

// The runs of characters that are part of a word, 64 characters at a time: asking each character for itself is slow, because nobody can predict
// where a word ends.
template <typename Sign, typename IsPart> void runs(TextOf<Sign> &text, Spans &spans, const IsPart &is_part) {
  uint64_t before = 0;
  uint32_t start = 0;
  bool open = false;
  for (size_t first = 0; first <= text.size; first += 64) {
    size_t count = std::min<size_t>(64, text.size - first);
    const Sign *signs = text.begin() + first;
    uint64_t parts = 0;
    // Always sixteen characters, which one instruction compares; those behind the text do not count.
    static_assert(TextOf<Sign>::readable >= 16);
    for (size_t i = 0; i < count; i += 16) {
      uint8_t flags[16];
      for (size_t k = 0; k < 16; ++k) flags[k] = is_part(signs[i + k]);
      parts |= (eight_bits(flags) | eight_bits(flags + 8) << 8) << i;
    }
    if (count < 64) parts &= (uint64_t{1} << count) - 1;
    // Where a run begins or ends.
    for (uint64_t bounds = parts ^ (parts << 1 | before); bounds; bounds &= bounds - 1) {
      uint32_t bound = uint32_t(first) + lowest_bit(bounds);
      if (open) add(spans, start, bound);
      start = bound, open = !open;
    }
    before = parts >> 63;
  }
}

template <typename Sign> void whitespace(TextOf<Sign> &text, Spans &spans) {
  runs(text, spans, [](Sign sign) {
    if constexpr (sizeof sign > 1) return uint8_t(!of_class(sign, SPACE));
    // Of ASCII these are white space: U+0009 to U+000D, U+001C to U+0020.
    return uint8_t((uint8_t(sign - 9) > 4) & (uint8_t(sign - 28) > 4));
  });
}

// Puts `replacement` (one character or none) in the place of every `wanted`, as str.replace does.
template <typename Sign> void replace(TextOf<Sign> &text, std::u32string_view wanted, std::u32string_view replacement) {
  size_t kept = 0;
  for (size_t i = 0; i < text.size;) {
    bool found = i + wanted.size() <= text.size && std::equal(wanted.begin(), wanted.end(), text.begin() + i);
    size_t step = found ? wanted.size() : 1;
    if (!found || !replacement.empty()) {
      text[kept] = found ? Sign(replacement[0]) : text[i];
      if (text.tracked) text.origins[kept] = {text.origins[i].start, text.origins[i + step - 1].end};
      ++kept;
    }
    i += step;
  }
  text.size = kept;
}

// What mteval's rule makes of a character; `odd` ones may belong to something that is resolved before the split.
enum Role : uint8_t { part, space, alone, mark, odd };

struct Roles {
  Role ascii[128];

  Roles() {
    for (char32_t sign = 0; sign < 128; ++sign) {
      bool marks = is_stop(sign) || sign == U'-', stands_alone = is_ascii_punctuation(sign) && sign != U'\'';
      ascii[sign] = is_space(sign) ? space : marks ? mark : stands_alone ? alone : part;
    }
    for (char32_t sign : {U'<', U'&', U'\n'}) ascii[sign] = odd;
  }
  Role of(char32_t sign) const { return sign < 128 ? ascii[sign] : is_space(sign) ? space : part; }
};

// A run of characters none of which stands alone. Flags say before which of them there is a space. The substitutions of the Python twin go
// from left to right over the run with a space around it, and a match takes away both of its characters.
template <typename Sign> void split_numbers(TextOf<Sign> &text, size_t start, size_t end, Spans &spans) {
  auto &spaced = text.spaced;
  size_t size = end - start;
  const Sign *run = text.begin() + start;
  spaced.assign(size + 1, 0);
  spaced[0] = spaced[size] = 1;
  // ([^0-9])([.,]): the first pair is the space before the run with its first character.
  for (size_t i = 0; i < size;) {
    bool before = i == 0 || !is_digit(run[i - 1]);
    if (before && is_stop(run[i])) {
      spaced[i] = spaced[i + 1] = 1;
      // This character is taken, so that the next pair begins behind it.
      ++i;
    }
    ++i;
  }
  // ([.,])([^0-9]): where two such marks stand side by side, there is a space between them already.
  for (size_t i = 0; i < size; ++i) {
    if (is_stop(run[i]) && (spaced[i + 1] || !is_digit(run[i + 1]))) spaced[i] = spaced[i + 1] = 1;
  }
  // ([0-9])(-)
  for (size_t i = 1; i < size; ++i) {
    if (run[i] == U'-' && !spaced[i] && is_digit(run[i - 1])) spaced[i] = spaced[i + 1] = 1;
  }
  for (size_t i = 0, last = 0; i < size; ++i) {
    if (!spaced[i + 1]) continue;
    add(spans, start + last, start + i + 1);
    last = i + 1;
  }
}

template <typename Sign> void resolve(TextOf<Sign> &text) {
  replace(text, U"<skipped>", U"");
  replace(text, U"-\n", U"");
  replace(text, U"\n", U" ");
  replace(text, U"&quot;", U"\"");
  replace(text, U"&amp;", U"&");
  replace(text, U"&lt;", U"<");
  replace(text, U"&gt;", U">");
}

template <typename Sign> void mteval(TextOf<Sign> &text, Spans &spans) {
  while (text.size && is_space(text[text.size - 1])) --text.size;
  static const Roles roles;
  bool resolved = false;
  for (size_t i = 0; i < text.size;) {
    size_t start = i;
    bool marked = false;
    Role role = part;
    for (; i < text.size; ++i) {
      role = roles.of(text[i]);
      if (role == mark) {
        marked = true;
      } else if (role != part) {
        break;
      }
    }
    if (i < text.size && role == odd && !resolved) {
      resolve(text);
      resolved = true;
      spans.clear();
      i = 0;
      continue;
    }
    if (marked) {
      split_numbers(text, start, i, spans);
    } else if (i > start) {
      add(spans, start, i);
    }
    if (i < text.size && role != space) add(spans, i, i + 1);
    ++i;
  }
}

constexpr uint8_t in_words = LETTER | MARK | NUMBER;

bool is_spaced(char32_t sign) { return of_class(sign, in_words) && !of_class(sign, UNSPACED); }

template <typename Sign> size_t after_unspaced(TextOf<Sign> &text, size_t i) {
  ++i;
  while (i < text.size && of_class(text[i], MARK)) ++i;
  return i;
}

void unicode(Text &text, Spans &spans) {
  for (size_t i = 0; i < text.size;) {
    size_t start = i;
    if (of_class(text[i], UNSPACED)) {
      i = after_unspaced(text, i);
    } else {
      while (i < text.size && is_spaced(text[i])) ++i;
    }
    if (i > start) {
      add(spans, start, i);
    } else {
      ++i;
    }
  }
}

template <typename Sign> bool stands(TextOf<Sign> &text, size_t i, std::u32string_view wanted) {
  return i + wanted.size() <= text.size && std::equal(wanted.begin(), wanted.end(), text.begin() + i);
}

template <typename Sign> bool ends_word(TextOf<Sign> &text, size_t i) { return i >= text.size || !of_class(text[i], WORD); }

template <typename Sign> bool is_negation(TextOf<Sign> &text, size_t i) {
  return i + 2 < text.size && text[i] == U'n' && is_apostrophe(text[i + 1]) && text[i + 2] == U't' && ends_word(text, i + 3);
}

template <typename Sign> size_t after_contraction(TextOf<Sign> &text, size_t i) {
  for (std::u32string_view ending : {U"s", U"re", U"ve", U"ll", U"d", U"m"}) {
    if (stands(text, i + 1, ending) && ends_word(text, i + 1 + ending.size())) return i + 1 + ending.size();
  }
  return i + 1;
}

template <typename Sign> size_t after_number(TextOf<Sign> &text, size_t i) {
  while (i < text.size && of_class(text[i], NUMBER)) ++i;
  return i;
}

// Where a number with marks between its digits ends; `i` where there are no such marks.
template <typename Sign> size_t after_marked_number(TextOf<Sign> &text, size_t i) {
  size_t end = after_number(text, i), found = i;
  while (end + 1 < text.size && is_stop(text[end]) && of_class(text[end + 1], NUMBER)) found = end = after_number(text, end + 1);
  return found;
}

template <typename Sign> void punctuated(TextOf<Sign> &text, Spans &spans) {
  for (size_t i = 0; i < text.size;) {
    size_t start = i;
    if (is_apostrophe(text[i])) {
      i = after_contraction(text, i);
    } else if (is_negation(text, i)) {
      i += 3;
    } else {
      if (of_class(text[i], NUMBER)) i = after_marked_number(text, i);
      if (i == start && of_class(text[i], UNSPACED)) {
        i = after_unspaced(text, i);
      } else if (i == start) {
        while (i < text.size && is_spaced(text[i]) && !is_negation(text, i)) ++i;
      }
      if (i == start && !of_class(text[i], in_words | OTHER | SPACE)) ++i;
    }
    if (i > start) {
      add(spans, start, i);
    } else {
      ++i;
    }
  }
}

template <typename Sign> void ascii_words(TextOf<Sign> &text, Spans &spans) {
  runs(text, spans, [](Sign sign) {
    using Number = std::make_unsigned_t<Sign>;
    return uint8_t((Number(sign - Sign('a')) < 26) | (Number(sign - Sign('0')) < 10));
  });
}

template <typename Sign> void jiwer_words(TextOf<Sign> &text, Spans &spans) {
  whitespace(text, spans);
  // One character of white space that is not a space stands within a word.
  size_t kept = 0;
  for (Span span : spans) {
    if (kept && span.start - spans[kept - 1].end == 1 && text[span.start - 1] != U' ') {
      spans[kept - 1].end = span.end;
    } else {
      spans[kept++] = span;
    }
  }
  spans.resize(kept);
}

template <typename Sign> void chrf_words(TextOf<Sign> &text, Spans &spans) {
  Spans words;
  whitespace(text, words);
  for (auto [start, end] : words) {
    if (end - start > 1 && is_ascii_punctuation(text[end - 1])) {
      add(spans, start, end - 1);
      add(spans, end - 1, end);
    } else if (end - start > 1 && is_ascii_punctuation(text[start])) {
      add(spans, start, start + 1);
      add(spans, start + 1, end);
    } else {
      add(spans, start, end);
    }
  }
}

template <typename Sign> void squad_words(TextOf<Sign> &text, Spans &spans) {
  size_t kept = 0;
  for (size_t i = 0; i < text.size; ++i) {
    if (is_ascii_punctuation(text[i])) continue;
    if (text.tracked) text.origins[kept] = text.origins[i];
    text[kept++] = text[i];
  }
  text.size = kept;
  for (size_t i = 0; i < text.size; ++i) {
    size_t start = i;
    while (i < text.size && of_class(text[i], LETTER | NUMBER)) ++i;
    auto is = [&](std::u32string_view word) { return std::equal(word.begin(), word.end(), text.begin() + start, text.begin() + i); };
    if (is(U"a") || is(U"an") || is(U"the")) std::fill(text.begin() + start, text.begin() + i, Sign(' '));
  }
  whitespace(text, spans);
}

bool is_joint(char32_t sign) { return sign == U'\'' || sign == U'.' || sign == U'-' || sign == U'\u2019' || sign == U'\u2010' || sign == U'\u2011'; }

template <typename Sign> void joined(TextOf<Sign> &text, Spans &spans) {
  for (size_t i = 0; i < text.size; ++i) {
    size_t start = i;
    while (i < text.size && of_class(text[i], in_words)) {
      ++i;
      if (i + 1 >= text.size || !of_class(text[i + 1], in_words)) continue;
      bool in_number = text[i] == U',' && of_class(text[i - 1], NUMBER) && of_class(text[i + 1], NUMBER);
      if (is_joint(text[i]) || in_number) ++i;
    }
    if (i > start) add(spans, start, i);
  }
}

const std::unordered_map<std::string, Tokenizer> tokenizers = {
    {"13a", {Case::kept, mteval, mteval}},
    {"none", {Case::kept, whitespace, whitespace}},
    // In lower-cased ASCII it finds what ascii_words finds.
    {"unicode", {Case::lower, unicode, ascii_words}},
    {"punctuated", {Case::lower, punctuated, punctuated}},
    {"google", {Case::lower, ascii_words, ascii_words}},
    {"1.5.5", {Case::ascii_lower, ascii_words, ascii_words}},
    {"jiwer", {Case::kept, jiwer_words, jiwer_words}},
    {"chrf-words", {Case::kept, chrf_words, chrf_words}},
    {"squad", {Case::lower, squad_words, squad_words}},
    {"joined", {Case::kept, joined, joined}},
    {"whitespace", {Case::kept, whitespace, whitespace}},
};

} // namespace

const Tokenizer *compiled_tokenizer(const std::string &name) {
  auto found = tokenizers.find(name);
  return found == tokenizers.end() ? nullptr : &found->second;
}

void need_character_classes() {
  if (character_classes) return;
  auto table = nb::cast<ReadOnly<uint8_t>>(nb::module_::import_("nlgauge.features.tokens.character_classes").attr("character_classes")());
  need(table.shape(0) == 0x110000, "there must be a class for every character.");
  static std::vector<uint8_t> held(table.data(), table.data() + table.shape(0));
  character_classes = held.data();
}
