// The tokens of one prediction and one reference as numbers that are equal for equal tokens, without a vocabulary of the whole chunk.
#pragma once

#include "porter.hpp"
#include "tokenizers.hpp"
#include "words.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// Numbers the different words of one pair from 0 on. Words of the pair before are forgotten by a stamp, not cleared.
class PairWords {
public:
  void clear() {
    if (++stamp_ == 0) slots_.assign(slots_.size(), Slot{}), stamp_ = 1;
    known_.clear();
    signs_.clear();
  }
  template <typename AnyWord> int32_t add(AnyWord word) { return add(word, Words::key_of(word)); }
  template <typename AnyWord> int32_t add(AnyWord word, const Words::Key &key) {
    size_t place = place_of(key);
    for (; slots_[place].stamp == stamp_; place = (place + 1) & mask_) {
      const Known &known = known_[slots_[place].number];
      if (known.has(key) && (key.whole != Words::hashed || equal(known, word))) return int32_t(slots_[place].number);
    }
    uint32_t number = uint32_t(known_.size());
    slots_[place].stamp = stamp_, slots_[place].number = number;
    known_.emplace_back(key, uint32_t(word.size()), signs_.size());
    // Short words of ASCII are their key; of others the key is a hash, so they are compared.
    if (key.whole == Words::hashed) signs_.insert(signs_.end(), word.begin(), word.end());
    if (2 * known_.size() > slots_.size()) grow();
    return int32_t(number);
  }

private:
  struct Known {
    Known(const Words::Key &key, uint32_t size, size_t start) : key(key), size(size), start(start) {}

    Words::Key key;
    uint32_t size;
    size_t start;

    // One question, because nobody can predict the answers to three.
    bool has(const Words::Key &other) const { return !((key.low ^ other.low) | (key.high ^ other.high) | (key.whole ^ other.whole)); }
  };
  // Small, so that the table of a pair stays in the processor's first cache.
  struct Slot {
    uint32_t stamp = 0, number = 0;
  };

  size_t place_of(const Words::Key &key) const { return (key.low * factors_[0] + key.high * factors_[1] + key.whole) * 0x9E3779B97F4A7C15u >> shift_; }
  template <typename AnyWord> bool equal(const Known &known, AnyWord word) const {
    return known.size == word.size() && std::equal(word.begin(), word.end(), signs_.begin() + std::ptrdiff_t(known.start), [](auto a, auto b) { return char32_t(a) == char32_t(b); });
  }
  void grow() {
    slots_.assign(2 * slots_.size(), Slot{});
    mask_ = slots_.size() - 1, --shift_;
    for (uint32_t number = 0; number < known_.size(); ++number) {
      size_t place = place_of(known_[number].key);
      while (slots_[place].stamp == stamp_) place = (place + 1) & mask_;
      slots_[place].stamp = stamp_, slots_[place].number = number;
    }
  }

  // Nobody can choose words that meet in one slot, because the factors differ in each process.
  inline static const uint64_t factors_[2] = {random_odd(), random_odd()};

  std::vector<Slot> slots_ = std::vector<Slot>(256);
  size_t mask_ = 255;
  unsigned shift_ = 64 - 8;
  uint32_t stamp_ = 0;
  std::vector<Known> known_;
  std::vector<char32_t> signs_;
};

// How a text becomes tokens: nlgauge.features.tokens.text.Tokens, or CodePoints of words.
struct Level {
  enum class Kind { words, characters, stripped, visible, joined_words };

  Level(const std::string &name, bool lowercase, bool stem) : stem(stem) {
    kind = kind_of(name);
    tokenizer = compiled_tokenizer(name);
    if (kind == Kind::words && !tokenizer) throw std::invalid_argument("the tokenizer " + name + " is not compiled.");
    if (kind != Kind::words && stem) throw std::invalid_argument("characters have no stems.");
    letters = lowercase ? Case::lower : kind == Kind::words ? tokenizer->letters : Case::kept;
  }

  Kind kind;
  const Tokenizer *tokenizer;
  Case letters;
  bool stem;

private:
  static Kind kind_of(const std::string &name) {
    if (name == "characters") return Kind::characters;
    if (name == "stripped-characters") return Kind::stripped;
    if (name == "visible-characters") return Kind::visible;
    if (name == "words") return Kind::joined_words;  // nlgauge.features.tokens.text.CodePoints
    return Kind::words;
  }
};

// A text, and the same in lower case if it is not ASCII and a level needs that; both are held by the caller.
struct PairText {
  PyObject *text = nullptr, *lower = nullptr;

  bool is_ascii() const { return PyUnicode_IS_ASCII(text); }
  PyObject *for_level(const Level &level) const { return level.letters == Case::lower && lower ? lower : text; }
};

// Texts that are held, because they are read without the interpreter's lock.
class HeldTexts {
public:
  // Whether a level needs lower case.
  explicit HeldTexts(bool lower) : lower_(lower) {}

  // False if a text is not exactly a string, or has a surrogate; the ordinary way then says what is wrong. Also if there are too many characters.
  bool add(PyObject *text) {
    if (!PyUnicode_CheckExact(text)) return false;
    PairText held{text, nullptr};
    if (!PyUnicode_IS_ASCII(text)) {
      ascii_ = false;
      if (PyUnicode_KIND(text) != PyUnicode_1BYTE_KIND && has_surrogate(text)) return false;
      if (lower_) {
        objects_.push_back(lowered(text));
        held.lower = objects_.back().ptr();
      }
    }
    objects_.push_back(nb::borrow(text));
    texts_.push_back(held);
    characters_ += size_t(PyUnicode_GET_LENGTH(text));
    return characters_ <= INT32_MAX;
  }
  void reserve(size_t texts) { texts_.reserve(texts), objects_.reserve(texts); }

  size_t size() const { return texts_.size(); }
  size_t characters() const { return characters_; }
  bool are_ascii() const { return ascii_; }
  const PairText &operator[](size_t text) const { return texts_[text]; }

private:
  static bool has_surrogate(PyObject *text) {
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t i = 0; i < size; ++i) {
      if ((PyUnicode_READ_CHAR(text, i) & 0xFFFFF800) == 0xD800) return true;
    }
    return false;
  }

  bool lower_, ascii_ = true;
  std::vector<nb::object> objects_;
  std::vector<PairText> texts_;
  size_t characters_ = 0;
};

inline bool has_line_break(PyObject *text) { return PyUnicode_FindChar(text, '\n', 0, PyUnicode_GET_LENGTH(text), 1) >= 0; }

// Reads the tokens of texts; memory serves one text after the other.
class PairReader {
public:
  PairWords words;
  // Numbers the words instead if they keep their numbers from text to text.
  Words *lasting = nullptr;

  // Adds the tokens of the characters from `first` to `last` of a text.
  void read(const PairText &source, const Level &level, size_t first, size_t last, std::vector<int32_t> &to) {
    PyObject *string = source.for_level(level);
    size_t size = last - first;
    bool lower = level.letters != Case::kept;
    if (PyUnicode_IS_ASCII(string)) {
      read_signs(PyUnicode_1BYTE_DATA(string) + first, size, lower, ascii_);
      if (level.kind != Level::Kind::words) return characters(ascii_, level, to);
      spans_.clear();
      level.tokenizer->split_ascii(ascii_, spans_);
      number<AsciiWord>(ascii_, level, to);
      return;
    }
    switch (PyUnicode_KIND(string)) {
    case PyUnicode_1BYTE_KIND: read_signs(PyUnicode_1BYTE_DATA(string) + first, size, lower, text_); break;
    case PyUnicode_2BYTE_KIND: read_signs(PyUnicode_2BYTE_DATA(string) + first, size, lower, text_); break;
    default: read_signs(PyUnicode_4BYTE_DATA(string) + first, size, lower, text_);
    }
    if (level.kind != Level::Kind::words) return characters(text_, level, to);
    spans_.clear();
    level.tokenizer->split(text_, spans_);
    number<Word>(text_, level, to);
  }
  void read(const PairText &source, const Level &level, std::vector<int32_t> &to) { read(source, level, 0, size_t(PyUnicode_GET_LENGTH(source.for_level(level))), to); }

private:
  template <typename Text> static void characters(Text &text, const Level &level, std::vector<int32_t> &to) {
    auto is_space = [](auto sign) { return of_class(char32_t(sign), SPACE); };
    auto *first = text.begin(), *last = text.end();
    if (level.kind == Level::Kind::stripped) {
      while (last > first && is_space(last[-1])) --last;
      first = std::find_if_not(first, last, is_space);
    }
    size_t start = to.size();
    to.resize(start + size_t(last - first));
    int32_t *next = to.data() + start;
    if (level.kind == Level::Kind::joined_words) {
      for (const int32_t *begin = next; (first = std::find_if_not(first, last, is_space)) < last;) {
        if (next > begin) *next++ = ' ';
        for (; first < last && !is_space(*first); ++first) *next++ = int32_t(*first);
      }
    } else if (level.kind == Level::Kind::visible) {
      for (; first < last; ++first) {
        *next = int32_t(*first);
        next += !is_space(*first);
      }
    } else {
      next = std::copy(first, last, next);
    }
    to.resize(size_t(next - to.data()));
  }

  template <typename AnyWord, typename Text> void number(Text &text, const Level &level, std::vector<int32_t> &to) {
    for (Span span : spans_) {
      AnyWord word(text.begin() + span.start, span.end - span.start);
      to.push_back(lasting ? int32_t(lasting->add(word)) : level.stem ? stemmed(word) : words.add(word));
    }
  }

  // Stems of words of more than three letters, remembered from text to text.
  template <typename AnyWord> int32_t stemmed(AnyWord word) {
    if (word.size() <= 3) return words.add(word);
    if (raw_.size() > most_stems) raw_ = Words(), stems_.clear();
    uint32_t number = raw_.add(word);
    if (number == stems_.size()) stems_.push_back(stem_of(raw_[number]));
    const Stem &stem = stems_[number];
    return words.add(Word(stem.word), stem.key);
  }

  struct Stem {
    std::u32string word;
    Words::Key key;
  };

  Stem stem_of(Word word) {
    if (std::all_of(word.begin(), word.end(), [](char32_t sign) { return sign < 128; })) {
      read_signs(word.data(), word.size(), true, lower_);
    } else {
      nb::gil_scoped_acquire acquire;  // Python lower-cases words that are not ASCII
      read_string(lowered(python_string(word.data(), word.size())), false, lower_);
    }
    const std::u32string &stem = porter_.nltk({lower_.begin(), lower_.size});
    return {stem, Words::key_of(Word(stem))};
  }

  static constexpr size_t most_stems = 1 << 16;

  Text text_, lower_;
  AsciiText ascii_;
  std::vector<Span> spans_;
  Words raw_;
  std::vector<Stem> stems_;
  Porter porter_{true};
};
