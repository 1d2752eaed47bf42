// Twin of kernels/leave_one_out.py: each text against all others of its corpus.
#include "grams.hpp"

namespace {

nb::object matches_with_the_others(const Column &column, const Rows &texts, size_t orders) {
  Table<double> matches(texts.size(), orders);
  {
    nb::gil_scoped_release release;
    struct Greatest {
      uint32_t first = 0, owner = 0, second = 0;
    };
    Grams grams;
    grams.clear();
    size_t longest = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      grams.add(column[texts[i]]);
      longest = std::max(longest, column[texts[i]].size);
    }
    std::vector<Greatest> greatest;
    std::vector<uint32_t> counts;
    // Calls use(gram, count) for each different n-gram of a text.
    auto each = [&](size_t text, const auto &use) {
      for (uint32_t gram : grams[text]) ++counts[gram];
      for (uint32_t gram : grams[text]) {
        if (counts[gram]) use(gram, counts[gram]);
        counts[gram] = 0;
      }
    };
    for (size_t n = 1; n <= std::min(orders, longest); ++n) {
      grams.lengthen();
      greatest.assign(grams.different(), Greatest{});
      counts.assign(grams.different(), 0);
      for (uint32_t i = 0; i < texts.size(); ++i) {
        each(i, [&](uint32_t gram, uint32_t count) {
          Greatest &known = greatest[gram];
          if (count > known.first) {
            known = {count, i, known.first};
          } else {
            known.second = std::max(known.second, count);
          }
        });
      }
      for (uint32_t i = 0; i < texts.size(); ++i) {
        each(i, [&](uint32_t gram, uint32_t count) {
          const Greatest &known = greatest[gram];
          matches[i][n - 1] += std::min(count, known.owner == i ? known.second : known.first);
        });
      }
    }
  }
  return matches.numpy();
}

} // namespace

void bind_leave_one_out(nb::module_ &module) { module.def("matches_with_the_others", &matches_with_the_others); }
