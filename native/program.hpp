// Programs: the arithmetic of a metric, traced by nlgauge.metric.symbols, on blocks of rows.
#pragma once

#include "column.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#include <numpy/ndarraytypes.h>
#include <numpy/ufuncobject.h>

// The inner loop of a NumPy function for doubles, so that every bit is NumPy's: the first entry of its table whose types are all double.
class NumpyLoop {
public:
  explicit NumpyLoop(const char *name) {
    nb::object function = nb::module_::import_("numpy").attr(name);
    auto *ufunc = reinterpret_cast<PyUFuncObject *>(function.ptr());
    for (int k = 0; k < ufunc->ntypes && !run_; ++k) {
      const char *types = ufunc->types + k * ufunc->nargs;
      if (!std::all_of(types, types + ufunc->nargs, [](char type) { return type == NPY_DOUBLE; })) continue;
      run_ = ufunc->functions[k];
      data_ = ufunc->data ? const_cast<void *>(ufunc->data[k]) : nullptr;
    }
    if (!run_) throw std::runtime_error(std::string("NumPy has no loop for doubles of the function ") + name);
  }

  void operator()(const double *values, double *to, size_t count) const {
    char *arguments[] = {bytes(values), bytes(to)};
    npy_intp rows = npy_intp(count), steps[] = {sizeof(double), sizeof(double)};
    run_(arguments, &rows, steps, data_);
  }
  void operator()(const double *left, const double *right, double *to, size_t count) const {
    char *arguments[] = {bytes(left), bytes(right), bytes(to)};
    npy_intp rows = npy_intp(count), steps[] = {sizeof(double), sizeof(double), sizeof(double)};
    run_(arguments, &rows, steps, data_);
  }

private:
  static char *bytes(const double *values) { return reinterpret_cast<char *>(const_cast<double *>(values)); }

  PyUFuncGenericFunction run_ = nullptr;
  void *data_ = nullptr;
};

struct NumpyLoops {
  NumpyLoop exp{"exp"}, log{"log"}, power{"power"};
};

// Read once, with the interpreter's lock, when the first program is made.
inline const NumpyLoops &numpy_loops() {
  static const NumpyLoops loops;
  return loops;
}

// In the order of CODES in nlgauge/metric/program.py.
enum class Code : int32_t { input, constant, add, subtract, multiply, divide, negative, absolute, maximum, minimum, greater, greater_equal, less, less_equal, equal, not_equal, where, logical_and, logical_or, logical_not, exp, log, power, sqrt, isnan };
constexpr int32_t codes = int32_t(Code::isnan) + 1;

struct Instruction {
  Code code;
  int32_t a, b, c;
  double value;
};

// So many rows are computed at once.
constexpr size_t block_rows = 64;
using Register = std::array<double, block_rows>;

// Instructions in order, each of which writes the register of its number; `inputs` columns become one column for each output.
class Program {
public:
  using Plain = std::vector<std::tuple<int32_t, int32_t, int32_t, int32_t, double>>;

  Program(size_t inputs, const Plain &code, std::vector<int32_t> outputs) : inputs_(inputs), outputs_(std::move(outputs)) {
    numpy_loops();
    for (const auto &[number, a, b, c, value] : code) {
      need(number >= 0 && number < codes, "a program has an unknown instruction.");
      Instruction next{Code(number), a, b, c, value};
      int32_t before = int32_t(code_.size());
      int32_t operands = operands_of(next.code);
      for (int32_t operand : {a, b, c}) need(operands-- <= 0 || (operand >= 0 && operand < before), "an instruction reads a register before it is written.");
      need(next.code != Code::input || (a >= 0 && size_t(a) < inputs), "a program reads an input that it does not have.");
      code_.push_back(next);
    }
    for (int32_t output : outputs_) need(output >= 0 && size_t(output) < code_.size(), "an output of a program is not a register.");
  }

  size_t inputs() const { return inputs_; }
  size_t outputs() const { return outputs_.size(); }
  const Register &output(size_t number, const std::vector<Register> &registers) const { return registers[size_t(outputs_[number])]; }

  // Computes up to block_rows rows.
  void run(size_t rows, const Register *inputs, std::vector<Register> &registers) const {
    if (registers.size() < code_.size()) registers.resize(code_.size());
    for (size_t number = 0; number < code_.size(); ++number) step(code_[number], rows, inputs, registers.data(), registers[number]);
  }

private:
  static int32_t operands_of(Code code) {
    switch (code) {
    case Code::input:
    case Code::constant: return 0;
    case Code::negative:
    case Code::absolute:
    case Code::logical_not:
    case Code::exp:
    case Code::log:
    case Code::sqrt:
    case Code::isnan: return 1;
    case Code::where: return 3;
    default: return 2;
    }
  }

  template <typename Function> static void each(size_t rows, const Register &a, Register &to, const Function &function) {
    for (size_t i = 0; i < rows; ++i) to[i] = double(function(a[i]));
  }
  template <typename Function> static void each(size_t rows, const Register &a, const Register &b, Register &to, const Function &function) {
    for (size_t i = 0; i < rows; ++i) to[i] = double(function(a[i], b[i]));
  }

  static void step(const Instruction &next, size_t rows, const Register *inputs, const Register *registers, Register &to) {
    if (next.code == Code::input) {
      std::copy_n(inputs[next.a].begin(), rows, to.begin());
      return;
    }
    if (next.code == Code::constant) {
      std::fill_n(to.begin(), rows, next.value);
      return;
    }
    const Register &a = registers[next.a], &b = registers[std::max(next.b, 0)], &c = registers[std::max(next.c, 0)];
    switch (next.code) {
    case Code::add: return each(rows, a, b, to, [](double x, double y) { return x + y; });
    case Code::subtract: return each(rows, a, b, to, [](double x, double y) { return x - y; });
    case Code::multiply: return each(rows, a, b, to, [](double x, double y) { return x * y; });
    case Code::divide: return each(rows, a, b, to, [](double x, double y) { return x / y; });
    case Code::negative: return each(rows, a, to, [](double x) { return -x; });
    case Code::absolute: return each(rows, a, to, [](double x) { return std::fabs(x); });
    // NaN wins, as in NumPy.
    case Code::maximum: return each(rows, a, b, to, [](double x, double y) { return x >= y || x != x ? x : y; });
    case Code::minimum: return each(rows, a, b, to, [](double x, double y) { return x <= y || x != x ? x : y; });
    case Code::greater: return each(rows, a, b, to, [](double x, double y) { return x > y; });
    case Code::greater_equal: return each(rows, a, b, to, [](double x, double y) { return x >= y; });
    case Code::less: return each(rows, a, b, to, [](double x, double y) { return x < y; });
    case Code::less_equal: return each(rows, a, b, to, [](double x, double y) { return x <= y; });
    case Code::equal: return each(rows, a, b, to, [](double x, double y) { return x == y; });
    case Code::not_equal: return each(rows, a, b, to, [](double x, double y) { return x != y; });
    case Code::where:
      for (size_t i = 0; i < rows; ++i) to[i] = a[i] != 0 ? b[i] : c[i];
      return;
    case Code::logical_and: return each(rows, a, b, to, [](double x, double y) { return x != 0 && y != 0; });
    case Code::logical_or: return each(rows, a, b, to, [](double x, double y) { return x != 0 || y != 0; });
    case Code::logical_not: return each(rows, a, to, [](double x) { return x == 0; });
    case Code::exp: return numpy_loops().exp(a.data(), to.data(), rows);
    case Code::log: return numpy_loops().log(a.data(), to.data(), rows);
    case Code::power: return numpy_loops().power(a.data(), b.data(), to.data(), rows);
    case Code::sqrt: return each(rows, a, to, [](double x) { return std::sqrt(x); });
    default: return each(rows, a, to, [](double x) { return x != x; });
    }
  }

  size_t inputs_;
  std::vector<Instruction> code_;
  std::vector<int32_t> outputs_;
};
