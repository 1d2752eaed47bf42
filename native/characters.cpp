// Twin of features/characters.py: the code points of texts.
#include "parallel.hpp"
#include "tokenizers.hpp"

#include <nanobind/stl/string.h>

#include <stdexcept>

namespace {

enum class Form { characters, stripped, visible, padded, words };

Form form_of(const std::string &name) {
  if (name == "characters") return Form::characters;
  if (name == "stripped-characters") return Form::stripped;
  if (name == "visible-characters") return Form::visible;
  if (name == "padded") return Form::padded;
  if (name == "words") return Form::words;
  throw std::invalid_argument("there is not a form of characters of the name " + name);
}

// Writes the code points of a text and returns where they end; there are at most two more than the text has characters.
int32_t *write(Text &text, Form form, int32_t *to) {
  auto is_space = [](char32_t sign) { return of_class(sign, SPACE); };
  char32_t *first = text.begin(), *last = text.end();
  switch (form) {
  case Form::stripped:
    while (last > first && is_space(last[-1])) --last;
    first = std::find_if_not(first, last, is_space);
    [[fallthrough]];
  case Form::characters: return std::copy(first, last, to);
  case Form::visible:
    for (; first < last; ++first) {
      *to = int32_t(*first);
      to += !is_space(*first);
    }
    return to;
  case Form::padded:
    *to = U' ';
    to = std::copy(first, last, to + 1);
    *to = U' ';
    return to + 1;
  default:
    for (int32_t *start = to; (first = std::find_if_not(first, last, is_space)) < last;) {
      if (to > start) *to++ = U' ';
      for (; first < last && !is_space(*first); ++first) *to++ = int32_t(*first);
    }
    return to;
  }
}

nb::object character_column(const nb::list &texts, const std::string &name, bool lowercase) {
  Form form = form_of(name);
  need_character_classes();
  Strings strings(texts, lowercase ? Case::lower : Case::kept);
  std::vector<int64_t> offsets(strings.size() + 1);
  std::vector<int32_t> values(strings.characters() + 2 * strings.size());
  {
    nb::gil_scoped_release release;
    Text text;
    int32_t *to = values.data();
    for (size_t i = 0; i < strings.size(); ++i) {
      strings.read(i, text);
      to = write(text, form, to);
      offsets[i + 1] = to - values.data();
    }
  }
  values.resize(size_t(offsets.back()));
  return ragged(std::move(values), std::move(offsets));
}

} // namespace

void bind_characters(nb::module_ &module) { module.def("character_column", &character_column); }
