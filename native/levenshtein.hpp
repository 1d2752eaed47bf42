// The Levenshtein grid, 64 cells at a time (Myers 1999, Hyyrö 2003).
#pragma once

#include "column.hpp"
#include "interrupts.hpp"
#include "pairs.hpp"
#include "places.hpp"

#include <cstdint>
#include <utility>
#include <vector>

// 64 cells of a row of the grid as differences: a set bit says that the cell costs one more, or one less, than the cell before it.
struct Cells {
  uint64_t more = ~uint64_t{0}, less = 0;
};

// How the costs before a word of cells change from the row above: by one more, by one less, or not at all.
struct Carry {
  uint64_t more = 1, less = 0;
};

// The cells below, where `same` has a bit for each token of the pattern that is the token of the row; gives those that cost what the cell
// diagonally above costs.
inline uint64_t descend(Cells &cells, uint64_t same, Carry &carry) {
  uint64_t reached = same | carry.less;
  uint64_t diagonal = (((reached & cells.more) + cells.more) ^ cells.more) | reached | cells.less;
  uint64_t down_more = cells.less | ~(diagonal | cells.more);
  uint64_t down_less = diagonal & cells.more;
  Carry next{down_more >> 63, down_less >> 63};
  down_more = down_more << 1 | carry.more;
  down_less = down_less << 1 | carry.less;
  cells.more = down_less | ~(diagonal | down_more);
  cells.less = down_more & diagonal;
  carry = next;
  return diagonal;
}

// A row of the grid after some tokens; columns are the tokens of a pattern. Only words within `band` of the diagonal are kept up, which
// is enough for all ways that cost no more than that.
class GridRow {
public:
  void start(size_t columns, size_t band) {
    columns_ = columns, band_ = band, row_ = 0, first_ = 0, end_ = 0, before_ = 0;
    cells_.assign((columns + 63) / 64, Cells{});
  }
  // The next row, whose token stands at the set bits of `places` in the pattern; nullptr: nowhere.
  void descend(const uint64_t *places) {
    ++row_;
    for (; row_ > band_ + 1 && first_ < (row_ - band_ - 1) / 64; ++first_) {
      before_ += ones(cells_[first_].more);
      before_ -= ones(cells_[first_].less);
    }
    end_ = row_ + band_ >= columns_ ? cells_.size() : (row_ + band_ + 63) / 64;
    ++before_;
    Carry carry;
    for (size_t word = first_; word < end_; ++word) ::descend(cells_[word], places ? places[word] : 0, carry);
  }
  size_t first() const { return first_; }
  size_t end() const { return end_; }
  const Cells &operator[](size_t word) const { return cells_[word]; }
  // The cost of the last cell.
  size_t last() const {
    size_t cost = before_;
    for (size_t word = first_; word < end_; ++word) {
      uint64_t used = word + 1 == cells_.size() && columns_ % 64 ? (uint64_t{1} << columns_ % 64) - 1 : ~uint64_t{0};
      cost += ones(cells_[word].more & used);
      cost -= ones(cells_[word].less & used);
    }
    return cost;
  }
  // The cost of every cell, the one before all columns included; `never` outside the band.
  void costs(std::vector<size_t> &found, size_t never) const {
    found.assign(columns_ + 1, never);
    size_t cost = before_;
    found[64 * first_] = cost;
    for (size_t column = 64 * first_; column < std::min(columns_, 64 * end_); ++column) {
      cost += cells_[column / 64].more >> column % 64 & 1;
      cost -= cells_[column / 64].less >> column % 64 & 1;
      found[column + 1] = cost;
    }
  }

private:
  size_t columns_ = 0, band_ = 0, row_ = 0, first_ = 0, end_ = 0, before_ = 0;
  std::vector<Cells> cells_;
};

// The places of tokens with small numbers, such as letters and the words of a pair, as up to four words of bits; they need no look-up.
class Letters {
public:
  static bool are(Row row) {
    uint32_t all = 0;
    for (int32_t token : row) all |= uint32_t(token);
    return all < alphabet;
  }

  template <size_t words> const uint64_t *bits(int32_t token) const { return bits_.data() + size_t(token) * words; }
  template <size_t words> void index(Row row) {
    for (size_t place = 0; place < row.size; ++place) bits_[size_t(row[place]) * words + place / 64] |= uint64_t{1} << place % 64;
  }
  // Forgets the places of the row.
  template <size_t words> void clear(Row row) {
    for (int32_t token : row) std::fill_n(bits_.data() + size_t(token) * words, words, 0);
  }

private:
  static constexpr size_t alphabet = 512;

  std::vector<uint64_t> bits_ = std::vector<uint64_t>(4 * alphabet);  // all 0 between two rows
};

// The distance between two rows, without the way.
class Distance {
public:
  size_t operator()(Row left, Row right) {
    without_common_ends(left, right);
    if (!left.size || !right.size) return left.size + right.size;
    // The distance is symmetric; every token of `left` costs as many steps as `right` has words of 64 cells.
    if ((left.size + 63) / 64 * right.size < (right.size + 63) / 64 * left.size) std::swap(left, right);
    steps_(4 * (left.size + right.size));
    bool letters = Letters::are(left) && Letters::are(right);
    switch ((right.size + 63) / 64) {
    case 1: return few_words<1>(left, right, letters);
    case 2: return few_words<2>(left, right, letters);
    case 3: return few_words<3>(left, right, letters);
    case 4: return few_words<4>(left, right, letters);
    default: break;
    }
    masks_.index(right);
    row_.start(right.size, std::max(left.size, right.size));
    steps_.for_each(left, masks_.words(), [&](int32_t token) { row_.descend(masks_.bits(token)); });
    return row_.last();
  }

private:
  // A row of so few words needs no memory.
  template <size_t words> size_t few_words(Row left, Row right, bool letters) {
    if (!letters) {
      static constexpr uint64_t nowhere[words] = {};
      masks_.index(right);
      return last_cost<words>(left, right.size, [&](int32_t token) {
        const uint64_t *places = masks_.bits(token);
        return places ? places : nowhere;
      });
    }
    letters_.index<words>(right);
    size_t cost = last_cost<words>(left, right.size, [&](int32_t token) { return letters_.bits<words>(token); });
    letters_.clear<words>(right);
    return cost;
  }
  template <size_t words, typename Places> static size_t last_cost(Row left, size_t columns, const Places &places_of) {
    Cells cells[words];
    for (int32_t token : left) {
      const uint64_t *places = places_of(token);
      Carry carry;
      for (size_t word = 0; word < words; ++word) descend(cells[word], places[word], carry);
    }
    uint64_t used = columns % 64 ? (uint64_t{1} << columns % 64) - 1 : ~uint64_t{0};
    cells[words - 1].more &= used, cells[words - 1].less &= used;
    size_t cost = left.size;
    for (const Cells &part : cells) cost += ones(part.more), cost -= ones(part.less);
    return cost;
  }

  Steps steps_;
  Places masks_;
  GridRow row_;
  Letters letters_;
};
