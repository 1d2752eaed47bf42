// Twin of kernels/character.py: CharacTER's edits.
#include "column.hpp"
#include "levenshtein.hpp"
#include "pairs.hpp"
#include "parallel.hpp"
#include "shifts.hpp"

#include <cmath>

namespace {

constexpr int64_t most_cells = 200'000'000'000;
constexpr int32_t space = ' ';

// The words of a row.
void split(Row characters, std::vector<Row> &words) {
  words.clear();
  size_t start = 0;
  for (size_t end = 0; end <= characters.size; ++end) {
    if (end < characters.size && characters[end] != space) continue;
    if (end > start) words.push_back({characters.data + start, end - start});
    start = end + 1;
  }
}

class Phrases {
public:
  // Characters to edit after the shifts, the cost of the shifts, and these.
  void edit(Row prediction, Row reference, bool rounded, double *found, std::vector<int64_t> &shifts) {
    split(prediction, words_);
    predicted_ = words_.size();
    split(reference, expected_words_);
    words_.insert(words_.end(), expected_words_.begin(), expected_words_.end());
    rank_words();
    original_ = current_;
    shift_phrases(rounded, shifts);
    found[0] = double(distance_(joined(), reference));
    found[1] = shifts.empty() ? 0.0 : shift_cost();
  }

private:
  // One number for each word, in the words' order, so that lists of numbers compare as those of words do.
  void rank_words() {
    order_.clear();
    for (size_t i = 0; i < words_.size(); ++i) {
      Row word = words_[i];
      order_.push_back({uint64_t(uint32_t(word[0])) << 32 | (word.size > 1 ? uint32_t(word[1]) + 1 : 0), i});
    }
    std::sort(order_.begin(), order_.end(), [&](const Ranked &left, const Ranked &right) {
      return left.start != right.start ? left.start < right.start : compare(words_[left.word], words_[right.word]) < 0;
    });
    current_.resize(predicted_), expected_.resize(words_.size() - predicted_), spelling_.clear();
    for (size_t i = 0; i < order_.size(); ++i) {
      Row word = words_[order_[i].word];
      if (!i || order_[i - 1].start != order_[i].start || compare(spelling_.back(), word)) spelling_.push_back(word);
      size_t side = order_[i].word;
      (side < predicted_ ? current_[side] : expected_[side - predicted_]) = int32_t(spelling_.size() - 1);
    }
  }
  static int compare(Row left, Row right) {
    for (size_t i = 0; i < std::min(left.size, right.size); ++i) {
      if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    }
    return left.size == right.size ? 0 : left.size < right.size ? -1 : 1;
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
    int64_t lowest = int64_t(std::max(current_.size(), expected_.size())) - int64_t(in_common());
    while (distance > (rounded && !shifts.empty() ? 0.0 : double(lowest) / unit)) {
      bool has_best = false;
      int32_t best = 0;
      Shift best_shift{};
      int32_t now = int32_t(std::nearbyint(distance * unit));
      each_phrase([&](const Shift &shift) {
        left -= int64_t(current_.size()) * int64_t(expected_.size());
        if (left < 0 && !rounded) return false;
        if (has_best && int32_t(shift.most_gained()) < now - best) return true;
        int32_t words_off = grid.distance_with(current_, shift);
        if (!rounded && !has_best && words_off > int32_t(distance) - 1) return true;
        if (has_best && words_off > best) return true;
        if (has_best && words_off == best) {
          shifted_ = current_;
          shift.apply(shifted_);
          if (shifted_ <= best_words_) return true;
          best_words_.swap(shifted_);
        } else {
          best_words_ = current_;
          shift.apply(best_words_);
        }
        has_best = true, best = words_off, best_shift = shift;
        return true;
      });
      double gain = has_best ? distance - double(best) / unit : 0.0;
      if (!has_best || gain <= 0 || (left < 0 && !rounded)) break;
      distance -= gain;
      current_.swap(best_words_);
      shifts.insert(shifts.end(), {int64_t(best_shift.start), int64_t(best_shift.length), int64_t(best_shift.target)});
      grid.forward(current_);
    }
  }

  // Places of word n in the reference: places_ from ends_[n] to ends_[n + 1].
  void index_places() {
    ends_.assign(spelling_.size() + 2, 0);
    for (int32_t word : expected_) ++ends_[size_t(word) + 2];
    for (size_t word = 2; word < ends_.size(); ++word) ends_[word] += ends_[word - 1];
    places_.resize(expected_.size());
    for (size_t place = 0; place < expected_.size(); ++place) places_[ends_[size_t(expected_[place]) + 1]++] = place;
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
      for (size_t k = ends_[size_t(current_[start])]; k < ends_[size_t(current_[start]) + 1]; ++k) {
        if (places_[k] == start) continue;
        size_t length = common(current_, start, expected_, places_[k]);
        if (!back(Shift{start, length, std::min(places_[k], current_.size() - length)})) return;
      }
    }
  }
  // The number of words that are the same from here on.
  static size_t common(const std::vector<int32_t> &ours, size_t start, const std::vector<int32_t> &theirs, size_t place) {
    size_t length = 0;
    while (start + length < ours.size() && place + length < theirs.size() && ours[start + length] == theirs[place + length]) ++length;
    return length;
  }

  // The row of the words after the shifts.
  Row joined() {
    joined_.clear();
    for (int32_t number : current_) {
      Row word = spelling_[size_t(number)];
      if (!joined_.empty()) joined_.push_back(space);
      joined_.insert(joined_.end(), word.begin(), word.end());
    }
    return {joined_.data(), joined_.size()};
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

  struct Ranked {
    uint64_t start; // its first two characters
    size_t word;
  };

  SmallGrid small_;
  LargeGrid large_;
  Distance distance_;
  size_t predicted_ = 0;
  std::vector<Row> words_, expected_words_, spelling_;
  std::vector<Ranked> order_;
  std::vector<int32_t> original_, current_, expected_, shifted_, best_words_, joined_;
  std::vector<size_t> ends_, places_, counts_;
};

nb::object character_edits(const Column &column, const Rows &predictions, const Rows &references, bool rounded) {
  Table<double> found(predictions.size(), 2);
  std::vector<std::vector<int64_t>> shifts(predictions.size());
  each_row<Phrases>(predictions.size(), cells_of(column, predictions, references), [&](Phrases &phrases, size_t i) {
    phrases.edit(column[predictions[i]], column[references[i]], rounded, found[i], shifts[i]);
  });
  return nb::make_tuple(found.numpy(), ragged_of(shifts, 3));
}

} // namespace

void bind_character(nb::module_ &module) {
  module.def("character_edits", &character_edits, nb::arg("column"), nb::arg("predictions"), nb::arg("references"), nb::arg("rounded"));
}
