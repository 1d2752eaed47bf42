// Twin of features/porter.py: Porter's stemmer with the extensions that NLTK has, and as the ROUGE-1.5.5 script has it.
#include "porter.hpp"
#include "texts.hpp"

namespace {

using View = Porter::View;

// Words that are shorter stay as they are.
template <typename Stem> nb::list stems(const nb::list &words, Py_ssize_t shortest, Case letters, const Stem &stem) {
  Strings strings(words, letters);
  nb::list found;
  Text text;
  for (size_t i = 0; i < strings.size(); ++i) {
    need(i < words.size(), "the words changed while they were read.");
    nb::object word = words[i];
    if (PyUnicode_GET_LENGTH(word.ptr()) >= shortest) {
      strings.read(i, text);
      View made = stem(View(text.begin(), text.size));
      word = python_string(made.data(), made.size());
    }
    found.append(word);
  }
  return found;
}

nb::list nltk_stems(const nb::list &words, Py_ssize_t shortest) {
  Porter porter(true);
  return stems(words, shortest, Case::lower, [&](View word) -> View { return porter.nltk(word); });
}

nb::list rouge155_stems(const nb::list &words) {
  Porter porter(false);
  return stems(words, 4, Case::kept, [&](View word) -> View { return porter.rouge155(word); });
}

} // namespace

void bind_porter(nb::module_ &module) {
  module.def("nltk_stems", &nltk_stems, nb::arg("words"), nb::arg("shortest") = 4);
  module.def("rouge155_stems", &rouge155_stems);
}
