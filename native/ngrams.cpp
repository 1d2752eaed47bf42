// Twin of kernels/ngrams.py: clipped n-gram matches.
#include "column.hpp"
#include "parallel.hpp"
#include "places.hpp"

namespace {

// An n-gram has a number among those of its order: it is found by the number of its first n - 1 tokens and its last token. One that no
// reference has, or that the prediction has not, is `none`, and so is every longer one that begins with it.
class Matcher {
public:
  void match(Row prediction, const Column &column, RowOf<int64_t> references, size_t orders, double *matches) {
    ours_.assign(prediction.size, 0);
    theirs_.clear();
    starts_.assign(1, 0);
    for (int64_t reference : references) {
      theirs_.resize(theirs_.size() + column[reference].size, 0);
      starts_.push_back(theirs_.size());
    }
    for (size_t n = 1; n <= std::min(orders, prediction.size); ++n) {
      count(prediction, n);
      greatest_.assign(counts_.size(), 0);
      for (size_t k = 0; k < references.size; ++k) compare(column[references[k]], theirs_.data() + starts_[k], n);
      size_t total = 0;
      for (size_t number = 0; number < counts_.size(); ++number) total += std::min(counts_[number], greatest_[number]);
      if (!total) return;  // no longer n-gram can match either
      matches[n - 1] = double(total);
      for (uint32_t &own : ours_) {
        if (own != Numbering::none && !greatest_[own]) own = Numbering::none;
      }
    }
  }

private:
  void count(Row prediction, size_t n) {
    numbers_.clear(prediction.size);
    counts_.clear();
    ours_.resize(prediction.size - n + 1);
    for (size_t place = 0; place < ours_.size(); ++place) {
      if (ours_[place] == Numbering::none) continue;
      ours_[place] = numbers_.add(uint64_t{ours_[place]} << 32 | key_of(prediction[place + n - 1]));
      counts_.resize(numbers_.count());
      ++counts_[ours_[place]];
    }
  }

  void compare(Row reference, uint32_t *theirs, size_t n) {
    seen_.assign(counts_.size(), 0);
    for (size_t place = 0; place + n <= reference.size; ++place) {
      if (theirs[place] == Numbering::none) continue;
      theirs[place] = numbers_.find(uint64_t{theirs[place]} << 32 | key_of(reference[place + n - 1]));
      if (theirs[place] == Numbering::none) continue;
      uint32_t &seen = seen_[theirs[place]];
      greatest_[theirs[place]] = std::max(greatest_[theirs[place]], ++seen);
    }
  }

  Numbering numbers_;
  std::vector<uint32_t> ours_, theirs_, counts_, greatest_, seen_;
  std::vector<size_t> starts_;
};

nb::object ngram_matches(const Column &column, const Rows &predictions, const GroupColumn &references, size_t orders) {
  Table<double> matches(predictions.size(), orders);
  {
    nb::gil_scoped_release release;
    parallel(predictions.size(), 8 * orders * column.size(), [&](size_t first, size_t last) {
      Matcher matcher;
      for (size_t i = first; i < last; ++i) matcher.match(column[predictions[i]], column, references[i], orders, matches[i]);
    });
  }
  return matches.numpy();
}

} // namespace

void bind_ngrams(nb::module_ &module) { module.def("ngram_matches", &ngram_matches); }
