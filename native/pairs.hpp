// How often two or three of many bits are set in the same rows, and what that tells about a target.
#pragma once

#include <algorithm>
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

// How many of `n_rows` rows have each level of the variables from v on.
inline void count_levels(const TripleScan& scan, std::size_t v, const std::uint64_t* rows,
                         std::int64_t n_rows, double* counts) {
  for (; v < scan.n_variables; ++v) {
    std::int64_t left = n_rows;
    for (std::int64_t k = scan.first[v]; k < scan.first[v + 1]; ++k) {
      const std::uint64_t* level = scan.bits + static_cast<std::size_t>(k) * scan.n_words;
      const std::int64_t n = k == scan.last[v] ? left : n_both(rows, level, scan.n_words);
      left -= n;
      counts[k] = static_cast<double>(n);
    }
  }
}

// The three variables on whose joint levels a target depends most: the largest sum, over joint levels and the
// target's levels, of the squared difference between the rows that have both and the target's share of the
// joint level, over all rows of the joint level and the target's scale. What is within its limit does not
// count. Writes the three, the first of equals; false if there are none.
//
// Rows of the last level of a variable without missing cells are those that its other levels leave of a pair:
// of two variables of two levels one joint level of four is counted, the others are differences.
inline bool strongest_triple(const TripleScan& scan, const TripleScratch& scratch, std::size_t* best) {
  const std::size_t n_words = scan.n_words, n_counts = 1 + scan.n_target;
  const std::int64_t end = scan.first[scan.n_variables];
  const std::size_t n_lines = static_cast<std::size_t>(end);
  std::uint64_t *rows = scratch.rows, *rows_of_target = rows + n_words;
  const auto line = [&](std::int64_t i) { return scan.bits + static_cast<std::size_t>(i) * n_words; };
  const auto n_levels = [&](std::size_t v) { return scan.first[v + 1] - scan.first[v]; };
  const auto pairs = [&](std::size_t count, std::int64_t i) {
    return scratch.pairs + (count * n_lines + static_cast<std::size_t>(i)) * n_lines;
  };
  const auto left_of_a = [&](std::size_t count) { return scratch.left_of_a + count * n_lines; };
  const auto left_of_b = [&](std::size_t count, std::int64_t level) {
    return scratch.left_of_b + (static_cast<std::size_t>(level) * n_counts + count) * n_lines;
  };
  // Of the rows marked in `rows`, count 0 is of all, count t + 1 of those that have the target's level t.
  const auto count_rows = [&](std::size_t count, std::size_t v, double* counts) {
    const std::uint64_t* counted = rows;
    if (count > 0) {
      const std::uint64_t* level = scan.target + (count - 1) * n_words;
      for (std::size_t w = 0; w < n_words; ++w) rows_of_target[w] = rows[w] & level[w];
      counted = rows_of_target;
    }
    count_levels(scan, v, counted, n_both(counted, counted, n_words), counts);
  };
  for (std::int64_t i = 0; i < end; ++i) {
    for (std::size_t w = 0; w < n_words; ++w) rows[w] = line(i)[w];
    for (std::size_t count = 0; count < n_counts; ++count) count_rows(count, 0, pairs(count, i));
  }
  double most = 0.0;
  for (std::size_t a = 0; a + 2 < scan.n_variables; ++a) {
    for (std::size_t b = a + 1; b + 1 < scan.n_variables; ++b) {
      const std::int64_t start = scan.first[b + 1], first_of_b = scan.first[b];
      for (std::int64_t k = start; k < end; ++k) scratch.worth[k] = 0.0;
      for (std::int64_t j = first_of_b; j < start; ++j)
        for (std::size_t count = 0; count < n_counts; ++count)
          std::copy(pairs(count, j) + start, pairs(count, j) + end, left_of_b(count, j - first_of_b) + start);
      for (std::int64_t i = scan.first[a]; i < scan.first[a + 1]; ++i) {
        for (std::size_t count = 0; count < n_counts; ++count)
          std::copy(pairs(count, i) + start, pairs(count, i) + end, left_of_a(count) + start);
        for (std::int64_t j = first_of_b; j < start; ++j) {
          const bool last_of_a = i == scan.last[a], last_of_b = j == scan.last[b];
          if (!last_of_a && !last_of_b)
            for (std::size_t w = 0; w < n_words; ++w) rows[w] = line(i)[w] & line(j)[w];
          const double* all = nullptr;
          for (std::size_t count = 0; count < n_counts; ++count) {
            double *of_a = left_of_a(count), *of_b = left_of_b(count, j - first_of_b);
            double* n = last_of_a ? of_b : last_of_b ? of_a : scratch.counted + (count > 0 ? n_lines : 0);
            if (!last_of_a && !last_of_b) count_rows(count, b + 1, n);
            if (!last_of_b)
              for (std::int64_t k = start; k < end; ++k) of_a[k] -= n[k];
            if (!last_of_a)
              for (std::int64_t k = start; k < end; ++k) of_b[k] -= n[k];
            if (count == 0) {
              all = n;
              continue;
            }
            const double share = scan.shares[count - 1], scale = scan.scales[count - 1];
            for (std::int64_t k = start; k < end; ++k) {
              const double more = n[k] - share * all[k];
              scratch.worth[k] += more * more / (scale * (all[k] > 0.0 ? all[k] : 1.0));
            }
          }
        }
      }
      for (std::size_t c = b + 1; c < scan.n_variables; ++c) {
        double sum = 0.0;
        for (std::int64_t k = scan.first[c]; k < scan.first[c + 1]; ++k) sum += scratch.worth[k];
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
