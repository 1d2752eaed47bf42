// Wider instructions of the processor at hand, for kernels whose lanes never mix: the numbers are the same with and without them.
#pragma once

#include <cstdlib>
#include <cstring>

#if defined(__GNUC__) && defined(__x86_64__)
#define NLGAUGE_AVX2 __attribute__((target("avx2")))
#define NLGAUGE_INLINE inline __attribute__((always_inline))
#else
#define NLGAUGE_AVX2
#define NLGAUGE_INLINE inline
#endif

// Whether wider instructions may be used: NLGAUGE_SIMD=baseline switches them off.
inline bool simd_allowed() {
  static const bool allowed = [] {
    const char *choice = std::getenv("NLGAUGE_SIMD");
    return !choice || std::strcmp(choice, "baseline") != 0;
  }();
  return allowed;
}

inline bool has_avx2() {
#if defined(__GNUC__) && defined(__x86_64__)
  static const bool found = simd_allowed() && __builtin_cpu_supports("avx2");
  return found;
#else
  return false;
#endif
}
