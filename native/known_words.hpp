// Words that keep their numbers from call to call with the keys by which METEOR matches them, and the counts of its alignments.
#pragma once

#include "alignment_search.hpp"
#include "texts.hpp"
#include "words.hpp"

#include <nanobind/stl/tuple.h>

#include <tuple>
#include <vector>

class KnownWords {
public:
  // The keys of each word in a module.
  struct Keys {
    std::vector<int32_t> values;
    std::vector<size_t> offsets{0};

    Row operator[](int32_t word) const { return {values.data() + offsets[size_t(word)], offsets[size_t(word) + 1] - offsets[size_t(word)]}; }
    void shorten(size_t words) { offsets.resize(words + 1), values.resize(offsets.back()); }
    template <typename Row> void add(const Row &keys) { values.insert(values.end(), keys.begin(), keys.end()), offsets.push_back(values.size()); }
  };

  Words words;

  // Memory stays bounded: too many words are forgotten.
  void make_room() {
    if (words.size() > most) *this = KnownWords();
  }

  // Asks Python for the keys of the words that are new: their stems, or None, columns of keys in further modules, and whether each is a function
  // word.
  void learn(nb::handle keys_of) {
    size_t known = is_function_.size(), all = words.size();
    if (known == all) return;
    nb::gil_scoped_acquire acquire;
    nb::list asked;
    for (size_t word = known; word < all; ++word) asked.append(python_string(words[word].data(), words[word].size()));
    nb::object answer = keys_of(asked);
    std::tuple<nb::object, nb::list, nb::list> parts;
    if (!nb::try_cast(answer, parts)) throw nb::type_error("the keys of words must be stems, a list of columns, and a list of truth values.");
    auto &[stems, further, functions] = parts;
    Modules columns(further);
    bool fitting = columns.size() <= 2 && functions.size() == all - known && (stems.is_none() || (nb::isinstance<nb::list>(stems) && nb::len(stems) == all - known));
    for (const Column &column : columns) fitting = fitting && column.rows() == all - known;
    need(fitting, "every new word needs its keys.");
    keys_.resize(2 + columns.size());
    for (Keys &keys : keys_) keys.shorten(known);  // an exception may have left more
    for (size_t word = known; word < all; ++word) {
      std::vector<int32_t> own{int32_t(word)};
      keys_[0].add(own);
      own.clear();
      if (!stems.is_none()) own.push_back(number_of(stems[word - known]));
      keys_[1].add(own);
      for (size_t module = 0; module < columns.size(); ++module) keys_[2 + module].add(columns[module][int64_t(word - known)]);
    }
    std::vector<uint8_t> added;
    for (nb::handle function : functions) added.push_back(function.is(Py_True));
    is_function_.insert(is_function_.end(), added.begin(), added.end());
  }

  const std::vector<Keys> &keys() const { return keys_; }
  bool is_function(int32_t word) const { return is_function_[size_t(word)]; }

private:
  static constexpr size_t most = 1 << 16;

  int32_t number_of(nb::handle stem) {
    need(PyUnicode_Check(stem.ptr()), "a stem must be a string.");
    read_string(stem, false, text_);
    return int32_t(stems_.add(Word(text_.begin(), text_.size)));
  }

  Words stems_;
  std::vector<Keys> keys_;
  std::vector<uint8_t> is_function_;
  Text text_;
};

// METEOR's counts of a pair, `Meteor.counts`.
class AlignmentCounter {
public:
  // Content and function words of prediction and reference; the same of those that each of four modules matches; matches, and chunks.
  static constexpr size_t width = 22;

  void count(Row prediction, Row reference, const KnownWords &known, size_t budget, double *found) {
    for (int32_t word : prediction) ++found[known.is_function(word)];
    for (int32_t word : reference) ++found[2 + known.is_function(word)];
    Matches matches = search_.align(prediction, reference, known.keys(), budget);
    int64_t next[2] = {-1, -1};
    for (size_t i = 0; i < matches.size(); i += 5) {
      double *module = found + 4 * (1 + matches[i + 2]);
      ++module[known.is_function(prediction[size_t(matches[i])])];
      ++module[2 + known.is_function(reference[size_t(matches[i + 1])])];
      ++found[20];
      found[21] += matches[i] != next[0] || matches[i + 1] != next[1];
      next[0] = matches[i] + 1, next[1] = matches[i + 1] + 1;
    }
  }

private:
  fewest_chunks::Search search_;
};
