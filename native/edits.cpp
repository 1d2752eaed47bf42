// Twin of kernels/edits.py: Levenshtein alignments with unit costs.
#include "aligner.hpp"
#include "pairs.hpp"
#include "parallel.hpp"

namespace {

nb::object edit_counts(const Column &column, const Rows &predictions, const Rows &references) {
  need_pairs(predictions, references);
  Table<double> counts(predictions.size(), 4);
  each_row<Aligner>(predictions.size(), cells_of(column, predictions, references, 16), [&](Aligner &aligner, size_t i) {
    aligner.count(column[references[i]], column[predictions[i]], counts[i]);
  });
  return counts.numpy();
}

nb::object edit_distances(const Column &column, const Rows &predictions, const Rows &references) {
  need_pairs(predictions, references);
  Table<double> distances(predictions.size(), 1);
  each_row<Distance>(predictions.size(), cells_of(column, predictions, references, 16), [&](Distance &distance, size_t i) {
    *distances[i] = double(distance(column[predictions[i]], column[references[i]]));
  });
  return distances.flat();
}

} // namespace

void bind_edits(nb::module_ &module) {
  module.def("edit_counts", &edit_counts);
  module.def("edit_distances", &edit_distances);
}
