// The score of every prediction with every reference: each text becomes tokens once, and n-grams are compared as bits. nlgauge/candidates
// explains it.
#include "aligner.hpp"
#include "ngram_index.hpp"
#include "pair_tokens.hpp"
#include "parallel.hpp"
#include "program.hpp"
#include "row_kernels.hpp"
#include "subsequences.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>

namespace {

using Kind = RowKernel::Kind;

// Whether the numbers of a pair are the same with prediction and reference exchanged; which edits rapidfuzz chooses is not.
bool is_symmetric(Kind kind) { return kind != Kind::clipped_matches && kind != Kind::edit_counts; }

// The tokens of all texts, with the same number for equal tokens.
struct SquareTokens {
  std::vector<int32_t> values;
  std::vector<size_t> offsets{0};

  Row operator[](size_t text) const { return {values.data() + offsets[text], offsets[text + 1] - offsets[text]}; }
};

// Runs a program on the rows of a block by the widest instructions of the processor. Rows do not mix and nothing is fused, so bits are the same.
using RunProgram = void (*)(const Program &program, size_t rows, const Register *inputs, std::vector<Register> &registers);

void run_portable(const Program &program, size_t rows, const Register *inputs, std::vector<Register> &registers) { program.run(rows, inputs, registers); }

#if NLGAUGE_X86
__attribute__((target("avx2"), flatten)) void run_avx2(const Program &program, size_t rows, const Register *inputs, std::vector<Register> &registers) {
  program.run(rows, inputs, registers);
}
#endif

RunProgram best_run() {
#if NLGAUGE_X86
  const char *most = std::getenv("NLGAUGE_SIMD");
  bool is_limited = most && (!std::strcmp(most, "baseline") || !std::strcmp(most, "popcnt"));
  __builtin_cpu_init();
  if (!is_limited && __builtin_cpu_supports("avx2")) return run_avx2;
#endif
  return run_portable;
}

// One call: the rows of predictions and references for each kernel.
struct Comparison {
  size_t predictions, references;
  std::vector<std::vector<Row>> predicted, expected;  // by kernel
  std::vector<std::unique_ptr<NgramIndex>> indices;   // of clipped matches
  std::vector<std::vector<uint32_t>> lengths;         // (predictions, references) distances or subsequences, if they are computed beforehand
  CountShared count;
  RunProgram run;
};

// Memory of one thread.
struct Scratch {
  Aligner aligner;
  Distance distance;
  Subsequences subsequences;
  std::vector<Register> columns, registers;
};

// How a score becomes a utility: `zero` becomes 0, `one` becomes 1, and NaN becomes `undefined`.
struct Scale {
  double zero, one, undefined;

  double operator()(double score) const {
    double value = (score - zero) / (one - zero);
    return value != value ? undefined : value + 0.0;
  }
};

class TextSquare {
public:
  using Levels = std::vector<std::tuple<std::string, bool, bool>>;
  using Kernels = std::vector<std::tuple<std::string, size_t, size_t>>;

  // levels: (tokenizer, lowercase, stem); kernels: (name, level, orders); the program makes a score of their columns.
  TextSquare(const Levels &levels, const Kernels &kernels, const Program &score) : score_(score) {
    need_character_classes();
    for (const auto &[name, lowercase, stem] : levels) {
      levels_.emplace_back(name, lowercase, stem);
      lower_ = lower_ || levels_.back().letters == Case::lower;
    }
    size_t columns = 0;
    for (const auto &[name, level, orders] : kernels) {
      need(level < levels_.size() && orders <= 64, "a row kernel has a level that does not exist, or too many orders.");
      kernels_.emplace_back(name, level, orders);
      if (kernels_.back().kind > Kind::union_subsequence) throw std::invalid_argument("the row kernel " + name + " is not compiled for squares.");
      columns += kernels_.back().width();
      by_line_ = by_line_ || kernels_.back().kind == Kind::union_subsequence;
    }
    need(score_.inputs() == columns && score_.outputs() == 1, "the program does not fit the kernels.");
  }

  // (predictions, references) utilities of texts that are numbered; None if the ordinary way has to take the texts.
  nb::object utilities(const nb::list &texts, const Rows &predictions, const Rows &references, double zero, double one, double undefined) const {
    HeldTexts held(lower_);
    if (!hold(texts, held)) return nb::none();
    check(predictions, held.size()), check(references, held.size());
    Table<double> found(predictions.size(), references.size());
    compare(held, predictions, references, {zero, one, undefined}, [&](size_t prediction, const double *row) { std::copy_n(row, references.size(), found[prediction]); });
    return found.numpy();
  }

  // (predictions,) sums of weights[k] * the utility with references[order[k]], in the order of k; an undefined utility adds nothing, and a
  // prediction without a defined one is NaN. None as above.
  nb::object expected(const nb::list &texts, const Rows &predictions, const Rows &references, const Rows &order, const ReadOnly<double> &weights, double zero, double one,
                      double undefined) const {
    HeldTexts held(lower_);
    if (!hold(texts, held)) return nb::none();
    check(predictions, held.size()), check(references, held.size()), check(order, references.size());
    need(order.size() == weights.shape(0), "there must be a weight for every reference.");
    Table<double> found(predictions.size(), 1);
    compare(held, predictions, references, {zero, one, undefined}, [&](size_t prediction, const double *row) {
      double sum = 0;
      bool is_defined = false;
      for (size_t k = 0; k < order.size(); ++k) {
        double utility = row[order[k]];
        if (utility == utility) sum += weights.data()[k] * utility, is_defined = true;
      }
      *found[prediction] = is_defined ? sum : std::numeric_limits<double>::quiet_NaN();
    });
    return found.flat();
  }

private:
  // Rows of scores are computed together, so that the columns of their references are written once.
  static constexpr size_t rows_together = 16;

  // Up to so many texts, numbers that are the same both ways are computed once.
  static constexpr size_t most_halved = 8192;

  // False if a text has lines that must be seen, too; the ordinary way then takes the texts.
  bool hold(const nb::list &texts, HeldTexts &held) const {
    for (nb::handle text : texts) {
      if (!held.add(text.ptr()) || (by_line_ && has_line_break(text.ptr()))) return false;
    }
    return true;
  }

  static void check(const Rows &numbers, size_t count) {
    for (size_t k = 0; k < numbers.size(); ++k) need(numbers[k] >= 0 && size_t(numbers[k]) < count, "there is no text of such a number.");
  }

  // Calls done(prediction, row of utilities) for each prediction.
  template <typename Done> void compare(const HeldTexts &texts, const Rows &predictions, const Rows &references, const Scale &scale, const Done &done) const {
    nb::gil_scoped_release release;
    std::vector<SquareTokens> tokens = tokens_of(texts);
    Comparison all{predictions.size(), references.size(), {}, {}, {}, {}, best_count_shared(), best_run()};
    bool is_square = all.predictions == all.references && std::equal(predictions.values.data(), predictions.values.data() + all.predictions, references.values.data());
    size_t cost = 0;
    for (const RowKernel &kernel : kernels_) {
      const SquareTokens &own = tokens[kernel.level];
      all.predicted.push_back(rows_of(own, predictions)), all.expected.push_back(rows_of(own, references));
      bool is_index = kernel.kind == Kind::clipped_matches;
      all.indices.push_back(is_index ? std::make_unique<NgramIndex>(all.predicted.back(), is_square ? nullptr : &all.expected.back(), kernel.number) : nullptr);
      size_t length = own.values.size() / std::max<size_t>(1, texts.size()) + 1;
      size_t own_cost = all.predictions * all.references * (is_index ? 8 * kernel.number : 16 * length);
      bool is_half = is_square && is_symmetric(kernel.kind) && all.predictions <= most_halved;
      all.lengths.push_back(is_half ? half(kernel.kind, all.predicted.back(), own_cost / 2) : std::vector<uint32_t>());
      cost += is_half ? 0 : own_cost;
    }
    parallel((all.predictions + rows_together - 1) / rows_together, cost, [&](size_t first, size_t last) {
      Scratch scratch;
      std::vector<double> rows(rows_together * all.references);
      for (size_t start = first * rows_together; start < std::min(all.predictions, last * rows_together); start += rows_together) {
        size_t end = std::min(all.predictions, start + rows_together);
        for (size_t block = 0; block < all.references; block += block_rows) fill(all, start, end, block, scale, scratch, rows);
        for (size_t i = start; i < end; ++i) done(i, rows.data() + (i - start) * all.references);
      }
    });
  }

  static std::vector<uint32_t> half(Kind kind, const std::vector<Row> &rows, size_t cost) {
    std::vector<uint32_t> lengths(rows.size() * rows.size());
    parallel(rows.size(), cost, [&](size_t first, size_t last) {
      Scratch scratch;
      for (size_t i = first; i < last; ++i) {
        for (size_t j = i; j < rows.size(); ++j) lengths[i * rows.size() + j] = lengths[j * rows.size() + i] = uint32_t(length(kind, rows[i], rows[j], scratch));
      }
    });
    return lengths;
  }

  std::vector<SquareTokens> tokens_of(const HeldTexts &texts) const {
    std::vector<SquareTokens> tokens(levels_.size());
    PairReader reader;
    Steps steps;
    for (size_t level = 0; level < levels_.size(); ++level) {
      reader.words.clear();
      for (size_t text = 0; text < texts.size(); ++text) {
        reader.read(texts[text], levels_[level], tokens[level].values);
        tokens[level].offsets.push_back(tokens[level].values.size());
        steps(steps_of_a_row + 8 * tokens[level][text].size);
      }
    }
    return tokens;
  }

  static std::vector<Row> rows_of(const SquareTokens &tokens, const Rows &numbers) {
    std::vector<Row> rows;
    rows.reserve(numbers.size());
    for (size_t k = 0; k < numbers.size(); ++k) rows.push_back(tokens[size_t(numbers[k])]);
    return rows;
  }

  // The utilities of the predictions from `start` to `end` with a block of references.
  void fill(const Comparison &all, size_t start, size_t end, size_t block, const Scale &scale, Scratch &scratch, std::vector<double> &rows) const {
    size_t count = std::min(block_rows, all.references - block);
    scratch.columns.resize(score_.inputs());
    for_kernels(scratch, [&](size_t kernel, Register *columns) {
      size_t orders = kernels_[kernel].number;
      if (kernels_[kernel].kind != Kind::clipped_matches) return;
      for (size_t n = 1; n <= orders; ++n) {
        for (size_t j = 0; j < count; ++j) columns[2 * orders + n - 1][j] = ngrams(all.expected[kernel][block + j], n);
      }
    });
    Steps steps;
    for (size_t i = start; i < end; ++i) {
      steps(steps_of_a_row * (1 + score_.inputs() / 8));
      for_kernels(scratch, [&](size_t kernel, Register *columns) {
        if (kernels_[kernel].kind == Kind::clipped_matches) return match(all, kernel, i, block, count, columns);
        compute(all, kernel, i, block, count, scratch, columns);
      });
      all.run(score_, count, scratch.columns.data(), scratch.registers);
      const Register &scores = score_.output(0, scratch.registers);
      double *row = rows.data() + (i - start) * all.references + block;
      for (size_t j = 0; j < count; ++j) row[j] = scale(scores[j]);
    }
  }

  // Calls work(kernel, its columns) for each kernel.
  template <typename Work> void for_kernels(Scratch &scratch, const Work &work) const {
    size_t column = 0;
    for (size_t kernel = 0; kernel < kernels_.size(); column += kernels_[kernel++].width()) work(kernel, scratch.columns.data() + column);
  }

  static double ngrams(const Row &row, size_t n) { return row.size >= n ? double(row.size - n + 1) : 0; }

  void match(const Comparison &all, size_t kernel, size_t prediction, size_t block, size_t count, Register *columns) const {
    static_assert(set_lanes == block_rows);
    size_t orders = kernels_[kernel].number;
    uint64_t sums[set_lanes];
    for (size_t n = 1; n <= orders; ++n) {
      all.indices[kernel]->matches(prediction, n, block, all.count, sums);
      for (size_t j = 0; j < count; ++j) columns[n - 1][j] = double(int64_t(sums[j]));
      std::fill_n(columns[orders + n - 1].begin(), count, ngrams(all.predicted[kernel][prediction], n));
    }
  }

  static size_t length(Kind kind, const Row &prediction, const Row &reference, Scratch &scratch) {
    return kind == Kind::edit_distance ? scratch.distance(prediction, reference) : scratch.subsequences.length(prediction, reference);
  }

  void compute(const Comparison &all, size_t kernel, size_t i, size_t block, size_t count, Scratch &scratch, Register *columns) const {
    Kind kind = kernels_[kernel].kind;
    const Row &prediction = all.predicted[kernel][i];
    const uint32_t *lengths = all.lengths[kernel].empty() ? nullptr : all.lengths[kernel].data() + i * all.references + block;
    for (size_t j = 0; j < count; ++j) {
      const Row &reference = all.expected[kernel][block + j];
      if (kind == Kind::edit_counts) {
        double found[4];
        scratch.aligner.count(reference, prediction, found);
        for (size_t k = 0; k < 4; ++k) columns[k][j] = found[k];
      } else {
        columns[0][j] = double(lengths ? lengths[j] : length(kind, prediction, reference, scratch));
        columns[1][j] = double(prediction.size), columns[2][j] = double(reference.size);
      }
    }
  }

  std::vector<Level> levels_;
  std::vector<RowKernel> kernels_;
  Program score_;
  bool lower_ = false, by_line_ = false;
};

} // namespace

void bind_text_square(nb::module_ &module) {
  nb::class_<TextSquare>(module, "TextSquare")
      .def(nb::init<const TextSquare::Levels &, const TextSquare::Kernels &, const Program &>(), nb::arg("levels"), nb::arg("kernels"), nb::arg("score"))
      .def("utilities", &TextSquare::utilities)
      .def("expected", &TextSquare::expected);
}
