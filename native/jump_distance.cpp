// Twin of kernels/jump_distance.py: edit grids with long jumps.
#include "column.hpp"
#include "jump_lanes.hpp"
#include "pairs.hpp"
#include "parallel.hpp"
#include "places.hpp"

#include <nanobind/stl/optional.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace {

// Cell by cell, sums in the order of the Python kernel.
template <typename Cost> class Plain {
public:
  Cost distance(Row prediction, Row reference, const Costs<Cost> &costs, std::optional<int64_t> landing, bool truncated, std::vector<int64_t> &visits) {
    row_.assign(prediction.size + 1, costs.start);
    row_[0] = 0;
    for (int32_t token : reference) {
      steps_(2 * prediction.size + 1);
      advance(prediction, token, costs);
      size_t place = truncated ? truncated_minimum() : size_t(std::min_element(row_.begin(), row_.end()) - row_.begin());
      ++visits[place];
      if (!landing || token == *landing) {
        Cost reached = row_[place] + costs.jump;
        for (Cost &cost : row_) cost = std::min(cost, reached);
      }
    }
    return row_.back();
  }

private:
  void advance(Row prediction, int32_t token, const Costs<Cost> &costs) {
    Cost diagonal = row_[0];
    Cost left = row_[0] = diagonal + costs.insertion;
    for (size_t i = 0; i < prediction.size; ++i) {
      Cost above = row_[i + 1];
      Cost reached = std::min(prediction[i] == token ? diagonal : diagonal + costs.substitution, above + costs.insertion);
      row_[i + 1] = left = std::min(left + costs.deletion, reached);
      diagonal = above;
    }
  }
  // The least cost so far is cut to a whole number.
  size_t truncated_minimum() const {
    size_t place = 0;
    double least = std::trunc(double(row_[0]));
    for (size_t i = 0; i < row_.size(); ++i) {
      if (double(row_[i]) < least) place = i, least = std::trunc(double(row_[i]));
    }
    return place;
  }

  Steps steps_;
  std::vector<Cost> row_;
};

// Whole numbers: the row is cut into `lanes` pieces of the same length, and the same cell of all pieces is computed at once. Costs are those
// above the cheapest place of the last token after which a jump could land, so that even in long texts they are small.
template <typename Cost> class Striped {
public:
  // Whether costs never get too great, places beyond the prediction, which fill the last piece, never get cheaper than all others, and
  // different tokens of the prediction have different numbers.
  bool fits(Row prediction, Row reference, const Costs<int64_t> &costs, std::optional<int64_t> landing) {
    int64_t highest = std::max({costs.deletion, costs.insertion, costs.substitution, costs.jump, costs.start});
    int64_t longest = 0, length = 0;
    for (int32_t token : reference) {
      longest = std::max(longest, ++length);
      if (!landing || token == *landing) length = 0;
    }
    if (highest > most || highest * (longest + 2) > most || costs.substitution < costs.insertion) return false;
    lay_out(prediction);
    return numbers_.count() < uint32_t(std::numeric_limits<Cost>::max());
  }

  // For texts that fit.
  int64_t distance(Row prediction, Row reference, const Costs<int64_t> &wide, std::optional<int64_t> landing, std::vector<int64_t> &visits) {
    Costs<Cost> costs{Cost(wide.deletion), Cost(wide.insertion), Cost(wide.substitution), Cost(wide.jump), Cost(wide.start)};
    slope_ = Cost(std::min(most, wide.deletion * int64_t(length_)));
    std::fill(row_.begin(), row_.end(), costs.start);
    row_[lanes] = 0;
    int64_t base = 0;
    for (int32_t token : reference) {
      uint32_t number = numbers_.find(key_of(token));
      steps_(cells_ / 4);
      advance(number == Numbering::none ? Cost(-1) : Cost(number), costs);
      auto [place, least] = minimum();
      ++visits[place];
      if (!landing || token == *landing) land(least, costs.jump), base += least;
    }
    return base + row_[lanes + cell_of(prediction.size)];
  }

private:
  static constexpr size_t lanes = 32 / sizeof(Cost);
  static constexpr int64_t most = sizeof(Cost) == 2 ? 10'000 : 600'000'000;
  static constexpr Cost unreached = Cost(2 * most);

  struct Least {
    size_t place;
    Cost cost;
  };

  // Place i, after i tokens of the prediction, is cell i % length_ of piece i / length_; the first cells of all pieces come first.
  size_t cell_of(size_t i) const { return i % length_ * lanes + i / length_; }

  void lay_out(Row prediction) {
    length_ = prediction.size / lanes + 1;
    cells_ = length_ * lanes;
    // Before the first cells there is room for those that come before: the last ones of the piece before.
    row_.resize(lanes + cells_), above_.resize(lanes + cells_), least_.resize(cells_);
    tokens_.assign(cells_, Cost(-2));
    numbers_.clear(prediction.size);
    for (size_t i = 0; i < prediction.size; ++i) tokens_[cell_of(i + 1)] = Cost(numbers_.add(key_of(prediction[i])));
  }

  void advance(Cost token, const Costs<Cost> &costs) {
    row_.swap(above_);
    above_[0] = unreached;
    std::copy_n(above_.end() - lanes, lanes - 1, above_.begin() + 1);
    Cost *row = row_.data() + lanes;
    const Cost *above = above_.data() + lanes, *diagonal = above_.data(), *tokens = tokens_.data();
    const Cost insertion = costs.insertion, substitution = costs.substitution;
    const size_t cells = cells_;
    for (size_t i = 0; i < cells; ++i) {
      Cost different = Cost(-(tokens[i] != token) & substitution);
      Cost replaced = Cost(diagonal[i] + different), inserted = Cost(above[i] + insertion);
      row[i] = replaced < inserted ? replaced : inserted;
    }
    with_deletions(row + lanes, cells_ - lanes, costs.deletion);
    // What deletions bring along from the pieces before, until it is cheaper nowhere.
    Cost *before = row_.data(), *last = row + cells_ - lanes;
    before[0] = unreached;
    for (size_t lane = 1; lane < lanes; ++lane) before[lane] = std::min(last[lane - 1], Cost(before[lane - 1] + slope_));
    Cost end[lanes];
    for (size_t start = 0, size = 8 * lanes; start < cells_; start += size) {
      size = std::min(size, cells_ - start);
      Cost *final = row + start + size - lanes;
      std::copy_n(final, lanes, end);
      with_deletions(row + start, size, costs.deletion);
      if (std::equal(end, end + lanes, final)) break;
    }
  }
  // Each of the cells may also be reached from the one before in its piece.
  static void with_deletions(Cost *cells, size_t size, Cost deletion) {
    const Cost *left = cells - lanes;
    for (size_t i = 0; i < size; ++i) {
      Cost deleted = Cost(left[i] + deletion);
      cells[i] = deleted < cells[i] ? deleted : cells[i];
    }
  }

  // The first of the cheapest places.
  Least minimum() {
    // Halves are laid over each other until one cell of each piece is left.
    const Cost *row = row_.data() + lanes;
    Cost *least = least_.data();
    size_t size = (length_ + 1) / 2;
    fold(row, row + size * lanes, least, (length_ - size) * lanes);
    if (2 * size > length_) std::copy_n(row + (size - 1) * lanes, lanes, least + (size - 1) * lanes);
    while (size > 1) {
      size_t half = (size + 1) / 2;
      fold(least, least + half * lanes, least, (size - half) * lanes);
      size = half;
    }
    size_t lane = size_t(std::min_element(least, least + lanes) - least), cell = 0;
    while (row[cell * lanes + lane] != least[lane]) ++cell;
    return {lane * length_ + cell, least[lane]};
  }
  static void fold(const Cost *left, const Cost *right, Cost *least, size_t size) {
    for (size_t i = 0; i < size; ++i) least[i] = left[i] < right[i] ? left[i] : right[i];
  }

  // No place costs more than a jump from the cheapest one, whose cost is the new zero.
  void land(Cost least, Cost jump) {
    Cost *row = row_.data() + lanes;
    for (size_t i = 0; i < cells_; ++i) {
      Cost cost = Cost(row[i] - least);
      row[i] = cost < jump ? cost : jump;
    }
  }

  Steps steps_;
  Numbering numbers_;
  size_t length_ = 0, cells_ = 0;
  Cost slope_ = 0;
  std::vector<Cost> row_, above_, least_, tokens_;
};

// Whole numbers are mostly small.
template <typename Cost> using Narrow = std::conditional_t<std::is_same_v<Cost, int64_t>, int16_t, Cost>;

// Finds the numbers of pairs with costs of one type.
template <typename Cost> class Grid {
public:
  Grid(const Costs<Cost> &costs, Cost unit, std::optional<int64_t> landing, bool truncated)
      : costs_(costs), unit_(unit), landing_(landing), truncated_(truncated) {}

  static constexpr size_t most_together = Lanes<Narrow<Cost>>::lanes;

  // Pairs that fill at least half of the lanes are found together.
  void find(const JumpPair *pairs, size_t count) {
    size_t longest = 0, longest_reference = 0, cells = 0;
    bool together = !truncated_;
    for (size_t i = 0; i < count; ++i) {
      const JumpPair &pair = pairs[i];
      longest = std::max(longest, pair.prediction.size), longest_reference = std::max(longest_reference, pair.reference.size);
      cells += pair.cells();
      together = together && Lanes<Narrow<Cost>>::fits(pair, costs_);
    }
    if (together && 2 * cells >= most_together * (longest + 1) * (longest_reference + 1)) return lanes_.distances(pairs, count, costs_, landing_, unit_);
    for (size_t i = 0; i < count; ++i) find_alone(pairs[i]);
  }

private:
  void find_alone(const JumpPair &pair) {
    visits_.assign(pair.prediction.size + 1, 0);
    pair.found[0] = double(distance(pair.prediction, pair.reference) * unit_);
    for (size_t place = 0; place < visits_.size(); ++place) pair.found[place ? 1 : 2] += double(std::abs(visits_[place] - 1));
  }
  Cost distance(Row prediction, Row reference) {
    if constexpr (std::is_same_v<Cost, int64_t>) {
      if (narrow_.fits(prediction, reference, costs_, landing_)) return narrow_.distance(prediction, reference, costs_, landing_, visits_);
      if (wide_.fits(prediction, reference, costs_, landing_)) return wide_.distance(prediction, reference, costs_, landing_, visits_);
    }
    return plain_.distance(prediction, reference, costs_, landing_, truncated_, visits_);
  }

  Costs<Cost> costs_;
  Cost unit_;
  std::optional<int64_t> landing_;
  bool truncated_;
  Lanes<Narrow<Cost>> lanes_;
  Striped<int16_t> narrow_;
  Striped<int32_t> wide_;
  Plain<Cost> plain_;
  std::vector<int64_t> visits_;
};

template <typename Cost>
nb::object distances(const Column &column, const Rows &predictions, const Rows &references, const nb::tuple &given, std::optional<int64_t> landing,
                     bool truncated) {
  Costs<Cost> costs{};
  Cost *each[] = {&costs.deletion, &costs.insertion, &costs.substitution, &costs.jump, &costs.start};
  for (size_t i = 0; i < 5; ++i) {
    *each[i] = nb::cast<Cost>(given[i]);
    // Places beyond a text must never get cheaper than those in it; sums of whole numbers must not overflow.
    need(*each[i] >= 0 && (!std::is_integral_v<Cost> || double(*each[i]) <= 2147483647.0), "costs must not be negative, and whole numbers fit into 32 bits.");
  }
  need_pairs(predictions, references);
  Cost unit = 1;
  if constexpr (std::is_same_v<Cost, int64_t>) {
    // Whole numbers are counted in their greatest common unit.
    unit = 0;
    for (Cost *cost : each) unit = std::gcd(unit, *cost);
    unit = std::max<Cost>(unit, 1);
    for (Cost *cost : each) *cost /= unit;
  }
  Table<double> found(predictions.size(), 3);
  std::vector<JumpPair> pairs(predictions.size());
  for (size_t n = 0; n < pairs.size(); ++n) pairs[n] = {column[predictions[n]], column[references[n]], found[n]};
  {
    nb::gil_scoped_release release;
    // Pairs of about the same size stand next to each other.
    auto size_of = [](const JumpPair &pair) { return pair.prediction.size + pair.reference.size; };
    std::sort(pairs.begin(), pairs.end(), [&](const JumpPair &left, const JumpPair &right) { return size_of(left) < size_of(right); });
    constexpr size_t together = Grid<Cost>::most_together;
    parallel((pairs.size() + together - 1) / together, cells_of(column, predictions, references, 2), [&](size_t first, size_t last) {
      Grid<Cost> grid(costs, unit, landing, truncated);
      for (size_t start = first * together; start < std::min(last * together, pairs.size()); start += together) {
        grid.find(&pairs[start], std::min(together, pairs.size() - start));
      }
    });
  }
  return found.numpy();
}

nb::object jump_distances(const Column &column, const Rows &predictions, const Rows &references, const nb::tuple &costs, std::optional<int64_t> landing,
                          bool truncated) {
  need(costs.size() == 5, "there must be five costs.");
  nb::handle start = costs[4];
  if (nb::isinstance<nb::int_>(start)) return distances<int64_t>(column, predictions, references, costs, landing, truncated);
  bool single = nb::hasattr(start, "itemsize") && nb::cast<int>(start.attr("itemsize")) == 4;
  return (single ? distances<float> : distances<double>)(column, predictions, references, costs, landing, truncated);
}

} // namespace

void bind_jump_distance(nb::module_ &module) {
  module.def("jump_distances", &jump_distances, nb::arg("column"), nb::arg("predictions"), nb::arg("references"), nb::arg("costs"),
             nb::arg("landing") = nb::none(), nb::arg("truncated") = false);
}
