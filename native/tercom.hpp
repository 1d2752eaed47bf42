// Tercom's edits of one pair, found greedily.
#pragma once

#include "column.hpp"
#include "interrupts.hpp"
#include "places.hpp"
#include "shifts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

namespace tercom {

constexpr size_t longest_block = 10, farthest = 50, most_tried = 1000, beam = 25;
constexpr int32_t never = 1'000'000'000;

enum class Step { equal, replace, insert, erase };

// The edit grid of predictions of one length with a reference; a row holds only the columns of its band.
class Grid {
public:
  void start(size_t length, const std::vector<int32_t> &reference) {
    reference_ = &reference;
    double ratio = length ? double(reference.size()) / double(length) : 1.0;
    int64_t width = ratio / 2 <= double(beam) ? int64_t(beam) : int64_t(std::ceil(ratio / 2 + double(beam)));
    int64_t columns = int64_t(reference.size()) + 1;
    bands_.assign(1, {0, columns, 0});
    for (size_t i = 1; i <= length; ++i) {
      int64_t diagonal = int64_t(std::floor(double(i) * ratio));
      bands_.push_back({std::max<int64_t>(0, diagonal - width), std::min(columns, diagonal + width), 0});
    }
    bands_.back().high = columns;
    size_t total = 0, widest = 0;
    for (Band &band : bands_) {
      band.start = total;
      total += band.width(), widest = std::max(widest, band.width());
    }
    forward_.resize(total), backward_.resize(total), rows_[0].resize(widest), rows_[1].resize(widest);
  }
  void forward(const std::vector<int32_t> &prediction) {
    for (size_t j = 0; j < bands_[0].width(); ++j) forward_[j] = int32_t(j);
    for (size_t i = 0; i < prediction.size(); ++i) below(i, row(forward_, i), prediction[i], row(forward_, i + 1));
    has_backward_ = false;
  }
  int32_t distance() const { return forward_.back(); }
  // The distance after a shift: only the rows between where a block was and where it goes are new.
  int32_t distance_with(const std::vector<int32_t> &prediction, const Shift &shift) {
    if (!has_backward_) backward(prediction);
    shifted_ = prediction;
    shift.apply(shifted_);
    size_t first = std::min(shift.start, shift.target), last = std::min(std::max(shift.start, shift.target) + shift.length, prediction.size());
    const int32_t *above = row(forward_, first);
    for (size_t i = first; i < last; ++i) {
      int32_t *next = rows_[i % 2].data();
      below(i, above, shifted_[i], next);
      above = next;
    }
    int32_t least = 2 * never + 1;
    for (size_t j = 0; j < bands_[last].width(); ++j) least = std::min(least, above[j] + row(backward_, last)[j]);
    return least;
  }
  // The last step of a cheapest way to a cell.
  Step step(const std::vector<int32_t> &prediction, size_t i, size_t j) const {
    bool same = i && j && prediction[i - 1] == (*reference_)[j - 1];
    int32_t here = cost(i, j);
    if (i && j && here == cost(i - 1, j - 1) + !same) return same ? Step::equal : Step::replace;
    return i && here == cost(i - 1, j) + 1 ? Step::insert : Step::erase;
  }
  // How much a shift can gain at most: any number where ways outside the bands are not seen.
  int32_t most_gained(const Shift &) const { return never; }

private:
  struct Band {
    int64_t low, high;
    size_t start;

    size_t width() const { return size_t(high - low); }
  };

  int32_t *row(std::vector<int32_t> &rows, size_t i) const { return rows.data() + bands_[i].start; }
  int32_t cost(size_t i, size_t j) const {
    const Band &band = bands_[i];
    return band.low <= int64_t(j) && int64_t(j) < band.high ? forward_[band.start + size_t(int64_t(j) - band.low)] : never;
  }
  // Row i + 1 from row i and the token between them.
  void below(size_t i, const int32_t *above, int32_t token, int32_t *found) {
    const Band &band = bands_[i], &next = bands_[i + 1];
    // Two more cells around the band above, and as many behind as the next one reaches further.
    padded_.assign(band.width() + 1 + size_t(std::max<int64_t>(0, next.high - band.high)), never);
    std::copy_n(above, band.width(), padded_.begin() + 1);
    const int32_t *diagonal = padded_.data() + (next.low - band.low);
    const int32_t *tokens = reference_->data();
    size_t width = next.width();
    steps_(band.width() + width);
    if (!next.low) found[0] = diagonal[1] + 1;
    for (size_t k = !next.low; k < width; ++k) {
      found[k] = std::min(diagonal[k] + (tokens[next.low + int64_t(k) - 1] != token), diagonal[k + 1] + 1);
    }
    for (size_t k = 1; k < width; ++k) found[k] = std::min(found[k], found[k - 1] + 1);
  }
  void backward(const std::vector<int32_t> &prediction) {
    int32_t *last = row(backward_, prediction.size());
    for (size_t k = 0; k < bands_.back().width(); ++k) last[k] = int32_t(bands_.back().width() - 1 - k);
    for (size_t i = prediction.size(); i-- > 0;) {
      const Band &band = bands_[i], &next = bands_[i + 1];
      const int32_t *below = row(backward_, i + 1);
      int32_t *found = row(backward_, i);
      auto cost_below = [&](int64_t j) { return next.low <= j && j < next.high ? below[j - next.low] : never; };
      int32_t right = never;
      steps_(2 * band.width());
      for (int64_t j = band.high; j-- > band.low;) {
        bool same = size_t(j) < reference_->size() && (*reference_)[size_t(j)] == prediction[i];
        right = std::min({cost_below(j + 1) + !same, cost_below(j) + 1, right + 1});
        found[j - band.low] = right;
      }
    }
    has_backward_ = true;
  }

  const std::vector<int32_t> *reference_ = nullptr;
  Steps steps_;
  std::vector<Band> bands_;
  std::vector<int32_t> forward_, backward_, rows_[2], padded_, shifted_;
  bool has_backward_ = false;
};

// The grid without bands, where they change nothing.
class Unbanded : public SmallGrid {
public:
  Step step(const std::vector<int32_t> &, size_t i, size_t j) const {
    if (!i || !j) return i ? Step::insert : Step::erase;
    uint64_t bit = uint64_t{1} << (j - 1);
    if (places_[i - 1] & bit) return Step::equal;
    if (!(diagonals_[i] & bit)) return Step::replace;
    return rows_[i - 1].less & bit ? Step::insert : Step::erase;
  }
  int32_t most_gained(const Shift &shift) const { return int32_t(shift.most_gained()); }
  // Whether bands would change nothing: a way that costs no more than this one leaves the diagonal by less than the beam.
  bool reaches(size_t reference) const {
    size_t apart = reference > length_ ? reference - length_ : length_ - reference;
    return apart + (size_t(distance()) - apart) / 2 + 1 < beam;
  }
};

class Search {
public:
  // All edits that turn the prediction into the reference, and the shifts among them.
  size_t path(Row prediction, Row reference, std::vector<int64_t> &shifts) {
    numbers_.clear(reference.size);
    reference_.clear(), prediction_.clear();
    for (int32_t token : reference) reference_.push_back(int32_t(numbers_.add(key_of(token))));
    for (int32_t token : prediction) prediction_.push_back(int32_t(numbers_.find(key_of(token))));
    index_places();
    if (reference.size <= 64) {
      small_.start(prediction_, reference_, numbers_.count());
      if (small_.reaches(reference.size)) return search(small_, shifts);
    }
    grid_.start(prediction.size, reference_);
    return search(grid_, shifts);
  }

private:
  // Gain, length, start and target of a shift; the greatest is the best.
  using Rank = std::tuple<int32_t, int64_t, int64_t, int64_t>;

  // Places of token number n in the reference: places_ from ends_[n] to ends_[n + 1].
  void index_places() {
    ends_.assign(numbers_.count() + 2, 0);
    for (int32_t token : reference_) ++ends_[size_t(token) + 2];
    for (size_t token = 2; token < ends_.size(); ++token) ends_[token] += ends_[token - 1];
    places_.resize(reference_.size());
    for (size_t place = 0; place < reference_.size(); ++place) places_[ends_[size_t(reference_[place]) + 1]++] = place;
  }

  template <typename AnyGrid> size_t search(AnyGrid &grid, std::vector<int64_t> &shifts) {
    size_t tried = 0;
    while (true) {
      grid.forward(prediction_);
      size_t wrong = align(grid);
      // Only a gain is worth a shift.
      Rank best{0, never, 0, 0};
      each_block([&](size_t start, size_t length, size_t expected) {
        int64_t before = -2;
        for (size_t place = expected; place <= expected + length; ++place) {
          int64_t target = place ? aligned_[place - 1] + 1 : 0;
          if (target == before) continue;
          before = target;
          ++tried;
          Shift shift{start, length, place_of(start, length, size_t(target))};
          Rank rank{grid.most_gained(shift), int64_t(length), -int64_t(start), -target};
          if (rank <= best) continue;
          std::get<0>(rank) = grid.distance() - grid.distance_with(prediction_, shift);
          best = std::max(best, rank);
        }
        return tried < most_tried;
      });
      auto [gain, length, start, target] = best;
      if (tried >= most_tried || gain <= 0) return shifts.size() / 3 + wrong;
      Shift shift{size_t(-start), size_t(length), place_of(size_t(-start), size_t(length), size_t(-target))};
      shifts.insert(shifts.end(), {int64_t(shift.start), int64_t(shift.length), int64_t(shift.target)});
      shift.apply(prediction_);
    }
  }
  // Where a block begins once it is moved to before token `target`; a target inside it moves it right by as much, as in sacreBLEU.
  static size_t place_of(size_t start, size_t length, size_t target) { return target <= start + length ? target : target - length; }

  // For each token of the reference the last token of the prediction up to it; whether tokens of either side are in error. Gives the edits.
  template <typename AnyGrid> size_t align(const AnyGrid &grid) {
    size_t i = prediction_.size(), j = reference_.size(), edits = 0;
    aligned_.resize(j), wrong_.resize(i), missed_.resize(j);
    while (i || j) {
      Step step = grid.step(prediction_, i, j);
      bool error = step != Step::equal;
      edits += error;
      if (step != Step::insert) missed_[j - 1] = error, aligned_[j - 1] = int64_t(i) - 1;
      if (step != Step::erase) wrong_[i - 1] = error;
      i -= step != Step::erase, j -= step != Step::insert;
    }
    return edits;
  }

  // Calls back(start, length, start in the reference) for blocks worth moving, until it says that it is enough.
  template <typename Back> void each_block(const Back &back) const {
    for (size_t start = 0; start < prediction_.size(); ++start) {
      if (prediction_[start] < 0) continue;
      const size_t *matches = places_.data() + ends_[size_t(prediction_[start])], *end = places_.data() + ends_[size_t(prediction_[start]) + 1];
      if (start > farthest) matches = std::lower_bound(matches, end, start - farthest);
      for (; matches < end && *matches <= start + farthest; ++matches) {
        size_t expected = *matches, most = std::min({longest_block, prediction_.size() - start, reference_.size() - expected});
        bool wrong = false, missed = false;
        for (size_t length = 1; length <= most && prediction_[start + length - 1] == reference_[expected + length - 1]; ++length) {
          wrong |= wrong_[start + length - 1] != 0, missed |= missed_[expected + length - 1] != 0;
          bool inside = int64_t(start) <= aligned_[expected] && aligned_[expected] < int64_t(start + length);
          if (wrong && missed && !inside && !back(start, length, expected)) return;
        }
      }
    }
  }

  Numbering numbers_;
  Grid grid_;
  Unbanded small_;
  std::vector<int32_t> prediction_, reference_;
  std::vector<size_t> ends_, places_;
  std::vector<int64_t> aligned_;
  std::vector<char> wrong_, missed_;
};

} // namespace tercom
