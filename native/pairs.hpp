// How often each two of many bits are set in the same rows.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace bnsieve::BNSIEVE_LEVEL {

inline std::int64_t n_bits(std::uint64_t word) {
#if defined(_MSC_VER) && !defined(__clang__)
  return static_cast<std::int64_t>(__popcnt64(word));
#else
  return __builtin_popcountll(word);
#endif
}

inline std::int64_t n_both(const std::uint64_t* a, const std::uint64_t* b, std::size_t n_words) {
  std::int64_t n = 0, m = 0;
  std::size_t w = 0;
  for (; w + 2 <= n_words; w += 2) {
    n += n_bits(a[w] & b[w]);
    m += n_bits(a[w + 1] & b[w + 1]);
  }
  return w < n_words ? n + m + n_bits(a[w] & b[w]) : n + m;
}

// a: n_a rows of words, b: n_b; counts: n_a rows, `stride` apart, of n_b numbers, the bits that both have.
// Few rows of b stay in the cache while all rows of a pass by.
inline void count_pairs(const std::uint64_t* a, std::size_t n_a, const std::uint64_t* b, std::size_t n_b,
                        std::size_t n_words, double* counts, std::size_t stride) {
  for (std::size_t i = 0; i < n_a; ++i)
    for (std::size_t j = 0; j < n_b; ++j)
      counts[i * stride + j] = static_cast<double>(n_both(a + i * n_words, b + j * n_words, n_words));
}

}  // namespace bnsieve::BNSIEVE_LEVEL
