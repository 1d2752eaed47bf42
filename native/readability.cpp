// Twin of features/readability.py: letters and syllables of English words.
#include "texts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace {

using View = std::string_view;
// A row of letters, syllables, whether it is hard, whether a capital begins it, for each word.
using Facts = nb::ndarray<const int64_t, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

// Almost all sets of signs are known to the compiler, which makes comparisons of it.
inline bool one_of(char sign, View signs) {
  bool found = false;
  for (char one : signs) found |= one == sign;
  return found;
}
bool is_vowel(char sign) { return one_of(sign, "aeiou"); }

// Most comparisons end at their first character.
inline bool stands_at(View word, size_t place, View text) {
  if (word.size() - place < text.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (word[place + i] != text[i]) return false;
  }
  return true;
}

inline bool ends_with(View word, View ending) { return word.size() >= ending.size() && stands_at(word, word.size() - ending.size(), ending); }

// A place in a word, with the lookarounds of the Python twin's patterns.
struct Place {
  View word;
  size_t at;

  // (?<=[signs]), and false where the word begins; (?<!...) is its negation.
  bool after_one_of(View signs) const { return at > 0 && one_of(word[at - 1], signs); }
  bool after(View text) const { return ends_with(word.substr(0, at), text); }
  // (?<=[^signs]), and false where the word begins.
  bool after_other_than(View signs) const { return at > 0 && !one_of(word[at - 1], signs); }
  // (?<=[^signs]sign)
  bool after_other_than(View signs, char sign) const { return at > 1 && word[at - 1] == sign && !one_of(word[at - 2], signs); }
  bool at_text(View text) const { return stands_at(word, at, text); }
  bool at_ending(View text) const { return word.size() - at == text.size() && at_text(text); }
};

// The matches of _NUCLEUS.
int nuclei(View word) {
  auto before_vowel = [&](size_t place) { return place + 1 < word.size() && is_vowel(word[place + 1]); };
  auto in_run = [&](size_t place) { return place < word.size() && (is_vowel(word[place]) || (word[place] == 'y' && !before_vowel(place))); };
  int found = 0;
  for (size_t i = 0; i < word.size();) {
    bool alone = word[i] == 'y' && before_vowel(i) && Place{word, i}.after_other_than("aeiouwy");
    bool run = in_run(i);
    found += alone || run;
    do ++i;
    while (run && in_run(i));
  }
  return found;
}

// Whether _SILENT matches.
bool silent(View word) {
  constexpr std::array<View, 2> mute = {"ue", "ues"};
  constexpr std::array<View, 10> endings = {"e", "es", "ed", "ely", "ety", "eful", "eless", "ement", "ements", "eness"};
  for (View ending : mute) {
    if (!ends_with(word, ending)) continue;
    Place place{word, word.size() - ending.size()};
    if (place.after_one_of("gq") && Place{word, place.at - 1}.after_one_of("aeiou")) return true;
  }
  for (View ending : endings) {
    if (!ends_with(word, ending)) continue;
    Place place{word, word.size() - ending.size()};
    if (!place.after_other_than("aeiou") || place.after_other_than("aeiouyl", 'l') || place.after_other_than("aeiouyr'", 'r')) continue;
    if (ending == "es" && (place.after("ch") || place.after("sh") || place.after_one_of("scgxz"))) continue;
    if (ending == "ed" && place.after_one_of("dt")) continue;
    return true;
  }
  return false;
}

// How many characters _APART matches at a place; 0 where it does not.
size_t apart(Place place) {
  constexpr std::array<View, 4> spoken = {"ism", "isms", "thm", "thms"};
  // Most consonants begin nothing but the last alternative.
  if (!one_of(place.word[place.at], "aceiotu") && place.word.size() - place.at != 4) return 0;
  auto after_hiss = [&] { return place.after("ll") || place.after("sh"); };
  if (place.at_text("ia") && !place.after_one_of("ctgs") && !after_hiss() && !place.at_text("iage")) return 2;
  if (place.at_text("io") && !place.after_one_of("ctgsx") && !after_hiss()) return 2;
  if (place.at_text("iu")) return 2;
  if (place.at_text("eo") && !place.after_one_of("gp")) return 2;
  if (place.at_text("ua") && !place.after_one_of("gq")) return 2;
  if (place.at_text("uou")) return 3;
  if (place.at_text("ience") && !place.after_one_of("ct")) return 5;
  if (place.at_text("ient") && !place.after_one_of("ct")) return 4;
  if (place.at_ending("ier") || place.at_ending("iest")) return place.word.size() - place.at;
  if (place.at_text("creat") && !place.at_text("creature")) return 5;
  if (one_of(place.word[place.at], "aeou") && Place{place.word, place.at + 1}.at_text("ing")) return 4;
  for (View ending : spoken) {
    if (place.at_ending(ending)) return ending.size();
  }
  if (!one_of(place.word[place.at], "aeiouy") && Place{place.word, place.at + 1}.at_ending("n't")) return 4;
  return 0;
}

int exception(View part) {
  constexpr std::array<View, 8> two = {"business", "people", "premier", "science", "someone", "something", "sometimes", "wednesday"};
  constexpr std::array<View, 4> three = {"area", "everyone", "everything", "idea"};
  if (std::find(two.begin(), two.end(), part) != two.end()) return 2;
  return std::find(three.begin(), three.end(), part) != three.end() ? 3 : 0;
}

// The syllables of a part of letters and apostrophes.
int counted(View part) {
  if (int known = exception(part)) return known;
  int found = nuclei(part) - silent(part);
  for (size_t i = 0; i < part.size();) {
    size_t matched = apart({part, i});
    found += matched > 0;
    i += std::max<size_t>(matched, 1);
  }
  return std::max(1, found);
}

bool is_letter(char sign) { return sign >= 'a' && sign <= 'z'; }

// `plain` is a word in lower case.
int syllables(View plain) {
  int found = 0;
  for (size_t i = 0, end; i < plain.size(); i = end + 1) {
    bool letters = false;
    for (end = i; end < plain.size() && (is_letter(plain[end]) || plain[end] == '\''); ++end) letters |= is_letter(plain[end]);
    if (letters) found += counted(plain.substr(i, end - i));
  }
  return std::max(1, found);
}

bool hard(View part) {
  if (syllables(part) < 3) return false;
  constexpr std::array<View, 3> endings = {"es", "ed", "ing"};
  View base = part;
  for (View ending : endings) {
    if (ends_with(part, ending)) base = part.substr(0, part.size() - ending.size());
  }
  return syllables(base) >= 3;
}

bool has_hard_part(View plain) {
  for (size_t i = 0, end; i <= plain.size(); i = end + 1) {
    end = std::min(plain.find('-', i), plain.size());
    if (hard(plain.substr(i, end - i))) return true;
  }
  return false;
}

// Puts a word into ASCII, its apostrophes and hyphens too; false where another character is in it.
bool ascii_of(Text &text, std::string &found) {
  found.clear();
  for (size_t i = 0; i < text.size; ++i) {
    char32_t sign = text[i];
    if (sign == U'\u2019') sign = U'\'';
    if (sign == U'\u2010' || sign == U'\u2011') sign = U'-';
    if (sign >= 128) return false;
    found += char(sign);
  }
  return true;
}

nb::object word_facts(const nb::list &words) {
  Strings strings(words, Case::kept);
  Table<int64_t> found(strings.size(), 4);
  Text text;
  std::string word;
  for (size_t i = 0; i < strings.size(); ++i) {
    strings.read(i, text);
    int64_t *row = found[i];
    if (!ascii_of(text, word)) {
      // Python takes letters of other alphabets and accents apart.
      need(i < words.size(), "the words changed while they were read.");
      nb::object facts = nb::module_::import_("nlgauge.features.lexical.readability").attr("_facts")(words[i]);
      for (size_t k = 0; k < 4; ++k) row[k] = nb::cast<int64_t>(facts[k]);
      continue;
    }
    row[3] = word[0] >= 'A' && word[0] <= 'Z';
    for (char &sign : word) {
      if (sign >= 'A' && sign <= 'Z') sign = char(sign + 32);
      row[0] += is_letter(sign) || (sign >= '0' && sign <= '9');
    }
    row[1] = syllables(word);
    row[2] = row[1] >= 3 && has_hard_part(word);
  }
  return found.numpy();
}

nb::object readability_counts(const Column &words, const Rows &texts, size_t count, const Facts &facts) {
  need(texts.size() == words.rows(), "there must be a text for every sentence.");
  auto is_below = [](const auto &values, size_t bound) {
    return std::all_of(values.data(), values.data() + values.shape(0), [bound](auto value) { return value >= 0 && size_t(value) < bound; });
  };
  if (!is_below(texts.values, count)) throw std::out_of_range("a sentence is of a text that is not there.");
  if (!is_below(words.values, facts.shape(0))) throw std::out_of_range("nothing is known of a word.");
  Table<double> found(count, 6);
  for (size_t sentence = 0; sentence < words.rows(); ++sentence) {
    bool begins = true;
    double *row = found[size_t(texts[sentence])];
    for (int32_t word : words[int64_t(sentence)]) {
      auto fact = [&](size_t which) { return facts(size_t(word), which); };
      int64_t letters = fact(0), spoken = fact(1);
      if (letters == 0) continue;
      row[0] += 1;
      row[1] += begins;
      row[2] += double(spoken);
      row[3] += double(letters);
      row[4] += spoken >= 3;
      row[5] += fact(2) && (!fact(3) || begins);
      begins = false;
    }
  }
  return found.numpy();
}

} // namespace

void bind_readability(nb::module_ &module) {
  module.def("readability_counts", &readability_counts);
  module.def("word_facts", &word_facts);
}
