// Twin of what corpus/texts.py does with all texts of a column: whether they are texts, and their numbers.
#include "column.hpp"

namespace {

// Whether a string has half of a pair of surrogates, which no encoding has.
template <typename Sign> bool has_surrogate(const Sign *signs, size_t size) {
  return std::any_of(signs, signs + size, [](Sign sign) { return sign >= 0xD800 && sign <= 0xDFFF; });
}

bool is_text(PyObject *item) {
  if (!PyUnicode_CheckExact(item)) return false;
  size_t size = size_t(PyUnicode_GET_LENGTH(item));
  switch (PyUnicode_KIND(item)) {
  case PyUnicode_1BYTE_KIND: return true;
  case PyUnicode_2BYTE_KIND: return !has_surrogate(PyUnicode_2BYTE_DATA(item), size);
  default: return !has_surrogate(PyUnicode_4BYTE_DATA(item), size);
  }
}

bool are_texts(const nb::list &items) {
  for (nb::handle item : items) {
    if (!is_text(item.ptr())) return false;
  }
  return true;
}

nb::object flattened(const nb::list &items) {
  Table<int64_t> lengths(items.size(), 1);
  size_t total = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    PyObject *item = items[i].ptr();
    if (!PyList_CheckExact(item) && !PyTuple_CheckExact(item)) return nb::none();
    *lengths[i] = PySequence_Fast_GET_SIZE(item);
    total += size_t(*lengths[i]);
  }
  nb::list flat = nb::steal<nb::list>(PyList_New(Py_ssize_t(total)));
  if (!flat.is_valid()) throw nb::python_error();
  Py_ssize_t next = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    for (Py_ssize_t j = 0; j < *lengths[i]; ++j) PyList_SET_ITEM(flat.ptr(), next++, Py_NewRef(PySequence_Fast_GET_ITEM(items[i].ptr(), j)));
  }
  return nb::make_tuple(flat, lengths.flat());
}

nb::object text_lengths(const nb::list &texts) {
  Table<int64_t> found(texts.size(), 1);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!PyUnicode_Check(texts[i].ptr())) throw nb::type_error("texts must be strings.");
    *found[i] = PyUnicode_GET_LENGTH(texts[i].ptr());
  }
  return found.flat();
}

nb::object number_texts(const nb::list &texts, nb::dict ids, nb::list strings) {
  Table<int64_t> found(texts.size(), 1);
  nb::int_ next(strings.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    nb::handle text = texts[i];
    PyObject *number = PyDict_SetDefault(ids.ptr(), text.ptr(), next.ptr());
    if (!number) throw nb::python_error();
    *found[i] = PyLong_AsLongLong(number);
    if (number == next.ptr()) {
      strings.append(text);
      next = nb::int_(strings.size());
    }
  }
  return found.flat();
}

} // namespace

void bind_texts(nb::module_ &module) {
  module.def("are_texts", &are_texts);
  module.def("flattened", &flattened);
  module.def("number_texts", &number_texts);
  module.def("text_lengths", &text_lengths);
}
