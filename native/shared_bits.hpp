// Counts the bits that a set shares with 64 others at once, by the best instructions of the processor; the numbers are the same with all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#if defined(__GNUC__) && defined(__x86_64__)
#define NLGAUGE_X86 1
#include <immintrin.h>
#endif

// A word of a set that is not 0.
struct SetWord {
  uint64_t bits;
  size_t place;
};

// So many sets are compared with one set at once; the bits of each word of all of them are side by side.
constexpr size_t set_lanes = 64;

// Adds to sums[lane] how many bits the words share with the words columns[place * stride + lane].
using CountShared = void (*)(const SetWord *words, size_t count, const uint64_t *columns, size_t stride, uint64_t *sums);

inline uint64_t portable_ones(uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  bits += bits >> 8;
  bits += bits >> 16;
  return (bits + (bits >> 32)) & 0x7F;
}

inline void count_shared_portable(const SetWord *words, size_t count, const uint64_t *columns, size_t stride, uint64_t *sums) {
  for (const SetWord *word = words; word < words + count; ++word) {
    const uint64_t *column = columns + word->place * stride;
    for (size_t lane = 0; lane < set_lanes; ++lane) sums[lane] += portable_ones(column[lane] & word->bits);
  }
}

#if NLGAUGE_X86
__attribute__((target("popcnt"))) inline void count_shared_popcnt(const SetWord *words, size_t count, const uint64_t *columns, size_t stride, uint64_t *sums) {
  for (const SetWord *word = words; word < words + count; ++word) {
    const uint64_t *column = columns + word->place * stride;
    for (size_t lane = 0; lane < set_lanes; ++lane) sums[lane] += uint64_t(__builtin_popcountll(column[lane] & word->bits));
  }
}

__attribute__((target("avx512f,avx512vpopcntdq"))) inline void count_shared_avx512(const SetWord *words, size_t count, const uint64_t *columns, size_t stride, uint64_t *sums) {
  __m512i found[set_lanes / 8];
  for (size_t k = 0; k < set_lanes / 8; ++k) found[k] = _mm512_loadu_si512(sums + 8 * k);
  for (const SetWord *word = words; word < words + count; ++word) {
    const uint64_t *column = columns + word->place * stride;
    __m512i bits = _mm512_set1_epi64(static_cast<long long>(word->bits));
    for (size_t k = 0; k < set_lanes / 8; ++k) {
      found[k] = _mm512_add_epi64(found[k], _mm512_popcnt_epi64(_mm512_and_si512(bits, _mm512_loadu_si512(column + 8 * k))));
    }
  }
  for (size_t k = 0; k < set_lanes / 8; ++k) _mm512_storeu_si512(sums + 8 * k, found[k]);
}
#endif

// The best of them that the processor has. NLGAUGE_SIMD=baseline chooses the portable one, and popcnt the second best.
inline CountShared best_count_shared() {
  [[maybe_unused]] const char *most = std::getenv("NLGAUGE_SIMD");
#if NLGAUGE_X86
  bool is_baseline = most && !std::strcmp(most, "baseline"), is_popcnt = most && !std::strcmp(most, "popcnt");
  __builtin_cpu_init();
  if (!is_baseline && !is_popcnt && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq")) return count_shared_avx512;
  if (!is_baseline && __builtin_cpu_supports("popcnt")) return count_shared_popcnt;
#endif
  return count_shared_portable;
}
