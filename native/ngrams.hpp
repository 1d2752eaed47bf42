// Clipped n-gram matches of a prediction with its references.
#pragma once

#include "column.hpp"
#include "interrupts.hpp"
#include "places.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

// Numbers the n-grams of the prediction from 1 on; 0 is an n-gram that it lacks. An n-gram is found by the number of its first n - 1 tokens and
// that of its last one: in a table where few of these are possible, else by a look-up.
class GramNumbers {
public:
  // Forgets all n-grams and makes room for so many; what was written into the table becomes 0 again.
  void clear(size_t heads, size_t letters, size_t grams) {
    for (uint32_t k = 0; in_table_ && k < count_; ++k) table_[used_[k]] = 0;
    letters_ = letters, count_ = 0;
    in_table_ = heads * letters <= most_in_table;
    if (!in_table_) return looked_up_.clear(grams);
    if (table_.size() < heads * letters) table_.resize(heads * letters);
    if (used_.size() < grams) used_.resize(grams);
  }
  uint32_t add(uint32_t head, uint32_t letter) {
    if (!in_table_) return looked_up_.add(uint64_t{head} << 32 | letter) + 1;
    size_t place = head * letters_ + letter;
    uint32_t number = table_[place];
    used_[count_] = uint32_t(place);
    count_ += !number;
    return table_[place] = number ? number : count_;
  }
  uint32_t find(uint32_t head, uint32_t letter) const {
    // `none` and 1 are 0.
    return in_table_ ? table_[head * letters_ + letter] : looked_up_.find(uint64_t{head} << 32 | letter) + 1;
  }
  uint32_t count() const { return in_table_ ? count_ : looked_up_.count(); }

private:
  static constexpr size_t most_in_table = 1 << 14;

  Numbering looked_up_;
  std::vector<uint32_t> table_, used_;
  size_t letters_ = 0;
  bool in_table_ = false;
  uint32_t count_ = 0;
};

// The n-grams of a text that may still match, for growing n: where each begins, and its number.
struct Open {
  std::vector<uint32_t> letters, places, numbers;

  void start() {
    places.resize(letters.size()), numbers.assign(letters.size(), 0);
    for (size_t place = 0; place < letters.size(); ++place) places[place] = uint32_t(place);
  }
  void shorten(size_t left) { places.resize(left), numbers.resize(left); }
  // Leaves out the n-grams for which `matched` is not true; written without branches, which nobody could predict.
  template <typename Matched> void keep(const Matched &matched) {
    size_t left = 0;
    for (size_t k = 0; k < places.size(); ++k) {
      places[left] = places[k], numbers[left] = numbers[k];
      left += matched(numbers[k]);
    }
    shorten(left);
  }
};

class Matcher {
public:
  // Writes the matches of orders 1, 2, ... up to the last one that has any.
  void match(Row prediction, RowOf<Row> references, size_t orders, double *matches) {
    if (!references.size || !orders) return;
    read(prediction, references);
    size_t heads = 1;
    for (size_t n = 1; n <= std::min(orders, prediction.size); ++n) {
      if (!ours_.places.empty() && ours_.places.back() + n > prediction.size) ours_.shorten(ours_.places.size() - 1);
      steps_(4 * ours_.places.size() + 8);
      grams_.clear(heads, letters_.count() + 1, ours_.places.size());
      counts_.assign(ours_.places.size() + 1, 0);
      for (size_t k = 0; k < ours_.places.size(); ++k) {
        ours_.numbers[k] = grams_.add(ours_.numbers[k], ours_.letters[ours_.places[k] + n - 1]);
        ++counts_[ours_.numbers[k]];
      }
      heads = grams_.count() + 1;
      greatest_.resize(heads);
      for (size_t k = 0; k < references.size; ++k) compare(theirs_[k], n, k == 0 ? greatest_ : seen_);
      size_t total = 0;
      for (size_t number = 1; number < heads; ++number) total += std::min(counts_[number], greatest_[number]);
      if (!total) return;  // no longer n-gram can match either
      matches[n - 1] = double(total);
      ours_.keep([&](uint32_t number) { return greatest_[number] > 0; });
    }
  }

private:
  void read(Row prediction, RowOf<Row> references) {
    uint32_t tokens = bits_of(prediction);
    for (Row reference : references) tokens |= bits_of(reference);
    letters_.clear(1, size_t{tokens} + 1, prediction.size);
    ours_.letters.resize(prediction.size);
    for (size_t place = 0; place < prediction.size; ++place) ours_.letters[place] = letters_.add(0, uint32_t(prediction[place]));
    ours_.start();
    if (theirs_.size() < references.size) theirs_.resize(references.size);
    for (size_t k = 0; k < references.size; ++k) {
      Row reference = references[k];
      theirs_[k].letters.resize(reference.size);
      for (size_t place = 0; place < reference.size; ++place) theirs_[k].letters[place] = letters_.find(0, uint32_t(reference[place]));
      theirs_[k].start();
    }
  }
  // All bits that are set in some token.
  static uint32_t bits_of(Row row) {
    uint32_t bits = 0;
    for (int32_t token : row) bits |= uint32_t(token);
    return bits;
  }

  // Counts a reference's n-grams, the first one's at once as the greatest counts.
  void compare(Open &theirs, size_t n, std::vector<uint32_t> &seen) {
    if (!theirs.places.empty() && theirs.places.back() + n > theirs.letters.size()) theirs.shorten(theirs.places.size() - 1);
    steps_(4 * theirs.places.size() + greatest_.size() + 8);
    seen.assign(greatest_.size(), 0);
    for (size_t k = 0; k < theirs.places.size(); ++k) {
      theirs.numbers[k] = grams_.find(theirs.numbers[k], theirs.letters[theirs.places[k] + n - 1]);
      ++seen[theirs.numbers[k]];
    }
    if (&seen != &greatest_) std::transform(seen.begin(), seen.end(), greatest_.begin(), greatest_.begin(), [](uint32_t a, uint32_t b) { return std::max(a, b); });
    theirs.keep([](uint32_t number) { return number > 0; });
  }

  GramNumbers letters_, grams_;  // single tokens, whose numbers letters are; n-grams of these
  Open ours_;
  Steps steps_;
  std::vector<Open> theirs_;
  std::vector<uint32_t> counts_, greatest_, seen_;
};
