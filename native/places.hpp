// Small open hash tables that serve one row after the other without new memory.
#pragma once

#include "column.hpp"

#include <algorithm>
#include <array>
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
    need(keys < none, "there are too many keys.");
    unsigned bits = 4;
    while (size_t{1} << bits < 2 * keys) ++bits;
    if (size_t{1} << bits > slots_.size()) slots_.assign(size_t{1} << bits, Slot{}), stamp_ = 0;
    mask_ = (size_t{1} << bits) - 1;
    shift_ = 64 - bits;
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
    // The highest bits of a product depend on all bits of the key.
    size_t place = key * 0x9E3779B97F4A7C15u >> shift_;
    while (slots_[place].stamp == stamp_ && slots_[place].key != key) place = (place + 1) & mask_;
    return place;
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  unsigned shift_ = 60;
  uint32_t stamp_ = 0, count_ = 0;
};

inline uint64_t key_of(int32_t token) { return static_cast<uint32_t>(token); }

// How many bits are set.
inline size_t ones(uint64_t bits) {
#if defined(__GNUC__)
  return size_t(__builtin_popcountll(bits));
#else
  size_t count = 0;
  for (; bits; bits &= bits - 1) ++count;
  return count;
#endif
}

// The places of each token of a row as bits.
class Places {
public:
  void index(Row row) {
    words_ = (row.size + 63) / 64;
    numbers_.clear(row.size);
    if (++stamp_ == 0) small_.fill({}), stamp_ = 1;
    count_ = 0;
    all_kept_ = words_ <= most_kept;
    if (all_kept_) {
      index_all(row);
    } else {
      index_frequent(row);
    }
  }
  // How many words of bits a row has.
  size_t words() const { return words_; }
  // One bit for each place of the row, until the next call; nullptr where the token does not stand in it.
  const uint64_t *bits(int32_t token) {
    uint32_t number = find(token);
    if (number == Numbering::none) return nullptr;
    if (all_kept_) return bits_.data() + number * words_;
    if (kept_[number]) return bits_.data() + kept_[number] * words_;
    for (size_t place = shown_; place != none; place = before_[place]) bits_[place / 64] = 0;
    shown_ = last_[number];
    for (size_t place = shown_; place != none; place = before_[place]) bits_[place / 64] |= uint64_t{1} << place % 64;
    return bits_.data();
  }

private:
  // With more words than this only frequent tokens have their bits kept: those of all tokens would fill the memory.
  static constexpr size_t most_kept = 16;
  static constexpr size_t none = ~size_t{0};

  void index_all(Row row) {
    if (bits_.size() < row.size * words_) bits_.resize(row.size * words_);
    for (size_t place = 0; place < row.size; ++place) {
      uint32_t known = count_, number = number_of(row[place]);
      if (number == known) std::fill_n(bits_.begin() + number * words_, words_, 0);
      bits_[number * words_ + place / 64] |= uint64_t{1} << place % 64;
    }
  }
  // The first bits are those of the rare token that was asked for last; its places are a list from last_ on.
  void index_frequent(Row row) {
    last_.clear(), shown_ = none, before_.resize(row.size);
    std::vector<size_t> counts;
    for (size_t place = 0; place < row.size; ++place) {
      uint32_t known = count_, number = number_of(row[place]);
      if (number == known) last_.push_back(none), counts.push_back(0);
      before_[place] = last_[number], last_[number] = place, ++counts[number];
    }
    kept_.assign(count_, 0);
    size_t kept = 1;
    for (uint32_t number = 0; number < count_; ++number) {
      if (8 * counts[number] > words_) kept_[number] = kept++;
    }
    bits_.assign(kept * words_, 0);
    for (uint32_t number = 0; number < count_; ++number) {
      uint64_t *bits = bits_.data() + kept_[number] * words_;
      for (size_t place = kept_[number] ? last_[number] : none; place != none; place = before_[place]) bits[place / 64] |= uint64_t{1} << place % 64;
    }
  }

  struct Known {
    uint32_t stamp = 0, number = 0;
  };

  // Letters and frequent tokens have small numbers, which need no hashing.
  uint32_t number_of(int32_t token) {
    if (key_of(token) >= small_.size()) {
      uint32_t known = numbers_.count(), number = numbers_.add(key_of(token));
      if (number == known) hashed_.resize(known), hashed_.push_back(count_++);
      return hashed_[number];
    }
    Known &known = small_[key_of(token)];
    if (known.stamp != stamp_) known = {stamp_, count_++};
    return known.number;
  }
  uint32_t find(int32_t token) const {
    if (key_of(token) < small_.size()) {
      const Known &known = small_[key_of(token)];
      return known.stamp == stamp_ ? known.number : Numbering::none;
    }
    uint32_t number = numbers_.find(key_of(token));
    return number == Numbering::none ? number : hashed_[number];
  }

  Numbering numbers_;
  std::array<Known, 512> small_{};
  std::vector<uint32_t> hashed_;
  uint32_t stamp_ = 0, count_ = 0;
  size_t words_ = 0, shown_ = none;
  bool all_kept_ = true;
  std::vector<uint64_t> bits_;
  std::vector<size_t> last_, before_, kept_;
};
