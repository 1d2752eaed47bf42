// Levenshtein alignments with unit costs, and their edits.
#pragma once

#include "column.hpp"
#include "interrupts.hpp"
#include "pairs.hpp"
#include "levenshtein.hpp"
#include "places.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

// A table of as many bytes, two bits for each cell, or more is not kept; the alignment is then made in two halves.
inline constexpr size_t most_kept = 1 << 20;

struct AlignmentCounts {
  size_t deletions = 0, insertions = 0;
};

// Counts the edits of the alignment that rapidfuzz chooses among the cheapest ones, from reference to prediction.
class Aligner {
public:
  // Substitutions, deletions, insertions and hits.
  void count(Row reference, Row prediction, double *found) {
    AlignmentCounts counts;
    size_t distance = align(reference, prediction, std::max(reference.size, prediction.size), counts);
    size_t substitutions = distance - counts.deletions - counts.insertions;
    found[0] = double(substitutions), found[1] = double(counts.deletions), found[2] = double(counts.insertions);
    found[3] = double(reference.size - substitutions - counts.deletions);
  }

private:
  // Adds to the counts and gives the distance, which is `most` at most.
  size_t align(Row reference, Row prediction, size_t most, AlignmentCounts &counts) {
    without_common_ends(reference, prediction);
    if (!reference.size || !prediction.size) {
      counts.deletions += reference.size, counts.insertions += prediction.size;
      return reference.size + prediction.size;
    }
    most = std::min(most, std::max(reference.size, prediction.size));
    size_t band = std::min(reference.size, 2 * most + 1);
    if (2 * band * prediction.size / 8 < most_kept || reference.size < 65 || prediction.size < 10) {
      return reference.size <= 64 ? align_word(reference, prediction, counts) : align_words(reference, prediction, most, counts);
    }
    return align_halves(reference, prediction, most, counts);
  }

  // References of one word of bits.
  size_t align_word(Row reference, Row prediction, AlignmentCounts &counts) {
    steps_(4 * prediction.size);
    if (Letters::are(reference) && Letters::are(prediction)) {
      letters_.index<1>(reference);
      keep_word(prediction, [&](int32_t token) { return *letters_.bits<1>(token); });
      letters_.clear<1>(reference);
    } else {
      masks_.index(reference);
      keep_word(prediction, [&](int32_t token) {
        const uint64_t *places = masks_.bits(token);
        return places ? *places : 0;
      });
    }
    const Cells &cells = kept_.back();
    auto cell = [&](size_t row, size_t) { return kept_[row]; };
    walk_back(reference.size, prediction.size, counts, cell);
    uint64_t used = reference.size == 64 ? ~uint64_t{0} : (uint64_t{1} << reference.size) - 1;
    return prediction.size + ones(cells.more & used) - ones(cells.less & used);
  }

  template <typename PlacesOf> void keep_word(Row prediction, const PlacesOf &places_of) {
    kept_.resize(prediction.size);
    Cells cells;
    for (size_t row = 0; row < prediction.size; ++row) {
      Carry carry;
      descend(cells, places_of(prediction[row]), carry);
      kept_[row] = cells;
    }
  }

  size_t align_words(Row reference, Row prediction, size_t most, AlignmentCounts &counts) {
    masks_.index(reference);
    row_.start(reference.size, most);
    kept_.clear(), starts_.clear();
    steps_.for_each(prediction, masks_.words(), [&](int32_t token) {
      row_.descend(masks_.bits(token));
      starts_.push_back({row_.first(), row_.end(), kept_.size()});
      for (size_t word = row_.first(); word < row_.end(); ++word) kept_.push_back(row_[word]);
    });
    auto cell = [&](size_t row, size_t word) {
      const Kept &kept = starts_[row];
      return word < kept.first || word >= kept.end ? Cells{} : kept_[kept.start + word - kept.first];
    };
    walk_back(reference.size, prediction.size, counts, cell);
    return row_.last();
  }

  // From the last cell: a deletion where it is cheapest, then an insertion where the diagonal costs one more than it, else the diagonal.
  template <typename Cell> static void walk_back(size_t column, size_t row, AlignmentCounts &counts, const Cell &cell) {
    while (row && column) {
      if (cell(row - 1, (column - 1) / 64).more >> (column - 1) % 64 & 1) {
        ++counts.deletions, --column;
      } else {
        --row;
        if (row && cell(row - 1, (column - 1) / 64).less >> (column - 1) % 64 & 1) {
          ++counts.insertions;
        } else {
          --column;
        }
      }
    }
    counts.deletions += column, counts.insertions += row;
  }

  // The first half of the prediction with as many tokens of the reference as are cheapest, the fewest on a tie, and the second with the rest.
  size_t align_halves(Row reference, Row prediction, size_t most, AlignmentCounts &counts) {
    size_t half = prediction.size / 2;
    std::vector<size_t> left, right;
    costs(reference, prediction.first(half), most, left);
    std::vector<int32_t> backward_reference(reference.begin(), reference.end()), backward_prediction(prediction.begin() + half, prediction.end());
    std::reverse(backward_reference.begin(), backward_reference.end());
    std::reverse(backward_prediction.begin(), backward_prediction.end());
    costs({backward_reference.data(), reference.size}, {backward_prediction.data(), prediction.size - half}, most, right);
    size_t cut = 0;
    for (size_t column = 1; column <= reference.size; ++column) {
      if (left[column] + right[reference.size - column] < left[cut] + right[reference.size - cut]) cut = column;
    }
    size_t before = left[cut], after = right[reference.size - cut];
    align(reference.first(cut), prediction.first(half), before, counts);
    align(reference.from(cut), prediction.from(half), after, counts);
    return before + after;
  }

  // What it costs to turn the prediction into so many first tokens of the reference, for all numbers of them.
  void costs(Row reference, Row prediction, size_t most, std::vector<size_t> &found) {
    masks_.index(reference);
    row_.start(reference.size, most);
    steps_.for_each(prediction, masks_.words(), [&](int32_t token) { row_.descend(masks_.bits(token)); });
    row_.costs(found, reference.size + prediction.size);
  }

  struct Kept {
    size_t first, end, start;
  };

  Steps steps_;
  Letters letters_;
  Places masks_;
  GridRow row_;
  std::vector<Cells> kept_;
  std::vector<Kept> starts_;
};
