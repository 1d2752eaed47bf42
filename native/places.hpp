// Small open hash tables that serve one row after the other without new memory.
#pragma once

#include "column.hpp"

#include <cstdint>
#include <vector>

// Spreads the bits of a key, which may be any number, over a word.
inline uint64_t spread(uint64_t key) {
  key *= 0x9E3779B97F4A7C15u;
  key ^= key >> 32;
  key *= 0xD6E8FEB86659FD93u;
  return key ^ key >> 32;
}

// Numbers different keys from 0 on, in order of first appearance.
class Numbering {
public:
  static constexpr uint32_t none = ~uint32_t{0};

  // Forgets all keys and makes room for so many.
  void clear(size_t keys) {
    size_t wanted = 16;
    while (wanted < 2 * keys) wanted *= 2;
    if (wanted > slots_.size()) slots_.assign(wanted, Slot{}), stamp_ = 0;
    mask_ = wanted - 1;
    if (++stamp_ == 0) slots_.assign(slots_.size(), Slot{}), stamp_ = 1;
    count_ = 0;
  }
  // The number of a key, a new one at its first appearance.
  uint32_t add(uint64_t key) {
    size_t place = place_of(key);
    if (slots_[place].stamp != stamp_) slots_[place] = {key, stamp_, count_++};
    return slots_[place].number;
  }
  uint32_t find(uint64_t key) const {
    size_t place = place_of(key);
    return slots_[place].stamp == stamp_ ? slots_[place].number : none;
  }
  uint32_t count() const { return count_; }

private:
  struct Slot {
    uint64_t key = 0;
    uint32_t stamp = 0, number = 0;
  };

  size_t place_of(uint64_t key) const {
    size_t place = spread(key) & mask_;
    while (slots_[place].stamp == stamp_ && slots_[place].key != key) place = (place + 1) & mask_;
    return place;
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  uint32_t stamp_ = 0, count_ = 0;
};

inline uint64_t key_of(int32_t token) { return static_cast<uint32_t>(token); }

// The places of each token of a row as bits.
class Places {
public:
  void index(Row row) {
    words_ = (row.size + 63) / 64;
    numbers_.clear(row.size);
    bits_.clear();
    for (size_t place = 0; place < row.size; ++place) {
      uint32_t number = numbers_.add(key_of(row[place]));
      if ((number + 1) * words_ > bits_.size()) bits_.resize((number + 1) * words_);
      bits_[number * words_ + place / 64] |= uint64_t{1} << place % 64;
    }
  }
  // How many words of bits a row has.
  size_t words() const { return words_; }
  // One bit for each place of the row; nullptr where the token does not stand in it.
  const uint64_t *bits(int32_t token) const {
    uint32_t number = numbers_.find(key_of(token));
    return number == Numbering::none ? nullptr : bits_.data() + number * words_;
  }

private:
  Numbering numbers_;
  size_t words_ = 0;
  std::vector<uint64_t> bits_;
};
