// The extension module: one line for each file of kernels.
#include "column.hpp"
#include "parallel.hpp"

#include <typeinfo>

void bind_alignment(nb::module_ &module);
void bind_alignment_compat(nb::module_ &module);
void bind_character(nb::module_ &module);
void bind_characters(nb::module_ &module);
void bind_compiled_metric(nb::module_ &module);
void bind_edit_operations(nb::module_ &module);
void bind_edits(nb::module_ &module);
void bind_fragments(nb::module_ &module);
void bind_jump_distance(nb::module_ &module);
void bind_lcs(nb::module_ &module);
void bind_leave_one_out(nb::module_ &module);
void bind_ngram_keys(nb::module_ &module);
void bind_ngram_sets(nb::module_ &module);
void bind_ngram_square(nb::module_ &module);
void bind_ngrams(nb::module_ &module);
void bind_porter(nb::module_ &module);
void bind_readability(nb::module_ &module);
void bind_resampling(nb::module_ &module);
void bind_skip_bigrams(nb::module_ &module);
void bind_tercom(nb::module_ &module);
void bind_texts(nb::module_ &module);
void bind_text_square(nb::module_ &module);
void bind_tfidf(nb::module_ &module);
void bind_token_ids(nb::module_ &module);
void bind_weighted_lcs(nb::module_ &module);
void bind_word_order(nb::module_ &module);
void bind_wordnet(nb::module_ &module);

NB_MODULE(_native, module) {
  module.doc() = "Compiled twins of nlgauge's kernels; nlgauge._core.backend chooses between the two.";
  module.attr("SOURCES") = NLGAUGE_SOURCES;
  // Compiled forms of metrics are remembered until the interpreter ends, which is no leak.
  nb::set_leak_warnings(false);
  module.def(
      "set_threads",
      [](size_t most, size_t worthwhile) {
        need(most >= 1 && most <= 1024 && worthwhile >= 1, "there must be 1 to 1024 threads, and another thread is worthwhile from 1 step on.");
        threads_allowed().most = most;
        threads_allowed().worthwhile = worthwhile;
      },
      nb::arg("most"), nb::arg("worthwhile") = 300'000);
  module.def("set_patience", [](size_t steps) { interrupts().patience = steps; });
  module.def("stop_kernels", [] { ++interrupts().stops; });
  nb::register_exception_translator([](const std::exception_ptr &problem, void *) {
    try {
      std::rethrow_exception(problem);
    } catch (const Ended &) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const std::bad_cast &) {
      PyErr_SetString(PyExc_TypeError, "an argument, or what a function of it gave, is of the wrong type.");
    }
  });
  bind_alignment(module);
  bind_alignment_compat(module);
  bind_character(module);
  bind_characters(module);
  bind_compiled_metric(module);
  bind_edit_operations(module);
  bind_edits(module);
  bind_fragments(module);
  bind_jump_distance(module);
  bind_lcs(module);
  bind_leave_one_out(module);
  bind_ngram_keys(module);
  bind_ngram_sets(module);
  bind_ngram_square(module);
  bind_ngrams(module);
  bind_porter(module);
  bind_readability(module);
  bind_resampling(module);
  bind_skip_bigrams(module);
  bind_tercom(module);
  bind_texts(module);
  bind_text_square(module);
  bind_tfidf(module);
  bind_token_ids(module);
  bind_weighted_lcs(module);
  bind_word_order(module);
  bind_wordnet(module);
}
