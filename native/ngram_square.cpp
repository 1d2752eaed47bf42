// Twin of kernels/ngram_square.py: clipped n-gram matches of every prediction with every reference, and with the mean of all references.
#include "grams.hpp"
#include "ngram_index.hpp"
#include "parallel.hpp"

namespace {

std::vector<Row> rows_of(const Column &column, const Rows &numbers) {
  std::vector<Row> rows;
  rows.reserve(numbers.size());
  for (size_t k = 0; k < numbers.size(); ++k) rows.push_back(column[numbers[k]]);
  return rows;
}

nb::object ngram_square(const Column &column, const Rows &predictions, const Rows &references, size_t orders) {
  Table<double> matches(predictions.size(), references.size(), orders);
  std::vector<Row> predicted = rows_of(column, predictions), expected = rows_of(column, references);
  bool is_square = predictions.size() == references.size() && std::equal(predictions.values.data(), predictions.values.data() + predictions.size(), references.values.data());
  {
    nb::gil_scoped_release release;
    NgramIndex index(predicted, is_square ? nullptr : &expected, orders);
    size_t longest = 0;
    for (Row row : expected) longest = std::max(longest, row.size);
    CountShared count = best_count_shared();
    size_t cost = 8 * orders * expected.size() * predicted.size();
    parallel(predicted.size(), cost, [&](size_t first, size_t last) {
      Steps steps;
      uint64_t sums[set_lanes];
      for (size_t i = first; i < last; ++i) {
        for (size_t start = 0; start < expected.size(); start += set_lanes) {
          for (size_t n = 1; n <= std::min(orders, longest); ++n) {
            steps(steps_of_a_row);
            index.matches(i, n, start, count, sums);
            for (size_t j = start; j < std::min(start + set_lanes, expected.size()); ++j) matches[i][j * orders + n - 1] = double(sums[j - start]);
          }
        }
      }
    });
  }
  return matches.shaped({predicted.size(), expected.size(), orders});
}

nb::object mean_ngram_matches(const Column &column, const Rows &predictions, const Rows &references, const ReadOnly<double> &weights, size_t orders) {
  need(weights.shape(0) == references.size(), "there must be a weight for every reference.");
  Table<double> matches(predictions.size(), orders);
  Grams grams;
  grams.clear();
  size_t longest = 0;
  for (size_t row = 0; row < column.rows(); ++row) {
    grams.add(column[int64_t(row)]);
    longest = std::max(longest, column[int64_t(row)].size);
  }
  for (size_t k = 0; k < predictions.size() + references.size(); ++k) column[k < predictions.size() ? predictions[k] : references[k - predictions.size()]];
  {
    nb::gil_scoped_release release;
    std::vector<double> means;
    std::vector<uint32_t> counts;
    Steps steps;
    for (size_t n = 1; n <= std::min(orders, longest); ++n) {
      grams.lengthen();
      means.assign(grams.different(), 0.0), counts.assign(grams.different(), 0);
      // Each different n-gram of a row, with its count, in order of first appearance.
      auto each = [&](int64_t row, const auto &work) {
        RowOf<uint32_t> numbers = grams[size_t(row)];
        steps(4 * numbers.size + 8);
        for (uint32_t gram : numbers) ++counts[gram];
        for (uint32_t gram : numbers) {
          if (counts[gram]) work(gram, double(counts[gram])), counts[gram] = 0;
        }
      };
      for (size_t j = 0; j < references.size(); ++j) each(references[j], [&](uint32_t gram, double count) { means[gram] += weights.data()[j] * count; });
      for (size_t i = 0; i < predictions.size(); ++i) {
        double total = 0;
        each(predictions[i], [&](uint32_t gram, double count) { total += std::min(count, means[gram]); });
        matches[i][n - 1] = total;
      }
    }
  }
  return matches.numpy();
}

} // namespace

void bind_ngram_square(nb::module_ &module) {
  module.def("ngram_square", &ngram_square);
  module.def("mean_ngram_matches", &mean_ngram_matches);
}
