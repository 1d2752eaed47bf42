// Twin of kernels/backwards.py: the states of a recursion from the last to the first, without keeping all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// A table of fewer bytes is kept whole.
constexpr size_t small_table = 1 << 24;

// `advance(state, item)` makes the state after an item from the one before; `keep(state, slot)` writes down what is wanted of it, which takes
// `found_size` bytes where a state takes `size`. From the last item to the first `back(item, slot)` reads that, until it says that it is enough.
template <typename State, typename Advance, typename Keep, typename Back>
void backwards(const State &first, size_t items, const Advance &advance, double size, const Keep &keep, double found_size, const Back &back) {
  size_t width = items;
  if (found_size * double(items) >= double(small_table)) width = size_t(std::sqrt(double(items) * std::max(1.0, size / found_size)));
  width = std::max<size_t>(1, width);
  std::vector<State> kept{first};
  for (size_t start = 0; start + width < items; start += width) {
    State state = kept.back();
    for (size_t item = start; item < start + width; ++item) advance(state, item);
    kept.push_back(std::move(state));
  }
  for (; !kept.empty(); kept.pop_back()) {
    State &state = kept.back();
    size_t start = (kept.size() - 1) * width, end = std::min(items, start + width);
    for (size_t item = start; item < end; ++item) {
      advance(state, item);
      keep(state, item - start);
    }
    for (size_t item = end; item-- > start;) {
      if (!back(item, item - start)) return;
    }
  }
}
