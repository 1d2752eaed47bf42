// Twin of kernels/alignment.py: the alignments of METEOR with most matches, then fewest chunks.
#include "alignment_search.hpp"
#include "parallel.hpp"

namespace {

using fewest_chunks::Search;

nb::object word_alignments(const Column &column, const Rows &predictions, const Rows &references, const Modules &modules, size_t budget) {
  need_pairs(predictions, references);
  need(budget <= fewest_chunks::most_budget, "the budget of a search must be at most 2 ** 32 steps.");
  std::vector<Matches> found(predictions.size());
  each_row<Search>(predictions.size(), 500 * column.size(), [&](Search &search, size_t i) {
    found[i] = search.align(column[predictions[i]], column[references[i]], modules, budget);
  });
  return ragged_of(found, 5);
}

} // namespace

void bind_alignment(nb::module_ &module) { module.def("word_alignments", &word_alignments); }
