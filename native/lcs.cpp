// Twin of kernels/lcs.py: longest common subsequences.
#include "column.hpp"
#include "parallel.hpp"
#include "places.hpp"

namespace {

// The length of the longest common subsequence; a column of the table of lengths is one bit per token of the reference (Hyyrö 2004).
size_t lcs_length(Row prediction, Row reference, Places &masks, std::vector<uint64_t> &column) {
  // What both begin and end with belongs to a longest one in any case.
  size_t length = 0;
  while (prediction.size && reference.size && prediction[0] == reference[0]) prediction = prediction.from(1), reference = reference.from(1), ++length;
  while (prediction.size && reference.size && prediction[prediction.size - 1] == reference[reference.size - 1]) --prediction.size, --reference.size, ++length;
  if (!prediction.size || !reference.size) return length;
  masks.index(reference);
  column.assign(masks.words(), ~uint64_t{0});
  for (int32_t token : prediction) {
    const uint64_t *mask = masks.bits(token);
    if (!mask) continue;
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
  for (size_t place = 0; place < reference.size; ++place) length += ~column[place / 64] >> place % 64 & 1;
  return length;
}

nb::object lcs_lengths(const Column &column, const Rows &predictions, const Rows &references) {
  Table<double> found(predictions.size(), 1);
  {
    nb::gil_scoped_release release;
    parallel(predictions.size(), 8 * column.size(), [&](size_t first, size_t last) {
      Places masks;
      std::vector<uint64_t> cells;
      for (size_t i = first; i < last; ++i) *found[i] = double(lcs_length(column[predictions[i]], column[references[i]], masks, cells));
    });
  }
  return found.flat();
}

} // namespace

void bind_lcs(nb::module_ &module) { module.def("lcs_lengths", &lcs_lengths); }
