// Twins of corpus/texts.py: what is done with all texts of a column.
#include "texts.hpp"

#include <cstring>

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
  size_t count = items.size(), total = 0;
  Table<int64_t> lengths(count, 1);
  bool single = true;
  for (size_t i = 0; i < items.size(); ++i) {
    PyObject *item = items[i].ptr();
    if (!PyList_CheckExact(item) && !PyTuple_CheckExact(item)) return nb::none();
    *lengths[i] = PySequence_Fast_GET_SIZE(item);
    total += size_t(*lengths[i]);
    single = single && *lengths[i] == 1;
  }
  nb::list flat = nb::steal<nb::list>(PyList_New(Py_ssize_t(total)));
  if (!flat.is_valid()) throw nb::python_error();
  Py_ssize_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    // Making a list may run code of others, which may change these.
    need(i < items.size() && PySequence_Fast_GET_SIZE(items[i].ptr()) == *lengths[i], "the texts changed while they were read.");
    for (Py_ssize_t j = 0; j < *lengths[i]; ++j) PyList_SET_ITEM(flat.ptr(), next++, Py_NewRef(PySequence_Fast_GET_ITEM(items[i].ptr(), j)));
  }
  return nb::make_tuple(flat, single ? nb::none() : lengths.flat());
}

nb::object text_lengths(const nb::list &texts) {
  Table<int64_t> found(texts.size(), 1);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!PyUnicode_Check(texts[i].ptr())) throw nb::type_error("texts must be strings.");
    *found[i] = PyUnicode_GET_LENGTH(texts[i].ptr());
  }
  return found.flat();
}

template <typename Sign> bool has_lines(const Sign *signs, size_t size) { return std::find(signs, signs + size, Sign('\n')) != signs + size; }

bool any_has_lines(const nb::list &texts) {
  for (nb::handle text : texts) {
    if (!PyUnicode_Check(text.ptr())) throw nb::type_error("texts must be strings.");
    size_t size = size_t(PyUnicode_GET_LENGTH(text.ptr()));
    bool found = false;
    switch (PyUnicode_KIND(text.ptr())) {
    case PyUnicode_1BYTE_KIND: found = std::memchr(PyUnicode_1BYTE_DATA(text.ptr()), '\n', size); break;
    case PyUnicode_2BYTE_KIND: found = has_lines(PyUnicode_2BYTE_DATA(text.ptr()), size); break;
    default: found = has_lines(PyUnicode_4BYTE_DATA(text.ptr()), size);
    }
    if (found) return true;
  }
  return false;
}

nb::object number_texts(const nb::list &texts, nb::dict ids, nb::list strings) {
  size_t count = texts.size();
  Table<int64_t> found(count, 1);
  nb::int_ next(strings.size());
  for (size_t i = 0; i < count; ++i) {
    // Comparing keys may run code of others.
    need(i < texts.size(), "the texts changed while they were read.");
    nb::object text = texts[i];
    PyObject *number = PyDict_SetDefault(ids.ptr(), text.ptr(), next.ptr());
    if (!number) throw nb::python_error();
    *found[i] = PyLong_AsLongLong(number);
    if (*found[i] == -1 && PyErr_Occurred()) throw nb::python_error();
    if (number == next.ptr()) {
      strings.append(text);
      next = nb::int_(strings.size());
    }
  }
  return found.flat();
}

// Of features/__init__.py. `rows` is written to meanwhile, and is again what it was at the end.
nb::object new_ids(const Rows &ids, nb::ndarray<int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> rows) {
  const int64_t *first = ids.values.data(), *own = rows.data();
  need(first >= own + rows.shape(0) || own >= first + ids.size(), "ids and rows must be different arrays.");
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || size_t(ids[i]) >= rows.shape(0)) throw nb::index_error("an id is beyond the rows.");
  }
  std::vector<int64_t> found;
  for (size_t i = 0; i < ids.size(); ++i) {
    int64_t &row = rows.data()[ids[i]];
    if (row != -1) continue;
    row = -2;
    found.push_back(ids[i]);
  }
  for (int64_t id : found) rows.data()[id] = -1;
  return numpy_of(std::move(found));
}

} // namespace

void bind_texts(nb::module_ &module) {
  module.def("any_has_lines", &any_has_lines);
  module.def("are_texts", &are_texts);
  module.def("flattened", &flattened);
  module.def("new_ids", &new_ids);
  module.def("number_texts", &number_texts);
  module.def("text_lengths", &text_lengths);
}
