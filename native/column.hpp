// What Python hands over, under the names that the Python kernels use: columns of rows, and arrays of row numbers.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace nb = nanobind;

// A contiguous array that is read and never written.
template <typename T> using ReadOnly = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// One row of a column.
template <typename T> struct RowOf {
  const T *data;
  size_t size;

  const T *begin() const { return data; }
  const T *end() const { return data + size; }
  const T &operator[](size_t place) const { return data[place]; }
  RowOf from(size_t start) const { return {data + start, size - start}; }
  RowOf first(size_t length) const { return {data, length}; }
};

// A Ragged of Python: row i is values[offsets[i]:offsets[i + 1]].
template <typename T> struct ColumnOf {
  ReadOnly<T> values;
  ReadOnly<int64_t> offsets;

  size_t rows() const { return offsets.shape(0) - 1; }
  // Whether every row is a part of the values.
  bool fits() const {
    const int64_t *first = offsets.data(), *end = first + offsets.shape(0);
    return first < end && *first >= 0 && end[-1] <= static_cast<int64_t>(size()) && std::is_sorted(first, end);
  }
  // How many values all rows have.
  size_t size() const { return values.shape(0); }
  RowOf<T> operator[](int64_t row) const {
    if (row < 0 || static_cast<size_t>(row) >= rows()) throw std::out_of_range("a row was asked for that the column does not have.");
    const int64_t *bounds = offsets.data() + row;
    return {values.data() + bounds[0], static_cast<size_t>(bounds[1] - bounds[0])};
  }
};

using Row = RowOf<int32_t>;
using Column = ColumnOf<int32_t>;       // token ids, code points
using KeyRow = RowOf<uint64_t>;
using KeyColumn = ColumnOf<uint64_t>;   // hashes of tokens or n-grams
using GroupColumn = ColumnOf<int64_t>;  // row numbers that belong together, such as the references of a prediction

// Row numbers, one for each pair.
struct Rows {
  ReadOnly<int64_t> values;

  size_t size() const { return values.shape(0); }
  int64_t operator[](size_t pair) const {
    if (pair >= size()) throw std::invalid_argument("there must be as many references as predictions.");
    return values.data()[pair];
  }
};

// A new array of `rows` x `columns` numbers, all 0, which becomes NumPy's without a copy.
template <typename T> class Table {
public:
  Table(size_t rows, size_t columns) : rows_(rows), columns_(columns), values_(new T[rows * columns]()) {}

  T *operator[](size_t row) { return values_.get() + row * columns_; }

  nb::object numpy() { return shaped({rows_, columns_}); }
  nb::object flat() { return shaped({rows_ * columns_}); }
  // (rows, columns / depth, depth)
  nb::object cube(size_t depth) { return shaped({rows_, columns_ / depth, depth}); }
  // Any other shape of as many numbers.
  nb::object shaped(std::initializer_list<size_t> shape) {
    T *data = values_.release();
    nb::capsule owner(data, [](void *held) noexcept { delete[] static_cast<T *>(held); });
    return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), owner));
  }

private:
  size_t rows_, columns_;
  std::unique_ptr<T[]> values_;
};

// Rows of items of `width` numbers each, as a Ragged of Python.
template <typename T> nb::object ragged_of(const std::vector<std::vector<T>> &rows, size_t width = 1) {
  Table<int64_t> offsets(rows.size() + 1, 1);
  size_t total = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    total += rows[row].size() / width;
    *offsets[row + 1] = static_cast<int64_t>(total);
  }
  Table<T> values(total, width);
  T *next = values[0];
  for (const auto &row : rows) next = std::copy(row.begin(), row.end(), next);
  nb::object ragged = nb::module_::import_("nlgauge.corpus.columns").attr("Ragged");
  return ragged(width == 1 ? values.flat() : values.numpy(), offsets.flat());
}

namespace nanobind::detail {

// Token ids of another type are narrowed where they fit into 32 bits; `nlgauge.kernels.backend.narrowed` refuses the others.
template <typename T> struct type_caster<ColumnOf<T>> {
  NB_TYPE_CASTER(ColumnOf<T>, const_name("Ragged"))

  bool from_python(handle source, uint32_t, cleanup_list *) noexcept {
    try {
      object values = source.attr("values");
      if (!nb::try_cast(source.attr("offsets"), value.offsets, true)) return false;
      if (!nb::try_cast(values, value.values, false)) {
        if constexpr (std::is_same_v<T, int32_t>) values = nb::module_::import_("nlgauge.kernels.backend").attr("narrowed")(values);
        if (!nb::try_cast(values, value.values, false)) return false;
      }
      return value.fits();
    } catch (python_error &) {
      return false;
    }
  }
  static handle from_cpp(const ColumnOf<T> &, rv_policy, cleanup_list *) noexcept { return handle(); }
};

template <> struct type_caster<Rows> {
  NB_TYPE_CASTER(Rows, const_name("numpy.ndarray[dtype=int64]"))

  bool from_python(handle source, uint32_t, cleanup_list *) noexcept { return nb::try_cast(source, value.values, true); }
  static handle from_cpp(const Rows &, rv_policy, cleanup_list *) noexcept { return handle(); }
};

} // namespace nanobind::detail
