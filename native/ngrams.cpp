// Twin of kernels/ngrams.py: clipped n-gram matches.
#include "ngrams.hpp"
#include "parallel.hpp"

namespace {

nb::object ngram_matches(const Column &column, const Rows &predictions, const GroupColumn &references, size_t orders) {
  need(references.rows() == predictions.size(), "there must be references for every prediction.");
  Table<double> matches(predictions.size(), orders);
  struct Scratch {
    Matcher matcher;
    std::vector<Row> references;
  };
  each_row<Scratch>(predictions.size(), 8 * orders * column.size(), [&](Scratch &scratch, size_t i) {
    scratch.references.clear();
    for (int64_t reference : references[i]) scratch.references.push_back(column[reference]);
    scratch.matcher.match(column[predictions[i]], {scratch.references.data(), scratch.references.size()}, orders, matches[i]);
  });
  return matches.numpy();
}

} // namespace

void bind_ngrams(nb::module_ &module) { module.def("ngram_matches", &ngram_matches); }
