// The search for METEOR's alignments with most matches, then fewest chunks: twin of kernels/alignment.py.
#pragma once

#include "alignment_groups.hpp"

#include <tuple>

namespace fewest_chunks {

inline constexpr size_t NARROW = 8, most_budget = size_t{1} << 32;

inline size_t count_bits(uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  return ((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56;
}

// A partial alignment without its places. `last` is the place matched last if just before, else -2.
struct State {
  int64_t distance = 0;
  uint64_t hash = 0; // of its places
  int32_t last = -2, matches = 0, chunks = 0;
  uint32_t path = Paths::start, parent = 0;
  int32_t place = -1; // what it takes beside its parent's places

  auto cost() const { return std::make_tuple(-matches, chunks, distance); }
};

// By what states are sorted, and which state it is.
struct Ranked {
  uint64_t chunks_and_unmatched;
  int64_t distance;
  uint32_t state;

  bool operator<(const Ranked &other) const {
    if (chunks_and_unmatched != other.chunks_and_unmatched) return chunks_and_unmatched < other.chunks_and_unmatched;
    return distance != other.distance ? distance < other.distance : state < other.state;
  }
};

inline uint64_t hash_of(size_t place) { return spread(place + 1); }

class Search {
public:
  template <typename AnyModules> Matches align(Row prediction, Row reference, const AnyModules &modules, size_t budget) {
    Matches found;
    if (prediction.size == reference.size && std::equal(prediction.begin(), prediction.end(), reference.begin())) {
      for (size_t place = 0; place < prediction.size; ++place) add_match(found, place, place, 0);
      return found;
    }
    prepare(prediction, reference, modules, budget);
    State narrow, wide;
    if (run(NARROW, nullptr, narrow)) return paths_.matches(narrow.path);
    run(width_, &narrow, wide);
    return paths_.matches((wide.cost() < narrow.cost() ? wide : narrow).path);
  }

private:
  template <typename AnyModules> void prepare(Row prediction, Row reference, const AnyModules &modules, size_t budget) {
    linked_.find(prediction, reference, modules, modules.size(), false);
    paths_.clear();
    words_ = (prediction.size + 63) / 64;
    size_t words = linked_.words_of_reference(), length = std::max<size_t>(reference.size, 1);
    Links::reset(targets_, words);
    for (size_t word = 0; word < words; ++word) {
      for (auto [other, module] : linked_.links[word]) {
        for (uint32_t place : linked_.places[other]) targets_[word].push_back({place, module});
      }
      if (linked_.links[word].size() > 1) {
        std::sort(targets_[word].begin(), targets_[word].end(), [](Target a, Target b) { return a.place < b.place; });
      }
    }
    groups_.find(linked_, words_);
    slope_ = double(prediction.size) / double(length);
    most_targets_ = std::max<size_t>(2, budget / (NARROW * length));
    size_t total = 0;
    for (uint32_t word : linked_.theirs) total += std::min(targets_[word].size(), most_targets_);
    width_ = std::max(NARROW, budget / std::max<size_t>(1, total));
    if (masks_.size() < words) masks_.resize(words);
    for (size_t word = 0; word < words; ++word) {
      masks_[word].clear();
      if (targets_[word].size() <= most_targets_) continue;
      masks_[word].resize(words_);
      for (Target target : targets_[word]) set_bit(masks_[word].data(), target.place);
    }
    find_later_chunks();
  }

  // How many chunks must at least begin at or after each place of the reference, whatever came before.
  void find_later_chunks() {
    const auto &reference = linked_.theirs;
    size_t count = 0;
    for (size_t word = 0; word < linked_.words_of_reference(); ++word) count += linked_.links[word].size();
    pairs_.clear(count);
    for (uint32_t word = 0; word < linked_.words_of_reference(); ++word) {
      for (auto [other, module] : linked_.links[word]) pairs_.add(uint64_t{word} << 32 | other);
    }
    bigrams_.clear(reference.size());
    continues_.clear();
    later_.assign(reference.size() + 1, 0);
    for (size_t r = reference.size(); r--;) {
      uint32_t word = reference[r];
      bool begins = false;
      uint32_t group = groups_.of_word[word];
      if (group != none && groups_.all[group].expected == groups_.all[group].most) { // it cannot stay unmatched
        begins = r == 0 || !can_continue(reference[r - 1], word);
      }
      later_[r] = later_[r + 1] + begins;
    }
  }

  // Whether a place of the prediction that `word` matches stands behind one that `before` matches.
  bool can_continue(uint32_t before, uint32_t word) {
    uint32_t number = bigrams_.add(uint64_t{before} << 32 | word);
    if (number == continues_.size()) {
      continues_.push_back(std::any_of(targets_[word].begin(), targets_[word].end(), [&](Target target) {
        return target.place && pairs_.find(uint64_t{before} << 32 | linked_.ours[target.place - 1]) != Numbering::none;
      }));
    }
    return continues_[number];
  }

  // The best alignment of those kept, at most `width` at a time, and whether all were; none with more chunks than the known one is followed.
  bool run(size_t width, const State *known, State &best) {
    states_.assign(1, State{});
    bits_.assign(words_, 0);
    bool complete = true;
    seen_.assign(groups_.all.size(), 0);
    for (size_t r = 0; r < linked_.theirs.size(); ++r) {
      uint32_t word = linked_.theirs[r];
      uint32_t number = groups_.of_word[word];
      const uint64_t *finished = nullptr;
      extended_.clear();
      if (number == none) {
        for (uint32_t i = 0; i < states_.size(); ++i) extended_.push_back(without(i));
      } else {
        size_t remaining = groups_.all[number].expected - ++seen_[number];
        if (!remaining) finished = groups_.places(number);
        complete = complete && targets_[word].size() <= most_targets_;
        finishing_.clear();
        for (uint32_t i = 0; i < states_.size(); ++i) steps_(targets_[word].size() + words_), extend(i, r, word, remaining);
        keep_those_of(finishing_);
        if (known) {
          finishing_.clear();
          for (const State &state : extended_) finishing_.push_back(state.chunks + later_[r + 1] <= known->chunks);
          keep_those_of(finishing_);
        }
      }
      steps_(16 * extended_.size() * (words_ + 4));
      complete = reduce(width, number != none, finished) && complete;
      for (State &state : extended_) {
        if (state.place >= 0) state.path = paths_.add(state.path, static_cast<uint32_t>(state.place), static_cast<uint32_t>(r), module_at(word, state.place));
      }
      std::swap(states_, extended_);
    }
    best = *std::min_element(states_.begin(), states_.end(), [](const State &a, const State &b) { return a.cost() < b.cost(); });
    return complete;
  }

  State without(uint32_t parent) const {
    State state = states_[parent];
    state.last = -2, state.parent = parent, state.place = -1;
    return state;
  }

  // The state with each free match of a word of the reference, and without one; and whether each can still have most matches.
  void extend(uint32_t parent, size_t r, uint32_t word, size_t remaining) {
    const Group &group = groups_.all[groups_.of_word[word]];
    const uint64_t *places = groups_.places(groups_.of_word[word]);
    const uint64_t *used = bits_.data() + parent * words_;
    size_t matched = 0;
    for (size_t i = 0; i < words_; ++i) matched += count_bits(used[i] & places[i]);
    auto can_finish = [&](size_t count) { return count + std::min(group.predicted - count, remaining) >= group.most; };
    extended_.push_back(without(parent));
    finishing_.push_back(can_finish(matched));
    bool finishing = can_finish(matched + 1);
    const State state = states_[parent];
    auto take = [&](Target target) {
      if (has_bit(used, target.place)) return;
      State next = state;
      int32_t place = static_cast<int32_t>(target.place);
      next.last = next.place = place;
      ++next.matches;
      next.chunks += place - 1 != state.last;
      next.distance += std::abs(int64_t{place} - static_cast<int64_t>(r));
      next.hash ^= hash_of(target.place);
      next.parent = parent;
      extended_.push_back(next);
      finishing_.push_back(finishing);
    };
    const auto &targets = targets_[word];
    if (targets.size() <= most_targets_) {
      for (Target target : targets) take(target);
      return;
    }
    auto at = [&](int64_t place) {
      auto found = std::lower_bound(targets.begin(), targets.end(), place, [](Target target, int64_t wanted) { return target.place < wanted; });
      return static_cast<size_t>(found - targets.begin());
    };
    size_t middle = at(static_cast<int64_t>(double(r) * slope_)), half = most_targets_ / 2;
    size_t start = middle > half ? middle - half : 0, end = std::min(start + most_targets_, targets.size());
    for (size_t i = start; i < end; ++i) take(targets[i]);
    int64_t next = int64_t{state.last} + 1, free = first_free(masks_[word], used);
    auto take_extra = [&](int64_t place) {
      size_t found = at(place);
      if (found < targets.size() && targets[found].place == place && (found < start || end <= found)) take(targets[found]);
    };
    if (next >= 0) take_extra(next);
    if (free >= 0 && free != next) take_extra(free);
  }

  int64_t first_free(const std::vector<uint64_t> &mask, const uint64_t *used) const {
    for (size_t i = 0; i < words_; ++i) {
      uint64_t free = mask[i] & ~used[i];
      if (free) return static_cast<int64_t>(64 * i + count_bits((free & (~free + 1)) - 1));
    }
    return -1;
  }

  // Of the extended states those that are marked, or all where none is.
  void keep_those_of(const std::vector<char> &marked) {
    if (std::find(marked.begin(), marked.end(), 1) == marked.end()) return;
    size_t kept = 0;
    for (size_t i = 0; i < extended_.size(); ++i) {
      if (marked[i]) extended_[kept++] = extended_[i];
    }
    extended_.resize(kept);
  }

  // The places that a state takes, 64 of them; those of a finished group matter no more.
  uint64_t used(const State &state, size_t i, const uint64_t *finished) const {
    uint64_t bits = bits_[state.parent * words_ + i];
    if (state.place >= 0 && static_cast<size_t>(state.place) / 64 == i) bits |= uint64_t{1} << state.place % 64;
    return finished ? bits & ~finished[i] : bits;
  }

  bool same_places(const State &a, const State &b, const uint64_t *finished) const {
    if (a.hash != b.hash) return false;
    for (size_t i = 0; i < words_; ++i) {
      if (used(a, i, finished) != used(b, i, finished)) return false;
    }
    return true;
  }

  // The states in order of cost, without those that another with the same places taken makes useless; at most `width` where they are cut.
  //
  // An open chunk saves one chunk at most: a state that costs one more than the cheapest, and no less distance, cannot win; nor can one
  // without an open chunk that is not the cheapest.
  bool reduce(size_t width, bool cut, const uint64_t *finished) {
    if (finished) {
      hashes_.resize(states_.size());
      for (size_t i = 0; i < states_.size(); ++i) {
        hashes_[i] = states_[i].hash;
        for (size_t word = 0; word < words_; ++word) {
          for (uint64_t gone = bits_[i * words_ + word] & finished[word]; gone; gone &= gone - 1) {
            hashes_[i] ^= hash_of(64 * word + count_bits((gone & (~gone + 1)) - 1));
          }
        }
      }
      for (State &state : extended_) state.hash = hashes_[state.parent];
    }
    ranked_.resize(extended_.size());
    for (uint32_t i = 0; i < ranked_.size(); ++i) {
      const State &state = extended_[i];
      ranked_[i] = {uint64_t{static_cast<uint32_t>(state.chunks)} << 32 | (~uint32_t{0} - static_cast<uint32_t>(state.matches)), state.distance, i};
    }
    kept_.clear();
    cheapest_.clear(extended_.size());
    following_.assign(extended_.size(), none);
    // Where more states are cut off than kept, most of them need no order.
    size_t sorted = 0, block = cut ? 2 * width : ranked_.size();
    for (size_t at = 0; at < ranked_.size() && !(cut && kept_.size() > width); ++at) {
      if (at == sorted) sorted = sort_from(at, block);
      uint32_t i = ranked_[at].state;
      const State &state = extended_[i];
      auto alike = [&](uint32_t other) { return extended_[other].matches == state.matches && same_places(extended_[other], state, finished); };
      uint32_t best = cheapest_.add(state.hash + static_cast<uint32_t>(state.matches), i, alike);
      if (best != i) {
        const State &first = extended_[best];
        if (state.last < 0 || std::make_tuple(state.chunks, state.distance) >= std::make_tuple(first.chunks + 1, first.distance)) continue;
        // One with the same open chunk may be kept already.
        uint32_t other = best;
        while (extended_[other].last != state.last && following_[other] != none) other = following_[other];
        if (extended_[other].last == state.last) continue;
        following_[other] = i;
      }
      kept_.push_back(i);
    }
    bool all = !cut || kept_.size() <= width;
    if (!all) kept_.resize(width);
    next_bits_.resize(kept_.size() * words_);
    next_.clear();
    for (size_t i = 0; i < kept_.size(); ++i) {
      next_.push_back(extended_[kept_[i]]);
      for (size_t word = 0; word < words_; ++word) next_bits_[i * words_ + word] = used(next_.back(), word, finished);
    }
    std::swap(bits_, next_bits_);
    std::swap(extended_, next_);
    return all;
  }

  // Sorts the states from `start` on, at least `count` of them, and says up to where.
  size_t sort_from(size_t start, size_t count) {
    auto first = ranked_.begin() + static_cast<std::ptrdiff_t>(start);
    if (ranked_.size() - start <= 2 * count) {
      if (!std::is_sorted(first, ranked_.end())) std::sort(first, ranked_.end());
      return ranked_.size();
    }
    auto last = first + static_cast<std::ptrdiff_t>(count);
    std::nth_element(first, last, ranked_.end());
    std::sort(first, last);
    return start + count;
  }

  uint32_t module_at(uint32_t word, int64_t place) const {
    const auto &targets = targets_[word];
    return std::lower_bound(targets.begin(), targets.end(), place, [](Target target, int64_t wanted) { return target.place < wanted; })->module;
  }

  // Finds states that are alike by a hash; states are numbers.
  class Alike {
  public:
    void clear(size_t most) {
      size_t wanted = 16;
      while (wanted < 2 * most) wanted *= 2;
      slots_.assign(wanted, none);
      mask_ = wanted - 1;
    }
    // The state that is alike and was there before, else this one.
    template <typename Same> uint32_t add(uint64_t hash, uint32_t state, const Same &same) {
      size_t place = spread(hash) & mask_;
      for (; slots_[place] != none; place = (place + 1) & mask_) {
        if (same(slots_[place])) return slots_[place];
      }
      return slots_[place] = state;
    }

  private:
    std::vector<uint32_t> slots_;
    size_t mask_ = 0;
  };

  static constexpr uint32_t none = Groups::none;
  Steps steps_;
  Links linked_;
  Groups groups_;
  Paths paths_;
  size_t words_ = 0, most_targets_ = 0, width_ = 0;
  double slope_ = 0;
  std::vector<std::vector<Target>> targets_;
  std::vector<std::vector<uint64_t>> masks_;
  std::vector<uint32_t> kept_, following_;
  std::vector<size_t> seen_;
  std::vector<char> finishing_, continues_;
  Numbering pairs_, bigrams_;
  std::vector<int64_t> later_;
  std::vector<Ranked> ranked_;
  std::vector<State> states_, extended_, next_;
  std::vector<uint64_t> bits_, next_bits_, hashes_;
  Alike cheapest_;
};

} // namespace fewest_chunks
