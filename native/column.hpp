// What Python hands over, under the names that the Python kernels use: columns of rows, and arrays of row numbers.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
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
  // Whether every row is a part of the values, and no longer than kernels can count in 32 bits.
  bool fits() const {
    const int64_t *first = offsets.data(), *end = first + offsets.shape(0);
    if (first == end || *first < 0 || end[-1] > static_cast<int64_t>(size())) return false;
    bool fitting = true;
    for (const int64_t *next = first + 1; next < end; ++next) {
      fitting &= next[0] >= next[-1] && static_cast<uint64_t>(next[0]) - static_cast<uint64_t>(next[-1]) <= INT32_MAX;
    }
    return fitting;
  }
  // How many values all rows have.
  size_t size() const { return values.shape(0); }
  // Where a row begins among the values.
  size_t start(int64_t row) const { return static_cast<size_t>(bounds(row)[0]); }
  RowOf<T> operator[](int64_t row) const {
    const int64_t *found = bounds(row);
    return {values.data() + found[0], static_cast<size_t>(found[1] - found[0])};
  }

private:
  const int64_t *bounds(int64_t row) const {
    if (row < 0 || static_cast<size_t>(row) >= rows()) throw std::out_of_range("a row was asked for that the column does not have.");
    return offsets.data() + row;
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

// Refuses arguments that do not fit together.
inline void need(bool fitting, const char *message) {
  if (!fitting) throw std::invalid_argument(message);
}

// Every prediction has its reference, or whatever else the second rows are.
inline void need_pairs(const Rows &first, const Rows &second) { need(first.size() == second.size(), "there must be as many references as predictions."); }

// How many numbers an array of these sizes has.
inline size_t product(size_t rows, size_t columns) {
  need(!columns || rows <= SIZE_MAX / columns, "the result would have more numbers than fit into memory.");
  return rows * columns;
}

// A new array of `rows` x `columns` numbers, all 0, which becomes NumPy's without a copy.
template <typename T> class Table {
public:
  Table(size_t rows, size_t columns, size_t depth = 1) : rows_(rows), columns_(product(columns, depth)) {
    static_assert(std::is_arithmetic_v<T>);
    // Memory that is never written to is never taken.
    values_.reset(static_cast<T *>(std::calloc(std::max<size_t>(1, product(rows_, columns_)), sizeof(T))));
    if (!values_) throw std::bad_alloc();
  }

  T *operator[](size_t row) { return values_.get() + row * columns_; }

  nb::object numpy() { return shaped({rows_, columns_}); }
  nb::object flat() { return shaped({rows_ * columns_}); }
  // (rows, columns / depth, depth)
  nb::object cube(size_t depth) { return shaped({rows_, columns_ / depth, depth}); }
  // Any other shape of as many numbers.
  nb::object shaped(std::initializer_list<size_t> shape) {
    T *data = values_.get();
    nb::capsule owner(data, [](void *held) noexcept { std::free(held); });
    values_.release();
    return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), owner));
  }

private:
  struct Free {
    void operator()(T *data) const { std::free(data); }
  };

  size_t rows_, columns_;
  std::unique_ptr<T[], Free> values_;
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
  nb::object ragged = nb::module_::import_("nlgauge._core.ragged").attr("Ragged");
  return ragged(width == 1 ? values.flat() : values.numpy(), offsets.flat());
}

// The column of a Ragged, checked once. Token ids of another type are narrowed if they fit into 32 bits; `nlgauge._core.backend.narrowed`
// refuses the others.
template <typename T> ColumnOf<T> column_of(nb::handle ragged) {
  ColumnOf<T> column;
  nb::object values = ragged.attr("values"), offsets = ragged.attr("offsets");
  if (!nb::try_cast(offsets, column.offsets, true)) throw nb::type_error("the offsets of a column must be an array of whole numbers.");
  if (!nb::try_cast(values, column.values, false)) {
    if constexpr (std::is_same_v<T, int32_t>) values = nb::module_::import_("nlgauge._core.backend").attr("narrowed")(values);
    if (!nb::try_cast(values, column.values, false)) throw nb::type_error("the values of a column must be one contiguous array of the right type.");
  }
  need(column.fits(), "the offsets of a column must not fall, must lie within its values, and rows must have at most 2,147,483,647 values.");
  return column;
}

// Columns of the same tokens, one for each way in which words match.
struct Modules : std::vector<Column> {
  explicit Modules(nb::handle columns) {
    for (nb::handle column : columns) push_back(column_of<int32_t>(column));
  }
};

namespace nanobind::detail {

// An argument that is read when the function is called, because only then can it be refused with a message.
template <typename T, typename Read> struct late_caster {
  using Value = T;
  template <typename Other> using Cast = movable_cast_t<Other>;
  template <typename Other> static constexpr bool can_cast() { return true; }

  handle source;
  std::optional<T> value;

  T &read() { return value.emplace(Read()(source)); }
  explicit operator T *() { return &read(); }
  explicit operator T &() { return read(); }
  explicit operator T &&() { return std::move(read()); }
  static handle from_cpp(const T &, rv_policy, cleanup_list *) noexcept { return handle(); }
};

template <typename T> struct read_column {
  ColumnOf<T> operator()(handle source) const { return column_of<T>(source); }
};
struct read_modules {
  Modules operator()(handle source) const { return Modules(source); }
};

template <typename T> struct type_caster<ColumnOf<T>> : late_caster<ColumnOf<T>, read_column<T>> {
  static constexpr auto Name = const_name("Ragged");

  bool from_python(handle given, uint32_t, cleanup_list *) noexcept {
    this->source = given;
    return true;
  }
};

template <> struct type_caster<Modules> : late_caster<Modules, read_modules> {
  static constexpr auto Name = const_name("Sequence[Ragged]");

  bool from_python(handle given, uint32_t, cleanup_list *) noexcept {
    source = given;
    return PySequence_Check(given.ptr());
  }
};

template <> struct type_caster<Rows> {
  NB_TYPE_CASTER(Rows, const_name("numpy.ndarray[dtype=int64]"))

  bool from_python(handle source, uint32_t, cleanup_list *) noexcept { return nb::try_cast(source, value.values, true); }
  static handle from_cpp(const Rows &, rv_policy, cleanup_list *) noexcept { return handle(); }
};

} // namespace nanobind::detail
