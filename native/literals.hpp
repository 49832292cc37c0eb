// Literals: from codes to the packed bits that the Tsetlin machine reads.
//
// A literal is one bit: "variable v has level l" or its negation. A row's literals are packed in 64-bit
// words, the plain ones first, their negations from the next word boundary on, and padded with zeros to
// whole blocks of 512 bits, the unit in which everything below computes:
//
//   plain literal k    word k / 64,                bit k % 64
//   its negation       word half + k / 64,         bit k % 64        half = ceil(n_literals / 64)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "block.hpp"

namespace bnsieve::BNSIEVE_LEVEL {

// codes: n_variables x n_rows; first_literal[v]: index of the literal "v has level 0", and at
// [n_variables] the number of plain literals. literals: n_rows x n_blocks * 8 words, written whole.
// A code outside the variable's levels (a missing cell, a label never seen) makes neither plain literals nor
// negations true: what is not known satisfies no clause that asks for it.
template <typename Code>
void pack_literals(const Code* codes, std::size_t n_variables, std::size_t n_rows,
                   const std::int64_t* first_literal, std::size_t n_blocks, std::uint64_t* literals) {
  const std::size_t n_words = n_blocks * kBlockWords;
  const std::size_t n_plain = static_cast<std::size_t>(first_literal[n_variables]);
  const std::size_t half = (n_plain + 63) / 64;
  // Codes are read along rows of 64 so that the columns' cache lines are used whole.
  constexpr std::size_t kStrip = 64;
  for (std::size_t start = 0; start < n_rows; start += kStrip) {
    const std::size_t stop = start + kStrip < n_rows ? start + kStrip : n_rows;
    bool unknown = false;
    std::memset(literals + start * n_words, 0, (stop - start) * n_words * sizeof(std::uint64_t));
    for (std::size_t v = 0; v < n_variables; ++v) {
      const Code* column = codes + v * n_rows;
      const std::uint64_t first = static_cast<std::uint64_t>(first_literal[v]);
      const std::uint64_t n_levels = static_cast<std::uint64_t>(first_literal[v + 1]) - first;
      for (std::size_t row = start; row < stop; ++row) {
        if (column[row] >= n_levels) {
          unknown = true;
          continue;
        }
        const std::uint64_t k = first + column[row];
        literals[row * n_words + k / 64] |= std::uint64_t{1} << (k % 64);
      }
    }
    for (std::size_t row = start; row < stop; ++row) {
      std::uint64_t* plain = literals + row * n_words;
      for (std::size_t w = 0; w < half; ++w) plain[half + w] = ~plain[w];
      if (n_plain % 64) plain[2 * half - 1] &= (std::uint64_t{1} << (n_plain % 64)) - 1;
    }
    for (std::size_t v = 0; unknown && v < n_variables; ++v) {
      const std::uint64_t first = static_cast<std::uint64_t>(first_literal[v]);
      const std::uint64_t last = static_cast<std::uint64_t>(first_literal[v + 1]);
      for (std::size_t row = start; row < stop; ++row) {
        if (codes[v * n_rows + row] < last - first) continue;
        std::uint64_t* negated = literals + row * n_words + half;
        for (std::uint64_t k = first; k < last; ++k) negated[k / 64] &= ~(std::uint64_t{1} << (k % 64));
      }
    }
  }
}

}  // namespace bnsieve::BNSIEVE_LEVEL
