// Rows spread over threads. Every row writes what is its own, so that the number of threads changes nothing.
#pragma once

#include "column.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

// How many threads a kernel may use, and from how many steps on another one is worth starting; Python sets both.
struct Threads {
  std::atomic<size_t> most{1}, worthwhile{300'000};
};

inline Threads &threads_allowed() {
  static Threads allowed;
  return allowed;
}

// Calls work(first, last) for blocks of rows 0 to `rows`, each row in one block. `cost` is about how many steps all rows take.
template <typename Work> void parallel(size_t rows, size_t cost, const Work &work) {
  Threads &allowed = threads_allowed();
  size_t threads = std::min({allowed.most.load(), rows, cost / allowed.worthwhile + 1});
  if (threads <= 1) {
    if (rows) work(size_t{0}, rows);
    return;
  }
  // More blocks than threads, because rows cost differently.
  size_t blocks = std::min(rows, 8 * threads);
  std::atomic<size_t> next{0};
  std::vector<std::exception_ptr> failed(threads);
  auto run = [&](size_t thread) {
    try {
      for (size_t block = next++; block < blocks; block = next++) work(rows * block / blocks, rows * (block + 1) / blocks);
    } catch (...) {
      failed[thread] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    for (size_t thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  } catch (const std::system_error &) {
    // The system gives no more threads; those that there are do all blocks.
  }
  run(0);
  for (auto &other : others) other.join();
  for (auto &failure : failed) {
    if (failure) std::rethrow_exception(failure);
  }
}

// Calls work(scratch, row) for every row, without Python's lock; scratch memory is made once for each block of rows.
template <typename Scratch, typename Work> void each_row(size_t rows, size_t cost, const Work &work) {
  nb::gil_scoped_release release;
  parallel(rows, cost, [&](size_t first, size_t last) {
    Scratch scratch;
    for (size_t row = first; row < last; ++row) work(scratch, row);
  });
}
