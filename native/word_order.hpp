// Which word of the reference each word of a prediction is, and how many pairs stand in the same order.
#pragma once

#include "column.hpp"
#include "interrupts.hpp"
#include "places.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

class WordOrder {
public:
  void places(Row prediction, Row reference, bool nltk, std::vector<int64_t> &found) {
    size_t size = prediction.size, expected = reference.size, never = size + 1;
    number(prediction, reference);
    unique_ngrams(size, expected, right_);
    std::reverse(values_.begin(), values_.begin() + size);
    std::reverse(values_.begin() + size + 1, values_.end() - 1);
    unique_ngrams(size, expected, left_);
    for (size_t i = 0; i < size; ++i) {
      size_t right = right_.lengths[i], left = left_.lengths[size - 1 - i];
      if (nltk) {
        size_t longest = std::min(std::max(i, size - i + 1), expected);
        if (right > 1 && right > longest) right = never;
        if (left > 1 && left > longest) left = never;
      }
      bool begins = nltk ? right <= left : right < left;
      if (std::min(right, left) == never) {
        found.push_back(-1);
      } else {
        found.push_back(int64_t(begins ? right_.starts[i] : expected - 1 - left_.starts[size - 1 - i]));
      }
    }
  }

private:
  // For each token the length of the shortest n-gram from it on that stands once in either text, and where that starts in the reference.
  struct Ngrams {
    std::vector<size_t> lengths, starts;
  };

  // The texts, one behind the other, as numbers; behind each stands a number of its own.
  void number(Row prediction, Row reference) {
    numbers_.clear(prediction.size + reference.size);
    values_.clear();
    for (int32_t token : prediction) values_.push_back(numbers_.add(key_of(token)) + 2);
    values_.push_back(1);
    for (int32_t token : reference) values_.push_back(numbers_.add(key_of(token)) + 2);
    values_.push_back(0);
  }

  // Such an n-gram begins exactly two suffixes of the two texts, one of each: neighbors in sorted order that have more in common than either
  // has with its other neighbor. Where there is none the length is one more than the prediction's.
  void unique_ngrams(size_t size, size_t expected, Ngrams &found) {
    found.lengths.assign(size, size + 1), found.starts.assign(size, 0);
    if (!size || !expected) return;
    sort_suffixes();
    measure_common_prefixes();
    for (size_t i = 0; i < size; ++i) {
      size_t k = rank_[i], above = common_[k], below = common_[k + 1];
      bool first = above > below;
      if (above == below) continue;
      size_t other = order_[first ? k - 1 : k + 1], beyond = first ? common_[k - 1] : common_[k + 2];
      size_t length = std::max(std::min(above, below), beyond) + 1;
      if (length > std::max(above, below) || other <= size) continue;
      found.lengths[i] = length, found.starts[i] = other - size - 1;
    }
  }

  // The suffixes in sorted order and each one's rank; they all differ. Ranks by the first 1, 2, 4, ... values are refined.
  void sort_suffixes() {
    size_t total = values_.size();
    rank_ = values_, order_.resize(total), keys_.resize(total);
    for (size_t width = 0;; width = std::max<size_t>(1, 2 * width)) {
      steps_(64 * total);
      for (size_t i = 0; i < total; ++i) {
        uint64_t following = width && i + width < total ? rank_[i + width] + uint64_t{1} : 0;
        keys_[i] = {uint64_t{rank_[i]} << 32 | following, uint32_t(i)};
      }
      std::sort(keys_.begin(), keys_.end(), [](const Key &left, const Key &right) { return left.key < right.key; });
      uint32_t rank = 0;
      for (size_t k = 0; k < total; ++k) {
        if (k && keys_[k].key != keys_[k - 1].key) ++rank;
        rank_[keys_[k].suffix] = rank;
      }
      if (rank + 1 == total) break;
    }
    for (size_t k = 0; k < total; ++k) order_[k] = keys_[k].suffix;
  }

  // How many values each sorted suffix has in common with the one before; 0 at both ends. Kasai's algorithm.
  void measure_common_prefixes() {
    common_.assign(values_.size() + 1, 0);
    size_t length = 0;
    for (size_t start = 0; start < values_.size(); ++start) {
      if (!rank_[start]) {
        length = 0;
        continue;
      }
      size_t before = order_[rank_[start] - 1];
      while (values_[start + length] == values_[before + length]) ++length;
      common_[rank_[start]] = length;
      length -= length > 0;
    }
  }

  struct Key {
    uint64_t key;
    uint32_t suffix;
  };

  Steps steps_;
  Numbering numbers_;
  Ngrams right_, left_;
  std::vector<uint32_t> values_, rank_, order_;
  std::vector<Key> keys_;
  std::vector<size_t> common_;
};

// Pairs of known places of which the earlier is strictly smaller: a Fenwick tree counts, for each place, those before it.
class AscendingPairs {
public:
  // Writes the number of known places and of pairs.
  template <typename Places> void count(const Places &places, double *counts) {
    known_.clear();
    for (int64_t place : places) {
      if (place >= 0) known_.push_back(place);
    }
    sorted_ = known_;
    std::sort(sorted_.begin(), sorted_.end());
    tree_.assign(sorted_.size() + 1, 0);
    size_t found = 0;
    for (int64_t place : known_) {
      size_t smaller = size_t(std::lower_bound(sorted_.begin(), sorted_.end(), place) - sorted_.begin());
      for (size_t node = smaller; node; node &= node - 1) found += tree_[node];
      for (size_t node = smaller + 1; node < tree_.size(); node += node & (~node + 1)) ++tree_[node];
    }
    counts[0] = double(known_.size()), counts[1] = double(found);
  }

private:
  std::vector<int64_t> known_, sorted_;
  std::vector<size_t> tree_;
};
