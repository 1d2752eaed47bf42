// Twin of kernels/word_order.py: which word of the reference each word of the prediction is, and how many pairs stand in the same order.
#include "pairs.hpp"
#include "parallel.hpp"
#include "word_order.hpp"

namespace {

nb::object word_places(const Column &column, const Rows &predictions, const Rows &references, bool nltk) {
  need_pairs(predictions, references);
  std::vector<std::vector<int64_t>> found(predictions.size());
  each_row<WordOrder>(predictions.size(), 4 * cells_of(column, predictions, references, 4), [&](WordOrder &order, size_t i) {
    order.places(column[predictions[i]], column[references[i]], nltk, found[i]);
  });
  return ragged_of(found);
}

nb::object ascending_pairs(const GroupColumn &places) {
  Table<double> counts(places.rows(), 2);
  {
    nb::gil_scoped_release release;
    parallel(places.rows(), 64 * places.size(), [&](size_t first, size_t last) {
      AscendingPairs pairs;
      Steps steps;
      for (size_t i = first; i < last; ++i) {
        steps(32 * places[int64_t(i)].size + steps_of_a_row);
        pairs.count(places[int64_t(i)], counts[i]);
      }
    });
  }
  return counts.numpy();
}

} // namespace

void bind_word_order(nb::module_ &module) {
  module.def("ascending_pairs", &ascending_pairs);
  module.def("word_places", &word_places, nb::arg("column"), nb::arg("predictions"), nb::arg("references"), nb::arg("nltk") = false);
}
