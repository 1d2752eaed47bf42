// The n-grams that texts share, as bits: the clipped matches of every prediction with every reference.
#pragma once

#include "column.hpp"
#include "interrupts.hpp"
#include "places.hpp"
#include "shared_bits.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

// Numbers the pairs of a head and a letter from 0 on: in a table if few pairs are possible, else by a look-up.
class PairNumbers {
public:
  // Forgets all pairs and makes room for so many.
  void clear(size_t heads, size_t letters, size_t pairs) {
    for (size_t place : used_) table_[place] = 0;
    used_.clear(), letters_ = letters;
    in_table_ = letters && heads <= most_in_table / letters;
    if (!in_table_) return looked_up_.clear(pairs);
    if (table_.size() < heads * letters) table_.resize(heads * letters);
  }
  uint32_t add(uint32_t head, uint32_t letter) {
    if (!in_table_) return looked_up_.add(uint64_t{head} << 32 | letter);
    uint32_t &number = table_[head * letters_ + letter];
    if (!number) used_.push_back(head * letters_ + letter), number = uint32_t(used_.size());
    return number - 1;
  }
  size_t count() const { return in_table_ ? used_.size() : looked_up_.count(); }

private:
  static constexpr size_t most_in_table = 1 << 16;

  Numbering looked_up_;
  std::vector<uint32_t> table_;
  std::vector<size_t> used_;
  size_t letters_ = 0;
  bool in_table_ = false;
};

// The k-th occurrence of an n-gram in a text is a bit, so that min(count, count) summed over n-grams is the number of bits that two texts
// share. Bits that no prediction shares with a reference are left out. Few bits in many words are lists of texts instead.
class NgramIndex {
public:
  // Without `references` every prediction is compared with every prediction.
  NgramIndex(const std::vector<Row> &predictions, const std::vector<Row> *references, size_t orders)
      : predictions_(predictions.size()), references_(references ? references->size() : predictions.size()), is_square_(!references), stride_((references_ + set_lanes - 1) / set_lanes * set_lanes) {
    for (const Row &row : predictions) add(row);
    for (size_t k = 0; references && k < references->size(); ++k) add((*references)[k]);
    number_letters();
    size_t left = most_bytes;
    for (size_t n = 1; n <= orders && !open_.places.empty(); ++n) orders_.emplace_back(), lengthen(n, left);
  }

  // How many n-grams a text has; references follow the predictions unless these are the references.
  size_t total(size_t text, size_t n) const { return length(text) >= n ? length(text) - n + 1 : 0; }
  // The matched n-grams of a prediction and the references from `first` on: set_lanes of them, which may be more than there are.
  void matches(size_t prediction, size_t n, size_t first, CountShared count, uint64_t *sums) const {
    std::fill_n(sums, set_lanes, 0);
    if (n <= orders_.size()) count_bits(orders_[n - 1], prediction, first, count, sums);
    if (is_square_ && prediction >= first && prediction < first + set_lanes) sums[prediction - first] = total(prediction, n);
  }

private:
  // Bits of all texts and orders take no more.
  static constexpr size_t most_bytes = size_t{256} << 20;
  // Bits may take so many words for each n-gram of a text that is among them.
  static constexpr size_t most_words = 4;

  // The n-grams of all texts that may still match, for growing n: where each begins, and the number of its first n - 1 letters.
  struct Open {
    std::vector<uint32_t> places, heads;
    std::vector<size_t> starts;
  };

  // Either the words of each prediction and columns of words of all references, or the bits of each prediction and the texts of each bit.
  struct Order {
    std::vector<size_t> starts;
    std::vector<SetWord> words;
    std::vector<uint64_t> columns;
    std::vector<uint32_t> bits, texts;
    std::vector<size_t> bounds;
  };

  void count_bits(const Order &order, size_t prediction, size_t first, CountShared count, uint64_t *sums) const {
    size_t start = order.starts[prediction], end = order.starts[prediction + 1];
    if (order.columns.empty()) {
      for (size_t k = start; k < end; ++k) {
        const uint32_t *last = order.texts.data() + order.bounds[order.bits[k] + 1];
        const uint32_t *text = std::lower_bound(order.texts.data() + order.bounds[order.bits[k]], last, uint32_t(first));
        for (; text < last && *text < first + set_lanes; ++text) ++sums[*text - first];
      }
    } else {
      count(order.words.data() + start, end - start, order.columns.data() + first, stride_, sums);
    }
  }

  size_t length(size_t text) const { return starts_[text + 1] - starts_[text]; }
  size_t texts() const { return starts_.size() - 1; }
  bool is_reference(size_t text) const { return is_square_ || text >= predictions_; }
  size_t reference_of(size_t text) const { return is_square_ ? text : text - predictions_; }

  void add(const Row &row) {
    need(starts_.back() + row.size < Numbering::none, "the texts have too many tokens.");
    letters_.resize(starts_.back() + row.size);
    for (size_t place = 0; place < row.size; ++place) letters_[starts_.back() + place] = uint32_t(row[place]);
    starts_.push_back(starts_.back() + row.size);
  }

  void number_letters() {
    steps_(2 * letters_.size());
    // Most characters have small numbers, which need no look-up.
    std::array<uint32_t, 256> small{};
    Numbering others;
    others.clear(letters_.size());
    std::vector<uint32_t> numbers;
    for (uint32_t &letter : letters_) {
      uint32_t next = alphabet_ + 1, number;
      if (letter < small.size()) {
        number = small[letter] ? small[letter] : small[letter] = next;
      } else {
        uint32_t known = others.count(), other = others.add(letter);
        if (other == known) numbers.push_back(next);
        number = numbers[other];
      }
      alphabet_ = std::max(alphabet_, number);
      letter = number - 1;
    }
    open_.places.resize(letters_.size()), open_.heads.assign(letters_.size(), 0);
    for (size_t place = 0; place < letters_.size(); ++place) open_.places[place] = uint32_t(place);
    open_.starts = starts_;
    heads_ = 1;
  }

  // From (n - 1)-grams to n-grams: those that match stay open.
  void lengthen(size_t n, size_t &left) {
    grams_.clear(heads_, alphabet_, open_.places.size());
    first_.clear(), second_.clear(), seen_.clear();
    numbers_.resize(open_.places.size()), occurrences_.resize(open_.places.size());
    size_t kept = 0;
    for (size_t text = 0; text < texts(); ++text) {
      size_t start = open_.starts[text], end = open_.starts[text + 1];
      steps_(8 * (end - start) + 8);
      // The last n-gram that was open may be too long now.
      while (end > start && open_.places[end - 1] + n > starts_[text + 1]) --end;
      open_.starts[text] = kept;
      size_t own = kept;
      for (size_t k = start; k < end; ++k, ++kept) {
        uint32_t number = grams_.add(open_.heads[k], letters_[open_.places[k] + n - 1]);
        if (number == seen_.size()) seen_.push_back(0), first_.push_back(0), second_.push_back(0);
        open_.places[kept] = open_.places[k], numbers_[kept] = number, occurrences_[kept] = seen_[number]++;
      }
      for (size_t k = own; k < kept; ++k) {
        uint32_t count = seen_[numbers_[k]];
        if (count) note(numbers_[k], count, text), seen_[numbers_[k]] = 0;
      }
    }
    open_.starts[texts()] = kept;
    write(orders_[n - 1], left);
  }

  // Notes the count of an n-gram in a text: the greatest count of predictions in first_, of references in second_; in a square the greatest and
  // the second greatest of all texts.
  void note(uint32_t gram, uint32_t count, size_t text) {
    uint32_t &first = first_[gram], &second = second_[gram];
    if (!is_square_) {
      uint32_t &greatest = is_reference(text) ? second : first;
      greatest = std::max(greatest, count);
    } else if (count > first) {
      second = first, first = count;
    } else {
      second = std::max(second, count);
    }
  }

  // Numbers the bits of the n-grams that match, writes them, and closes all other n-grams.
  void write(Order &order, size_t &left) {
    size_t grams = seen_.size(), bits = 0;
    std::vector<uint32_t> bases(grams), limits(grams), heads(grams);
    heads_ = 0;
    for (size_t gram = 0; gram < grams; ++gram) {
      limits[gram] = std::min(first_[gram], second_[gram]);
      bases[gram] = uint32_t(bits), heads[gram] = uint32_t(heads_);
      bits += limits[gram], heads_ += limits[gram] > 0;
    }
    size_t words = (bits + 63) / 64, shared = 0;
    for (size_t k = open_.starts[is_square_ ? 0 : predictions_]; k < open_.starts[texts()]; ++k) shared += occurrences_[k] < limits[numbers_[k]];
    bool are_lists = words * references_ > most_words * shared || words > left / sizeof(uint64_t) / std::max<size_t>(1, stride_);
    if (!are_lists) left -= words * stride_ * sizeof(uint64_t), order.columns.resize(words * stride_);
    if (are_lists) order.bounds.assign(bits + 2, 0);
    std::vector<uint64_t> own(are_lists ? 0 : words);
    std::vector<std::pair<uint32_t, uint32_t>> members;  // (bit, reference)
    size_t kept = 0;
    for (size_t text = 0; text < texts(); ++text) {
      size_t start = open_.starts[text], end = open_.starts[text + 1];
      steps_(4 * (end - start) + words);
      open_.starts[text] = kept;
      if (text < predictions_) order.starts.push_back(are_lists ? order.bits.size() : order.words.size());
      for (size_t k = start; k < end; ++k) {
        uint32_t number = numbers_[k], bit = bases[number] + occurrences_[k];
        if (occurrences_[k] < limits[number]) {
          if (!are_lists) {
            own[bit / 64] |= uint64_t{1} << bit % 64;
          } else {
            if (text < predictions_) order.bits.push_back(bit);
            if (is_reference(text)) members.emplace_back(bit, uint32_t(reference_of(text))), ++order.bounds[bit + 2];
          }
        }
        open_.places[kept] = open_.places[k], open_.heads[kept] = heads[number];
        kept += limits[number] > 0;
      }
      for (size_t word = 0; word < own.size(); ++word) {
        if (!own[word]) continue;
        if (text < predictions_) order.words.push_back({own[word], word});
        if (is_reference(text)) order.columns[word * stride_ + reference_of(text)] = own[word];
        own[word] = 0;
      }
    }
    order.starts.push_back(are_lists ? order.bits.size() : order.words.size());
    open_.starts[texts()] = kept;
    open_.places.resize(kept), open_.heads.resize(kept);
    if (!are_lists) return;
    // bounds[bit + 1] is the end of the bit's texts once all are written.
    for (size_t bit = 2; bit < order.bounds.size(); ++bit) order.bounds[bit] += order.bounds[bit - 1];
    order.texts.resize(members.size());
    for (const auto &[bit, reference] : members) order.texts[order.bounds[bit + 1]++] = reference;
  }

  size_t predictions_, references_;
  bool is_square_;
  size_t stride_;
  std::vector<uint32_t> letters_;  // of all texts
  std::vector<size_t> starts_{0};
  uint32_t alphabet_ = 0;
  size_t heads_ = 1;
  Open open_;
  PairNumbers grams_;
  Steps steps_;
  std::vector<uint32_t> numbers_, occurrences_, seen_, first_, second_;
  std::vector<Order> orders_;
};
