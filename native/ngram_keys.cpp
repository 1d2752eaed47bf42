// Twin of kernels/ngram_keys.py: n-grams as 64-bit keys that are the same in every chunk.
#include "column.hpp"
#include "parallel.hpp"
#include "places.hpp"
#include "texts.hpp"

#include <nanobind/stl/optional.h>

namespace {

constexpr uint64_t BASE = 0x9E3779B97F4A7C15u;

// The places of keys, grouped by their first bits. Keys are spread evenly over all numbers, so that the groups are about equal.
struct Grouped {
  std::vector<uint32_t> places;
  std::vector<uint32_t> ends;

  Grouped(const uint64_t *keys, size_t size, unsigned bits) : places(size), ends((size_t{1} << bits) + 1) {
    if (size > UINT32_MAX) throw std::length_error("there are too many keys.");
    for (size_t i = 0; i < size; ++i) ++ends[(keys[i] >> (64 - bits)) + 1];
    for (size_t group = 1; group < ends.size(); ++group) ends[group] += ends[group - 1];
    // What is now the start of a group becomes its end.
    for (size_t i = 0; i < size; ++i) places[ends[keys[i] >> (64 - bits)]++] = uint32_t(i);
  }
};

nb::object count_keys(const ReadOnly<uint64_t> &keys, const ReadOnly<double> &counts) {
  size_t size = keys.shape(0);
  if (counts.shape(0) != size) throw std::invalid_argument("there must be as many counts as keys.");
  std::vector<uint64_t> distinct;
  std::vector<double> sums;
  {
    nb::gil_scoped_release release;
    unsigned bits = 1;
    while (size_t{4} << bits < size) ++bits;
    Grouped grouped(keys.data(), size, bits);
    const uint64_t *key = keys.data();
    auto start = grouped.places.begin();
    for (uint32_t end : grouped.ends) {
      auto last = grouped.places.begin() + end;
      std::sort(start, last, [&](uint32_t left, uint32_t right) { return key[left] < key[right]; });
      start = last;
    }
    size_t different = size > 0;
    for (size_t i = 1; i < size; ++i) different += key[grouped.places[i]] != key[grouped.places[i - 1]];
    distinct.reserve(different), sums.reserve(different);
    for (uint32_t place : grouped.places) {
      if (distinct.empty() || distinct.back() != key[place]) distinct.push_back(key[place]), sums.push_back(0);
      sums.back() += counts.data()[place];
    }
  }
  return nb::make_tuple(numpy_of(std::move(distinct)), numpy_of(std::move(sums)));
}

nb::object keys_once_each(const KeyColumn &keys, const GroupColumn &groups) {
  std::vector<uint64_t> found;
  {
    nb::gil_scoped_release release;
    Numbering seen;
    found.reserve(keys.size());
    for (size_t group = 0; group < groups.rows(); ++group) {
      size_t total = 0;
      for (int64_t row : groups[static_cast<int64_t>(group)]) total += keys[row].size;
      seen.clear(total);
      for (int64_t row : groups[static_cast<int64_t>(group)]) {
        for (uint64_t key : keys[row]) {
          uint32_t before = seen.count();
          if (seen.add(key) == before) found.push_back(key);
        }
      }
    }
  }
  Table<uint64_t> once(found.size(), 1);
  std::copy(found.begin(), found.end(), once[0]);
  return once.flat();
}

// Where a key stands among keys in order, or would stand.
class Finder {
public:
  Finder(const uint64_t *keys, size_t count) : keys_(keys), count_(count), per_number_(double(count) / 18446744073709551616.0) {}

  // Written without branches, which nobody could predict.
  size_t place(uint64_t key) const {
    if (count_ < width) return from(0, count_, key);
    // Keys are spread evenly over all numbers, so that the distance between two says about how many stand between them.
    int64_t last = int64_t(count_) - 1, guess = std::min(int64_t(double(int64_t(key >> 1)) * 2 * per_number_), last);
    for (int again = 0; again < 3; ++again) {
      guess = std::clamp(guess + int64_t(double(int64_t(key - keys_[guess])) * per_number_), int64_t{0}, last);
    }
    size_t start = size_t(std::clamp(guess - int64_t(width / 2), int64_t{0}, last + 1 - int64_t(width)));
    bool below = start > 0 && keys_[start - 1] >= key, above = keys_[start + width - 1] < key;
    if (below || above) return from(0, count_, key);
    for (size_t half = width / 2; half; half /= 2) start += half * (keys_[start + half - 1] < key);
    return start + (keys_[start] < key);
  }

private:
  static constexpr size_t width = 32;

  size_t from(size_t start, size_t end, uint64_t key) const { return size_t(std::lower_bound(keys_ + start, keys_ + end, key) - keys_); }

  const uint64_t *keys_;
  size_t count_;
  double per_number_;
};

nb::object look_up(const ReadOnly<uint64_t> &keys, const ReadOnly<uint64_t> &known, const ReadOnly<double> &values, double missing) {
  size_t rows = keys.shape(0), count = known.shape(0);
  need(values.shape(0) == count, "there must be as many values as known keys.");
  Table<double> found(rows, 1);
  {
    nb::gil_scoped_release release;
    Finder finder(known.data(), count);
    parallel(rows, 30 * rows, [&](size_t from, size_t to) {
      for (size_t i = from; i < to; ++i) {
        uint64_t key = keys.data()[i];
        size_t place = finder.place(key);
        *found[i] = place < count && known.data()[place] == key ? values.data()[place] : missing;
      }
    });
  }
  return found.flat();
}

nb::object weighted_matches(const KeyColumn &keys, const ReadOnly<double> &weights, const Rows &predictions, const GroupColumn &references) {
  need(weights.shape(0) == keys.size(), "there must be as many weights as keys.");
  need(references.rows() == predictions.size(), "there must be references for every prediction.");
  Table<double> found(predictions.size(), 1);
  {
    nb::gil_scoped_release release;
    parallel(predictions.size(), 10 * keys.size(), [&](size_t first, size_t last) {
      Steps steps;
      Numbering numbers;
      std::vector<double> weight;
      std::vector<size_t> counts, greatest, seen;
      for (size_t i = first; i < last; ++i) {
        KeyRow prediction = keys[predictions[i]];
        const double *own = weights.data() + keys.start(predictions[i]);
        steps(8 * prediction.size + steps_of_a_row);
        numbers.clear(prediction.size);
        weight.clear(), counts.clear();
        for (size_t place = 0; place < prediction.size; ++place) {
          uint32_t number = numbers.add(prediction[place]);
          if (number == counts.size()) counts.push_back(0), weight.push_back(0);
          ++counts[number];
          weight[number] = own[place];
        }
        greatest.assign(counts.size(), 0);
        for (int64_t reference : references[static_cast<int64_t>(i)]) {
          seen.assign(counts.size(), 0);
          steps(8 * keys[reference].size + counts.size());
          for (uint64_t key : keys[reference]) {
            uint32_t number = numbers.find(key);
            if (number != Numbering::none) greatest[number] = std::max(greatest[number], ++seen[number]);
          }
        }
        for (size_t number = 0; number < counts.size(); ++number) *found[i] += weight[number] * double(std::min(counts[number], greatest[number]));
      }
    });
  }
  return found.flat();
}

nb::object ngram_keys(const KeyColumn &column, size_t n, std::optional<size_t> first) {
  size_t rows = column.rows(), tokens = first.value_or(n);
  need(tokens <= n, "the first tokens of an n-gram can be at most n.");
  Table<int64_t> offsets(rows + 1, 1);
  for (size_t row = 0; row < rows; ++row) {
    size_t length = column[static_cast<int64_t>(row)].size;
    *offsets[row + 1] = *offsets[row] + static_cast<int64_t>(length < n ? 0 : length - n + 1);
  }
  Table<uint64_t> keys(static_cast<size_t>(*offsets[rows]), 1);
  {
    nb::gil_scoped_release release;
    parallel(rows, column.size() * n, [&](size_t from, size_t to) {
      Steps steps;
      for (size_t i = from; i < to; ++i) {
        KeyRow row = column[static_cast<int64_t>(i)];
        uint64_t *next = keys[static_cast<size_t>(*offsets[i])];
        for (size_t place = 0; place + n <= row.size; ++place) {
          uint64_t key = 0;
          for (size_t k = 0; k < tokens; ++k) key = key * BASE + row[place + k];
          *next++ = key;
          steps(tokens + 1);
        }
      }
    });
  }
  return nb::module_::import_("nlgauge._core.ragged").attr("Ragged")(keys.flat(), offsets.flat());
}

} // namespace

void bind_ngram_keys(nb::module_ &module) {
  module.def("ngram_keys", &ngram_keys, nb::arg("column"), nb::arg("n"), nb::arg("first") = nb::none());
  module.def("count_keys", &count_keys);
  module.def("keys_once_each", &keys_once_each);
  module.def("look_up", &look_up);
  module.def("weighted_matches", &weighted_matches);
}
