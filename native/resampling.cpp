// Twin of kernels/resampling.py: how often each unit was drawn.
#include <stdexcept>

#include "column.hpp"
#include "parallel.hpp"

namespace {

using Drawn = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::object draw_counts(const Drawn &drawn, size_t units) {
  size_t draws = drawn.shape(1);
  Table<double> found(drawn.shape(0), units);
  {
    nb::gil_scoped_release release;
    parallel(drawn.shape(0), drawn.size(), [&](size_t first, size_t last) {
      // Half as wide as the result, so that more of it stays near the processor while it is written to in random order.
      std::vector<uint32_t> counts(units);
      Steps steps;
      for (size_t i = first; i < last; ++i) {
        steps(2 * draws + units + steps_of_a_row);
        std::fill(counts.begin(), counts.end(), 0);
        for (int32_t unit : RowOf<int32_t>{drawn.data() + i * draws, draws}) {
          if (unit < 0 || static_cast<size_t>(unit) >= units) throw std::invalid_argument("a unit was drawn that is not there.");
          ++counts[unit];
        }
        std::copy(counts.begin(), counts.end(), found[i]);
      }
    });
  }
  return found.numpy();
}

} // namespace

void bind_resampling(nb::module_ &module) { module.def("draw_counts", &draw_counts); }
