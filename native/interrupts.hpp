// Long kernels end when the user presses Ctrl-C, or when another thread asks for it.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>

namespace nb = nanobind;

// A kernel was told to end; Python gets a KeyboardInterrupt.
struct Ended : std::exception {
  const char *what() const noexcept override { return "a kernel was told to end."; }
};

struct Interrupts {
  // After about so many steps a thread looks whether it should end: a fraction of a second.
  std::atomic<size_t> patience{size_t{1} << 26};
  // How often all kernels that ran at the time were told to end.
  std::atomic<size_t> stops{0};
};

inline Interrupts &interrupts() {
  static Interrupts all;
  return all;
}

// The threads of one call.
struct Crew {
  std::atomic<bool> ended{false};
  size_t stops = interrupts().stops.load();
};

// What a thread knows of the call that it works for.
struct Watch {
  size_t steps = 0;
  const Crew *crew = nullptr;
  // Signals are for the thread that Python called.
  bool is_caller = true;

  void check() {
    steps = 0;
    if (crew && (crew->ended || crew->stops != interrupts().stops)) throw Ended();
    if (is_caller) check_signals();
  }
  static void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals()) throw nb::python_error();
  }
};

inline Watch &watch() {
  static thread_local Watch own;
  return own;
}

// The current thread works for a call.
class Working {
public:
  Working(const Crew &crew, bool is_caller) : before_(watch()) { watch().crew = &crew, watch().is_caller = is_caller; }
  Working(const Working &) = delete;
  Working &operator=(const Working &) = delete;
  ~Working() { watch().crew = before_.crew, watch().is_caller = before_.is_caller; }

private:
  Watch before_;
};

// Counts the steps of a loop; throws when the kernel has to end.
class Steps {
public:
  void operator()(size_t steps) {
    done_ += steps;
    if (done_ >= counted_together) report();
  }
  // Calls work(item) for each item of a row, every one of which takes so many steps; counts once for many of them.
  template <typename Items, typename Work> void for_each(const Items &items, size_t steps, const Work &work) {
    constexpr size_t block = 64;
    for (size_t start = 0; start < items.size; start += block) {
      size_t end = std::min(items.size, start + block);
      (*this)((end - start) * steps);
      for (size_t i = start; i < end; ++i) work(items[i]);
    }
  }

private:
  // The thread's own count is slow to reach.
  static constexpr size_t counted_together = 1 << 12;

  void report() {
    Watch &own = watch();
    own.steps += done_;
    done_ = 0;
    if (own.steps >= interrupts().patience) own.check();
  }

  size_t done_ = 0;
};
