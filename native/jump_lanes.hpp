// Edit grids with long jumps of many pairs at once.
#pragma once

#include "column.hpp"
#include "interrupts.hpp"
#include "simd.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

template <typename Cost> struct Costs {
  Cost deletion, insertion, substitution, jump, start;
};

// One pair of rows and where its three numbers go: D, and how far the visits of all places but the first, and of the first, are from one.
struct JumpPair {
  Row prediction, reference;
  double *found;

  size_t cells() const { return (prediction.size + 1) * (reference.size + 1); }
};

// Each pair has a lane, and the same place of all lanes is computed at once; sums are in the order of the Python kernel. Costs, tokens and
// places are numbers of one type, so that one instruction does several lanes.
template <typename Cost> class Lanes {
public:
  static constexpr size_t lanes = sizeof(Cost) == 2 ? 16 : 8;

  // Whether tokens, places and costs of a pair are numbers of the type, and places beyond the prediction never get cheaper than all others.
  template <typename Wide> static bool fits(const JumpPair &pair, const Costs<Wide> &costs) {
    if (costs.substitution < costs.insertion) return false;
    if constexpr (std::is_integral_v<Cost>) {
      Wide highest = std::max({costs.deletion, costs.insertion, costs.substitution, costs.jump, costs.start});
      if (highest > most || highest * Wide(pair.reference.size + 3) > most || pair.prediction.size >= size_t(most)) return false;
      auto is_token = [](int32_t token) { return uint32_t(token) < 0xFFFF; };
      return std::all_of(pair.prediction.begin(), pair.prediction.end(), is_token) && std::all_of(pair.reference.begin(), pair.reference.end(), is_token);
    }
    return std::is_same_v<Cost, double>;  // a float cannot tell all tokens apart
  }

  // For at most as many pairs as there are lanes.
  template <typename Wide>
  void distances(const JumpPair *pairs, size_t count, const Costs<Wide> &wide, std::optional<int64_t> landing, Wide unit) {
    Costs<Cost> costs{Cost(wide.deletion), Cost(wide.insertion), Cost(wide.substitution), Cost(wide.jump), Cost(wide.start)};
    lay_out(pairs, count, costs.start);
    size_t rows = 0;
    for (size_t lane = 0; lane < count; ++lane) rows = std::max(rows, pairs[lane].reference.size), finish(pairs[lane], lane, unit);
    std::fill_n(tokens_, lanes, nothing);
    for (size_t row = 0; row < rows; ++row) {
      for (size_t lane = 0; lane < count; ++lane) {
        if (row < pairs[lane].reference.size) tokens_[lane] = number_of(pairs[lane].reference[row]);
      }
      steps_(2 * places_.size());
      advance(costs);
      for (size_t lane = 0; lane < count; ++lane) {
        Row reference = pairs[lane].reference;
        if (row >= reference.size) continue;
        ++visits_[size_t(first_[lane]) * lanes + lane];
        jumped_[lane] = !landing || reference[row] == *landing ? Cost(least_[lane] + costs.jump) : unreached;
        if (row + 1 == reference.size) finish(pairs[lane], lane, unit);
      }
    }
    for (size_t lane = 0; lane < count; ++lane) {
      for (size_t place = 0; place <= pairs[lane].prediction.size; ++place) {
        pairs[lane].found[place ? 1 : 2] += double(std::abs(visits_[place * lanes + lane] - 1));
      }
    }
  }

private:
  static constexpr int64_t most = 30'000;
  static constexpr Cost unreached = std::numeric_limits<Cost>::max();
  // No token's number.
  static constexpr Cost nothing = std::is_integral_v<Cost> ? Cost(-1) : Cost(0.5);

  // The costs of a place in all lanes, and the tokens before it.
  struct Place {
    Cost costs[lanes], tokens[lanes];
  };

  static Cost number_of(int32_t token) {
    if constexpr (std::is_integral_v<Cost>) return Cost(uint16_t(token));
    return Cost(token);
  }

  void lay_out(const JumpPair *pairs, size_t count, Cost start) {
    size_t length = 0;
    for (size_t lane = 0; lane < count; ++lane) length = std::max(length, pairs[lane].prediction.size);
    places_.resize(length + 1), visits_.assign((length + 1) * lanes, 0);
    for (Place &place : places_) std::fill_n(place.costs, lanes, start), std::fill_n(place.tokens, lanes, nothing);
    std::fill_n(places_[0].costs, lanes, Cost(0));
    for (size_t lane = 0; lane < count; ++lane) {
      for (size_t i = 0; i < pairs[lane].prediction.size; ++i) places_[i + 1].tokens[lane] = number_of(pairs[lane].prediction[i]);
    }
    std::fill_n(jumped_, lanes, unreached);
  }

  template <typename Wide> void finish(const JumpPair &pair, size_t lane, Wide unit) const {
    pair.found[0] = double(Wide(std::min(places_[pair.prediction.size].costs[lane], jumped_[lane])) * unit);
  }

  void advance(const Costs<Cost> &costs) { has_avx2() ? advance_wide(costs) : advance_lanes(costs); }
  NLGAUGE_AVX2 void advance_wide(const Costs<Cost> &costs) { advance_lanes(costs); }

  // From a row to the next one; a jump after the row before is made on the way.
  NLGAUGE_INLINE void advance_lanes(const Costs<Cost> &costs) {
    Cost tokens[lanes], jumped[lanes], diagonal[lanes], left[lanes], least[lanes], first[lanes];
    std::copy_n(tokens_, lanes, tokens), std::copy_n(jumped_, lanes, jumped);
    for (size_t lane = 0; lane < lanes; ++lane) {
      diagonal[lane] = lower(places_[0].costs[lane], jumped[lane]);
      places_[0].costs[lane] = left[lane] = least[lane] = Cost(diagonal[lane] + costs.insertion);
      first[lane] = 0;
    }
    const Cost deletion = costs.deletion, insertion = costs.insertion, substitution = costs.substitution;
    Cost number = 0;
    Place *const end = places_.data() + places_.size();
    for (Place *next = places_.data() + 1; next < end; ++next) {
      Place &place = *next;
      number = Cost(number + 1);
      for (size_t lane = 0; lane < lanes; ++lane) {
        // Everything is read before anything is chosen, else compilers do one lane after the other.
        Cost above = lower(place.costs[lane], jumped[lane]), lowest = least[lane], where = first[lane];
        Cost different = place.tokens[lane] == tokens[lane] ? Cost(0) : substitution;
        Cost replaced = Cost(diagonal[lane] + different), inserted = Cost(above + insertion), deleted = Cost(left[lane] + deletion);
        Cost cost = lower(deleted, lower(replaced, inserted));
        diagonal[lane] = above;
        place.costs[lane] = left[lane] = cost;
        least[lane] = lower(lowest, cost);
        first[lane] = cost < lowest ? number : where;
      }
    }
    std::copy_n(least, lanes, least_), std::copy_n(first, lanes, first_);
  }
  static NLGAUGE_INLINE Cost lower(Cost left, Cost right) { return left < right ? left : right; }

  // Tokens of the row; what a place costs after a jump; the lowest cost of the row, and the first place that has it.
  Cost tokens_[lanes], jumped_[lanes], least_[lanes], first_[lanes];
  Steps steps_;
  std::vector<Place> places_;
  std::vector<int32_t> visits_;
};
