// Compiled metrics: from Python's strings to statistics and scores in one call. nlgauge/metric/compiled.py explains them.
#include "aligner.hpp"
#include "character.hpp"
#include "ngrams.hpp"
#include "pair_tokens.hpp"
#include "parallel.hpp"
#include "program.hpp"
#include "row_kernels.hpp"
#include "subsequences.hpp"
#include "tercom.hpp"
#include "unions.hpp"
#include "word_order.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <limits>

namespace {

using Kind = RowKernel::Kind;

// The tokens of the pairs of a block, prediction and reference in turn.
struct BlockTokens {
  std::vector<int32_t> values;
  std::array<size_t, 2 * block_rows + 1> offsets{};

  Row operator[](size_t text) const { return {values.data() + offsets[text], offsets[text + 1] - offsets[text]}; }
  // Appends the tokens of an earlier text.
  void repeat(size_t text) {
    size_t first = offsets[text], count = offsets[text + 1] - first, end = values.size();
    values.resize(end + count);
    std::copy_n(values.begin() + std::ptrdiff_t(first), count, values.begin() + std::ptrdiff_t(end));
  }
};

// The non-empty lines of a pair, as rows.
struct PairLines {
  std::vector<int32_t> values;
  std::vector<size_t> offsets;
  std::vector<int64_t> numbers;  // 0, 1, 2, ...

  Row operator[](int64_t line) const { return {values.data() + offsets[size_t(line)], offsets[size_t(line) + 1] - offsets[size_t(line)]}; }
  RowOf<int64_t> lines(size_t first, size_t last) const { return {numbers.data() + first, last - first}; }
};

// Memory of one thread.
struct Scratch {
  PairReader reader;
  std::vector<BlockTokens> tokens;
  std::vector<KnownWords> known;
  Matcher matcher;
  Aligner aligner;
  Distance distance;
  Subsequences subsequences;
  Sentences sentences;
  Unions unions;
  PairLines lines;
  tercom::Search tercom;
  CharacterEdits characters;
  WordOrder order;
  AscendingPairs ascending;
  AlignmentCounter alignment;
  std::vector<int64_t> shifts, places;
  std::vector<double> found;
  std::vector<Register> columns, statistics, registers, score_registers;
};

// Clock readings, added up over the threads of a call.
struct Seconds {
  explicit Seconds(size_t count) : values(count) {}

  void add(size_t which, std::chrono::steady_clock::time_point started) {
    auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - started);
    values[which] += uint64_t(spent.count());
  }
  nb::list list() const {
    nb::list found;
    for (const auto &nanoseconds : values) found.append(double(nanoseconds.load()) * 1e-9);
    return found;
  }

  std::vector<std::atomic<uint64_t>> values;
};

// The pairs of a call, prediction and reference in turn.
class Pairs : public HeldTexts {
public:
  using HeldTexts::HeldTexts;

  bool add(PyObject *prediction, PyObject *reference) { return HeldTexts::add(prediction) && HeldTexts::add(reference); }
  size_t size() const { return HeldTexts::size() / 2; }
};

// A group of statistics that chooses its best reference for itself.
struct Part {
  size_t statistics, width, output;
  bool higher;
};

class CompiledMetric {
public:
  using Levels = std::vector<std::tuple<std::string, bool, bool, nb::object>>;
  using Kernels = std::vector<std::tuple<std::string, size_t, size_t>>;
  using Parts = std::vector<std::tuple<size_t, size_t, bool>>;

  // levels: (tokenizer, lowercase, stem, function of the keys of words or None); kernels: (name, level, number); parts: (statistics, first output, whether higher is better). A metric
  // that chooses takes the best of several references; others are given one.
  CompiledMetric(const Levels &levels, const Kernels &kernels, const Program &statistics, const Program &scores, const Parts &parts, bool chooses)
      : chooses_(chooses), statistics_(statistics), scores_(scores) {
    need_character_classes();
    for (const auto &[name, lowercase, stem, keys] : levels) {
      levels_.emplace_back(name, lowercase, stem);
      need(keys.is_none() || (levels_.back().kind == Level::Kind::words && !stem), "only words that are not stemmed have keys.");
      keys_.push_back(keys);
      lower_ = lower_ || levels_.back().letters == Case::lower;
    }
    for (const auto &[name, level, number] : kernels) {
      kernels_.emplace_back(name, level, number);
      bool fitting = level < levels_.size() && number <= kernels_.back().most_number();
      need(fitting && (kernels_.back().kind != Kind::word_alignment || !keys_[level].is_none()), "a row kernel has a level that does not exist or has no keys, or too high a number.");
      columns_ += kernels_.back().width();
    }
    size_t width = 0;
    for (const auto &[count, output, higher] : parts) {
      need(output < scores_.outputs() && count <= statistics_.outputs() - width, "a part has an output or statistics that do not exist.");
      parts_.push_back({width, count, output, higher});
      width += count;
    }
    need(statistics_.inputs() == columns_ && statistics_.outputs() == width && scores_.inputs() == width, "the programs of a metric do not fit together.");
  }
  CompiledMetric(const CompiledMetric &) = delete;
  CompiledMetric &operator=(const CompiledMetric &) = delete;
  ~CompiledMetric() { delete spare_.exchange(nullptr); }

  // An output of each segment, scaled so that `zero` becomes 0 and `one` becomes 1; None if the ordinary way has to take the texts. `lists`: whether
  // it takes a list of references for each prediction.
  struct Scaled {
    size_t output;
    double zero, one, undefined;
    bool lists;
  };
  nb::object scores(const nb::list &predictions, const nb::list &references, const Scaled &scaled) {
    std::vector<uint32_t> groups;
    Pairs pairs(lower_);
    if (!read(predictions, references, pairs, groups, scaled.lists)) return nb::none();
    size_t part = 0;
    while (part + 1 < parts_.size() && parts_[part + 1].output <= scaled.output) ++part;
    std::vector<double> found(pairs.size()), first(groups.empty() ? 0 : pairs.size());
    Held scratch(*this);
    each_block(pairs, *scratch, [&](size_t start, size_t rows, Scratch &own) {
      statistics_to_scores(rows, own);
      std::copy_n(scores_.output(scaled.output, own.score_registers).begin(), rows, found.begin() + std::ptrdiff_t(start));
      if (!groups.empty()) std::copy_n(scores_.output(parts_[part].output, own.score_registers).begin(), rows, first.begin() + std::ptrdiff_t(start));
    });
    size_t segments = groups.empty() ? pairs.size() : groups.size() - 1;
    nb::list list = nb::steal<nb::list>(PyList_New(Py_ssize_t(segments)));
    for (size_t segment = 0; segment < segments; ++segment) {
      size_t row = groups.empty() ? segment : chosen(first.data(), groups[segment], groups[segment + 1], parts_[part].higher);
      double value = (found[row] - scaled.zero) / (scaled.one - scaled.zero);
      PyList_SET_ITEM(list.ptr(), Py_ssize_t(segment), PyFloat_FromDouble(value != value ? scaled.undefined : value + 0.0));
    }
    return list;
  }
  // The function of predictions and references that gives these scores. A call of one pair takes a microsecond, so the arguments that stay are not passed again.
  static nb::object function(nb::object owner, size_t output, double zero, double one, double undefined, bool lists) {
    CompiledMetric &metric = nb::cast<CompiledMetric &>(owner);
    need(output < metric.scores_.outputs(), "there is no such output.");
    Scaled scaled{output, zero, one, undefined, lists};
    return nb::cpp_function([owner = std::move(owner), &metric, scaled](const nb::list &predictions, const nb::list &references) { return metric.scores(predictions, references, scaled); });
  }

  // The statistics of each segment, side by side, the seconds that each level and each kernel took, and whether all texts are ASCII; None if
  // the ordinary way has to take the texts.
  nb::object statistics(const nb::list &predictions, const nb::list &references) {
    std::vector<uint32_t> groups;
    Pairs pairs(lower_);
    if (!read(predictions, references, pairs, groups)) return nb::none();
    Table<double> rows(pairs.size(), statistics_.outputs());
    std::vector<double> first(groups.empty() ? 0 : pairs.size() * parts_.size());
    Seconds seconds(levels_.size() + kernels_.size());
    Held scratch(*this);
    each_block(pairs, *scratch, [&](size_t start, size_t count, Scratch &own) {
      write(start, count, own, rows);
      if (groups.empty()) return;
      statistics_to_scores(count, own);
      for (size_t part = 0; part < parts_.size(); ++part) {
        std::copy_n(scores_.output(parts_[part].output, own.score_registers).begin(), count, first.begin() + std::ptrdiff_t(part * pairs.size() + start));
      }
    }, &seconds);
    if (groups.empty()) return nb::make_tuple(rows.numpy(), seconds.list(), pairs.are_ascii());
    Table<double> found(groups.size() - 1, statistics_.outputs());
    for (size_t segment = 0; segment + 1 < groups.size(); ++segment) {
      for (size_t k = 0; k < parts_.size(); ++k) {
        const Part &part = parts_[k];
        size_t row = chosen(first.data() + k * pairs.size(), groups[segment], groups[segment + 1], part.higher);
        std::copy_n(rows[row] + part.statistics, part.width, found[segment] + part.statistics);
      }
    }
    return nb::make_tuple(found.numpy(), seconds.list(), pairs.are_ascii());
  }

private:
  // Scratch memory that is taken out by one exchange and put back by another: no lock, so a forked child never waits.
  class Held {
  public:
    explicit Held(CompiledMetric &owner) : owner_(owner), scratch_(owner.spare_.exchange(nullptr)) {
      if (!scratch_) scratch_ = new Scratch();
    }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
    ~Held() { delete owner_.spare_.exchange(scratch_); }
    Scratch &operator*() const { return *scratch_; }

  private:
    CompiledMetric &owner_;
    Scratch *scratch_;
  };

  // Reads lists of strings, or of one list of references for each prediction; `groups` are the bounds of each prediction's rows.
  bool read(const nb::list &predictions, const nb::list &references, Pairs &pairs, std::vector<uint32_t> &groups, bool lists = true) {
    size_t count = predictions.size();
    if (!count || references.size() != count || count > UINT32_MAX / 2) return false;
    pairs.reserve(2 * count);
    if (!PyList_CheckExact(PyList_GET_ITEM(references.ptr(), 0))) {
      for (size_t i = 0; i < count; ++i) {
        if (!pairs.add(PyList_GET_ITEM(predictions.ptr(), Py_ssize_t(i)), PyList_GET_ITEM(references.ptr(), Py_ssize_t(i)))) return false;
      }
      return true;
    }
    if (!lists) return false;
    groups.reserve(count + 1);
    groups.push_back(0);
    for (size_t i = 0; i < count; ++i) {
      PyObject *prediction = PyList_GET_ITEM(predictions.ptr(), Py_ssize_t(i)), *several = PyList_GET_ITEM(references.ptr(), Py_ssize_t(i));
      if (!PyList_CheckExact(several) || !PyList_GET_SIZE(several) || (!chooses_ && PyList_GET_SIZE(several) > 1)) return false;
      for (Py_ssize_t k = 0; k < PyList_GET_SIZE(several); ++k) {
        if (!pairs.add(prediction, PyList_GET_ITEM(several, k))) return false;
      }
      if (pairs.size() > UINT32_MAX / 2) return false;
      groups.push_back(uint32_t(pairs.size()));
    }
    if (pairs.size() == count) groups.clear();  // there is nothing to choose
    return true;
  }

  // The row that wins: the best first output, the first of equal ones; an undefined one never wins against a defined one.
  static size_t chosen(const double *scores, size_t first, size_t last, bool higher) {
    size_t best = first;
    for (size_t row = first + 1; row < last; ++row) {
      bool better = scores[best] != scores[best] ? scores[row] == scores[row] : higher ? scores[row] > scores[best] : scores[row] < scores[best];
      if (better) best = row;
    }
    return best;
  }

  template <typename Work> void each_block(const Pairs &pairs, Scratch &scratch, const Work &work, Seconds *seconds = nullptr) {
    size_t size = pairs.size();
    if (size < block_rows) {
      // Releasing the lock would take longer than the work.
      Crew crew;
      Working working(crew, true);
      fill(pairs, 0, size, scratch, seconds);
      work(size_t{0}, size, scratch);
      return;
    }
    nb::gil_scoped_release release;
    size_t blocks = (size + block_rows - 1) / block_rows, characters = pairs.characters();
    std::atomic<bool> taken{false};
    parallel(blocks, 16 * characters * (kernels_.size() + 1), [&](size_t first, size_t last) {
      std::unique_ptr<Scratch> made;
      Scratch *own = &scratch;
      bool mine = !taken.exchange(true);
      if (!mine) made = std::make_unique<Scratch>(), own = made.get();
      for (size_t block = first; block < last; ++block) {
        size_t start = block * block_rows, count = std::min(block_rows, size - start);
        fill(pairs, start, count, *own, seconds);
        work(start, count, *own);
      }
      if (mine) taken = false;
    });
  }

  // Tokens, columns and statistics of a block.
  void fill(const Pairs &pairs, size_t start, size_t rows, Scratch &scratch, Seconds *seconds) {
    Steps steps;
    steps(rows * steps_of_a_row);
    scratch.tokens.resize(levels_.size());
    scratch.known.resize(levels_.size());
    scratch.columns.resize(columns_);
    for (size_t level = 0; level < levels_.size(); ++level) {
      auto started = seconds ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
      BlockTokens &tokens = scratch.tokens[level];
      tokens.values.clear();
      bool lasting = !keys_[level].is_none();
      if (lasting) scratch.known[level].make_room();
      scratch.reader.lasting = lasting ? &scratch.known[level].words : nullptr;
      for (size_t i = 0; i < rows; ++i) {
        size_t place = 2 * (start + i);
        if (i && pairs[place].text == pairs[place - 2].text) {
          tokens.repeat(2 * i - 2);  // another reference of the same prediction, whose words are still numbered
        } else {
          scratch.reader.words.clear();
          scratch.reader.read(pairs[place], levels_[level], tokens.values);
        }
        tokens.offsets[2 * i + 1] = tokens.values.size();
        scratch.reader.read(pairs[place + 1], levels_[level], tokens.values);
        tokens.offsets[2 * i + 2] = tokens.values.size();
      }
      if (lasting) scratch.known[level].learn(keys_[level]);
      if (seconds) seconds->add(level, started);
    }
    size_t column = 0;
    for (size_t k = 0; k < kernels_.size(); ++k) {
      auto started = seconds ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
      const RowKernel &kernel = kernels_[k];
      size_t width = kernel.width();
      const BlockTokens &tokens = scratch.tokens[kernel.level];
      for (size_t i = 0; i < rows; ++i) {
        scratch.found.assign(width, 0.0);
        compute(kernel, tokens[2 * i], tokens[2 * i + 1], pairs[2 * (start + i)], pairs[2 * (start + i) + 1], scratch);
        for (size_t w = 0; w < width; ++w) scratch.columns[column + w][i] = scratch.found[w];
      }
      column += width;
      if (seconds) seconds->add(levels_.size() + k, started);
    }
    statistics_.run(rows, scratch.columns.data(), scratch.registers);
  }

  void compute(const RowKernel &kernel, Row prediction, Row reference, const PairText &predicted, const PairText &expected, Scratch &scratch) const {
    double *found = scratch.found.data();
    switch (kernel.kind) {
    case Kind::clipped_matches: {
      scratch.matcher.match(prediction, {&reference, 1}, kernel.number, found);
      for (size_t n = 0; n < kernel.number; ++n) {
        found[kernel.number + n] = prediction.size > n ? double(prediction.size - n) : 0;
        found[2 * kernel.number + n] = reference.size > n ? double(reference.size - n) : 0;
      }
      return;
    }
    case Kind::edit_counts: return scratch.aligner.count(reference, prediction, found);
    case Kind::edit_distance: found[0] = double(scratch.distance(prediction, reference)); break;
    case Kind::common_subsequence: found[0] = double(scratch.subsequences.length(prediction, reference)); break;
    case Kind::union_subsequence:
      if (has_line_break(predicted.text) || has_line_break(expected.text)) return unite(levels_[kernel.level], predicted, expected, scratch);
      found[0] = double(scratch.subsequences.length(prediction, reference));
      break;
    case Kind::equal: found[0] = prediction.size == reference.size && std::equal(prediction.begin(), prediction.end(), reference.begin()); return;
    case Kind::shifted_edits:
      scratch.shifts.clear();
      found[0] = double(scratch.tercom.path(prediction, reference, scratch.shifts));
      found[1] = double(scratch.shifts.size() / 3), found[2] = double(reference.size);
      return;
    case Kind::character_shifts:
      scratch.shifts.clear();
      scratch.characters.edit(prediction, reference, kernel.number == 1, found, scratch.shifts);
      found[2] = double(prediction.size);
      return;
    case Kind::word_order:
      scratch.places.clear();
      scratch.order.places(prediction, reference, kernel.number == 1, scratch.places);
      scratch.ascending.count(scratch.places, found);
      found[2] = double(prediction.size), found[3] = double(reference.size);
      return;
    case Kind::word_alignment: return scratch.alignment.count(prediction, reference, scratch.known[kernel.level], kernel.number, found);
    }
    found[1] = double(prediction.size), found[2] = double(reference.size);
  }

  // The union of subsequences over the lines of both texts, as union_lcs_hits computes it, and the tokens of the lines.
  static void unite(const Level &level, const PairText &predicted, const PairText &expected, Scratch &scratch) {
    PairLines &lines = scratch.lines;
    lines.values.clear(), lines.offsets.assign(1, 0);
    scratch.reader.words.clear();
    size_t bounds[3] = {0, 0, 0};
    for (size_t side = 0; side < 2; ++side) {
      const PairText &source = side ? expected : predicted;
      PyObject *string = source.for_level(level);
      Py_ssize_t size = PyUnicode_GET_LENGTH(string), start = 0;
      while (start < size) {
        Py_ssize_t end = PyUnicode_FindChar(string, '\n', start, size, 1);
        if (end < 0) end = size;
        if (end > start) {
          scratch.reader.read(source, level, size_t(start), size_t(end), lines.values);
          lines.offsets.push_back(lines.values.size());
        }
        start = end + 1;
      }
      bounds[side + 1] = lines.offsets.size() - 1;
      scratch.found[side + 1] = double(lines.offsets[bounds[side + 1]] - lines.offsets[bounds[side]]);
    }
    while (lines.numbers.size() < bounds[2]) lines.numbers.push_back(int64_t(lines.numbers.size()));
    RowOf<int64_t> ours = lines.lines(0, bounds[1]), theirs = lines.lines(bounds[1], bounds[2]);
    scratch.found[0] = double(union_hits(lines, ours, theirs, scratch.subsequences, scratch.sentences, scratch.unions));
  }

  void statistics_to_scores(size_t rows, Scratch &own) const {
    own.statistics.resize(statistics_.outputs());
    for (size_t k = 0; k < own.statistics.size(); ++k) std::copy_n(statistics_.output(k, own.registers).begin(), rows, own.statistics[k].begin());
    scores_.run(rows, own.statistics.data(), own.score_registers);
  }
  void write(size_t start, size_t rows, const Scratch &own, Table<double> &to) const {
    for (size_t k = 0; k < statistics_.outputs(); ++k) {
      const Register &column = statistics_.output(k, own.registers);
      for (size_t i = 0; i < rows; ++i) to[start + i][k] = column[i];
    }
  }

  std::vector<Level> levels_;
  std::vector<nb::object> keys_;  // by level
  std::vector<RowKernel> kernels_;
  std::vector<Part> parts_;
  size_t columns_ = 0;
  bool lower_ = false, chooses_;
  Program statistics_, scores_;
  std::atomic<Scratch *> spare_{nullptr};
};

// (rows, inputs) numbers become (rows, outputs).
nb::object run_program(const Program &program, nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> values) {
  need(values.shape(1) == program.inputs(), "a program needs one column for each of its inputs.");
  size_t rows = values.shape(0), width = program.inputs();
  Table<double> found(rows, program.outputs());
  nb::gil_scoped_release release;
  std::vector<Register> columns(width), registers;
  Steps steps;
  for (size_t start = 0; start < rows; start += block_rows) {
    size_t count = std::min(block_rows, rows - start);
    steps(count * steps_of_a_row);
    for (size_t k = 0; k < width; ++k) {
      for (size_t i = 0; i < count; ++i) columns[k][i] = values.data()[(start + i) * width + k];
    }
    program.run(count, columns.data(), registers);
    for (size_t k = 0; k < program.outputs(); ++k) {
      const Register &column = program.output(k, registers);
      for (size_t i = 0; i < count; ++i) found[start + i][k] = column[i];
    }
  }
  nb::gil_scoped_acquire acquire;
  return found.numpy();
}

} // namespace

void bind_compiled_metric(nb::module_ &module) {
  nb::class_<Program>(module, "Program")
      .def(nb::init<size_t, const Program::Plain &, std::vector<int32_t>>(), nb::arg("inputs"), nb::arg("code"), nb::arg("outputs"))
      .def("run", &run_program);
  nb::class_<CompiledMetric>(module, "CompiledMetric")
      .def(nb::init<const CompiledMetric::Levels &, const CompiledMetric::Kernels &, const Program &, const Program &, const CompiledMetric::Parts &, bool>(),
           nb::arg("levels"), nb::arg("kernels"), nb::arg("statistics"), nb::arg("scores"), nb::arg("parts"), nb::arg("chooses"))
      .def("function", &CompiledMetric::function, nb::arg("output"), nb::arg("zero") = 0.0, nb::arg("one") = 1.0, nb::arg("undefined") = std::numeric_limits<double>::quiet_NaN(),
           nb::arg("lists") = true)
      .def("statistics", &CompiledMetric::statistics, nb::arg("predictions"), nb::arg("references"));
}
