// What ROUGE-Lsum and ROUGE-W share: subsequences of sentences, united over the sentences of the prediction.
#pragma once

#include "column.hpp"
#include "parallel.hpp"
#include "places.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

// The sentences of a text as rows of the column, and which of them hold a token.
class Sentences {
public:
  template <typename Texts> void index(const Texts &column, RowOf<int64_t> sentences) {
    size_t total = 0;
    for (int64_t sentence : sentences) total += column[sentence].size;
    numbers_.clear(sentences.size), tokens_.clear(total);
    different_.clear(), counts_.clear(), ends_.clear();
    for (int64_t sentence : sentences) {
      if (numbers_.add(uint64_t(sentence)) == different_.size()) different_.push_back(column[sentence]);
      for (int32_t token : column[sentence]) {
        uint32_t number = tokens_.add(key_of(token));
        if (number == counts_.size()) counts_.push_back(0);
        ++counts_[number];
      }
    }
    // Which sentences hold token number n: holders_ from ends_[n - 1] to ends_[n].
    std::vector<uint32_t> last(counts_.size(), Numbering::none);
    ends_.assign(counts_.size() + 1, 0);
    each_token(last, [&](uint32_t token, uint32_t) { ++ends_[token + 1]; });
    for (size_t token = 0; token < counts_.size(); ++token) ends_[token + 1] += ends_[token];
    holders_.resize(ends_.back());
    std::fill(last.begin(), last.end(), Numbering::none);
    std::vector<size_t> next(ends_.begin(), ends_.end() - 1);
    each_token(last, [&](uint32_t token, uint32_t sentence) { holders_[next[token]++] = sentence; });
    tried_.assign(different_.size(), 0), trial_ = 0;
  }
  // How often the token stands in the sentences; nullptr where it does not.
  size_t *count(int32_t token) {
    uint32_t number = tokens_.find(key_of(token));
    return number == Numbering::none ? nullptr : &counts_[number];
  }
  // The places of a reference sentence, in ascending order, that its subsequence with any predicted one holds.
  //
  // Only sentences that share a token are compared, those with a rare one first, and no more of them once every place that can be found is.
  template <typename Finder> void unite(Row reference, const Finder &places, std::vector<size_t> &found) {
    common_.clear();
    for (int32_t token : reference) {
      uint32_t number = tokens_.find(key_of(token));
      if (number != Numbering::none) common_.push_back(number);
    }
    size_t possible = common_.size(), count = 0;
    std::sort(common_.begin(), common_.end());
    common_.erase(std::unique(common_.begin(), common_.end()), common_.end());
    std::stable_sort(common_.begin(), common_.end(), [&](uint32_t left, uint32_t right) { return held(left) < held(right); });
    marked_.assign(reference.size, false);
    steps_(8 * reference.size + steps_of_a_row);
    ++trial_;
    for (uint32_t token : common_) {
      for (size_t holder = ends_[token]; holder < ends_[token + 1] && count < possible; ++holder) {
        if (tried_[holders_[holder]] == trial_) continue;
        tried_[holders_[holder]] = trial_;
        found.clear();
        places(reference, different_[holders_[holder]], found);
        for (size_t place : found) count += !marked_[place], marked_[place] = true;
      }
    }
    found.clear();
    for (size_t place = 0; place < reference.size; ++place) {
      if (marked_[place]) found.push_back(place);
    }
  }

private:
  // Calls back(token, sentence) once for every different token of every different sentence.
  template <typename Back> void each_token(std::vector<uint32_t> &last, const Back &back) const {
    for (uint32_t sentence = 0; sentence < different_.size(); ++sentence) {
      for (int32_t token : different_[sentence]) {
        uint32_t number = tokens_.find(key_of(token));
        if (last[number] != sentence) last[number] = sentence, back(number, sentence);
      }
    }
  }
  size_t held(uint32_t token) const { return ends_[token + 1] - ends_[token]; }

  Numbering numbers_, tokens_;
  std::vector<Row> different_;
  std::vector<size_t> counts_, ends_;
  std::vector<uint32_t> holders_, common_;
  std::vector<bool> marked_;
  Steps steps_;
  std::vector<size_t> tried_;
  size_t trial_ = 0;
};

// The unions of all sentences of a reference; equal ones are made once.
class Unions {
public:
  template <typename Texts, typename Finder> void make(const Texts &column, RowOf<int64_t> expected, Sentences &predicted, const Finder &places) {
    numbers_.clear(expected.size);
    for (int64_t sentence : expected) {
      uint32_t number = numbers_.add(uint64_t(sentence));
      if (number >= places_.size()) places_.emplace_back();
      if (number + 1 > made_) predicted.unite(column[sentence], places, places_[number]), made_ = number + 1;
    }
    made_ = 0;
  }
  const std::vector<size_t> &operator[](int64_t sentence) const { return places_[numbers_.find(uint64_t(sentence))]; }

private:
  Numbering numbers_;
  size_t made_ = 0;
  std::vector<std::vector<size_t>> places_;
};

// ROUGE-Lsum's hits: the tokens of the united subsequences, each as often as the prediction has it.
template <typename Texts, typename Subsequences>
size_t union_hits(const Texts &column, RowOf<int64_t> predicted, RowOf<int64_t> expected, Subsequences &subsequences, Sentences &sentences, Unions &unions) {
  if (predicted.size == 1 && expected.size == 1) return subsequences.length(column[predicted[0]], column[expected[0]]);
  sentences.index(column, predicted);
  unions.make(column, expected, sentences, [&](Row reference, Row prediction, std::vector<size_t> &found) { subsequences.places(reference, prediction, found); });
  size_t hits = 0;
  for (int64_t sentence : expected) {
    // The reference has each of these places, so only the prediction's tokens can run out.
    for (size_t place : unions[sentence]) {
      size_t *left = sentences.count(column[sentence][place]);
      if (*left) --*left, ++hits;
    }
  }
  return hits;
}

// About how many steps the sentences of all pairs take, where `wide` cells are computed at once.
inline size_t cells_of(const Column &column, const GroupColumn &predictions, const GroupColumn &references, size_t wide) {
  size_t cells = 0;
  for (size_t i = 0; i < predictions.rows(); ++i) {
    size_t sizes[2] = {0, 0};
    for (int64_t sentence : predictions[int64_t(i)]) sizes[0] += column[sentence].size;
    for (int64_t sentence : references[int64_t(i)]) sizes[1] += column[sentence].size;
    cells += 8 * (sizes[0] + sizes[1]) + sizes[0] * sizes[1] / wide;
  }
  return cells;
}
