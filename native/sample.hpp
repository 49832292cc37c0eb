// Drawing rows from a Bayesian network, one variable at a time, parents first.
//
// Each variable has a random stream of its own: Philox4x64-10 (Salmon et al., SC 2011) with the
// variable's key, and draw number `row` for row `row`. A row's draw depends on nothing but key and row
// number, so any range of rows can be drawn alone. Everything is integer arithmetic: results are the
// same at every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace bnsieve::BNSIEVE_LEVEL {

inline std::uint64_t multiply_wide(std::uint64_t a, std::uint64_t b, std::uint64_t* high) {
#if defined(__SIZEOF_INT128__)
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  *high = static_cast<std::uint64_t>(product >> 64);
  return static_cast<std::uint64_t>(product);
#else
  *high = __umulh(a, b);
  return a * b;
#endif
}

constexpr std::size_t kDrawsPerBlock = 4;

// Draws 4 * block .. 4 * block + 3 of the stream. Counting from block + 1 makes the stream that of
// numpy.random.Philox(key=key), which the tests compare it with.
inline void philox_block(std::uint64_t block, const std::uint64_t* key, std::uint64_t* draws) {
  std::uint64_t c0 = block + 1, c1 = 0, c2 = 0, c3 = 0;
  std::uint64_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; ++round) {
    std::uint64_t high0, high1;
    const std::uint64_t low0 = multiply_wide(0xD2E7470EE14C6C93u, c0, &high0);
    const std::uint64_t low1 = multiply_wide(0xCA5A826395121157u, c2, &high1);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B97F4A7C15u;
    k1 += 0xBB67AE8584CAA73Bu;
  }
  draws[0] = c0;
  draws[1] = c1;
  draws[2] = c2;
  draws[3] = c3;
}

// Fill one variable's row of `codes` (n_rows codes each); those of its parents are already there.
//
// Row r of `codes` is row first_row + r of the stream. thresholds: one line of n_thresholds ascending
// values per parent configuration, in units of 2^-63; the code drawn is the number of them that are not
// above the upper 63 bits of the draw. The configuration is the sum of stride times code over parents.
template <typename Code>
void sample_variable(Code* codes, std::size_t n_rows, std::size_t variable, std::uint64_t first_row,
                     const std::int64_t* parents, const std::int64_t* strides, std::size_t n_parents,
                     const std::uint64_t* thresholds, std::size_t n_thresholds, const std::uint64_t* key) {
  // Enough rows to pay for the loops over parents, few enough to stay in L1.
  constexpr std::size_t kStrip = 512;
  std::size_t line[kStrip];
  std::uint64_t draws[kStrip + 2 * kDrawsPerBlock];
  Code* column = codes + variable * n_rows;
  for (std::size_t start = 0; start < n_rows; start += kStrip) {
    const std::size_t n = n_rows - start < kStrip ? n_rows - start : kStrip;

    const std::uint64_t first = first_row + start;
    const std::size_t skipped = static_cast<std::size_t>(first % kDrawsPerBlock);
    for (std::size_t k = 0; k < skipped + n; k += kDrawsPerBlock)
      philox_block(first / kDrawsPerBlock + k / kDrawsPerBlock, key, draws + k);

    for (std::size_t row = 0; row < n; ++row) line[row] = 0;
    for (std::size_t p = 0; p < n_parents; ++p) {
      const Code* parent = codes + static_cast<std::size_t>(parents[p]) * n_rows + start;
      const std::size_t stride = static_cast<std::size_t>(strides[p]) * n_thresholds;
      for (std::size_t row = 0; row < n; ++row) line[row] += stride * parent[row];
    }

    for (std::size_t row = 0; row < n; ++row) {
      const std::uint64_t draw = draws[skipped + row] >> 1;
      // Halving without branches: the answer lies in [found, found + left].
      const std::uint64_t* found = thresholds + line[row];
      const std::uint64_t* begin = found;
      std::size_t left = n_thresholds;
      while (left > 0) {
        const std::size_t half = (left + 1) / 2;
        found += half & (std::size_t{0} - static_cast<std::size_t>(found[half - 1] <= draw));
        left -= half;
      }
      column[start + row] = static_cast<Code>(found - begin);
    }
  }
}

}  // namespace bnsieve::BNSIEVE_LEVEL
