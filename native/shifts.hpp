// What Tercom's and CharacTER's searches share: blocks that are moved, and the edit distance after that.
#pragma once

#include "levenshtein.hpp"
#include "places.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

// A block of `length` tokens from `start`, moved so that it begins at `target` of the shifted prediction; a target beyond the end is the end.
// So two neighboring blocks change places: the tokens from first() to middle(), and those from there to end().
struct Shift {
  size_t start, length, target;

  size_t first() const { return std::min(start, target); }
  size_t middle() const { return target < start ? start : start + length; }
  size_t end(size_t size) const { return std::min(std::max(start, target) + length, size); }

  // Where the token came from that the shift brings to a place.
  size_t origin(size_t place) const {
    size_t last = std::max(start, target) + length;
    if (place < first() || place >= last) return place;
    size_t now_first = last - middle();
    return place < first() + now_first ? place + (middle() - first()) : place - now_first;
  }
  template <typename Token> void apply(std::vector<Token> &tokens) const {
    std::rotate(tokens.begin() + first(), tokens.begin() + middle(), tokens.begin() + end(tokens.size()));
  }
  // A shift gains at most twice the tokens of the shorter block.
  size_t most_gained() const { return 2 * std::min(length, target < start ? start - target : target - start); }
};

// The grid of a reference of at most 64 tokens, a row of it in one word. It has no bands.
class SmallGrid {
public:
  // Tokens are numbers below `kinds`; those of the prediction that the reference does not have may also be negative.
  void start(const std::vector<int32_t> &prediction, const std::vector<int32_t> &reference, size_t kinds) {
    used_ = reference.size() == 64 ? ~uint64_t{0} : (uint64_t{1} << reference.size()) - 1;
    masks_.assign(kinds, 0);
    for (size_t j = 0; j < reference.size(); ++j) masks_[size_t(reference[j])] |= uint64_t{1} << j;
    forward(prediction);
  }
  void forward(const std::vector<int32_t> &prediction) {
    length_ = prediction.size(), places_.resize(length_), rows_.resize(length_ + 1), diagonals_.resize(length_ + 1);
    Cells cells;
    rows_[0] = cells;
    for (size_t i = 0; i < length_; ++i) {
      places_[i] = prediction[i] < 0 ? 0 : masks_[size_t(prediction[i])];
      Carry carry;
      diagonals_[i + 1] = descend(cells, places_[i], carry);
      rows_[i + 1] = cells;
    }
  }
  int32_t distance() const { return cost(rows_.back()); }
  int32_t distance_with(const std::vector<int32_t> &, const Shift &shift) {
    size_t end = shift.end(length_);
    steps_(length_ - shift.first());
    Cells cells = rows_[shift.first()];
    for (size_t i = shift.middle(); i < end; ++i) descend_row(cells, i);
    for (size_t i = shift.first(); i < shift.middle(); ++i) descend_row(cells, i);
    for (size_t i = end; i < length_; ++i) {
      // From here on nothing is new.
      if (cells.more == rows_[i].more && cells.less == rows_[i].less) return distance();
      descend_row(cells, i);
    }
    return cost(cells);
  }

protected:
  void descend_row(Cells &cells, size_t row) const {
    Carry carry;
    descend(cells, places_[row], carry);
  }
  int32_t cost(const Cells &cells) const { return int32_t(length_ + ones(cells.more & used_)) - int32_t(ones(cells.less & used_)); }

  Steps steps_;
  uint64_t used_ = 0;
  size_t length_ = 0;
  std::vector<uint64_t> masks_, places_, diagonals_;
  std::vector<Cells> rows_;
};

// The grid of a longer reference. Some rows from above and some from below are kept, so that a shift costs the rows between its ends.
class LargeGrid {
public:
  void start(const std::vector<int32_t> &prediction, const std::vector<int32_t> &reference) {
    columns_ = reference.size();
    forward_places_.index({reference.data(), columns_});
    backward_reference_.assign(reference.rbegin(), reference.rend());
    backward_places_.index({backward_reference_.data(), columns_});
    nowhere_.assign(forward_places_.words(), 0);
    forward(prediction);
  }
  void forward(const std::vector<int32_t> &prediction) {
    size_t words = forward_places_.words(), kept = prediction.size() / apart + 1;
    above_.resize(kept * words), below_.resize(kept * words), row_.assign(words, Cells{});
    for (size_t i = 0; i <= prediction.size(); ++i) {
      if (i % apart == 0) std::copy(row_.begin(), row_.end(), above_.begin() + i / apart * words);
      if (i < prediction.size()) descend_row(forward_places_.bits(prediction[i]));
    }
    distance_ = cost(prediction.size());
    without_length_ = 0;
    row_.assign(words, Cells{});
    for (size_t i = prediction.size() + 1; i-- > 0;) {
      if (i % apart == 0) std::copy(row_.begin(), row_.end(), below_.begin() + i / apart * words);
      if (i) descend_row(backward_places_.bits(prediction[i - 1]));
    }
  }
  int32_t distance() const { return distance_; }
  int32_t distance_with(const std::vector<int32_t> &prediction, const Shift &shift) {
    size_t words = forward_places_.words(), begin = shift.first() / apart, end = (shift.end(prediction.size()) + apart - 1) / apart;
    shifted_ = prediction;
    shift.apply(shifted_);
    const std::vector<Cells> *kept = &above_;
    if (shift.target > shift.start + apart) {
      // Up to its new place the prediction is the one without the block, whose rows serve all targets of the block.
      begin = std::min(shift.target, prediction.size() - shift.length) / apart;
      keep_without(prediction, shift, begin);
      kept = &without_;
    }
    std::copy_n(kept->begin() + begin * words, words, row_.begin());
    for (size_t i = begin * apart; i < std::min(end * apart, prediction.size()); ++i) descend_row(forward_places_.bits(shifted_[i]));
    if (end * apart >= prediction.size()) return cost(prediction.size());
    return joined(end * apart, &below_[end * words], prediction.size());
  }

private:
  static constexpr size_t apart = 32;

  // Makes rows of the prediction without the block, up to kept row `end`.
  void keep_without(const std::vector<int32_t> &prediction, const Shift &block, size_t end) {
    size_t words = forward_places_.words();
    if (block.start != without_start_ || block.length != without_length_) {
      without_start_ = block.start, without_length_ = block.length, without_end_ = block.start / apart;
      without_.resize(above_.size());
      std::copy_n(above_.begin() + without_end_ * words, words, without_.begin() + without_end_ * words);
    }
    if (without_end_ >= end) return;
    std::copy_n(without_.begin() + without_end_ * words, words, row_.begin());
    for (size_t i = without_end_ * apart; i < end * apart; ++i) {
      descend_row(forward_places_.bits(prediction[i < block.start ? i : i + block.length]));
      if ((i + 1) % apart == 0) std::copy(row_.begin(), row_.end(), without_.begin() + (i + 1) / apart * words);
    }
    without_end_ = end;
  }

  void descend_row(const uint64_t *places) {
    Carry carry;
    steps_(row_.size());
    if (!places) places = nowhere_.data();
    Cells *cells = row_.data();
    for (size_t word = 0, words = row_.size(); word < words; ++word) descend(cells[word], places[word], carry);
  }
  int32_t cost(size_t rows) const {
    int32_t found = int32_t(rows);
    for (size_t word = 0; word < row_.size(); ++word) {
      uint64_t used = word + 1 == row_.size() && columns_ % 64 ? (uint64_t{1} << columns_ % 64) - 1 : ~uint64_t{0};
      found += int32_t(ones(row_[word].more & used)) - int32_t(ones(row_[word].less & used));
    }
    return found;
  }
  // The cheapest way through the row, which is row `above` of `rows`, where the costs of what lies below it are differences from the other end.
  int32_t joined(size_t above, const Cells *below, size_t rows) {
    costs_.resize(columns_ + 1);
    costs_[columns_] = int32_t(rows - above);
    for (size_t j = 0; j < columns_; ++j) costs_[columns_ - j - 1] = costs_[columns_ - j] + step(below, j);
    int32_t cost = int32_t(above), least = cost + costs_[0];
    for (size_t j = 0; j < columns_; ++j) {
      cost += step(row_.data(), j);
      least = std::min(least, cost + costs_[j + 1]);
    }
    return least;
  }
  static int32_t step(const Cells *row, size_t j) { return int32_t(row[j / 64].more >> j % 64 & 1) - int32_t(row[j / 64].less >> j % 64 & 1); }

  Steps steps_;
  size_t columns_ = 0;
  int32_t distance_ = 0;
  Places forward_places_, backward_places_;
  std::vector<int32_t> backward_reference_, shifted_, costs_;
  std::vector<uint64_t> nowhere_;
  // Rows of the prediction without a block of so many tokens; none where that is 0.
  size_t without_start_ = 0, without_length_ = 0, without_end_ = 0;
  std::vector<Cells> row_, above_, below_, without_;
};
