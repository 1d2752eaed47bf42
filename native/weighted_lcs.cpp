// Twin of kernels/weighted_lcs.py: the weighted longest common subsequence of ROUGE-W.
#include "backwards.hpp"
#include "column.hpp"
#include "parallel.hpp"
#include "unions.hpp"

#include <nanobind/stl/vector.h>

#include <cmath>

namespace {

// One row of the table: values, and the length of the run that ends in each cell.
struct Line {
  std::vector<double> values;
  std::vector<int32_t> runs;
  // One bit for each predicted token: whether the way back drops it here.
  std::vector<uint64_t> dropped;
};

class Weighted {
public:
  explicit Weighted(double weight) : weight_(weight) {}

  double power(size_t run) {
    while (powers_.size() <= run) powers_.push_back(std::pow(double(powers_.size()), weight_));
    return powers_[run];
  }
  // The places in the reference; on a tie the reference token is dropped.
  void places(Row reference, Row prediction, std::vector<size_t> &found) {
    found.clear();
    power(std::min(reference.size, prediction.size) + 1);
    size_t words = (prediction.size + 63) / 64;
    auto next = [&](Line &line, size_t i) { steps_(2 * prediction.size + 1), advance(line, reference[i], prediction); };
    auto keep = [&](const Line &line, size_t slot) {
      if ((slot + 1) * words > kept_.size()) kept_.resize(std::max(2 * kept_.size(), (slot + 1) * words));
      std::copy(line.dropped.begin(), line.dropped.end(), kept_.begin() + slot * words);
    };
    size_t end = prediction.size;
    auto back = [&](size_t i, size_t slot) {
      const uint64_t *dropped = kept_.data() + slot * words;
      while (end && reference[i] != prediction[end - 1] && (dropped[(end - 1) / 64] >> (end - 1) % 64 & 1)) --end;
      if (!end) return false;
      if (reference[i] == prediction[end - 1]) found.push_back(i), --end;
      return true;
    };
    Line first{std::vector<double>(prediction.size + 1), std::vector<int32_t>(prediction.size + 1), std::vector<uint64_t>(words)};
    backwards(first, reference.size, next, 12.0 * double(prediction.size + 1), keep, double(8 * words), back);
    std::reverse(found.begin(), found.end());
  }

private:
  void advance(Line &line, int32_t token, Row prediction) const {
    double *values = line.values.data();
    int32_t *runs = line.runs.data();
    // What stood above the cell before.
    double upper = 0.0;
    int32_t upper_run = 0;
    for (size_t start = 0; start < prediction.size; start += 64) {
      uint64_t dropped = 0;
      for (size_t j = start; j < std::min(start + 64, prediction.size); ++j) {
        double above = values[j + 1];
        int32_t above_run = runs[j + 1];
        if (prediction[j] == token) {
          values[j + 1] = upper + powers_[size_t(upper_run) + 1] - powers_[size_t(upper_run)];
          runs[j + 1] = upper_run + 1;
        } else {
          bool drops = values[j] > above;
          dropped |= uint64_t{drops} << (j - start);
          values[j + 1] = drops ? values[j] : above;
          runs[j + 1] = 0;
        }
        upper = above, upper_run = above_run;
      }
      line.dropped[start / 64] = dropped;
    }
  }

  double weight_;
  Steps steps_;
  std::vector<double> powers_;
  std::vector<uint64_t> kept_;
};

nb::object weighted_lcs_hits(const Column &column, const GroupColumn &predictions, const GroupColumn &references, double weight) {
  need(references.rows() == predictions.rows(), "there must be references for every prediction.");
  Table<double> hits(predictions.rows(), 1);
  {
    nb::gil_scoped_release release;
    parallel(predictions.rows(), cells_of(column, predictions, references, 1), [&](size_t first, size_t last) {
      Weighted weighted(weight);
      Sentences sentences;
      Unions unions;
      auto places = [&](Row reference, Row prediction, std::vector<size_t> &found) { weighted.places(reference, prediction, found); };
      for (size_t i = first; i < last; ++i) {
        RowOf<int64_t> expected = references[int64_t(i)];
        sentences.index(column, predictions[int64_t(i)]);
        unions.make(column, expected, sentences, places);
        for (int64_t sentence : expected) {
          const std::vector<size_t> &united = unions[sentence];
          size_t run = 0;
          for (size_t k = 0; k < united.size(); ++k) {
            size_t *left = sentences.count(column[sentence][united[k]]);
            if (!*left) continue;
            --*left, ++run;
            if (k + 1 == united.size() || united[k + 1] != united[k] + 1) *hits[i] += weighted.power(run), run = 0;
          }
        }
      }
    });
  }
  return hits.flat();
}

std::vector<size_t> weighted_lcs_places(const std::vector<int32_t> &reference, const std::vector<int32_t> &prediction, double weight) {
  std::vector<size_t> found;
  Weighted(weight).places({reference.data(), reference.size()}, {prediction.data(), prediction.size()}, found);
  return found;
}

} // namespace

void bind_weighted_lcs(nb::module_ &module) {
  module.def("weighted_lcs_hits", &weighted_lcs_hits, nb::arg("column"), nb::arg("predictions"), nb::arg("references"), nb::arg("weight"));
  module.def("weighted_lcs_places", &weighted_lcs_places, nb::arg("reference"), nb::arg("prediction"), nb::arg("weight"));
}
