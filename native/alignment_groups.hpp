// Groups of words that are linked with each other, for the search of kernels/alignment.py.
#pragma once

#include "alignment.hpp"

// Words that are linked with each other, directly or not: how often they stand on each side, and how many matches they can have at most.
struct Group {
  size_t predicted = 0, expected = 0, most = 0;
};

class Groups {
public:
  static constexpr uint32_t none = ~uint32_t{0};

  std::vector<Group> all;
  std::vector<uint32_t> of_word; // the group of each word of the reference, none where it is not matched

  // `width` is the number of 64 places each that the prediction has.
  void find(const Links &linked, size_t width) {
    width_ = width;
    size_t words = linked.words_of_reference();
    of_word.assign(words, none);
    all.clear();
    places_.clear();
    Links::reset(linking_, linked.words_of_prediction());
    for (uint32_t word = 0; word < words; ++word) {
      for (auto [other, module] : linked.links[word]) linking_[other].push_back(word);
    }
    reached_.assign(linked.words_of_prediction(), 0);
    for (uint32_t word = 0; word < words; ++word) {
      if (of_word[word] != none || linked.links[word].empty()) continue;
      Group group;
      places_.resize((all.size() + 1) * width_);
      uint64_t *bits = places_.data() + all.size() * width_;
      theirs_.assign(1, word);
      ours_.clear();
      of_word[word] = static_cast<uint32_t>(all.size());
      for (size_t i = 0; i < theirs_.size(); ++i) {
        group.expected += linked.expected[theirs_[i]];
        for (auto [other, module] : linked.links[theirs_[i]]) {
          if (reached_[other]) continue;
          reached_[other] = 1;
          ours_.push_back(other);
          group.predicted += linked.places[other].size();
          for (uint32_t place : linked.places[other]) set_bit(bits, place);
          for (uint32_t linking : linking_[other]) {
            if (of_word[linking] != none) continue;
            of_word[linking] = static_cast<uint32_t>(all.size());
            theirs_.push_back(linking);
          }
        }
      }
      bool complete = std::all_of(theirs_.begin(), theirs_.end(), [&](uint32_t one) { return linked.links[one].size() == ours_.size(); });
      group.most = complete ? std::min(group.predicted, group.expected) : most(linked);
      all.push_back(group);
    }
  }

  // The places of the prediction that a group has, as bits.
  const uint64_t *places(uint32_t group) const { return places_.data() + group * width_; }

private:
  // The greatest number of matches between the words `theirs_` and `ours_`: a maximum flow, by augmenting paths.
  size_t most(const Links &linked) {
    size_t total = 0;
    room_.assign(linked.words_of_prediction(), 0);
    for (uint32_t other : ours_) room_[other] = linked.places[other].size();
    Links::reset(flow_, linked.words_of_prediction());
    for (uint32_t other : ours_) flow_[other].assign(linking_[other].size(), 0);
    came_to_ours_.assign(linked.words_of_prediction(), none);
    came_to_theirs_.assign(linked.words_of_reference(), none);
    for (uint32_t source : theirs_) {
      size_t supply = linked.expected[source];
      while (supply) {
        steps_(theirs_.size() + ours_.size());
        // Breadth first from a word of the reference to a word of the prediction with room; back along flow that can be undone.
        for (uint32_t other : ours_) came_to_ours_[other] = none;
        for (uint32_t word : theirs_) came_to_theirs_[word] = none;
        queue_.assign(1, source);
        came_to_theirs_[source] = 0;
        uint32_t end = none;
        for (size_t i = 0; i < queue_.size() && end == none; ++i) {
          for (auto [other, module] : linked.links[queue_[i]]) {
            if (came_to_ours_[other] != none) continue;
            came_to_ours_[other] = queue_[i];
            steps_(linking_[other].size() + 1);
            if (room_[other]) {
              end = other;
              break;
            }
            for (size_t k = 0; k < linking_[other].size(); ++k) {
              uint32_t word = linking_[other][k];
              if (!flow_[other][k] || came_to_theirs_[word] != none) continue;
              came_to_theirs_[word] = other;
              queue_.push_back(word);
            }
          }
        }
        if (end == none) break;
        size_t amount = std::min(supply, room_[end]);
        for (uint32_t other = end, word = came_to_ours_[other]; word != source; word = came_to_ours_[other]) {
          other = came_to_theirs_[word];
          amount = std::min(amount, flow_between(word, other));
        }
        for (uint32_t other = end;;) {
          uint32_t word = came_to_ours_[other];
          flow_between(word, other) += amount;
          if (word == source) break;
          other = came_to_theirs_[word];
          flow_between(word, other) -= amount;
        }
        supply -= amount;
        room_[end] -= amount;
        total += amount;
      }
    }
    return total;
  }

  size_t &flow_between(uint32_t word, uint32_t other) {
    // linking_ is in ascending order.
    auto at = std::lower_bound(linking_[other].begin(), linking_[other].end(), word);
    return flow_[other][static_cast<size_t>(at - linking_[other].begin())];
  }

  Steps steps_;
  size_t width_ = 0;
  std::vector<uint64_t> places_;
  std::vector<uint32_t> theirs_, ours_, queue_, came_to_ours_, came_to_theirs_;
  std::vector<std::vector<uint32_t>> linking_;
  std::vector<std::vector<size_t>> flow_;
  std::vector<size_t> room_;
  std::vector<char> reached_;
};
