// Texts as code points: Python's strings are widened to one type, in lower case where asked for.
#pragma once

#include "column.hpp"

#include <cstdint>
#include <memory>
#include <vector>

// Where a character stood in the text as it was given.
struct Origin {
  int32_t start, end;
};

// A text while it is tokenised: memory that serves one text after the other. Steps before the split may make it shorter, never longer.
struct Text {
  std::vector<char32_t> room;
  size_t size = 0;
  // One for each character where places are asked for.
  bool tracked = false;
  std::vector<Origin> origins;
  // Before which characters of a run there is a space; mteval's rule needs it.
  std::vector<uint8_t> spaced;

  char32_t *begin() { return room.data(); }
  char32_t *end() { return room.data() + size; }
  char32_t &operator[](size_t place) { return room[place]; }
};

enum class Case { kept, ascii_lower, lower };

// Reads characters of any width; with `lower`, A to Z become a to z.
template <typename Sign> void read_signs(const Sign *signs, size_t size, bool lower, Text &text) {
  text.size = size;
  if (text.room.size() < size) text.room.resize(2 * size);
  if (!lower) {
    std::copy(signs, signs + size, text.begin());
    return;
  }
  for (size_t i = 0; i < size; ++i) {
    char32_t sign = signs[i];
    text.room[i] = sign + (sign - U'A' < 26u ? 32 : 0);
  }
}

inline void read_string(nb::handle string, bool lower, Text &text) {
  size_t size = size_t(PyUnicode_GET_LENGTH(string.ptr()));
  switch (PyUnicode_KIND(string.ptr())) {
  case PyUnicode_1BYTE_KIND: return read_signs(PyUnicode_1BYTE_DATA(string.ptr()), size, lower, text);
  case PyUnicode_2BYTE_KIND: return read_signs(PyUnicode_2BYTE_DATA(string.ptr()), size, lower, text);
  default: return read_signs(PyUnicode_4BYTE_DATA(string.ptr()), size, lower, text);
  }
}

// Texts of Python's, held while they are read without the interpreter's lock.
class Strings {
public:
  // With Case::lower those that are not ASCII are lower-cased by Python itself, so that they are what str.lower makes of them.
  Strings(const nb::list &texts, Case letters) : letters_(letters) {
    held_.reserve(texts.size());
    for (nb::handle text : texts) {
      if (!PyUnicode_Check(text.ptr())) throw nb::type_error("texts must be strings.");
      bool by_python = letters == Case::lower && !PyUnicode_IS_ASCII(text.ptr());
      held_.push_back(by_python ? nb::object(text.attr("lower")()) : nb::borrow(text));
      characters_ += size_t(PyUnicode_GET_LENGTH(held_.back().ptr()));
    }
    if (characters_ > INT32_MAX) throw nb::value_error("the texts of one call must have fewer than 2,147,483,648 characters.");
  }

  size_t size() const { return held_.size(); }
  size_t characters() const { return characters_; }
  // Lower-casing what Python has lower-cased changes nothing.
  void read(size_t which, Text &text) const { read_string(held_[which], letters_ != Case::kept, text); }

private:
  Case letters_;
  std::vector<nb::object> held_;
  size_t characters_ = 0;
};

inline nb::object python_string(const char32_t *data, size_t size) {
  PyObject *string = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, data, Py_ssize_t(size));
  if (!string) throw nb::python_error();
  return nb::steal(string);
}

// An array of NumPy's that takes over the numbers of a vector.
template <typename T> nb::object numpy_of(std::vector<T> values) {
  auto held = std::make_unique<std::vector<T>>(std::move(values));
  T *data = held->data();
  size_t size = held->size();
  nb::capsule owner(held.release(), [](void *vector) noexcept { delete static_cast<std::vector<T> *>(vector); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

// A Ragged of Python's.
template <typename T> nb::object ragged(std::vector<T> values, std::vector<int64_t> offsets) {
  return nb::module_::import_("nlgauge.corpus.columns").attr("Ragged")(numpy_of(std::move(values)), numpy_of(std::move(offsets)));
}
