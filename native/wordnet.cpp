// Twin of features/wordnet.py: the synsets of words.
#include "texts.hpp"
#include "words.hpp"

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

namespace {

using View = std::string_view;

constexpr size_t PARTS = 4;
constexpr std::array<View, PARTS> part_names = {"noun", "verb", "adj", "adv"};
constexpr size_t NOUN = 0;

struct Rule {
  View ending, replacement;
};
const std::array<std::vector<Rule>, PARTS> detachments = {{
    {{"s", ""}, {"ses", "s"}, {"xes", "x"}, {"zes", "z"}, {"ches", "ch"}, {"shes", "sh"}, {"men", "man"}, {"ies", "y"}},
    {{"s", ""}, {"ies", "y"}, {"es", "e"}, {"es", ""}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""}},
    {{"er", ""}, {"est", ""}, {"er", "e"}, {"est", "e"}},
    {},
}};

using Forms = std::vector<std::string>;
using Numbers = std::vector<int32_t>;

bool ends_with(View form, View ending) { return form.size() >= ending.size() && form.substr(form.size() - ending.size()) == ending; }

// Takes the text up to a sign off a longer one.
View cut(View &text, char sign) {
  View found = text.substr(0, text.find(sign));
  text.remove_prefix(std::min(text.size(), found.size() + 1));
  return found;
}

int32_t number_of(View digits) {
  int32_t found = 0;
  for (char digit : digits) found = 10 * found + (digit - '0');
  return found;
}

Forms detached(View form, size_t part) {
  Forms found;
  for (const Rule &rule : detachments[part]) {
    if (ends_with(form, rule.ending)) found.push_back(std::string(form.substr(0, form.size() - rule.ending.size())).append(rule.replacement));
  }
  return found;
}

class Index {
public:
  explicit Index(std::string given) : text_(std::move(given)), lower_(text_) {
    for (char &sign : lower_) sign = char(sign + (sign >= 'A' && sign <= 'Z' ? 32 : 0));
    View rest = text_, counts = cut(rest, '\n');
    for (size_t part = 0; part < PARTS; ++part) ends_[part] = (part ? ends_[part - 1] : 0) + number_of(cut(counts, ' '));
    for (View line; !(line = cut(rest, '\n')).empty();) {
      size_t part = size_t(std::find(part_names.begin(), part_names.end(), cut(line, ' ')) - part_names.begin());
      auto &entry = exceptions_[cut(line, ' ')].at(part).emplace_back();
      while (!line.empty()) entry.push_back(std::string(cut(line, ' ')));
    }
    while (slots_.size() < 2 * size_t(std::count(rest.begin(), rest.end(), '\n'))) slots_.resize(2 * slots_.size());
    for (View line; !(line = cut(rest, '\n')).empty();) {
      size_t start = size_t(line.data() - text_.data());
      View word = View(lower_).substr(start, line.find(' '));
      size_t place = place_of(hash_of(word));
      while (slots_[place].start) place = next(place);
      slots_[place] = {hash_of(word), uint32_t(start)};
    }
    while (!rest.empty()) {
      View line = cut(rest, '\n');
      int32_t first = number_of(line.substr(0, line.find(' ')));
      while (!line.empty()) pooled_[number_of(cut(line, ' '))] = first;
    }
  }

  Numbers synsets(View form) const {
    Numbers found;
    add_listed(form, found);
    const Entries &excepted = entries(form);
    for (size_t part = 0; part < PARTS; ++part) {
      for (const std::string &base : bases(form, part, excepted[part])) add_listed(base, part, found);
    }
    return found;
  }

  Numbers pooled_synsets(View word) const {
    Forms bases;
    bool excepted = false;
    for (const std::vector<Forms> &of_part : entries(word)) {
      for (const Forms &entry : of_part) {
        excepted = true;
        bases.insert(bases.end(), entry.begin(), entry.end());
      }
    }
    if (!excepted && !ends_with(word, "ss") && word.size() > 2) {
      for (size_t part = 0; part < PARTS && bases.empty(); ++part) {
        for (const std::string &base : detached(word, part)) {
          if (bases.empty() && is_word(base)) bases.push_back(base);
        }
      }
    }
    bases.emplace_back(word);
    Numbers found;
    for (const std::string &base : bases) add_listed(base, found);
    for (int32_t &number : found) {
      auto shared = pooled_.find(number);
      if (shared != pooled_.end()) number = shared->second;
    }
    return found;
  }

  // The synsets that NLTK finds.
  Numbers nltk_synsets(View form) const {
    Numbers found;
    add_listed(form, found);
    const Entries &excepted = entries(form);
    for (size_t part = 0; part < PARTS; ++part) {
      Forms bases = excepted[part].empty() ? detached(form, part) : excepted[part].back();
      if (excepted[part].empty() && part == NOUN && ends_with(form, "ves")) bases.push_back(std::string(form.substr(0, form.size() - 3)) + "f");
      for (const std::string &base : bases) add_listed(base, part, found);
    }
    return found;
  }

  // The synsets that have a word in this spelling; `form` is the word in lower case.
  Numbers with_spelling(View spelling, View form) const {
    Numbers found;
    each_line(form, [&](View spelt, View numbers) {
      if (spelt == spelling) add_numbers(numbers, 0, ends_.back(), found);
    });
    return found;
  }

  int32_t synset_count() const { return ends_.back(); }

private:
  // Of a form and each part of speech the bases, entry by entry.
  using Entries = std::array<std::vector<Forms>, PARTS>;

  const Entries &entries(View form) const {
    static const Entries none{};
    auto found = exceptions_.find(form);
    return found == exceptions_.end() ? none : found->second;
  }

  // Calls work(spelling, numbers) for each line of a word.
  template <typename Work> void each_line(View form, const Work &work) const {
    uint32_t hash = hash_of(form);
    for (size_t place = place_of(hash); slots_[place].start; place = next(place)) {
      size_t start = slots_[place].start;
      if (slots_[place].hash != hash || View(lower_).substr(start, form.size()) != form || lower_[start + form.size()] != ' ') continue;
      View line = View(text_).substr(start, text_.find('\n', start) - start);
      work(line.substr(0, form.size()), line.substr(form.size() + 1));
    }
  }

  bool is_word(View form) const {
    bool found = false;
    each_line(form, [&](View, View) { found = true; });
    return found;
  }

  static uint32_t hash_of(View form) { return uint32_t(std::hash<View>()(form)); }
  size_t place_of(uint32_t hash) const { return hash & (slots_.size() - 1); }
  size_t next(size_t place) const { return (place + 1) & (slots_.size() - 1); }

  static void add_numbers(View line, int32_t first, int32_t end, Numbers &found) {
    while (!line.empty()) {
      int32_t number = number_of(cut(line, ' '));
      if (number >= first && number < end) found.push_back(number);
    }
  }

  // Adds the synsets of a form.
  void add_listed(View form, Numbers &found) const {
    each_line(form, [&](View, View numbers) { add_numbers(numbers, 0, ends_.back(), found); });
  }

  // Adds those in a part of speech.
  void add_listed(View form, size_t part, Numbers &found) const {
    each_line(form, [&](View, View numbers) { add_numbers(numbers, part ? ends_[part - 1] : 0, ends_[part], found); });
  }

  Forms bases(View form, size_t part, const std::vector<Forms> &excepted) const {
    Forms found;
    for (const Forms &entry : excepted) found.insert(found.end(), entry.begin(), entry.end());
    if (!excepted.empty() || (part == NOUN && (ends_with(form, "ss") || form.size() <= 2))) return found;
    for (const std::string &base : detached(form, part)) {
      Numbers listed;
      add_listed(base, part, listed);
      if (!listed.empty()) return {base};
    }
    return found;
  }

  // The views of all tables are of these two.
  std::string text_, lower_;
  // Where the numbers of each part of speech's synsets end.
  std::array<int32_t, PARTS> ends_{};
  std::unordered_map<View, Entries> exceptions_;
  // Where the lines of words start, by the hash of the word in lower case; `start` is 0 where a slot is free. A word may have several lines.
  struct Slot {
    uint32_t hash = 0, start = 0;
  };
  std::vector<Slot> slots_ = std::vector<Slot>(64);
  std::unordered_map<int32_t, int32_t> pooled_;
};

// Read when it is first asked for, with the interpreter's lock. Python lets other threads go on while it reads, so no lock of ours may be held then.
const Index &wordnet() {
  static std::unique_ptr<const Index> known;
  if (!known) {
    auto bytes = nb::cast<nb::bytes>(nb::module_::import_("nlgauge.features.lexical.wordnet").attr("index_bytes")());
    auto read = std::make_unique<const Index>(bytes.c_str());
    if (!known) known = std::move(read);
  }
  return *known;
}

// A word of ASCII; what is not ASCII is not in WordNet, and becomes the empty word.
void read_ascii(const Strings &strings, size_t which, Text &text, std::string &found) {
  strings.read(which, text);
  bool ascii = std::all_of(text.begin(), text.end(), [](char32_t sign) { return sign < 128; });
  found.assign(text.begin(), ascii ? text.end() : text.begin());
}

void sort_different(Numbers &numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

nb::object synset_column(const nb::list &words, bool pooled) {
  const Index &index = wordnet();
  Strings strings(words, pooled ? Case::kept : Case::lower);
  std::vector<Numbers> found(strings.size());
  Text text;
  std::string word;
  for (size_t i = 0; i < strings.size(); ++i) {
    read_ascii(strings, i, text, word);
    found[i] = pooled ? index.pooled_synsets(word) : index.synsets(word);
    sort_different(found[i]);
  }
  return ragged_of(found);
}

nb::object accepted_stems(const nb::list &stems) {
  const Index &index = wordnet();
  Strings spelt(stems, Case::kept), lower(stems, Case::lower);
  Words different;
  Numbers numbers;
  std::vector<std::string> forms;
  // The stems that are words of each synset, one linked to the next; -1 where there are no more.
  struct Member {
    int32_t stem, next;
  };
  std::vector<Member> members;
  Numbers first_members(size_t(index.synset_count()), -1);
  Text text;
  std::string spelling, form;
  for (size_t i = 0; i < spelt.size(); ++i) {
    spelt.read(i, text);
    numbers.push_back(int32_t(different.add({text.begin(), text.size})));
    if (size_t(numbers.back()) < forms.size()) continue;
    read_ascii(spelt, i, text, spelling);
    read_ascii(lower, i, text, form);
    forms.push_back(form);
    for (int32_t synset : index.with_spelling(spelling, form)) {
      members.push_back({numbers.back(), first_members[size_t(synset)]});
      first_members[size_t(synset)] = int32_t(members.size()) - 1;
    }
  }
  std::vector<Numbers> accepted(forms.size()), found;
  for (size_t number = 0; number < forms.size(); ++number) {
    accepted[number] = {int32_t(number)};
    for (int32_t synset : index.nltk_synsets(forms[number])) {
      for (int32_t i = first_members[size_t(synset)]; i >= 0; i = members[size_t(i)].next) accepted[number].push_back(members[size_t(i)].stem);
    }
    sort_different(accepted[number]);
  }
  for (int32_t number : numbers) found.push_back(accepted[size_t(number)]);
  return ragged_of(found);
}

} // namespace

void bind_wordnet(nb::module_ &module) {
  module.def("accepted_stems", &accepted_stems);
  module.def("synset_column", &synset_column);
}
