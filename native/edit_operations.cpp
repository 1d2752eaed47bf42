// Twin of kernels/edit_operations.py: n-grams added, kept and deleted by a rewriting and by the references.
#include "grams.hpp"
#include "parallel.hpp"

#include <limits>

namespace {

// The counts of one order: what stood there before, what stands there after, and what the references say, all in units of 1/references.
class Operations {
public:
  void start(const Column &column, int64_t source, int64_t prediction, RowOf<int64_t> references) {
    unit_ = references.size;
    grams_.clear();
    grams_.add(column[source]);
    grams_.add(column[prediction]);
    for (int64_t reference : references) grams_.add(column[reference]);
  }
  void lengthen() {
    grams_.lengthen();
    grams_.count(0, before);
    grams_.count(1, after);
    for (size_t gram = 0; gram < before.size(); ++gram) before[gram] *= unit_, after[gram] *= unit_;
    expected.assign(grams_.different(), 0);
    for (size_t row = 2; row < grams_.rows(); ++row) {
      for (uint32_t gram : grams_[row]) ++expected[gram];
    }
  }
  // For additions, keeps and deletions how often an n-gram was done, was wanted, and was right.
  struct One {
    size_t done, wanted, right;
  };
  One operation(size_t which, size_t gram, bool exceeding) const {
    size_t b = before[gram], a = after[gram], e = expected[gram];
    if (which == 0) return {!b && a, !b && e, !b && a && e};
    if (which == 1) return {std::min(b, a), std::min(b, e), std::min({b, a, e})};
    size_t deleted = less(b, a), wanted = less(b, e);
    return {deleted, wanted, exceeding ? less(deleted, e) : std::min(deleted, wanted)};
  }
  double unit(size_t which) const { return which == 0 ? 1.0 : double(unit_); }

  std::vector<size_t> before, after, expected;

private:
  static size_t less(size_t a, size_t b) { return a > b ? a - b : 0; }

  Grams grams_;
  size_t unit_ = 0;
};

// Calls work(operations, row, place) for each row, order and operation; places are numbered from 0 on in each row.
template <typename Work>
void each_operation(const Column &column, const Rows &sources, const Rows &predictions, const GroupColumn &references, size_t orders, const Work &work) {
  need_pairs(predictions, sources);
  need(references.rows() == predictions.size(), "there must be references for every prediction.");
  each_row<Operations>(predictions.size(), 20 * orders * column.size(), [&](Operations &operations, size_t i) {
    operations.start(column, sources[i], predictions[i], references[static_cast<int64_t>(i)]);
    for (size_t n = 0; n < orders; ++n) {
      operations.lengthen();
      for (size_t which = 0; which < 3; ++which) work(operations, i, n * 3 + which);
    }
  });
}

nb::object operation_counts(const Column &column, const Rows &sources, const Rows &predictions, const GroupColumn &references, size_t orders) {
  Table<double> counts(predictions.size(), orders, 9);
  each_operation(column, sources, predictions, references, orders, [&](const Operations &operations, size_t i, size_t place) {
    size_t which = place % 3, right = 0, done = 0, wanted = 0;
    for (size_t gram = 0; gram < operations.before.size(); ++gram) {
      auto one = operations.operation(which, gram, false);
      right += one.right, done += one.done, wanted += one.wanted;
    }
    double *row = counts[i] + place * 3;
    row[0] = double(right) / operations.unit(which);
    row[1] = double(done) / operations.unit(which);
    row[2] = double(wanted) / operations.unit(which);
  });
  return counts.shaped({predictions.size(), orders, 3, 3});
}

nb::object operation_shares(const Column &column, const Rows &sources, const Rows &predictions, const GroupColumn &references, size_t orders) {
  Table<double> shares(predictions.size(), orders, 6);
  each_operation(column, sources, predictions, references, orders, [&](const Operations &operations, size_t i, size_t place) {
    double sums[2] = {};
    size_t sizes[2] = {};
    // Kept and deleted n-grams are the source's, which have the first numbers, in the order of its text.
    for (size_t gram = 0; gram < operations.before.size(); ++gram) {
      auto one = operations.operation(place % 3, gram, true);
      size_t wholes[2] = {one.done, one.wanted};
      for (size_t side = 0; side < 2; ++side) {
        sizes[side] += wholes[side] > 0;
        if (one.right) sums[side] += double(one.right) / double(wholes[side]);
      }
    }
    for (size_t side = 0; side < 2; ++side) {
      shares[i][place * 2 + side] = sizes[side] ? sums[side] / double(sizes[side]) : std::numeric_limits<double>::quiet_NaN();
    }
  });
  return shares.shaped({predictions.size(), orders, 3, 2});
}

} // namespace

void bind_edit_operations(nb::module_ &module) {
  module.def("operation_counts", &operation_counts);
  module.def("operation_shares", &operation_shares);
}
