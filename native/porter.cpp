// Twin of features/porter.py: Porter's stemmer with the extensions that NLTK has, and as the ROUGE-1.5.5 script has it.
#include "porter.hpp"
#include "texts.hpp"

namespace {

using View = Porter::View;

// Words of up to three letters stay as they are.
template <typename Stem> nb::list stems(const nb::list &words, Case letters, const Stem &stem) {
  Strings strings(words, letters);
  nb::list found;
  Text text;
  for (size_t i = 0; i < strings.size(); ++i) {
    nb::object word = words[i];
    if (PyUnicode_GET_LENGTH(word.ptr()) > 3) {
      strings.read(i, text);
      View made = stem(View(text.begin(), text.size));
      word = python_string(made.data(), made.size());
    }
    found.append(word);
  }
  return found;
}

nb::list nltk_stems(const nb::list &words) {
  Porter porter(true);
  return stems(words, Case::lower, [&](View word) -> View { return porter.nltk(word); });
}

nb::list rouge155_stems(const nb::list &words) {
  Porter porter(false);
  return stems(words, Case::kept, [&](View word) -> View { return porter.rouge155(word); });
}

} // namespace

void bind_porter(nb::module_ &module) {
  module.def("nltk_stems", &nltk_stems);
  module.def("rouge155_stems", &rouge155_stems);
}
