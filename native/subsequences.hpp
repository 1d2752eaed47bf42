// Longest common subsequences of two rows.
#pragma once

#include "backwards.hpp"
#include "column.hpp"
#include "interrupts.hpp"
#include "pairs.hpp"
#include "places.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

// A column of the table of lengths, one bit per token of the reference (Hyyrö 2004), becomes that of the next predicted token.
inline void advance(std::vector<uint64_t> &column, const uint64_t *mask) {
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
