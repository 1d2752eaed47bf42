// The different words of texts, and their numbers.
#pragma once

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string_view>
#include <vector>

using Word = std::u32string_view;

// Numbers different words from 0 on, in order of first appearance.
class Words {
public:
  size_t size() const { return words_.size(); }
  Word operator[](size_t number) const { return {signs_.data() + words_[number].start, words_[number].size}; }

  // The number of a word, a new one at its first appearance.
  uint32_t add(Word word) {
    Key key = key_of(word);
    size_t place = place_of(key);
    for (; slots_[place].next; place = (place + 1) & (slots_.size() - 1)) {
      const Slot &slot = slots_[place];
      if (slot.bits == key.bits && slot.whole == key.whole && (key.whole || (*this)[slot.next - 1] == word)) return slot.next - 1;
    }
    if (signs_.size() + word.size() > UINT32_MAX) throw std::length_error("the different words of a chunk have too many characters.");
    words_.push_back({uint32_t(signs_.size()), uint32_t(word.size())});
    signs_.insert(signs_.end(), word.begin(), word.end());
    slots_[place] = {key.bits, key.whole, uint32_t(words_.size())};
    if (2 * words_.size() > slots_.size()) grow();
    return uint32_t(words_.size() - 1);
  }

private:
  // Nobody can choose words that meet in one slot, because the hash is another one in each process.
  inline static const uint64_t seed = uint64_t{std::random_device{}()} << 32 | std::random_device{}();

  // All of a word of up to eight ASCII characters, and a hash of any other one.
  struct Key {
    uint64_t bits;
    uint32_t whole;
  };
  struct Entry {
    uint32_t start, size;
  };
  // `next` is the word's number and 1, and 0 where the slot is free.
  struct Slot {
    uint64_t bits = 0;
    uint32_t whole = 0, next = 0;
  };

  static Key key_of(Word word) {
    if (word.size() <= 8) {
      uint64_t bits = 0;
      bool others = false;
      for (char32_t sign : word) {
        bits = bits << 8 | (sign & 0xFF);
        others |= sign - 1u >= 127u;
      }
      if (!others) return {bits, 1};
    }
    uint64_t hash = seed ^ word.size();
    for (char32_t sign : word) hash = mixed(hash ^ sign);
    return {hash, 0};
  }
  static uint64_t mixed(uint64_t hash) {
    hash *= 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
  }
  size_t place_of(Key key) const { return mixed(mixed(key.bits ^ seed)) & (slots_.size() - 1); }

  void grow() {
    std::vector<Slot> before(2 * slots_.size());
    before.swap(slots_);
    for (const Slot &slot : before) {
      if (!slot.next) continue;
      size_t place = place_of({slot.bits, slot.whole});
      while (slots_[place].next) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::vector<Entry> words_;
  std::vector<char32_t> signs_;
};

// What was made of words before, up to a size; whoever calls holds Python's lock.
template <typename Made> class Remembered {
public:
  template <typename Make> const Made &of(Word word, const Make &make) {
    if (words_.size() > most) words_ = Words(), made_.clear();
    uint32_t number = words_.add(word);
    if (number == made_.size()) made_.push_back(make(word));
    return made_[number];
  }

private:
  static constexpr size_t most = 1 << 16;

  Words words_;
  std::vector<Made> made_;
};
