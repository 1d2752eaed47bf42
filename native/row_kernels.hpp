// What compiled code computes of the tokens of a pair: nlgauge.features.RowKernel.
#pragma once

#include "known_words.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>

struct RowKernel {
  enum class Kind {
    clipped_matches,
    edit_counts,
    edit_distance,
    common_subsequence,
    union_subsequence,
    equal,
    shifted_edits,
    character_shifts,
    word_order,
    word_alignment
  };

  // `number` is the number of orders of n-grams, the budget of a search, or 1 if a kernel follows the rules of another program.
  RowKernel(const std::string &name, size_t level, size_t number) : kind(kind_of(name)), level(level), number(number) {}

  size_t width() const {
    switch (kind) {
    case Kind::clipped_matches: return 3 * number;
    case Kind::edit_counts:
    case Kind::word_order: return 4;
    case Kind::equal: return 1;
    case Kind::word_alignment: return AlignmentCounter::width;
    default: return 3;
    }
  }

  Kind kind;
  size_t level, number;

  size_t most_number() const { return kind == Kind::word_alignment ? fewest_chunks::most_budget : 64; }

private:
  static Kind kind_of(const std::string &name) {
    static constexpr const char *names[] = {"clipped_matches", "edit_counts", "edit_distance", "common_subsequence", "union_subsequence", "equal", "shifted_edits", "character_shifts", "word_order", "word_alignment"};
    size_t kind = 0;
    for (const char *each : names) {
      if (name == each) return Kind(kind);
      ++kind;
    }
    throw std::invalid_argument("the row kernel " + name + " is not compiled.");
  }
};
