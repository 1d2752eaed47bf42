// The different words of texts, and their numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string_view>
#include <vector>

using Word = std::u32string_view;
using AsciiWord = std::string_view;

inline uint64_t random_odd() {
  std::random_device random;
  return uint64_t{random()} << 32 | random() | 1;
}

// Numbers different words from 0 on, in order of first appearance.
class Words {
public:
  // So many characters can be read from where a word of ASCII begins.
  static constexpr size_t readable = 16;
  static constexpr uint32_t hashed = ~uint32_t{0};

  // All of a word of up to sixteen ASCII characters, and a hash of any other one.
  struct Key {
    uint64_t low = 0, high = 0;
    // How many characters are in `low` and `high`, or `hashed`.
    uint32_t whole = hashed;
  };

  size_t size() const { return words_.size(); }
  Word operator[](size_t number) const { return {signs_.data() + words_[number].start, words_[number].size}; }

  static Key key_of(AsciiWord word) {
    if (word.size() > readable) return hash_of(word);
    // What follows the word is blotted out.
    static constexpr uint8_t window[2 * readable] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t own[2], used[2];
    std::memcpy(own, word.data(), readable);
    std::memcpy(used, window + readable - word.size(), readable);
    return {own[0] & used[0], own[1] & used[1], uint32_t(word.size())};
  }
  static Key key_of(Word word) {
    bool narrow = word.size() <= readable && std::all_of(word.begin(), word.end(), [](char32_t sign) { return sign < 128; });
    if (!narrow) return hash_of(word);
    char signs[readable] = {};
    std::copy(word.begin(), word.end(), signs);
    return key_of(AsciiWord(signs, word.size()));
  }

  // The number of a word, a new one at its first appearance.
  template <typename AnyWord> uint32_t add(AnyWord word, const Key &key) {
    uint64_t hash = key.low * factors[0] + key.high * factors[1];
    uint32_t tag = uint32_t(hash >> 32);
    size_t place = tag >> shift_;
    for (; slots_[place].next; place = (place + 1) & (slots_.size() - 1)) {
      uint32_t number = slots_[place].next - 1;
      if (slots_[place].tag == tag && words_[number].has(key) && (key.whole != hashed || equal(number, word))) return number;
    }
    words_.push_back({key.low, key.high, key.whole, uint32_t(word.size()), signs_.size()});
    signs_.insert(signs_.end(), word.begin(), word.end());
    slots_[place] = {tag, uint32_t(words_.size())};
    if (2 * words_.size() > slots_.size()) grow();
    return uint32_t(words_.size() - 1);
  }
  uint32_t add(Word word) { return add(word, key_of(word)); }
  uint32_t add(AsciiWord word) { return add(word, key_of(word)); }
  // A word that others have under this number.
  uint32_t add(const Words &others, size_t number) { return add(others[number], others.words_[number].key()); }

private:
  struct Entry {
    uint64_t low, high;
    uint32_t whole, size;
    size_t start;

    bool has(const Key &key) const { return low == key.low && high == key.high && whole == key.whole; }
    Key key() const { return {low, high, whole}; }
  };
  // A part of the word's hash, and its number and 1; 0 where the slot is free.
  struct Slot {
    uint32_t tag = 0, next = 0;
  };

  // Nobody can choose words that meet in one slot, because the factors of the hash are others in each process.
  inline static const uint64_t factors[2] = {random_odd(), random_odd()};

  template <typename AnyWord> static Key hash_of(AnyWord word) {
    Key key{factors[1] ^ word.size()};
    for (char32_t sign : word) key.low = (key.low ^ sign) * factors[0], key.low ^= key.low >> 32;
    return key;
  }

  template <typename AnyWord> bool equal(size_t number, AnyWord word) const {
    Word known = (*this)[number];
    return std::equal(known.begin(), known.end(), word.begin(), word.end());
  }

  void grow() {
    if (shift_ < 2) throw std::length_error("a chunk has too many different words.");
    shift_ -= 2;
    std::vector<Slot> before(4 * slots_.size());
    before.swap(slots_);
    for (const Slot &slot : before) {
      if (!slot.next) continue;
      size_t place = slot.tag >> shift_;
      while (slots_[place].next) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = slot;
    }
  }

  unsigned shift_ = 32 - 8;
  std::vector<Slot> slots_ = std::vector<Slot>(256);
  std::vector<Entry> words_;
  std::vector<char32_t> signs_;
};

// What was made of words before, up to a size; whoever calls holds Python's lock.
template <typename Made> class Remembered {
public:
  // Of the word that `words` have under this number.
  template <typename Make> const Made &of(const Words &words, size_t number, const Make &make) {
    if (words_.size() > most) words_ = Words(), made_.clear();
    uint32_t own = words_.add(words, number);
    if (own == made_.size()) made_.push_back(make(words[number]));
    return made_[own];
  }

private:
  static constexpr size_t most = 1 << 16;

  Words words_;
  std::vector<Made> made_;
};
