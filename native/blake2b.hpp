// BLAKE2b (RFC 7693) with a digest of 64 bits, without a key.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace blake2b {

constexpr uint64_t start[8] = {0x6A09E667F3BCC908u, 0xBB67AE8584CAA73Bu, 0x3C6EF372FE94F82Bu, 0xA54FF53A5F1D36F1u,
                               0x510E527FADE682D1u, 0x9B05688C2B3E6C1Fu, 0x1F83D9ABFB41BD6Bu, 0x5BE0CD19137E2179u};
constexpr uint8_t order[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

inline uint64_t turned(uint64_t word, int bits) { return word >> bits | word << (64 - bits); }

inline void compress(uint64_t (&state)[8], const unsigned char *block, uint64_t count, bool last) {
  uint64_t words[16] = {}, v[16];
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) words[i] |= uint64_t{block[8 * i + j]} << 8 * j;
  }
  for (int i = 0; i < 8; ++i) v[i] = state[i], v[i + 8] = start[i];
  v[12] ^= count;
  if (last) v[14] = ~v[14];
  auto mix = [&](int a, int b, int c, int d, uint64_t x, uint64_t y) {
    v[a] += v[b] + x, v[d] = turned(v[d] ^ v[a], 32), v[c] += v[d], v[b] = turned(v[b] ^ v[c], 24);
    v[a] += v[b] + y, v[d] = turned(v[d] ^ v[a], 16), v[c] += v[d], v[b] = turned(v[b] ^ v[c], 63);
  };
  for (int round = 0; round < 12; ++round) {
    const uint8_t *s = order[round % 10];
    for (int i = 0; i < 4; ++i) mix(i, i + 4, i + 8, i + 12, words[s[2 * i]], words[s[2 * i + 1]]);
    for (int i = 0; i < 4; ++i) mix(i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, words[s[2 * i + 8]], words[s[2 * i + 9]]);
  }
  for (int i = 0; i < 8; ++i) state[i] ^= v[i] ^ v[i + 8];
}

} // namespace blake2b

inline uint64_t blake2b_64(const std::string &bytes) {
  uint64_t state[8];
  std::memcpy(state, blake2b::start, sizeof state);
  state[0] ^= 0x01010000u ^ 8;
  size_t done = 0;
  unsigned char block[128];
  for (; bytes.size() - done > 128; done += 128) {
    std::memcpy(block, bytes.data() + done, 128);
    blake2b::compress(state, block, done + 128, false);
  }
  std::memset(block, 0, 128);
  std::memcpy(block, bytes.data() + done, bytes.size() - done);
  blake2b::compress(state, block, bytes.size(), true);
  return state[0];
}
