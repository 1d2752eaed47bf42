// What the searches for METEOR's alignments share; see kernels/alignment.py for the terms.
#pragma once

#include "column.hpp"
#include "interrupts.hpp"
#include "places.hpp"

using Matches = std::vector<int64_t>; // five numbers each

inline void add_match(Matches &matches, size_t prediction, size_t reference, size_t module, size_t predicted = 1, size_t expected = 1) {
  for (size_t number : {prediction, reference, module, predicted, expected}) matches.push_back(static_cast<int64_t>(number));
}

// A place of the prediction at which a word of the reference may match, and the module in which it does.
struct Target {
  uint32_t place, module;
};

// The words of a pair, numbered on each side, and for each of the reference the words of the prediction that it matches.
class Links {
public:
  struct Link {
    uint32_t other;
    uint32_t module;
  };

  std::vector<uint32_t> ours, theirs;         // the number of the word at each place
  std::vector<std::vector<Link>> links;       // by word of the reference, module after module
  std::vector<std::vector<uint32_t>> places;  // by word of the prediction
  std::vector<uint32_t> expected;             // how often each word of the reference stands there

  // `repeated`: a word that matches another in several modules is linked with it in each, not in the first alone.
  template <typename AnyModules> void find(Row prediction, Row reference, const AnyModules &modules, size_t first_modules, bool repeated) {
    number(prediction, our_numbers_, ours, our_words_);
    number(reference, their_numbers_, theirs, their_words_);
    reset(places, our_words_.size());
    for (size_t p = 0; p < ours.size(); ++p) places[ours[p]].push_back(static_cast<uint32_t>(p));
    expected.assign(their_words_.size(), 0);
    for (uint32_t word : theirs) ++expected[word];
    reset(links, their_words_.size());
    for (size_t module = 0; module < first_modules; ++module) join(modules[module], static_cast<uint32_t>(module), repeated);
  }
  size_t words_of_prediction() const { return our_words_.size(); }
  size_t words_of_reference() const { return their_words_.size(); }

  template <typename T> static void reset(std::vector<std::vector<T>> &lists, size_t size) {
    if (lists.size() < size) lists.resize(size);
    for (size_t i = 0; i < size; ++i) lists[i].clear();
  }

private:
  static void number(Row row, Numbering &numbers, std::vector<uint32_t> &found, std::vector<int32_t> &words) {
    numbers.clear(row.size);
    words.clear();
    found.resize(row.size);
    for (size_t place = 0; place < row.size; ++place) {
      found[place] = numbers.add(key_of(row[place]));
      if (found[place] == words.size()) words.push_back(row[place]);
    }
  }

  template <typename Keys> void join(const Keys &keys, uint32_t module, bool repeated) {
    size_t total = 0;
    for (int32_t word : our_words_) total += keys[word].size;
    keys_.clear(total);
    first_.clear();
    holders_.clear();
    for (uint32_t word = 0; word < our_words_.size(); ++word) {
      for (int32_t key : keys[our_words_[word]]) {
        uint32_t number = keys_.add(key_of(key));
        if (number == first_.size()) first_.push_back(none);
        holders_.push_back({word, first_[number]});
        first_[number] = static_cast<uint32_t>(holders_.size() - 1);
      }
    }
    seen_.assign(our_words_.size(), none);
    for (uint32_t word = 0; word < their_words_.size(); ++word) {
      if (!repeated) {
        for (const Link &link : links[word]) seen_[link.other] = word;
      }
      for (int32_t key : keys[their_words_[word]]) {
        uint32_t number = keys_.find(key_of(key));
        if (number == Numbering::none) continue;
        for (uint32_t at = first_[number]; at != none; at = holders_[at].next) {
          uint32_t other = holders_[at].word;
          steps_(1);
          if (seen_[other] == word) continue;
          seen_[other] = word;
          // Equal words match exactly and in no other way.
          if (module == 0 || our_words_[other] != their_words_[word]) links[word].push_back({other, module});
        }
      }
    }
  }

  static constexpr uint32_t none = ~uint32_t{0};
  struct Holder {
    uint32_t word, next;
  };
  Steps steps_;
  Numbering our_numbers_, their_numbers_, keys_;
  std::vector<int32_t> our_words_, their_words_;
  std::vector<uint32_t> first_, seen_;
  std::vector<Holder> holders_;
};

// Places of the prediction as bits.
inline bool has_bit(const uint64_t *bits, size_t place) { return bits[place / 64] >> place % 64 & 1; }
inline void set_bit(uint64_t *bits, size_t place) { bits[place / 64] |= uint64_t{1} << place % 64; }

// Matches that partial alignments share: each knows the one before it.
class Paths {
public:
  static constexpr uint32_t start = ~uint32_t{0};

  void clear() { steps_.clear(); }
  uint32_t add(uint32_t before, uint32_t prediction, uint32_t reference, uint32_t module) {
    steps_.push_back({before, prediction, reference, module});
    return static_cast<uint32_t>(steps_.size() - 1);
  }
  Matches matches(uint32_t last) const {
    std::vector<uint32_t> order;
    for (; last != start; last = steps_[last].before) order.push_back(last);
    Matches found;
    found.reserve(5 * order.size());
    for (size_t i = order.size(); i--;) add_match(found, steps_[order[i]].prediction, steps_[order[i]].reference, steps_[order[i]].module);
    return found;
  }

private:
  struct Step {
    uint32_t before, prediction, reference, module;
  };
  std::vector<Step> steps_;
};
