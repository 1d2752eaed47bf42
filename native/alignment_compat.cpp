// Twin of kernels/alignment_compat.py: the alignments that two programs of METEOR find.
#include "alignment.hpp"
#include "parallel.hpp"

#include <tuple>

namespace {

// The METEOR 1.5 program's default.
constexpr size_t BEAM = 40;

// A partial alignment of the METEOR 1.5 program without its places; `end` is the place after the last match of an open chunk, else -1.
struct Path {
  int64_t weight = 0, chunks = 0, distance = 0, end = -1;
  uint32_t path = Paths::start;
  uint32_t parent = 0;
  int64_t place = -1; // what it takes beside its parent's places
  uint32_t module = 0;

  auto rank() const { return std::make_tuple(-weight, chunks, distance); }
  void close() { chunks += end != -1, end = -1; }
};

// How many bits a byte has, and the sum of their places.
struct Byte {
  uint8_t count = 0, sum = 0;
};

struct Bytes {
  Byte of[256];

  Bytes() {
    for (unsigned byte = 0; byte < 256; ++byte) {
      for (unsigned place = 0; place < 8; ++place) {
        if (byte >> place & 1) ++of[byte].count, of[byte].sum = static_cast<uint8_t>(of[byte].sum + place);
      }
    }
  }
};

// The places at which a word of the reference matches in one module; as bits too where they are many.
struct Segment {
  size_t first, last;
  std::vector<uint64_t> bits;
};

class Beam {
public:
  Matches align(Row prediction, Row reference, const Modules &modules) {
    bool same = prediction.size == reference.size && std::equal(prediction.begin(), prediction.end(), reference.begin());
    linked_.find(prediction, reference, modules, same ? std::min<size_t>(1, modules.size()) : modules.size(), true);
    words_ = (prediction.size + 63) / 64;
    find_targets();
    paths_.clear();
    bits_.assign(words_, 0);
    find_fixed();
    kept_.assign(1, Path{});
    for (size_t r = 0; r < reference.size; ++r) {
      following_.clear();
      for (uint32_t i = 0; i < kept_.size(); ++i) {
        if (fixed_[r]) {
          Target target = targets_[linked_.theirs[r]][0];
          Path path = matched(i, target);
          path.distance += distance(target, r);
          following_.push_back(path);
        } else {
          extend(i, r);
        }
      }
      steps_(8 * following_.size() + 4 * kept_.size() * words_);
      keep_best();
      for (Path &path : kept_) {
        if (path.place >= 0) path.path = paths_.add(path.path, static_cast<uint32_t>(path.place), static_cast<uint32_t>(r), path.module);
      }
    }
    for (Path &path : kept_) path.close();
    return paths_.matches(std::min_element(kept_.begin(), kept_.end(), [](const Path &a, const Path &b) { return a.rank() < b.rank(); })->path);
  }

private:
  static int64_t distance(Target target, size_t r) { return std::abs(static_cast<int64_t>(target.place) - static_cast<int64_t>(r)); }

  // The places that each word of the reference may match, by module and place.
  void find_targets() {
    Links::reset(targets_, linked_.words_of_reference());
    Links::reset(segments_, linked_.words_of_reference());
    for (size_t word = 0; word < linked_.words_of_reference(); ++word) {
      auto &targets = targets_[word];
      for (auto [other, module] : linked_.links[word]) {
        for (uint32_t place : linked_.places[other]) targets.push_back({place, module});
      }
      if (linked_.links[word].size() > 1) {
        std::sort(targets.begin(), targets.end(), [](Target a, Target b) { return std::tie(a.module, a.place) < std::tie(b.module, b.place); });
      }
      for (size_t first = 0, last = 0; first < targets.size(); first = last) {
        while (last < targets.size() && targets[last].module == targets[first].module) ++last;
        segments_[word].push_back({first, last, {}});
        if (last - first <= MANY) continue;
        segments_[word].back().bits.resize(words_);
        for (size_t i = first; i < last; ++i) set_bit(segments_[word].back().bits.data(), targets[i].place);
      }
    }
  }

  // The matches that share no word with another, and the places that they take.
  void find_fixed() {
    covered_.assign(linked_.ours.size(), 0);
    for (size_t word = 0; word < linked_.words_of_reference(); ++word) {
      for (Target target : targets_[word]) covered_[target.place] += linked_.expected[word];
    }
    fixed_.assign(linked_.theirs.size(), 0);
    for (size_t r = 0; r < fixed_.size(); ++r) {
      const auto &targets = targets_[linked_.theirs[r]];
      fixed_[r] = targets.size() == 1 && covered_[targets[0].place] == 1;
      if (fixed_[r]) set_bit(bits_.data(), targets[0].place);
    }
  }

  Path matched(uint32_t parent, Target target) const {
    Path path = kept_[parent];
    int64_t place = target.place;
    path.chunks += path.end != -1 && path.end != place;
    path.weight += target.module == 0 ? 2 : 0;
    path.end = place + 1;
    path.parent = parent, path.place = place, path.module = target.module;
    return path;
  }

  // The path with each free match of a word of the reference, and without one. A tried match adds its distance to those that are tried after it,
  // so of many that differ in nothing else the first `BEAM` are enough.
  void extend(uint32_t parent, size_t r) {
    const uint64_t *used = bits_.data() + parent * words_;
    const Path path = kept_[parent];
    const auto &targets = targets_[linked_.theirs[r]];
    int64_t tried = path.distance;
    auto take = [&](Target target) {
      if (has_bit(used, target.place)) return false;
      following_.push_back(matched(parent, target));
      following_.back().distance = tried;
      tried += distance(target, r);
      return true;
    };
    for (const Segment &segment : segments_[linked_.theirs[r]]) {
      size_t made = 0, i = segment.first;
      for (; i < segment.last && (segment.bits.empty() || made <= BEAM); ++i) made += take(targets[i]);
      if (i == segment.last) continue;
      int64_t next = targets[i].place, end = path.end;
      // What goes on with the chunk differs from the others.
      if (end >= next && static_cast<size_t>(end) < linked_.ours.size() && has_bit(segment.bits.data(), static_cast<size_t>(end))) {
        tried += distances(segment.bits.data(), used, next, end, static_cast<int64_t>(r));
        take({static_cast<uint32_t>(end), targets[i].module});
        next = end + 1;
      }
      tried += distances(segment.bits.data(), used, next, static_cast<int64_t>(linked_.ours.size()), static_cast<int64_t>(r));
    }
    Path closed = path;
    closed.close();
    closed.distance = tried;
    closed.parent = parent, closed.place = -1;
    following_.push_back(closed);
  }

  // The sum of distances from `r` of those places from `low` to `high` that are not used.
  static int64_t distances(const uint64_t *places, const uint64_t *used, int64_t low, int64_t high, int64_t r) {
    int64_t left[2] = {}, right[2] = {};
    tally(places, used, low, std::min(high, r), left);
    tally(places, used, std::max(low, r), high, right);
    return left[0] * r - left[1] + right[1] - right[0] * r;
  }

  // The number and the sum of the places from `low` to `high` that are not used.
  static void tally(const uint64_t *places, const uint64_t *used, int64_t low, int64_t high, int64_t *found) {
    static const Bytes bytes;
    if (low >= high) return;
    for (int64_t word = low / 64; word <= (high - 1) / 64; ++word) {
      uint64_t bits = places[word] & ~used[word];
      if (word == low / 64) bits &= ~uint64_t{0} << low % 64;
      if (word == (high - 1) / 64) bits &= ~uint64_t{0} >> (63 - (high - 1) % 64);
      for (int64_t place = 64 * word; bits; bits >>= 8, place += 8) {
        Byte byte = bytes.of[bits & 255];
        found[0] += byte.count;
        found[1] += byte.sum + byte.count * place;
      }
    }
  }

  // The best of the paths that follow, in order.
  void keep_best() {
    order_.resize(following_.size());
    for (uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
    size_t count = std::min(BEAM, order_.size());
    auto before = [&](uint32_t a, uint32_t b) {
      const Path &left = following_[a], &right = following_[b];
      return std::make_tuple(-left.weight, left.chunks, left.distance, a) < std::make_tuple(-right.weight, right.chunks, right.distance, b);
    };
    std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count), order_.end(), before);
    kept_.clear();
    next_bits_.resize(count * words_);
    for (size_t i = 0; i < count; ++i) {
      const Path &path = following_[order_[i]];
      kept_.push_back(path);
      uint64_t *bits = next_bits_.data() + i * words_;
      std::copy_n(bits_.data() + path.parent * words_, words_, bits);
      if (path.place >= 0) set_bit(bits, static_cast<size_t>(path.place));
    }
    std::swap(bits_, next_bits_);
  }

  Steps steps_;
  Links linked_;
  Paths paths_;
  size_t words_ = 0;
  static constexpr size_t MANY = BEAM + 8;
  std::vector<std::vector<Target>> targets_;
  std::vector<std::vector<Segment>> segments_;
  std::vector<char> fixed_;
  std::vector<size_t> covered_;
  std::vector<Path> kept_, following_;
  std::vector<uint32_t> order_;
  std::vector<uint64_t> bits_, next_bits_;
};

nb::object beam_alignments(const Column &column, const Rows &predictions, const Rows &references, const Modules &modules) {
  need_pairs(predictions, references);
  std::vector<Matches> found(predictions.size());
  each_row<Beam>(predictions.size(), 500 * column.size(), [&](Beam &beam, size_t i) {
    found[i] = beam.align(column[predictions[i]], column[references[i]], modules);
  });
  return ragged_of(found, 5);
}

class Greedy {
public:
  Matches align(Row prediction, Row reference, const Column &stems, const Column &accepted) {
    taken_.assign(prediction.size, 0);
    owner_.assign(reference.size, none);
    auto own = [](const int32_t &word) { return Row{&word, 1}; };
    auto stem = [&](const int32_t &word) { return stems[word]; };
    take(prediction, reference, 0, own, own);
    take(prediction, reference, 1, stem, stem);
    take(prediction, reference, 2, stem, [&](const int32_t &word) { return accepted[word]; });
    Matches found;
    for (size_t r = 0; r < reference.size; ++r) {
      if (owner_[r] != none) add_match(found, owner_[r], r, module_[owner_[r]]);
    }
    return found;
  }

private:
  // The matches of one module: `key` has the one key of a word of the reference, `wanted` those that a word of the prediction accepts.
  template <typename Key, typename Wanted> void take(Row prediction, Row reference, uint32_t module, const Key &key, const Wanted &wanted) {
    keys_.clear(reference.size);
    last_.clear();
    before_.resize(reference.size);
    key_.resize(reference.size);
    for (uint32_t r = 0; r < reference.size; ++r) {
      if (owner_[r] != none) continue;
      key_[r] = keys_.add(key_of(key(reference[r])[0]));
      if (key_[r] == last_.size()) last_.push_back(none);
      before_[r] = last_[key_[r]];
      last_[key_[r]] = r;
    }
    module_.resize(prediction.size);
    for (size_t p = prediction.size; p--;) {
      if (taken_[p]) continue;
      int64_t best = -1;
      for (int32_t one : wanted(prediction[p])) {
        uint32_t number = keys_.find(key_of(one));
        if (number != Numbering::none && last_[number] != none) best = std::max<int64_t>(best, last_[number]);
      }
      if (best < 0) continue;
      uint32_t r = static_cast<uint32_t>(best);
      last_[key_[r]] = before_[r];
      owner_[r] = static_cast<uint32_t>(p);
      module_[p] = module;
      taken_[p] = 1;
    }
  }

  static constexpr uint32_t none = ~uint32_t{0};
  Numbering keys_;
  std::vector<char> taken_;
  std::vector<uint32_t> owner_, module_, last_, before_, key_;
};

nb::object greedy_alignments(const Column &column, const Rows &predictions, const Rows &references, const Column &stems, const Column &accepted) {
  need_pairs(predictions, references);
  for (size_t word = 0; word < stems.rows(); ++word) need(stems[static_cast<int64_t>(word)].size == 1, "every word must have one stem.");
  std::vector<Matches> found(predictions.size());
  each_row<Greedy>(predictions.size(), 100 * column.size(), [&](Greedy &greedy, size_t i) {
    found[i] = greedy.align(column[predictions[i]], column[references[i]], stems, accepted);
  });
  return ragged_of(found, 5);
}

} // namespace

void bind_alignment_compat(nb::module_ &module) {
  module.def("beam_alignments", &beam_alignments);
  module.def("greedy_alignments", &greedy_alignments);
}
