// Twin of kernels/lcs.py: longest common subsequences.
#include "pairs.hpp"
#include "parallel.hpp"
#include "subsequences.hpp"
#include "unions.hpp"

#include <nanobind/stl/vector.h>

namespace {

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
      for (size_t i = first; i < last; ++i) {
        *hits[i] = double(union_hits(column, predictions[int64_t(i)], references[int64_t(i)], subsequences, sentences, unions));
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
