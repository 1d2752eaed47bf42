// Twin of kernels/fragments.py: the runs of a source that a summary is put together from.
#include "column.hpp"
#include "parallel.hpp"
#include "places.hpp"

namespace {

class Fragments {
public:
  // Where each token of a source stands.
  void index(Row source) {
    source_ = source;
    numbers_.clear(source.size);
    first_.clear();
    following_.assign(source.size, none);
    for (uint32_t place = static_cast<uint32_t>(source.size); place--;) {
      uint32_t number = numbers_.add(key_of(source[place]));
      if (number == first_.size()) first_.push_back(none);
      following_[place] = first_[number];
      first_[number] = place;
    }
  }

  // The fragments, left to right: at each place of the summary the longest run, on a tie the first in the source; then on behind it.
  void find(Row summary, bool exhaustive, std::vector<int64_t> &found) {
    for (size_t start = 0; start < summary.size;) {
      size_t best = 0, best_place = 0, tried = 0;
      uint32_t number = numbers_.find(key_of(summary[start]));
      for (uint32_t place = number == Numbering::none ? none : first_[number]; place != none; place = following_[place]) {
        size_t most = std::min(summary.size - start, source_.size - place);
        if (most <= best) break;
        if (place < tried && !exhaustive) continue;
        size_t length = 1;
        while (length < most && summary[start + length] == source_[place + length]) ++length;
        tried = place + length;
        steps_(length + 8);
        if (length > best) best = length, best_place = place;
      }
      if (best) {
        for (size_t number : {start, best_place, best}) found.push_back(static_cast<int64_t>(number));
      }
      start += std::max<size_t>(best, 1);
      steps_(8);
    }
  }

private:
  static constexpr uint32_t none = ~uint32_t{0};
  Row source_{};
  Steps steps_;
  Numbering numbers_;
  std::vector<uint32_t> first_, following_;
};

nb::object fragment_column(const Column &column, const Rows &summaries, const Rows &sources, bool exhaustive) {
  need(summaries.size() == sources.size(), "there must be as many sources as summaries.");
  std::vector<std::vector<int64_t>> found(summaries.size());
  {
    nb::gil_scoped_release release;
    parallel(summaries.size(), 20 * column.size(), [&](size_t first, size_t last) {
      Fragments fragments;
      for (size_t i = first; i < last; ++i) {
        if (i == first || sources[i] != sources[i - 1]) fragments.index(column[sources[i]]);
        fragments.find(column[summaries[i]], exhaustive, found[i]);
      }
    });
  }
  return ragged_of(found, 3);
}

} // namespace

void bind_fragments(nb::module_ &module) {
  module.def("fragment_column", &fragment_column, nb::arg("column"), nb::arg("summaries"), nb::arg("sources"), nb::arg("exhaustive") = false);
}
