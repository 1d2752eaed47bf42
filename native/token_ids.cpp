// Twin of features/token_ids.py: a vocabulary numbers the different tokens of texts in order of first appearance.
#include "blake2b.hpp"
#include "parallel.hpp"
#include "porter.hpp"
#include "tokenizers.hpp"
#include "words.hpp"

#include <nanobind/stl/string.h>

#include <string_view>

namespace {

// The numbers of the tokens of some texts, and how many tokens each text has.
struct Numbers {
  std::vector<int32_t> values;
  std::vector<int64_t> lengths;
};

class Vocabulary {
public:
  // A `form` is a function of a list of words; nltk_stems, which is so often asked for, is known by `stem` and needs no strings of Python's.
  Vocabulary(nb::object split, bool lowercase, nb::object form, bool stem)
      : tokenizer_(compiled_tokenizer(nb::cast<std::string>(split.attr("name")))), lowercase_(lowercase), stem_(stem), formed_apart_(stem || !form.is_none()),
        split_(std::move(split)), form_(std::move(form)) {
    need_character_classes();
  }

  nb::object tokens(const nb::list &texts) {
    Busy busy(*this);
    Numbers found = tokenizer_ ? numbers(texts) : numbers_from_python(texts);
    learn();
    std::vector<int64_t> offsets(found.lengths.size() + 1);
    int32_t *to = found.values.data();
    const int32_t *from = to;
    for (size_t i = 0; i < found.lengths.size(); ++i) {
      const int32_t *end = from + found.lengths[i];
      if (formed_apart_) {
        for (; from < end; ++from) {
          if (kept(*from)) *to++ = formed_[size_t(*from)];
        }
      }
      from = end;
      offsets[i + 1] = (formed_apart_ ? to : end) - found.values.data();
    }
    found.values.resize(size_t(offsets.back()));
    return ragged(std::move(found.values), std::move(offsets));
  }

  nb::list split(nb::str text) {
    Busy busy(*this);
    nb::list one, found;
    one.append(text);
    Numbers tokens = tokenizer_ ? numbers(one) : numbers_from_python(one);
    learn();
    for (int32_t value : tokens.values) {
      if (kept(value)) found.append(string(words_[size_t(formed_apart_ ? formed_[size_t(value)] : value)]));
    }
    return found;
  }

  nb::list places(nb::str text) {
    Busy busy(*this);
    nb::list one, found;
    one.append(text);
    if (!tokenizer_) {
      Numbers tokens = numbers_from_python(one);
      learn();
      auto all = nb::cast<nb::list>(split_.attr("places")(text, lowercase_));
      if (all.size() != tokens.values.size()) throw nb::value_error("there must be as many places as tokens.");
      for (size_t i = 0; i < all.size(); ++i) {
        if (kept(tokens.values[i])) found.append(all[i]);
      }
      return found;
    }
    Strings strings(one, letters());
    Text scratch;
    strings.read(0, scratch);
    track(text, scratch);
    std::vector<Span> spans;
    tokenizer_->split(scratch, spans);
    std::vector<int32_t> values;
    for (Span span : spans) values.push_back(int32_t(first_words().add(word_of(scratch, span))));
    learn();
    for (size_t i = 0; i < spans.size(); ++i) {
      if (kept(values[i])) found.append(nb::make_tuple(scratch.origins[spans[i].start].start, scratch.origins[spans[i].end - 1].end));
    }
    return found;
  }

  nb::list words() {
    Busy busy(*this);
    nb::list found;
    for (size_t number = 0; number < words_.size(); ++number) found.append(string(words_[number]));
    return found;
  }

  nb::object keys() {
    Busy busy(*this);
    static Remembered<uint64_t> known;
    std::string bytes;
    auto key = [&](Word word) {
      utf8(word, bytes);
      return blake2b_64(bytes);
    };
    while (keys_.size() < words_.size()) keys_.push_back(known.of(words_, keys_.size(), key));
    Table<uint64_t> found(keys_.size(), 1);
    std::copy(keys_.begin(), keys_.end(), found[0]);
    return found.flat();
  }

private:
  // One call at a time: texts are read without Python's lock, and forms of words may be made by code of others.
  class Busy {
  public:
    explicit Busy(Vocabulary &vocabulary) : busy_(vocabulary.busy_) {
      if (busy_) throw std::runtime_error("a vocabulary can be used by one thread at a time.");
      busy_ = true;
    }
    Busy(const Busy &) = delete;
    Busy &operator=(const Busy &) = delete;
    ~Busy() { busy_ = false; }

  private:
    bool &busy_;
  };

  Words &first_words() { return formed_apart_ ? raw_ : words_; }
  bool kept(int32_t value) const { return !formed_apart_ || formed_[size_t(value)] >= 0; }
  Case letters() const { return lowercase_ ? Case::lower : tokenizer_->letters; }
  static Word word_of(Text &text, Span span) { return {text.begin() + span.start, span.end - span.start}; }
  static nb::object string(Word word) { return python_string(word.data(), word.size()); }

  Numbers numbers(const nb::list &texts) {
    Strings strings(texts, letters());
    nb::gil_scoped_release release;
    Numbers found;
    found.lengths.resize(strings.size());
    found.values.reserve(strings.characters() / 4);
    size_t blocks = std::min({threads_allowed().most.load(), strings.size(), 8 * strings.characters() / threads_allowed().worthwhile + 1});
    if (blocks <= 1) {
      read(strings, 0, strings.size(), first_words(), found.values, found.lengths);
      return found;
    }
    // Each block has words of its own first. Put together in the order of the blocks they have the numbers that one pass would give them.
    std::vector<Words> words(blocks);
    std::vector<std::vector<int32_t>> values(blocks), joined(blocks);
    auto bound = [&](size_t block) { return strings.size() * block / blocks; };
    parallel(blocks, 8 * strings.characters(), [&](size_t first, size_t last) {
      for (size_t block = first; block < last; ++block) read(strings, bound(block), bound(block + 1), words[block], values[block], found.lengths);
    });
    for (size_t block = 0; block < blocks; ++block) {
      for (size_t number = 0; number < words[block].size(); ++number) joined[block].push_back(int32_t(first_words().add(words[block], number)));
      for (int32_t value : values[block]) found.values.push_back(joined[block][size_t(value)]);
    }
    return found;
  }

  void read(const Strings &strings, size_t first, size_t last, Words &words, std::vector<int32_t> &values, std::vector<int64_t> &lengths) const {
    static_assert(AsciiText::readable >= Words::readable);
    Text text;
    AsciiText ascii;
    std::vector<Span> spans;
    for (size_t i = first; i < last; ++i) {
      spans.clear();
      if (strings.is_ascii(i)) {
        strings.read(i, ascii);
        tokenizer_->split_ascii(ascii, spans);
        for (Span span : spans) values.push_back(int32_t(words.add(AsciiWord(ascii.begin() + span.start, span.end - span.start))));
      } else {
        strings.read(i, text);
        tokenizer_->split(text, spans);
        for (Span span : spans) values.push_back(int32_t(words.add(word_of(text, span))));
      }
      lengths[i] = int64_t(spans.size());
    }
  }

  // Tokenizers that only Python has give strings.
  Numbers numbers_from_python(const nb::list &texts) {
    Numbers found;
    Text text;
    for (nb::handle given : texts) {
      nb::list row = nb::cast<nb::list>(split_(lowercase_ ? given.attr("lower")() : nb::borrow(given)));
      Strings strings(row, Case::kept);
      found.lengths.push_back(int64_t(strings.size()));
      for (size_t i = 0; i < strings.size(); ++i) {
        strings.read(i, text);
        found.values.push_back(int32_t(first_words().add({text.begin(), text.size})));
      }
    }
    return found;
  }

  // Asks for the form of every word that was not there before.
  void learn() {
    if (!formed_apart_ || formed_.size() == raw_.size()) return;
    if (stem_) return learn_stems();
    nb::list new_words;
    for (size_t number = formed_.size(); number < raw_.size(); ++number) new_words.append(string(raw_[number]));
    Text text;
    auto forms = nb::cast<nb::list>(form_(new_words));
    if (forms.size() != new_words.size()) throw nb::value_error("there must be as many forms as words.");
    for (nb::handle form : forms) {
      if (form.is_none()) {
        formed_.push_back(-1);
        continue;
      }
      if (!PyUnicode_Check(form.ptr())) throw nb::type_error("the form of a word must be a string or None.");
      read_string(form, false, text);
      formed_.push_back(int32_t(words_.add({text.begin(), text.size})));
    }
  }

  struct Stem {
    std::u32string word;
    Words::Key key;
  };

  // The words of one chunk are mostly those of the next, so stems and keys are remembered.
  void learn_stems() {
    static Remembered<Stem> stems;
    Porter porter(true);
    Text text;
    auto stemmed = [&](Word word) -> Stem {
      // Python lower-cases words that are not ASCII.
      if (std::all_of(word.begin(), word.end(), [](char32_t sign) { return sign < 128; })) {
        read_signs(word.data(), word.size(), true, text);
      } else {
        read_string(string(word).attr("lower")(), false, text);
      }
      const std::u32string &stem = porter.nltk({text.begin(), text.size});
      return {stem, Words::key_of(Word(stem))};
    };
    while (formed_.size() < raw_.size()) {
      size_t number = formed_.size();
      if (raw_[number].size() > 3) {
        const Stem &stem = stems.of(raw_, number, stemmed);
        formed_.push_back(int32_t(words_.add(Word(stem.word), stem.key)));
      } else {
        formed_.push_back(int32_t(words_.add(raw_, number)));
      }
    }
  }

  // Where each character comes from; lower-casing makes two of U+0130 alone.
  static void track(const nb::str &given, Text &text) {
    Text original;
    read_string(given, false, original);
    text.tracked = true;
    text.origins.clear();
    for (size_t i = 0; i < original.size; ++i) {
      bool doubled = original[i] == U'\u0130' && text.size > original.size;
      text.origins.insert(text.origins.end(), doubled ? 2 : 1, Origin{int32_t(i), int32_t(i + 1)});
    }
    need(text.origins.size() == text.size, "lower-casing changed the length of a text in an unknown way.");
  }

  static void utf8(Word word, std::string &bytes) {
    bytes.clear();
    for (char32_t sign : word) {
      if (sign < 0x80) {
        bytes += char(sign);
        continue;
      }
      int more = sign < 0x800 ? 1 : sign < 0x10000 ? 2 : 3;
      constexpr unsigned heads[] = {0, 0xC0, 0xE0, 0xF0};
      bytes += char(heads[more] | sign >> 6 * more);
      while (more--) bytes += char(0x80 | (sign >> 6 * more & 0x3F));
    }
  }

  const Tokenizer *tokenizer_;
  // `formed_apart_`: tokens get another form, and those before it are numbered on their own.
  bool lowercase_, stem_, formed_apart_;
  bool busy_ = false;
  nb::object split_, form_;
  Words words_, raw_;
  std::vector<int32_t> formed_;
  std::vector<uint64_t> keys_;
};

} // namespace

void bind_token_ids(nb::module_ &module) {
  nb::class_<Vocabulary>(module, "Vocabulary")
      .def(nb::init<nb::object, bool, nb::object, bool>(), nb::arg("split"), nb::arg("lowercase"), nb::arg("form").none(), nb::arg("stem"))
      .def("tokens", &Vocabulary::tokens)
      .def("split", &Vocabulary::split)
      .def("places", &Vocabulary::places)
      .def("words", &Vocabulary::words)
      .def("keys", &Vocabulary::keys);
}
