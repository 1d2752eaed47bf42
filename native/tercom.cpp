// Twin of kernels/tercom.py: Tercom's edits, found greedily.
#include "pairs.hpp"
#include "parallel.hpp"
#include "tercom.hpp"

namespace {

nb::object shift_edits(const Column &column, const Rows &predictions, const Rows &references) {
  need_pairs(predictions, references);
  Table<double> edits(predictions.size(), 1);
  std::vector<std::vector<int64_t>> shifts(predictions.size());
  each_row<tercom::Search>(predictions.size(), 16 * cells_of(column, predictions, references), [&](tercom::Search &search, size_t i) {
    *edits[i] = double(search.path(column[predictions[i]], column[references[i]], shifts[i]));
  });
  return nb::make_tuple(edits.flat(), ragged_of(shifts, 3));
}

} // namespace

void bind_tercom(nb::module_ &module) { module.def("shift_edits", &shift_edits); }
