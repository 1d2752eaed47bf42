// Twin of kernels/skip_bigrams.py: pairs of tokens in their order, with a limited number of tokens between them.
#include "column.hpp"
#include "pairs.hpp"
#include "parallel.hpp"
#include "places.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

namespace {

class SkipBigrams {
public:
  // The tokens of a pair stand at most `widest` places apart.
  explicit SkipBigrams(size_t widest) : widest_(widest) {}

  size_t matches(Row prediction, Row reference) {
    number(prediction, reference);
    size_t pairs = std::min(widest_, prediction.size) * prediction.size + std::min(widest_, reference.size) * reference.size;
    if (pairs > kinds_ * (prediction.size + reference.size)) return matches_by_first();
    return kinds_ <= 64 ? matches_in_table() : matches_by_key();
  }
  // Matches of single tokens.
  size_t singles(Row prediction, Row reference) {
    numbers_.clear(reference.size);
    counts_.clear();
    size_t found = 0;
    for (int32_t token : reference) {
      uint32_t number = numbers_.add(key_of(token));
      if (number == counts_.size()) counts_.push_back(0);
      ++counts_[number];
    }
    for (int32_t token : prediction) {
      uint32_t number = numbers_.find(key_of(token));
      if (number != Numbering::none && counts_[number]) --counts_[number], ++found;
    }
    return found;
  }

private:
  // Tokens that both have get numbers, all others none.
  void number(Row prediction, Row reference) {
    numbers_.clear(reference.size), common_.clear(prediction.size);
    for (int32_t token : reference) numbers_.add(key_of(token));
    for (auto &side : sides_) side.clear();
    for (int32_t token : prediction) {
      sides_[0].push_back(numbers_.find(key_of(token)) == Numbering::none ? Numbering::none : common_.add(key_of(token)));
    }
    for (int32_t token : reference) sides_[1].push_back(common_.find(key_of(token)));
    kinds_ = common_.count();
  }
  // Calls back(first, second) for every pair of numbered tokens.
  template <typename Back> void each_pair(const std::vector<uint32_t> &side, const Back &back) {
    for (size_t second = 1; second < side.size(); ++second) {
      if (side[second] == Numbering::none) continue;
      steps_(2 * std::min(second, widest_));
      for (size_t first = second > widest_ ? second - widest_ : 0; first < second; ++first) {
        if (side[first] != Numbering::none) back(side[first], side[second]);
      }
    }
  }
  size_t matches_in_table() {
    counts_.assign(kinds_ * kinds_, 0);
    each_pair(sides_[0], [&](uint32_t first, uint32_t second) { ++counts_[first * kinds_ + second]; });
    size_t found = 0;
    each_pair(sides_[1], [&](uint32_t first, uint32_t second) {
      size_t &left = counts_[first * kinds_ + second];
      found += left > 0, left -= left > 0;
    });
    return found;
  }
  size_t matches_by_key() {
    size_t pairs = 0, found = 0;
    each_pair(sides_[0], [&](uint32_t, uint32_t) { ++pairs; });
    keys_.clear(pairs), counts_.clear();
    each_pair(sides_[0], [&](uint32_t first, uint32_t second) {
      uint32_t number = keys_.add(uint64_t{first} << 32 | second);
      if (number == counts_.size()) counts_.push_back(0);
      ++counts_[number];
    });
    each_pair(sides_[1], [&](uint32_t first, uint32_t second) {
      uint32_t number = keys_.find(uint64_t{first} << 32 | second);
      if (number != Numbering::none && counts_[number]) --counts_[number], ++found;
    });
    return found;
  }
  // The matches of pairs, those that begin with one token after those that begin with another.
  size_t matches_by_first() {
    size_t found = 0;
    for (uint32_t first = 0; first < kinds_; ++first) {
      steps_(2 * (sides_[0].size() + sides_[1].size() + kinds_));
      for (size_t side = 0; side < 2; ++side) count_seconds(sides_[side], first, seconds_[side]);
      for (size_t second = 0; second < kinds_; ++second) found += std::min(seconds_[0][second], seconds_[1][second]);
    }
    return found;
  }
  // How often each token is the second of a pair with this first one.
  void count_seconds(const std::vector<uint32_t> &side, uint32_t first, std::vector<size_t> &counts) const {
    counts.assign(kinds_, 0);
    size_t before = 0;
    for (size_t second = 1; second < side.size(); ++second) {
      before += side[second - 1] == first;
      if (second > widest_) before -= side[second - widest_ - 1] == first;
      if (side[second] != Numbering::none) counts[side[second]] += before;
    }
  }

  size_t widest_, kinds_ = 0;
  Steps steps_;
  Numbering numbers_, common_, keys_;
  std::vector<uint32_t> sides_[2];
  std::vector<size_t> counts_, seconds_[2];
};

nb::object skip_bigram_matches(const Column &column, const Rows &predictions, const Rows &references, std::optional<int64_t> distance, bool unigrams,
                               bool last_one) {
  need_pairs(predictions, references);
  need(distance.value_or(0) >= 0, "the distance of a skip-bigram must not be negative.");
  Table<double> matches(predictions.size(), 1);
  // Far beyond the length of any row.
  constexpr int64_t any = int64_t{1} << 40;
  size_t widest = size_t(std::min(distance.value_or(any), any) + 1);
  {
    nb::gil_scoped_release release;
    parallel(predictions.size(), 4 * cells_of(column, predictions, references), [&](size_t first, size_t last) {
      SkipBigrams bigrams(widest);
      Steps steps;
      for (size_t i = first; i < last; ++i) {
        steps(steps_of_a_row);
        Row prediction = column[predictions[i]], reference = column[references[i]];
        *matches[i] = double(bigrams.matches(prediction, reference));
        if (!unigrams) continue;
        for (Row *row : {&prediction, &reference}) row->size -= !last_one && row->size;
        *matches[i] += double(bigrams.singles(prediction, reference));
      }
    });
  }
  return matches.flat();
}

} // namespace

void bind_skip_bigrams(nb::module_ &module) {
  module.def("skip_bigram_matches", &skip_bigram_matches, nb::arg("column"), nb::arg("predictions"), nb::arg("references"),
             nb::arg("distance").none(), nb::arg("unigrams"), nb::arg("last"));
}
