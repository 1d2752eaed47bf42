// Twin of kernels/ngram_keys.py: n-grams as 64-bit keys that are the same in every chunk.
#include "column.hpp"
#include "parallel.hpp"
#include "places.hpp"
#include "texts.hpp"

#include <nanobind/stl/optional.h>

namespace {

constexpr uint64_t BASE = 0x9E3779B97F4A7C15u;

nb::object count_keys(const ReadOnly<uint64_t> &keys, const ReadOnly<double> &counts) {
  size_t size = keys.shape(0);
  if (counts.shape(0) != size) throw std::invalid_argument("there must be as many counts as keys.");
  std::vector<uint64_t> distinct;
  std::vector<double> sums;
  {
    nb::gil_scoped_release release;
    // Keys are spread evenly over all numbers, so that their first bits sort them into groups of a few.
    unsigned bits = 1;
    while (size_t{4} << bits < size) ++bits;
    std::vector<size_t> ends((size_t{1} << bits) + 1);
    for (size_t i = 0; i < size; ++i) ++ends[(keys.data()[i] >> (64 - bits)) + 1];
    for (size_t group = 1; group < ends.size(); ++group) ends[group] += ends[group - 1];
    std::vector<std::pair<uint64_t, double>> sorted(size);
    for (size_t i = 0; i < size; ++i) sorted[ends[keys.data()[i] >> (64 - bits)]++] = {keys.data()[i], counts.data()[i]};
    // Now each group ends where the next one began.
    size_t start = 0;
    for (size_t end : ends) {
      std::sort(sorted.begin() + start, sorted.begin() + end, [](auto &left, auto &right) { return left.first < right.first; });
      start = end;
    }
    distinct.reserve(size), sums.reserve(size);
    for (auto [key, count] : sorted) {
      if (distinct.empty() || distinct.back() != key) distinct.push_back(key), sums.push_back(0);
      sums.back() += count;
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

nb::object look_up(const ReadOnly<uint64_t> &keys, const ReadOnly<uint64_t> &known, const ReadOnly<double> &values, double missing) {
  size_t rows = keys.shape(0), count = known.shape(0);
  Table<double> found(rows, 1);
  {
    nb::gil_scoped_release release;
    const uint64_t *first = known.data(), *last = first + count;
    double per_key = double(count) / 9007199254740992.0;  // 2^53
    parallel(rows, 30 * rows, [&](size_t from, size_t to) {
      for (size_t i = from; i < to; ++i) {
        uint64_t key = keys.data()[i];
        // Keys are spread evenly over all numbers, so that the distance between two says about how many stand between them.
        auto between = [&](uint64_t more, uint64_t less) { return static_cast<size_t>(double((more - less) >> 11) * per_key); };
        size_t guess = count ? std::min(between(key, 0), count - 1) : 0;
        for (int again = 0; again < 2 && count; ++again) {
          uint64_t there = first[guess];
          size_t back = there > key ? std::min(between(there, key), guess) : 0;
          size_t on = there > key ? 0 : std::min(between(key, there), count - 1 - guess);
          guess += on - back;
        }
        const uint64_t *low = first + guess, *high = low;
        for (size_t step = 4; low > first && *low > key; step *= 2) high = low, low -= std::min(step, static_cast<size_t>(low - first));
        for (size_t step = 4; high < last && *high < key; step *= 2) low = high, high += std::min(step, static_cast<size_t>(last - high));
        const uint64_t *place = std::lower_bound(low, high, key);
        *found[i] = place < last && *place == key ? values.data()[place - first] : missing;
      }
    });
  }
  return found.flat();
}

nb::object weighted_matches(const KeyColumn &keys, const ReadOnly<double> &weights, const Rows &predictions, const GroupColumn &references) {
  Table<double> found(predictions.size(), 1);
  {
    nb::gil_scoped_release release;
    parallel(predictions.size(), 10 * keys.size(), [&](size_t first, size_t last) {
      Numbering numbers;
      std::vector<double> weight;
      std::vector<size_t> counts, greatest, seen;
      for (size_t i = first; i < last; ++i) {
        KeyRow prediction = keys[predictions[i]];
        const double *own = weights.data() + keys.offsets.data()[predictions[i]];
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
  Table<int64_t> offsets(rows + 1, 1);
  for (size_t row = 0; row < rows; ++row) {
    size_t length = column[static_cast<int64_t>(row)].size;
    *offsets[row + 1] = *offsets[row] + static_cast<int64_t>(length < n ? 0 : length - n + 1);
  }
  Table<uint64_t> keys(static_cast<size_t>(*offsets[rows]), 1);
  {
    nb::gil_scoped_release release;
    parallel(rows, column.size() * n, [&](size_t from, size_t to) {
      for (size_t i = from; i < to; ++i) {
        KeyRow row = column[static_cast<int64_t>(i)];
        uint64_t *next = keys[static_cast<size_t>(*offsets[i])];
        for (size_t place = 0; place + n <= row.size; ++place) {
          uint64_t key = 0;
          for (size_t k = 0; k < tokens; ++k) key = key * BASE + row[place + k];
          *next++ = key;
        }
      }
    });
  }
  return nb::module_::import_("nlgauge.corpus.columns").attr("Ragged")(keys.flat(), offsets.flat());
}

} // namespace

void bind_ngram_keys(nb::module_ &module) {
  module.def("ngram_keys", &ngram_keys, nb::arg("column"), nb::arg("n"), nb::arg("first") = nb::none());
  module.def("count_keys", &count_keys);
  module.def("keys_once_each", &keys_once_each);
  module.def("look_up", &look_up);
  module.def("weighted_matches", &weighted_matches);
}
