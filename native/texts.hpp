// Texts as code points: Python's strings are widened to one type, in lower case where asked for; those that are ASCII may stay narrow.
#pragma once

#include "column.hpp"

#include <cstdint>
#include <memory>
#include <vector>

// Where a character stood in the text as it was given.
struct Origin {
  int32_t start, end;
};

// A text while it is tokenized: memory that serves one text after the other. Steps before the split may make it shorter, never longer.
template <typename Sign> struct TextOf {
  // From each character of the text on, so many can be read, whatever those behind the text are.
  static constexpr size_t readable = 16;

  std::vector<Sign> room;
  size_t size = 0;
  // One for each character where places are asked for.
  bool tracked = false;
  std::vector<Origin> origins;
  // Before which characters of a run there is a space; mteval's rule needs it.
  std::vector<uint8_t> spaced;

  Sign *begin() { return room.data(); }
  Sign *end() { return room.data() + size; }
  Sign &operator[](size_t place) { return room[place]; }
};

using Text = TextOf<char32_t>;
using AsciiText = TextOf<char>;

enum class Case { kept, ascii_lower, lower };

// Reads characters of any width; with `lower`, A to Z become a to z.
template <typename From, typename To> void read_signs(const From *signs, size_t size, bool lower, TextOf<To> &text) {
  text.size = size;
  if (text.room.size() < size + text.readable) text.room.resize(2 * size + text.readable);
  if (!lower) {
    std::copy(signs, signs + size, text.begin());
    return;
  }
  To *to = text.begin();
  for (size_t i = 0; i < size; ++i) {
    From sign = signs[i];
    to[i] = To(sign + (sign - U'A' < 26u ? 32 : 0));
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

// What str.lower makes of a string; a class derived from str may have another `lower`.
inline nb::object lowered(nb::handle text) { return nb::handle(reinterpret_cast<PyObject *>(&PyUnicode_Type)).attr("lower")(text); }

// Texts of Python's, held while they are read without the interpreter's lock.
class Strings {
public:
  // With Case::lower those that are not ASCII are lower-cased by Python itself, so that they are what str.lower makes of them.
  Strings(const nb::list &texts, Case letters) : letters_(letters) {
    held_.reserve(texts.size());
    for (nb::handle text : texts) {
      if (!PyUnicode_Check(text.ptr())) throw nb::type_error("texts must be strings.");
      bool by_python = letters == Case::lower && !PyUnicode_IS_ASCII(text.ptr());
      held_.push_back(by_python ? lowered(text) : nb::borrow(text));
      characters_ += size_t(PyUnicode_GET_LENGTH(held_.back().ptr()));
    }
    if (characters_ > INT32_MAX) throw nb::value_error("the texts of one call must have fewer than 2,147,483,648 characters.");
  }

  size_t size() const { return held_.size(); }
  size_t characters() const { return characters_; }
  // Lower-casing what Python has lower-cased changes nothing.
  void read(size_t which, Text &text) const { read_string(held_[which], letters_ != Case::kept, text); }
  bool is_ascii(size_t which) const { return PyUnicode_IS_ASCII(held_[which].ptr()); }
  void read(size_t which, AsciiText &text) const {
    PyObject *string = held_[which].ptr();
    read_signs(PyUnicode_1BYTE_DATA(string), size_t(PyUnicode_GET_LENGTH(string)), letters_ != Case::kept, text);
  }

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
  return nb::module_::import_("nlgauge._core.ragged").attr("Ragged")(numpy_of(std::move(values)), numpy_of(std::move(offsets)));
}
