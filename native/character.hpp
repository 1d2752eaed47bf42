// CharacTER's edits of one pair.
#pragma once

#include "column.hpp"
#include "interrupts.hpp"
#include "levenshtein.hpp"
#include "places.hpp"
#include "shifts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

// The edits of one pair, on characters after shifts of words.
class CharacterEdits {
public:
  // Characters to edit after the shifts, the cost of the shifts, and these.
  void edit(Row prediction, Row reference, bool rounded, double *found, std::vector<int64_t> &shifts) {
    spelling_.clear();
    numbers_.clear(prediction.size / 2 + reference.size / 2 + 2);
    number_words(prediction, original_);
    number_words(reference, expected_);
    current_ = original_;
    shift_phrases(rounded, shifts);
    found[0] = double(distance_(joined(prediction.size), reference));
    found[1] = shifts.empty() ? 0.0 : shift_cost();
  }

private:
  // One number for each word of a row.
  void number_words(Row characters, std::vector<int32_t> &words) {
    words.clear();
    for (const int32_t *start = characters.begin(), *last = characters.end(); start < last; ++start) {
      uint64_t key = 0;
      const int32_t *end = start;
      for (; end < last && *end != space; ++end) key = (key << 7 | key >> 57) ^ key_of(*end);
      if (end > start) words.push_back(number_of({start, size_t(end - start)}, key));
      start = end;
    }
  }
  // Different words that have the same key get others, one after the other.
  int32_t number_of(Row word, uint64_t key) {
    while (true) {
      uint32_t number = numbers_.add(key);
      if (number == spelling_.size()) spelling_.push_back(word);
      if (std::equal(word.begin(), word.end(), spelling_[number].begin(), spelling_[number].end())) return int32_t(number);
      ++key;
    }
  }

  void shift_phrases(bool rounded, std::vector<int64_t> &shifts) {
    index_places();
    if (expected_.size() <= 64) {
      small_.start(current_, expected_, spelling_.size());
      search(small_, rounded, shifts);
    } else {
      large_.start(current_, expected_);
      search(large_, rounded, shifts);
    }
  }

  // The shifts that bring the words of the prediction nearest to the reference, greedily.
  template <typename Grid> void search(Grid &grid, bool rounded, std::vector<int64_t> &shifts) {
    double unit = rounded && !expected_.empty() ? double(expected_.size()) : 1.0;
    double distance = double(grid.distance()) / unit;
    int64_t left = most_cells;
    int32_t lowest = int32_t(std::max(current_.size(), expected_.size()) - in_common());
    while (true) {
      // Only a gain is worth a shift; where the distance was rounded up, the same number of words off is one.
      int32_t now = int32_t(std::nearbyint(distance * unit)), best = distance > double(now) / unit ? now + 1 : now;
      if (best <= lowest) break;
      Shift best_shift{0, 0, 0};
      each_phrase([&](const Shift &shift) {
        steps_(shift.length + 1);
        left -= int64_t(current_.size()) * int64_t(expected_.size());
        if (left < 0 && !rounded) return false;
        if (int32_t(shift.most_gained()) < now - best) return true;
        int32_t words_off = grid.distance_with(current_, shift);
        if (words_off < best || (words_off == best && best_shift.length && is_greater(shift, best_shift))) best = words_off, best_shift = shift;
        return true;
      });
      if (!best_shift.length || (left < 0 && !rounded)) break;
      distance -= distance - double(best) / unit;
      best_shift.apply(current_);
      shifts.insert(shifts.end(), {int64_t(best_shift.start), int64_t(best_shift.length), int64_t(best_shift.target)});
      grid.forward(current_);
    }
  }
  // Whether the words come later in the order of code points after one shift than after another.
  bool is_greater(const Shift &shift, const Shift &other) const {
    size_t last = std::max(shift.end(current_.size()), other.end(current_.size()));
    for (size_t place = std::min(shift.first(), other.first()); place < last; ++place) {
      int32_t word = current_[shift.origin(place)], theirs = current_[other.origin(place)];
      if (word == theirs) continue;
      Row spelt = spelling_[size_t(word)], otherwise = spelling_[size_t(theirs)];
      return std::lexicographical_compare(otherwise.begin(), otherwise.end(), spelt.begin(), spelt.end());
    }
    return false;
  }

  // The first place of each word in the reference, and the next place of the same word after each.
  void index_places() {
    firsts_.assign(spelling_.size(), nowhere);
    nexts_.resize(expected_.size());
    for (size_t place = expected_.size(); place-- > 0;) {
      size_t &first = firsts_[size_t(expected_[place])];
      nexts_[place] = first, first = place;
    }
  }
  // How many words of both sides can be paired with an equal one.
  size_t in_common() {
    counts_.assign(spelling_.size(), 0);
    size_t found = 0;
    for (int32_t word : expected_) ++counts_[size_t(word)];
    for (int32_t word : current_) {
      if (counts_[size_t(word)]) --counts_[size_t(word)], ++found;
    }
    return found;
  }
  // Calls back with every longest common phrase that begins at different places, as a shift to its place in the reference, until it is enough.
  template <typename Back> void each_phrase(const Back &back) const {
    for (size_t start = 0; start < current_.size(); ++start) {
      for (size_t place = firsts_[size_t(current_[start])]; place != nowhere; place = nexts_[place]) {
        if (place == start) continue;
        size_t length = common(current_, start, expected_, place);
        if (!back(Shift{start, length, std::min(place, current_.size() - length)})) return;
      }
    }
  }
  // The number of words that are the same from here on.
  static size_t common(const std::vector<int32_t> &ours, size_t start, const std::vector<int32_t> &theirs, size_t place) {
    size_t length = 0;
    while (start + length < ours.size() && place + length < theirs.size() && ours[start + length] == theirs[place + length]) ++length;
    return length;
  }

  // The row of the words after the shifts, which has at most so many characters.
  Row joined(size_t most) {
    joined_.resize(most);
    int32_t *end = joined_.data();
    for (int32_t number : current_) {
      if (end > joined_.data()) *end++ = space;
      for (int32_t character : spelling_[size_t(number)]) *end++ = character;
    }
    return {joined_.data(), size_t(end - joined_.data())};
  }
  // The mean word length of each phrase that now stands later, summed over phrases.
  double shift_cost() const {
    double cost = 0.0;
    for (size_t i = 0; i < original_.size();) {
      size_t length = 0;
      if (original_[i] != current_[i]) {
        auto later = std::find(current_.begin() + i + 1, current_.end(), original_[i]);
        if (later != current_.end()) {
          length = common(original_, i, current_, size_t(later - current_.begin()));
          size_t characters = 0;
          for (size_t k = i; k < i + length; ++k) characters += spelling_[size_t(original_[k])].size;
          cost += double(characters) / double(length);
        }
      }
      i += std::max<size_t>(length, 1);
    }
    return cost;
  }

  static constexpr size_t nowhere = ~size_t{0};
  static constexpr int64_t most_cells = 200'000'000'000;
  static constexpr int32_t space = ' ';

  Steps steps_;
  SmallGrid small_;
  LargeGrid large_;
  Distance distance_;
  Numbering numbers_;
  std::vector<Row> spelling_;
  std::vector<int32_t> original_, current_, expected_, joined_;
  std::vector<size_t> firsts_, nexts_, counts_;
};
