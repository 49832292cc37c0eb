// Rows as bits: cells of a few lines of bits are counted by "and", 64 rows at a time.
//
// A line has one bit per row. A set of candidates has a line for each of its groups (the configurations that
// occur) and each label of the target; a candidate has one for each code but its last, whose rows are those
// left over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels.hpp"

namespace bnsieve {

template <typename Code>
class RowBits {
 public:
  // The codes of a joint table, the target's first, and how many rows each of its columns has. Where these
  // are very many, nothing is counted by bits, and there may be more of them than memory for their bits.
  RowBits(const std::vector<const Code*>& variables, const std::int64_t* counts, std::size_t n_columns,
          const std::int64_t* radices)
      : variables_(variables), counts_(counts), radices_(radices), n_columns_(n_columns) {
    std::int64_t n_rows = 0;
    for (std::size_t i = 0; i < n_columns; ++i) n_rows += counts[i];
    n_rows_ = static_cast<std::size_t>(n_rows);
    n_words_ = (n_rows_ + 63) / 64;
  }

  // Whether it takes less time than to pass over the columns. A word of a line and one of another take about
  // four instructions, a column ten. Divided, since the rows of a table may be more than a product can hold;
  // and the lines of the groups are there even for a candidate that has none of its own.
  bool pay_off(std::size_t n_groups, std::size_t candidate) const {
    const std::size_t n_lines = n_groups * radix(0) * std::max<std::size_t>(radix(1 + candidate) - 1, 1);
    return n_words_ > 0 && n_lines <= 2 * n_columns_ / n_words_;
  }

  // Says that the groups from this depth on are others.
  void forget(std::size_t depth) { n_depths_ = std::min(n_depths_, depth); }

  // Writes how many rows each group, code of a candidate and label has. The groups are those by the
  // candidates of a path, one more at each depth; `groups` has their number for every column.
  void count(const std::vector<std::size_t>& path, std::size_t depth,
             const std::vector<std::vector<std::uint32_t>>& groups, const std::vector<std::size_t>& n_groups,
             std::size_t candidate, std::int64_t* cell) {
    if (lines_.empty()) start();
    if (lines_.size() <= depth) {
      lines_.resize(depth + 1);
      totals_.resize(depth + 1);
    }
    for (; n_depths_ <= depth; ++n_depths_) {
      split(n_depths_, path[n_depths_ - 1], groups[n_depths_], n_groups[n_depths_ - 1], n_groups[n_depths_]);
      total(n_depths_);
    }
    const std::size_t n_labels = radix(0), n_codes = radix(1 + candidate), n_own = n_codes - 1;
    const std::size_t n_lines = n_groups[depth] * n_labels;
    both_.resize(n_lines * n_own);
    kernels().count_pairs(lines_[depth].data(), n_lines, codes_of(candidate).data(), n_own, n_words_,
                          both_.data(), n_own);
    for (std::size_t g = 0; g < n_groups[depth]; ++g)
      for (std::size_t t = 0; t < n_labels; ++t) {
        const std::size_t line = g * n_labels + t;
        std::int64_t* own = cell + g * n_codes * n_labels + t;
        std::int64_t left = static_cast<std::int64_t>(totals_[depth][line]);
        for (std::size_t c = 0; c < n_own; ++c, own += n_labels) {
          *own = static_cast<std::int64_t>(both_[line * n_own + c]);
          left -= *own;
        }
        *own = left;
      }
  }

 private:
  std::size_t radix(std::size_t variable) const { return static_cast<std::size_t>(radices_[variable]); }

  // The lines of the empty set: those of the labels.
  void start() {
    if (n_rows_ != n_columns_ || std::find(counts_, counts_ + n_columns_, 0) != counts_ + n_columns_)
      for (std::size_t i = 0; i < n_columns_; ++i)
        column_of_.insert(column_of_.end(), static_cast<std::size_t>(counts_[i]),
                          static_cast<std::uint32_t>(i));
    codes_.resize(variables_.size() - 1);
    lines_.resize(1);
    totals_.resize(1);
    all_.assign(n_words_, ~std::uint64_t{0});
    lines_[0] = packed(0, radix(0));
    total(0);
    n_depths_ = 1;
  }

  const std::vector<std::uint64_t>& codes_of(std::size_t candidate) {
    std::vector<std::uint64_t>& lines = codes_[candidate];
    if (lines.empty()) lines = packed(1 + candidate, radix(1 + candidate) - 1);
    return lines;
  }

  // How many rows the lines of a depth have.
  void total(std::size_t depth) {
    const std::size_t n_lines = n_words_ ? lines_[depth].size() / n_words_ : 0;
    totals_[depth].resize(n_lines);
    kernels().count_pairs(lines_[depth].data(), n_lines, all_.data(), 1, n_words_, totals_[depth].data(), 1);
  }

  // The lines of the groups at a depth, from those at the depth before and the codes of a candidate.
  void split(std::size_t depth, std::size_t candidate, const std::vector<std::uint32_t>& group,
             std::size_t n_before, std::size_t n_groups) {
    const std::size_t n_own = radix(1 + candidate) - 1, size = radix(0) * n_words_;
    const std::uint64_t* codes = codes_of(candidate).data();
    lines_[depth].assign(n_groups * size, 0);
    for (std::size_t g = 0; g < n_before; ++g) {
      left_.assign(lines_[depth - 1].data() + g * size, lines_[depth - 1].data() + (g + 1) * size);
      for (std::size_t c = 0; c < n_own; ++c) {
        part_ = left_;
        for (std::size_t i = 0; i < size; i += n_words_)
          for (std::size_t w = 0; w < n_words_; ++w) {
            part_[i + w] &= codes[c * n_words_ + w];
            left_[i + w] &= ~codes[c * n_words_ + w];
          }
        place(part_, group, lines_[depth]);
      }
      place(left_, group, lines_[depth]);
    }
  }

  // Puts the lines of one group where its number says.
  void place(const std::vector<std::uint64_t>& part, const std::vector<std::uint32_t>& group,
             std::vector<std::uint64_t>& lines) const {
    const auto first = std::find_if(part.begin(), part.end(), [](std::uint64_t word) { return word != 0; });
    if (first == part.end()) return;
    std::size_t row = static_cast<std::size_t>(first - part.begin()) % n_words_ * 64;
    for (std::uint64_t word = *first; !(word & 1); word >>= 1) ++row;
    const std::size_t column = column_of_.empty() ? row : column_of_[row];
    std::copy(part.begin(), part.end(), lines.begin() + group[column] * part.size());
  }

  // One line for each of the first codes of a variable.
  std::vector<std::uint64_t> packed(std::size_t variable, std::size_t n_codes) {
    const Code* codes = variables_[variable];
    if (!column_of_.empty()) {
      by_row_.resize(n_rows_);
      for (std::size_t row = 0; row < n_rows_; ++row) by_row_[row] = codes[column_of_[row]];
      codes = by_row_.data();
    }
    std::vector<std::uint64_t> lines(n_codes * n_words_, 0);
    for (std::size_t code = 0; code < n_codes; ++code) {
      std::uint64_t* line = lines.data() + code * n_words_;
      std::size_t row = 0;
      if (sizeof(Code) == 1)
        for (; row + 8 <= n_rows_; row += 8) line[row / 64] |= equal_bytes(codes + row, code) << row % 64;
      for (; row < n_rows_; ++row) line[row / 64] |= std::uint64_t{codes[row] == code} << row % 64;
    }
    return lines;
  }

  // Eight bits: which of eight bytes have a value.
  static std::uint64_t equal_bytes(const Code* bytes, std::size_t value) {
    constexpr std::uint64_t kOnes = 0x0101010101010101, kLow = 0x7F * kOnes;
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    word ^= value * kOnes;                                                     // zero where they are equal
    const std::uint64_t equal = ~(((word & kLow) + kLow) | word | kLow) >> 7;  // 1 there, else 0
    return equal * 0x0102040810204080 >> 56;
  }

  const std::vector<const Code*>& variables_;
  const std::int64_t* counts_;
  const std::int64_t* radices_;
  std::size_t n_columns_, n_rows_ = 0, n_words_ = 0;
  std::vector<std::uint32_t> column_of_;  // of every row; empty where each column has one
  std::vector<Code> by_row_;
  std::vector<std::vector<std::uint64_t>> codes_, lines_;  // of each candidate; of the groups at each depth
  std::vector<std::vector<double>> totals_;                // the rows of each line, at each depth
  std::size_t n_depths_ = 0;  // at so many depths the lines are those of the path
  std::vector<std::uint64_t> all_, part_, left_;
  std::vector<double> both_;
};

}  // namespace bnsieve
