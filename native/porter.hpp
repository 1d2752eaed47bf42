// Twin of features/porter.py: Porter's stemmer with the extensions that NLTK has, and as the ROUGE-1.5.5 script has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

class Porter {
public:
  using View = std::u32string_view;

  // `extended` is NLTK's mode, else it is Martin Porter's own.
  explicit Porter(bool extended) : extended_(extended) {}

  const std::u32string &nltk(View given) {
    word_ = given;
    for (auto [stem, inflected] : irregular) {
      if (word_ == inflected) return word_ = stem;
    }
    step_1a(), step_1b(), step_1c(), step_2(), step_3(), step_4(), step_5a(), step_5b();
    return word_;
  }

  // Unlike Porter's fourth step, the script's may take off several endings, one after the other.
  const std::u32string &rouge155(View given) {
    word_ = given;
    step_1a(), step_1b(), step_1c(), step_2(), step_3();
    View longest;
    for (View ending : {U"al", U"ance", U"ence", U"er", U"ic", U"able", U"ible", U"ant", U"ement", U"ou", U"ism", U"ate", U"iti", U"ous", U"ive", U"ize"}) {
      if (ends(ending) && ending.size() > longest.size()) longest = ending;
    }
    without(longest);
    if (ends(U"ment")) without(U"ment");
    if (ends(U"ent")) {
      without(U"ent");
    } else if (ends(U"sion") || ends(U"tion")) {
      without(U"ion");
    }
    step_5a(), step_5b();
    return word_;
  }

private:
  struct Irregular {
    View stem, inflected;
  };
  struct Rule {
    View ending, replacement;
  };
  static constexpr Irregular irregular[] = {
      {U"sky", U"sky"},         {U"sky", U"skies"},     {U"die", U"dying"},         {U"lie", U"lying"},       {U"tie", U"tying"},     {U"news", U"news"},
      {U"inning", U"innings"},  {U"inning", U"inning"}, {U"outing", U"outings"},    {U"outing", U"outing"},   {U"canning", U"cannings"},
      {U"canning", U"canning"}, {U"howe", U"howe"},     {U"proceed", U"proceed"},   {U"exceed", U"exceed"},   {U"succeed", U"succeed"}};

  static bool is_vowel(char32_t sign) { return sign == U'a' || sign == U'e' || sign == U'i' || sign == U'o' || sign == U'u'; }

  // Most endings are told apart by their last letter.
  bool ends(View ending) const {
    return word_.size() >= ending.size() && word_.back() == ending.back() && View(word_).substr(word_.size() - ending.size()) == ending;
  }
  View stem_of(View ending) const { return View(word_).substr(0, word_.size() - ending.size()); }
  void put(View ending, View replacement) { word_.replace(word_.size() - ending.size(), ending.size(), replacement); }

  // Calls work(consonant) for each letter: y is a consonant at the start and behind a vowel.
  template <typename Work> static void each_letter(View stem, const Work &work) {
    bool consonant = false;
    for (char32_t letter : stem) {
      consonant = letter == U'y' ? !consonant : !is_vowel(letter);
      work(consonant);
    }
  }

  // How often a consonant follows a vowel.
  static size_t measure(View stem) {
    size_t found = 0;
    bool before = true;
    each_letter(stem, [&](bool consonant) {
      found += consonant && !before;
      before = consonant;
    });
    return found;
  }

  static bool has_vowel(View stem) {
    bool found = false;
    each_letter(stem, [&](bool consonant) { found |= !consonant; });
    return found;
  }

  static bool is_consonant(View stem, size_t place) {
    bool found = false;
    each_letter(stem.substr(0, place + 1), [&](bool consonant) { found = consonant; });
    return found;
  }

  // The stem ends with consonant, vowel, consonant, the last of which is not w, x or y.
  bool ends_short(View stem) const {
    size_t size = stem.size();
    if (size >= 3) {
      char32_t last = stem[size - 1];
      return is_consonant(stem, size - 3) && !is_consonant(stem, size - 2) && is_consonant(stem, size - 1) && last != U'w' && last != U'x' && last != U'y';
    }
    return extended_ && size == 2 && !is_consonant(stem, 0) && is_consonant(stem, 1);
  }

  // The first rule whose ending the word has decides; it applies where the measure of the stem is above `least`.
  template <size_t count> void apply(const Rule (&rules)[count], size_t least) {
    for (const Rule &rule : rules) {
      if (!ends(rule.ending)) continue;
      if (measure(stem_of(rule.ending)) > least) put(rule.ending, rule.replacement);
      return;
    }
  }

  void step_1a() {
    if (extended_ && ends(U"ies") && word_.size() == 4) {
      put(U"ies", U"ie");
    } else if (ends(U"sses")) {
      put(U"sses", U"ss");
    } else if (ends(U"ies")) {
      put(U"ies", U"i");
    } else if (ends(U"s") && !ends(U"ss")) {
      put(U"s", U"");
    }
  }

  void step_1b() {
    if (extended_ && ends(U"ied")) return put(U"ied", word_.size() == 4 ? U"ie" : U"i");
    if (ends(U"eed")) {
      if (measure(stem_of(U"eed")) > 0) put(U"eed", U"ee");
      return;
    }
    View ending = ends(U"ed") ? View(U"ed") : ends(U"ing") ? View(U"ing") : View();
    if (ending.empty() || !has_vowel(stem_of(ending))) return;
    put(ending, U"");
    char32_t last = word_.back();
    if (ends(U"at") || ends(U"bl") || ends(U"iz")) {
      word_ += U'e';
    } else if (word_.size() >= 2 && word_[word_.size() - 2] == last && is_consonant(word_, word_.size() - 1)) {
      if (last != U'l' && last != U's' && last != U'z') word_.pop_back();
    } else if (ends(U"*d")) {
      // NLTK writes "two equal consonants" as *d, and so it takes these two signs for them.
      put(U"*d", U"d");
    } else if (measure(word_) == 1 && ends_short(word_)) {
      word_ += U'e';
    }
  }

  void step_1c() {
    if (!ends(U"y")) return;
    View stem = stem_of(U"y");
    if (extended_ ? stem.size() > 1 && is_consonant(stem, stem.size() - 1) : has_vowel(stem)) put(U"y", U"i");
  }

  void step_2() {
    static constexpr Rule rules[] = {{U"ational", U"ate"}, {U"tional", U"tion"}, {U"enci", U"ence"},   {U"anci", U"ance"},   {U"izer", U"ize"},
                                     {U"bli", U"ble"},     {U"alli", U"al"},     {U"entli", U"ent"},   {U"eli", U"e"},       {U"ousli", U"ous"},
                                     {U"ization", U"ize"}, {U"ation", U"ate"},   {U"ator", U"ate"},    {U"alism", U"al"},    {U"iveness", U"ive"},
                                     {U"fulness", U"ful"}, {U"ousness", U"ous"}, {U"aliti", U"al"},    {U"iviti", U"ive"},   {U"biliti", U"ble"}};
    if (extended_ && ends(U"alli") && measure(stem_of(U"alli")) > 0) put(U"alli", U"al");
    size_t size = word_.size();
    if (ends(U"logi")) {
      // In NLTK's mode the l is part of the stem.
      if (measure(View(word_).substr(0, size - (extended_ ? 3 : 4))) > 0) put(U"logi", U"log");
    } else if (extended_ && ends(U"fulli")) {
      if (measure(stem_of(U"fulli")) > 0) put(U"fulli", U"ful");
    } else {
      apply(rules, 0);
    }
  }

  void step_3() {
    static constexpr Rule rules[] = {{U"icate", U"ic"}, {U"ative", U""}, {U"alize", U"al"}, {U"iciti", U"ic"}, {U"ical", U"ic"}, {U"ful", U""}, {U"ness", U""}};
    apply(rules, 0);
  }

  void step_4() {
    static constexpr Rule rules[] = {{U"al", U""},  {U"ance", U""}, {U"ence", U""},  {U"er", U""},   {U"ic", U""},  {U"able", U""},
                                     {U"ible", U""}, {U"ant", U""},  {U"ement", U""}, {U"ment", U""}, {U"ent", U""}, {U"ou", U""},
                                     {U"ism", U""}, {U"ate", U""},  {U"iti", U""},   {U"ous", U""},  {U"ive", U""}, {U"ize", U""}};
    if (!ends(U"ion")) return apply(rules, 1);
    View stem = stem_of(U"ion");
    if (measure(stem) > 1 && (stem.back() == U's' || stem.back() == U't')) put(U"ion", U"");
  }

  void step_5a() {
    if (!ends(U"e")) return;
    View stem = stem_of(U"e");
    size_t found = measure(stem);
    if (found > 1 || (found == 1 && !ends_short(stem))) put(U"e", U"");
  }

  void step_5b() {
    if (ends(U"ll") && measure(stem_of(U"l")) > 1) word_.pop_back();
  }

  void without(View ending) {
    if (measure(stem_of(ending)) > 1) put(ending, U"");
  }

  bool extended_;
  std::u32string word_;
};
