// Twin of kernels/character.py: CharacTER's edits.
#include "character.hpp"
#include "pairs.hpp"
#include "parallel.hpp"

namespace {

nb::object character_edits(const Column &column, const Rows &predictions, const Rows &references, bool rounded) {
  need_pairs(predictions, references);
  Table<double> found(predictions.size(), 2);
  std::vector<std::vector<int64_t>> shifts(predictions.size());
  each_row<CharacterEdits>(predictions.size(), cells_of(column, predictions, references), [&](CharacterEdits &edits, size_t i) {
    edits.edit(column[predictions[i]], column[references[i]], rounded, found[i], shifts[i]);
  });
  return nb::make_tuple(found.numpy(), ragged_of(shifts, 3));
}

} // namespace

void bind_character(nb::module_ &module) {
  module.def("character_edits", &character_edits, nb::arg("column"), nb::arg("predictions"), nb::arg("references"), nb::arg("rounded"));
}
