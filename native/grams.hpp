// N-grams of some rows as numbers.
#pragma once

#include "column.hpp"
#include "interrupts.hpp"
#include "places.hpp"

// Numbers the different n-grams of some rows from 0 on, in order of first appearance: those of the first row, then what the second adds, and
// so on. An n-gram is found by the number of its first n - 1 tokens and its last token.
class Grams {
public:
  // Forgets all rows.
  void clear() {
    tokens_.clear();
    starts_.assign(1, 0);
    order_ = 0;
  }
  void add(Row row) {
    tokens_.insert(tokens_.end(), row.begin(), row.end());
    starts_.push_back(tokens_.size());
  }
  // From n-grams to those that are a token longer; at first to single tokens.
  void lengthen() {
    ++order_;
    steps_(8 * tokens_.size() + starts_.size());
    numbers_.clear(tokens_.size());
    found_.resize(tokens_.size());
    for (size_t row = 0; row + 1 < starts_.size(); ++row) {
      for (size_t place = starts_[row]; place + order_ <= starts_[row + 1]; ++place) {
        uint64_t before = order_ == 1 ? 0 : uint64_t{found_[place]} + 1;
        found_[place] = numbers_.add(before << 32 | key_of(tokens_[place + order_ - 1]));
      }
    }
  }
  // The numbers of a row's n-grams.
  RowOf<uint32_t> operator[](size_t row) const {
    size_t length = starts_[row + 1] - starts_[row];
    return {found_.data() + starts_[row], length < order_ ? 0 : length - order_ + 1};
  }
  size_t rows() const { return starts_.size() - 1; }
  // How many different ones there are.
  size_t different() const { return numbers_.count(); }
  // How often each n-gram is in a row.
  void count(size_t row, std::vector<size_t> &counts) const {
    counts.assign(different(), 0);
    for (uint32_t gram : (*this)[row]) ++counts[gram];
  }

private:
  std::vector<int32_t> tokens_;
  std::vector<size_t> starts_;
  std::vector<uint32_t> found_;
  Numbering numbers_;
  Steps steps_;
  size_t order_ = 0;
};
