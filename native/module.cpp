// The extension module: one line for each file of kernels.
#include "column.hpp"
#include "parallel.hpp"

void bind_character(nb::module_ &module);
void bind_edits(nb::module_ &module);
void bind_jump_distance(nb::module_ &module);
void bind_lcs(nb::module_ &module);
void bind_ngrams(nb::module_ &module);
void bind_skip_bigrams(nb::module_ &module);
void bind_tercom(nb::module_ &module);
void bind_weighted_lcs(nb::module_ &module);
void bind_word_order(nb::module_ &module);

NB_MODULE(_native, module) {
  module.doc() = "Compiled twins of nlgauge's kernels; nlgauge.kernels.backend chooses between the two.";
  module.attr("SOURCES") = NLGAUGE_SOURCES;
  module.def(
      "set_threads",
      [](size_t most, size_t worthwhile) {
        threads_allowed().most = most;
        threads_allowed().worthwhile = worthwhile;
      },
      nb::arg("most"), nb::arg("worthwhile") = 300'000);
  bind_character(module);
  bind_edits(module);
  bind_jump_distance(module);
  bind_lcs(module);
  bind_ngrams(module);
  bind_skip_bigrams(module);
  bind_tercom(module);
  bind_weighted_lcs(module);
  bind_word_order(module);
}
