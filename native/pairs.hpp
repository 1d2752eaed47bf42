// What kernels of pairs share: how much work there is, and what two rows begin and end with.
#pragma once

#include "column.hpp"

// About how many cells the grids of all pairs have, for kernels that compute `wide` of them at once.
inline size_t cells_of(const Column &column, const Rows &predictions, const Rows &references, size_t wide = 1) {
  size_t cells = 0;
  for (size_t i = 0; i < predictions.size(); ++i) {
    size_t length = column[predictions[i]].size, other = column[references[i]].size;
    cells += 8 * (length + other) + length * other / wide;
  }
  return cells;
}

// Takes off what both rows begin and end with, and tells how much that was.
inline size_t without_common_ends(Row &left, Row &right) {
  size_t most = std::min(left.size, right.size), start = 0, end = 0;
  while (start < most && left[start] == right[start]) ++start;
  left = left.from(start), right = right.from(start), most -= start;
  while (end < most && left[left.size - 1 - end] == right[right.size - 1 - end]) ++end;
  left.size -= end, right.size -= end;
  return start + end;
}
