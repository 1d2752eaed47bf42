// Rows spread over threads. Every row writes what is its own, so that the number of threads changes nothing.
#pragma once

#include "column.hpp"
#include "interrupts.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
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

// Waits until the other threads of a call are done, and hears signals meanwhile.
class Gathering {
public:
  void leave() {
    std::lock_guard<std::mutex> lock(mutex_);
    ++left_;
    changed_.notify_one();
  }
  // Calls `hear` every now and then until so many have left.
  template <typename Hear> void wait(size_t count, const Hear &hear) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!changed_.wait_for(lock, std::chrono::milliseconds(100), [&] { return left_ == count; })) {
      lock.unlock();
      hear();
      lock.lock();
    }
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t left_ = 0;
};

// Calls work(first, last) for blocks of rows 0 to `rows`, each row in one block. `cost` is about how many steps all rows take.
template <typename Work> void parallel(size_t rows, size_t cost, const Work &work) {
  Threads &allowed = threads_allowed();
  Crew crew;
  size_t threads = std::min({allowed.most.load(), rows, cost / allowed.worthwhile + 1});
  if (threads <= 1) {
    Working working(crew, true);
    if (rows) work(size_t{0}, rows);
    return;
  }
  // More blocks than threads, because rows cost differently.
  size_t blocks = std::min(rows, 8 * threads);
  std::atomic<size_t> next{0};
  std::atomic<bool> stopped{false};
  std::vector<std::exception_ptr> failed(threads);
  auto guarded = [&](size_t thread, const auto &task) {
    try {
      task();
    } catch (const Ended &) {
      stopped = crew.ended = true;
    } catch (...) {
      failed[thread] = std::current_exception();
      crew.ended = true;
    }
  };
  auto run = [&](size_t thread) {
    Working working(crew, thread == 0);
    guarded(thread, [&] {
      for (size_t block = next++; block < blocks && !crew.ended; block = next++) work(rows * block / blocks, rows * (block + 1) / blocks);
    });
  };
  Gathering gathering;
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    for (size_t thread = 1; thread < threads; ++thread) others.emplace_back([&, thread] { run(thread), gathering.leave(); });
  } catch (...) {
    // The system gives no more threads or no memory for them; the threads that there are do all blocks.
  }
  run(0);
  gathering.wait(others.size(), [&] { guarded(0, Watch::check_signals); });
  for (auto &other : others) other.join();
  for (auto &failure : failed) {
    if (failure) std::rethrow_exception(failure);
  }
  if (stopped) throw Ended();
}

// About how many steps a row takes however short it is.
constexpr size_t steps_of_a_row = 256;

// Calls work(scratch, row) for every row, without Python's lock; scratch memory is made once for each block of rows.
template <typename Scratch, typename Work> void each_row(size_t rows, size_t cost, const Work &work) {
  nb::gil_scoped_release release;
  parallel(rows, cost, [&](size_t first, size_t last) {
    Scratch scratch;
    Steps steps;
    for (size_t row = first; row < last; ++row) steps(steps_of_a_row), work(scratch, row);
  });
}
