// How often two or three of many bits are set in the same rows, and what that tells about a target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels.hpp"

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

// How far rows with a mark spread over the joint levels of each two variables otherwise than all rows: the
// sum, over joint levels, of the squared difference between the marked rows and `share` of all, over all. A
// line of `bits` has the rows of one level, of `marked` those of them with the mark; variable v has the lines
// from first[v] up to first[v + 1]. `together` counts the rows of each two levels. `spread` is written for
// each two open variables, the first of them first; of others it stays as it is. The rows of the line
// last[v], if v has it, are those that its other lines leave over, and are not counted. `n_marked` and `left`
// have room for a number per line.
inline void spread_over_pairs(const std::uint64_t* bits, const std::uint64_t* marked, std::size_t n_words,
                              const std::int64_t* first, const bool* open, std::size_t n_variables,
                              const double* together, double share, const std::int64_t* last,
                              double* n_marked, double* left, double* spread) {
  const auto line = [](std::int64_t v) { return static_cast<std::size_t>(v); };
  const std::size_t n_levels = line(first[n_variables]);
  for (std::size_t i = 0; i < n_levels; ++i)
    n_marked[i] = static_cast<double>(n_both(marked + i * n_words, marked + i * n_words, n_words));
  for (std::size_t a = 0; a < n_variables; ++a) {
    if (!open[a]) continue;
    for (std::size_t b = a + 1; b < n_variables; ++b) {
      if (!open[b]) continue;
      for (std::int64_t j = first[b]; j < first[b + 1]; ++j) left[j] = n_marked[j];
      double sum = 0.0;
      for (std::int64_t i = first[a]; i < first[a + 1]; ++i) {
        const double* all = together + line(i) * n_levels;
        const std::uint64_t* own = marked + line(i) * n_words;
        double left_of_i = n_marked[i];
        for (std::int64_t j = first[b]; j < first[b + 1]; ++j) {
          if (all[j] == 0.0) continue;
          double n;
          if (i == last[a])
            n = left[j];
          else if (j == last[b])
            n = left_of_i;
          else
            n = static_cast<double>(n_both(own, bits + line(j) * n_words, n_words));
          left_of_i -= n;
          left[j] -= n;
          const double more = n - share * all[j];
          sum += more * more / all[j];
        }
      }
      spread[a * n_variables + b] = sum;
    }
  }
}

// How many of `n_rows` rows have each level of the open variables from the one at `place` on.
inline void count_levels(const TripleScan& scan, std::size_t place, const std::uint64_t* rows,
                         std::int64_t n_rows, double* counts) {
  for (; place < scan.n_open; ++place) {
    const std::size_t v = scan.open[place];
    std::int64_t left = n_rows;
    for (std::int64_t k = scan.first[v]; k < scan.first[v + 1]; ++k) {
      const std::uint64_t* level = scan.bits + static_cast<std::size_t>(k) * scan.n_words;
      const std::int64_t n = k == scan.last[v] ? left : n_both(rows, level, scan.n_words);
      left -= n;
      counts[k] = static_cast<double>(n);
    }
  }
}

// The three open variables on whose joint levels a target depends most: the largest sum, over joint levels
// and the target's levels, of the squared difference between the rows that have both and the target's share
// of the joint level, over all rows of the joint level and the target's scale. What is within its limit does
// not count. Writes the three, the first of equals; false if there are none. `rows` has room for two lines;
// `all`, `marked` and `worth` for a number per line, zero at first.
inline bool strongest_triple(const TripleScan& scan, std::uint64_t* rows, double* all, double* marked,
                             double* worth, std::size_t* best) {
  const std::size_t n_words = scan.n_words;
  std::uint64_t* rows_of_target = rows + n_words;
  const auto line = [&](std::int64_t i) { return scan.bits + static_cast<std::size_t>(i) * n_words; };
  const auto n_levels = [&](std::size_t v) { return scan.first[v + 1] - scan.first[v]; };
  double most = 0.0;
  for (std::size_t x = 0; x + 2 < scan.n_open; ++x) {
    for (std::size_t y = x + 1; y + 1 < scan.n_open; ++y) {
      const std::size_t a = scan.open[x], b = scan.open[y];
      const std::int64_t start = scan.first[scan.open[y + 1]],
                         end = scan.first[scan.open[scan.n_open - 1] + 1];
      for (std::int64_t k = start; k < end; ++k) worth[k] = 0.0;
      for (std::int64_t i = scan.first[a]; i < scan.first[a + 1]; ++i) {
        for (std::int64_t j = scan.first[b]; j < scan.first[b + 1]; ++j) {
          for (std::size_t w = 0; w < n_words; ++w) rows[w] = line(i)[w] & line(j)[w];
          const std::int64_t n_rows = n_both(rows, rows, n_words);
          if (n_rows == 0) continue;
          count_levels(scan, y + 1, rows, n_rows, all);
          for (std::size_t t = 0; t < scan.n_target; ++t) {
            for (std::size_t w = 0; w < n_words; ++w)
              rows_of_target[w] = rows[w] & scan.target[t * n_words + w];
            count_levels(scan, y + 1, rows_of_target, n_both(rows_of_target, rows_of_target, n_words),
                         marked);
            const double share = scan.shares[t], scale = scan.scales[t];
            for (std::int64_t k = start; k < end; ++k) {
              const double more = marked[k] - share * all[k];
              worth[k] += more * more / (scale * (all[k] > 0.0 ? all[k] : 1.0));
            }
          }
        }
      }
      for (std::size_t z = y + 1; z < scan.n_open; ++z) {
        const std::size_t c = scan.open[z];
        double sum = 0.0;
        for (std::int64_t k = scan.first[c]; k < scan.first[c + 1]; ++k) sum += worth[k];
        sum -= scan.limits[n_levels(a) * n_levels(b) * n_levels(c)];
        if (sum > most) {
          most = sum;
          best[0] = a, best[1] = b, best[2] = c;
        }
      }
    }
  }
  return most > 0.0;
}

}  // namespace bnsieve::BNSIEVE_LEVEL
