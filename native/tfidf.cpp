// Twin of kernels/tfidf.py: similarity of texts as vectors of weighted n-gram counts.
#include "column.hpp"
#include "parallel.hpp"
#include "places.hpp"

#include <cmath>

namespace {

// The components of a text's vector in order of first appearance.
struct Vector {
  std::vector<uint64_t> keys;
  std::vector<double> components;
  double norm = 0;

  void make(KeyRow row, const double *weights, Numbering &numbers) {
    numbers.clear(row.size);
    keys.clear(), components.clear(), last_.clear();
    for (size_t place = 0; place < row.size; ++place) {
      uint32_t number = numbers.add(row[place]);
      if (number == keys.size()) keys.push_back(row[place]), components.push_back(0), last_.push_back(0);
      ++components[number];
      last_[number] = weights[place];
    }
    double sum = 0;
    for (size_t number = 0; number < keys.size(); ++number) {
      components[number] *= last_[number];
      sum += components[number] * components[number];
    }
    norm = std::sqrt(sum);
  }

private:
  std::vector<double> last_;
};

nb::object tfidf_similarity(const KeyColumn &keys, const ReadOnly<double> &weights, const Rows &predictions, const Rows &references, bool clipped) {
  need(weights.shape(0) == keys.size(), "there must be as many weights as keys.");
  need_pairs(predictions, references);
  Table<double> found(predictions.size(), 1);
  {
    nb::gil_scoped_release release;
    parallel(predictions.size(), 20 * keys.size(), [&](size_t first, size_t last) {
      Numbering ours, theirs;
      Vector left, right;
      Steps steps;
      for (size_t i = first; i < last; ++i) {
        auto make = [&](Vector &vector, const Rows &rows, Numbering &numbers) {
          if (i > first && rows[i] == rows[i - 1]) return;
          vector.make(keys[rows[i]], weights.data() + keys.start(rows[i]), numbers);
          steps(16 * vector.keys.size());
        };
        make(left, predictions, ours), make(right, references, theirs);
        steps(8 * left.keys.size() + steps_of_a_row);
        if (!(left.norm > 0 && right.norm > 0)) continue;
        double sum = 0;
        for (size_t number = 0; number < left.keys.size(); ++number) {
          uint32_t other = theirs.find(left.keys[number]);
          if (other == Numbering::none) continue;
          double a = left.components[number], b = right.components[other];
          // As Python's min: the second where it is less.
          sum += (clipped ? (b < a ? b : a) : a) * b;
        }
        *found[i] = sum / (left.norm * right.norm);
      }
    });
  }
  return found.flat();
}

} // namespace

void bind_tfidf(nb::module_ &module) {
  module.def("tfidf_similarity", &tfidf_similarity, nb::arg("keys"), nb::arg("weights"), nb::arg("predictions"), nb::arg("references"), nb::arg("clipped"));
}
