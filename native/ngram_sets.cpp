// Twin of kernels/ngram_sets.py: n-grams as sets and distributions.
#include "grams.hpp"
#include "parallel.hpp"

#include <cmath>
#include <limits>

namespace {

nb::object repeated_ngrams(const Column &column, const Rows &texts, size_t orders) {
  Table<double> found(texts.size(), orders, 3);
  {
    nb::gil_scoped_release release;
    parallel(texts.size(), 8 * orders * column.size(), [&](size_t first, size_t last) {
      Grams grams;
      Steps steps;
      std::vector<size_t> counts;
      for (size_t i = first; i < last; ++i) {
        steps(steps_of_a_row);
        Row text = column[texts[i]];
        grams.clear();
        grams.add(text);
        for (size_t n = 1; n <= std::min(orders, text.size); ++n) {
          grams.lengthen();
          grams.count(0, counts);
          double *row = found[i] + 3 * (n - 1);
          row[0] = double(std::count_if(counts.begin(), counts.end(), [](size_t count) { return count > 1; }));
          row[1] = double(counts.size());
          row[2] = double(text.size - n + 1);
        }
      }
    });
  }
  return found.cube(3);
}

nb::object novel_ngrams(const Column &column, const Rows &summaries, const Rows &sources, size_t orders, bool distinct) {
  need(summaries.size() == sources.size(), "there must be as many sources as summaries.");
  Table<double> found(summaries.size(), orders, 2);
  {
    nb::gil_scoped_release release;
    parallel(summaries.size(), 8 * orders * column.size(), [&](size_t first, size_t last) {
      Grams grams;
      Steps steps;
      std::vector<size_t> counts, known;
      for (size_t i = first; i < last; ++i) {
        steps(steps_of_a_row);
        Row summary = column[summaries[i]];
        grams.clear();
        grams.add(summary);
        grams.add(column[sources[i]]);
        for (size_t n = 1; n <= std::min(orders, summary.size); ++n) {
          grams.lengthen();
          grams.count(0, counts);
          grams.count(1, known);
          size_t fresh = 0, all = 0;
          for (size_t gram = 0; gram < counts.size() && counts[gram]; ++gram) {
            size_t weight = distinct ? 1 : counts[gram];
            all += weight;
            if (!known[gram]) fresh += weight;
          }
          found[i][2 * (n - 1)] = double(fresh);
          found[i][2 * (n - 1) + 1] = double(all);
        }
      }
    });
  }
  return found.cube(2);
}

// The n-grams are numbered in the order in which Python adds their parts: the source's first.
double js_divergence(const std::vector<size_t> &summary, const std::vector<size_t> &source, size_t summary_size, size_t source_size, double smoothing) {
  if (!summary_size || !source_size) return summary_size || source_size ? 1.0 : std::numeric_limits<double>::quiet_NaN();
  double grams = double(summary.size());
  double p_size = double(summary_size) + smoothing * grams, q_size = double(source_size) + smoothing * grams;
  double sum = 0;
  for (size_t gram = 0; gram < summary.size(); ++gram) {
    double p = (double(summary[gram]) + smoothing) / p_size, q = (double(source[gram]) + smoothing) / q_size;
    double bits = 0;
    for (double x : {p, q}) {
      if (x > 0) bits += x * std::log2(2 * x / (p + q));
    }
    sum += bits / 2;
  }
  return std::min(std::max(sum, 0.0), 1.0);
}

nb::object js_divergences(const Column &column, const Rows &summaries, const Rows &sources, size_t order, double smoothing) {
  need(order >= 1, "n-grams have at least one token.");
  need(summaries.size() == sources.size(), "there must be as many sources as summaries.");
  Table<double> found(summaries.size(), 1);
  {
    nb::gil_scoped_release release;
    parallel(summaries.size(), 20 * order * column.size(), [&](size_t first, size_t last) {
      Grams grams;
      Steps steps;
      std::vector<size_t> summary, source;
      for (size_t i = first; i < last; ++i) {
        steps(steps_of_a_row);
        grams.clear();
        grams.add(column[sources[i]]);
        grams.add(column[summaries[i]]);
        // No text has n-grams that are longer than itself.
        size_t longest = std::max(column[sources[i]].size, column[summaries[i]].size);
        for (size_t n = 0; n < std::min(order, longest + 1); ++n) grams.lengthen();
        grams.count(0, source);
        grams.count(1, summary);
        *found[i] = js_divergence(summary, source, grams[1].size, grams[0].size, smoothing);
      }
    });
  }
  return found.flat();
}

nb::object different_ngrams(const Column &column, const Rows &texts, size_t orders) {
  Table<int64_t> found(orders, 1);
  {
    nb::gil_scoped_release release;
    Grams grams;
    grams.clear();
    size_t longest = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      grams.add(column[texts[i]]);
      longest = std::max(longest, column[texts[i]].size);
    }
    for (size_t n = 1; n <= std::min(orders, longest); ++n) {
      grams.lengthen();
      *found[n - 1] = static_cast<int64_t>(grams.different());
    }
  }
  return found.flat();
}

nb::object moving_ratios(const Column &column, const Rows &texts, size_t window) {
  Table<double> found(texts.size(), 1);
  {
    nb::gil_scoped_release release;
    parallel(texts.size(), 8 * column.size(), [&](size_t first, size_t last) {
      Numbering numbers;
      std::vector<int64_t> previous;
      Steps steps;
      for (size_t i = first; i < last; ++i) {
        Row text = column[texts[i]];
        steps(8 * text.size + steps_of_a_row);
        if (!text.size) {
          *found[i] = std::numeric_limits<double>::quiet_NaN();
          continue;
        }
        int64_t width = static_cast<int64_t>(std::min(window, text.size)), windows = static_cast<int64_t>(text.size) - width + 1, different = 0;
        numbers.clear(text.size);
        previous.clear();
        for (int64_t place = 0; place < static_cast<int64_t>(text.size); ++place) {
          uint32_t number = numbers.add(key_of(text[static_cast<size_t>(place)]));
          if (number == previous.size()) previous.push_back(-1);
          int64_t from = std::max(previous[number] + 1, place - width + 1);
          different += std::max<int64_t>(std::min(place, windows - 1) - from + 1, 0);
          previous[number] = place;
        }
        *found[i] = double(different) / double(windows * width);
      }
    });
  }
  return found.flat();
}

} // namespace

void bind_ngram_sets(nb::module_ &module) {
  module.def("repeated_ngrams", &repeated_ngrams);
  module.def("novel_ngrams", &novel_ngrams);
  module.def("js_divergences", &js_divergences);
  module.def("different_ngrams", &different_ngrams);
  module.def("moving_ratios", &moving_ratios);
}
