// Twin of kernels/lcs.py: longest common subsequences.
#include "backwards.hpp"
#include "column.hpp"
#include "pairs.hpp"
#include "parallel.hpp"
#include "places.hpp"
#include "unions.hpp"

#include <nanobind/stl/vector.h>

namespace {

// A column of the table of lengths, one bit per token of the reference (Hyyrö 2004), becomes that of the next predicted token.
void advance(std::vector<uint64_t> &column, const uint64_t *mask) {
  if (!mask) return;
  uint64_t carry = 0;
  for (size_t word = 0; word < column.size(); ++word) {
    uint64_t matched = column[word] & mask[word];
    uint64_t sum = column[word] + matched;
    uint64_t overflow = sum < matched;
    sum += carry;
    overflow |= sum < carry;
    column[word] = sum | (column[word] - matched);
    carry = overflow;
  }
}

class Subsequences {
public:
  // The length of the longest one.
  size_t length(Row prediction, Row reference) {
    // What both begin and end with belongs to a longest one in any case.
    size_t length = without_common_ends(prediction, reference);
    if (!prediction.size || !reference.size) return length;
    masks_.index(reference);
    if (reference.size <= 64) return length + short_length(prediction);
    column_.assign(masks_.words(), ~uint64_t{0});
    steps_.for_each(prediction, masks_.words(), [&](int32_t token) { advance(column_, masks_.bits(token)); });
    for (uint64_t bits : column_) length += ones(~bits);
    return length;
  }
  // The places in the reference of the one that the Python kernel finds.
  void places(Row reference, Row prediction, std::vector<size_t> &found) {
    found.clear();
    // The way back takes what both end with as it is.
    while (reference.size && prediction.size && reference[reference.size - 1] == prediction[prediction.size - 1]) {
      found.push_back(--reference.size), --prediction.size;
    }
    if (reference.size && prediction.size) walk_back(reference, prediction, found);
    std::reverse(found.begin(), found.end());
  }

private:
  size_t short_length(Row prediction) {
    uint64_t column = ~uint64_t{0};
    steps_(2 * prediction.size);
    for (int32_t token : prediction) {
      const uint64_t *mask = masks_.bits(token);
      uint64_t matched = mask ? column & *mask : 0;
      column = (column + matched) | (column - matched);
    }
    return ones(~column);
  }
  void walk_back(Row reference, Row prediction, std::vector<size_t> &found) {
    masks_.index(reference);
    size_t words = masks_.words(), size = 8 * words;
    auto next = [&](std::vector<uint64_t> &column, size_t j) { steps_(2 * words), advance(column, masks_.bits(prediction[j])); };
    auto keep = [&](const std::vector<uint64_t> &column, size_t slot) {
      if ((slot + 1) * words > kept_.size()) kept_.resize(std::max(2 * kept_.size(), (slot + 1) * words));
      std::copy(column.begin(), column.end(), kept_.begin() + slot * words);
    };
    size_t end = reference.size, wanted = prediction.size;
    auto back = [&](size_t j, size_t slot) {
      if (j >= wanted) return true;
      const uint64_t *column = kept_.data() + slot * words, *mask = masks_.bits(prediction[j]);
      while (end && !((~column[(end - 1) / 64] | (mask ? mask[(end - 1) / 64] : 0)) >> (end - 1) % 64 & 1)) --end;
      if (!end) return false;
      found.push_back(--end);
      wanted = j;
      if (prediction[j] != reference[end]) {
        while (wanted && prediction[wanted - 1] != reference[end]) --wanted;
        if (!wanted) return false;
        --wanted;
      }
      return true;
    };
    backwards(std::vector<uint64_t>(words, ~uint64_t{0}), prediction.size, next, double(size), keep, double(size), back);
  }

  Steps steps_;
  Places masks_;
  std::vector<uint64_t> column_, kept_;
};

nb::object lcs_lengths(const Column &column, const Rows &predictions, const Rows &references) {
  need_pairs(predictions, references);
  Table<double> found(predictions.size(), 1);
  each_row<Subsequences>(predictions.size(), cells_of(column, predictions, references, 32), [&](Subsequences &subsequences, size_t i) {
    *found[i] = double(subsequences.length(column[predictions[i]], column[references[i]]));
  });
  return found.flat();
}

nb::object union_lcs_hits(const Column &column, const GroupColumn &predictions, const GroupColumn &references) {
  need(references.rows() == predictions.rows(), "there must be references for every prediction.");
  Table<double> hits(predictions.rows(), 1);
  {
    nb::gil_scoped_release release;
    parallel(predictions.rows(), cells_of(column, predictions, references, 16), [&](size_t first, size_t last) {
      Subsequences subsequences;
      Sentences sentences;
      Unions unions;
      auto places = [&](Row reference, Row prediction, std::vector<size_t> &found) { subsequences.places(reference, prediction, found); };
      for (size_t i = first; i < last; ++i) {
        RowOf<int64_t> predicted = predictions[int64_t(i)], expected = references[int64_t(i)];
        if (predicted.size == 1 && expected.size == 1) {
          *hits[i] = double(subsequences.length(column[predicted[0]], column[expected[0]]));
          continue;
        }
        sentences.index(column, predicted);
        unions.make(column, expected, sentences, places);
        for (int64_t sentence : expected) {
          // The reference has each of these places, so only the prediction's tokens can run out.
          for (size_t place : unions[sentence]) {
            size_t *left = sentences.count(column[sentence][place]);
            if (*left) --*left, ++*hits[i];
          }
        }
      }
    });
  }
  return hits.flat();
}

std::vector<size_t> lcs_places(const std::vector<int32_t> &reference, const std::vector<int32_t> &prediction) {
  std::vector<size_t> found;
  Subsequences().places({reference.data(), reference.size()}, {prediction.data(), prediction.size()}, found);
  return found;
}

} // namespace

void bind_lcs(nb::module_ &module) {
  module.def("lcs_lengths", &lcs_lengths);
  module.def("lcs_places", &lcs_places);
  module.def("union_lcs_hits", &union_lcs_hits);
}
