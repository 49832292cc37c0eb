// Strata straight from the rows, without a joint table in between.
//
// Rows are gathered by stratum (a counting sort), then each stratum is counted on its own in a table of x
// and y that stays in the first-level cache. Nothing is sorted but what is few, so that a test of some
// thousand rows takes some ten microseconds however many configurations there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "independence.hpp"
#include "joint_table.hpp"
#include "kernels.hpp"

namespace bnsieve {

class RowStrata : public Stratum {
 public:
  // columns: the conditioning variables, then x, then y, without missing cells; fits(columns) must hold.
  // wide: codes are 16 bits, not 8. Throws if a code does not fit in its column's radix.
  RowStrata(const std::vector<KeyColumn>& columns, bool wide, std::size_t n_rows)
      : Stratum(columns[columns.size() - 2].radix, columns.back().radix),
        n_total(static_cast<std::int64_t>(n_rows)),
        n_y_(columns.back().radix),
        n_cells_(columns[columns.size() - 2].radix * n_y_),
        n_strata_(product(columns) / n_cells_) {
    if (n_strata_ * n_cells_ <= std::max<std::uint64_t>(kFewCells, n_rows)) {
      count_all(columns, wide, n_rows);
    } else {
      gather(columns, wide, n_rows);
      table_.resize(n_cells_);
    }
  }

  // Whether keys fit in 64 bits and the table of x and y is small.
  static bool fits(const std::vector<KeyColumn>& columns) {
    return columns[columns.size() - 2].radix * columns.back().radix <= kMaxCells && product(columns) > 0;
  }

  // Moves to the next stratum in which both variables vary; false at the end.
  bool next() {
    while (at_ < n_strata_) {
      clear();
      if (starts_.empty())
        read_counts(table_.data() + at_ * n_cells_);
      else
        count_stratum(cells_.data() + starts_[at_], starts_[at_ + 1] - starts_[at_]);
      ++at_;
      if (varies()) return true;
    }
    return false;
  }

  const std::int64_t n_total;  // rows, of all strata

 private:
  static constexpr std::uint64_t kFewCells = 1024;
  static constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 20;
  static constexpr std::uint64_t kMaxKey = std::uint64_t{1} << 62;

  // Of the radices; 0 if it is too large.
  static std::uint64_t product(const std::vector<KeyColumn>& columns) {
    std::uint64_t product = 1;
    for (const KeyColumn& column : columns) {
      if (column.radix > kMaxKey / product) return 0;
      product *= column.radix;
    }
    return product;
  }

  // Calls take(row, keys, n) for blocks of rows with the keys of some columns.
  template <typename Take>
  static void for_keys(const KeyColumn* columns, std::size_t n_columns, bool wide, std::size_t n_rows,
                       Take take) {
    const auto make_keys = wide ? kernels().make_keys_u16 : kernels().make_keys_u8;
    std::uint64_t keys[kKeyBlock];
    for (std::size_t row = 0; row < n_rows; row += kKeyBlock) {
      const std::size_t n = std::min(kKeyBlock, n_rows - row);
      if (!make_keys(columns, n_columns, row, n, false, keys))
        throw std::invalid_argument("a code is not below its variable's number of levels");
      take(row, keys, n);
    }
  }

  // Few possible configurations: counts all strata at once.
  void count_all(const std::vector<KeyColumn>& columns, bool wide, std::size_t n_rows) {
    const std::size_t n_cells = n_strata_ * n_cells_;
    const bool laned = n_cells <= kFewCells;
    std::vector<std::int64_t> counts(n_cells * (laned ? 4 : 1));
    for_keys(columns.data(), columns.size(), wide, n_rows,
             [&](std::size_t, std::uint64_t* keys, std::size_t n) {
               kernels().count_dense(keys, nullptr, n, n_cells, laned, counts.data());
             });
    if (laned)
      for (std::size_t i = 0; i < n_cells; ++i)
        counts[i] += counts[i + n_cells] + counts[i + 2 * n_cells] + counts[i + 3 * n_cells];
    table_ = std::move(counts);
  }

  // Sorts the rows' cells (x and y in one number) by stratum, strata in lexicographic order.
  void gather(const std::vector<KeyColumn>& columns, bool wide, std::size_t n_rows) {
    std::vector<std::uint32_t> stratum_of(n_rows);
    number_strata(columns, wide, n_rows, stratum_of);
    starts_.assign(n_strata_ + 1, 0);
    for (std::uint32_t stratum : stratum_of) ++starts_[stratum + 1];
    for (std::size_t s = 0; s < n_strata_; ++s) starts_[s + 1] += starts_[s];
    cells_.resize(n_rows);
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    for_keys(columns.data() + columns.size() - 2, 2, wide, n_rows,
             [&](std::size_t row, std::uint64_t* keys, std::size_t n) {
               for (std::size_t i = 0; i < n; ++i)
                 cells_[next[stratum_of[row + i]]++] = static_cast<std::uint32_t>(keys[i]);
             });
  }

  void number_strata(const std::vector<KeyColumn>& columns, bool wide, std::size_t n_rows,
                     std::vector<std::uint32_t>& stratum_of) {
    const bool few = n_strata_ <= std::max<std::uint64_t>(kFewCells, n_rows);
    SlotTable numbers;
    for_keys(columns.data(), columns.size() - 2, wide, n_rows,
             [&](std::size_t row, std::uint64_t* keys, std::size_t n) {
               if (!few) numbers.add(kernels(), keys, nullptr, n, true);
               for (std::size_t i = 0; i < n; ++i) stratum_of[row + i] = static_cast<std::uint32_t>(keys[i]);
             });
    if (few) return;
    // Numbers were given in order of appearance; give them again in order of the keys.
    const std::vector<CountSlot> sorted = numbers.sorted();
    n_strata_ = sorted.size();
    std::vector<std::uint32_t> rank(n_strata_);
    for (std::size_t i = 0; i < n_strata_; ++i)
      rank[static_cast<std::size_t>(sorted[i].value)] = static_cast<std::uint32_t>(i);
    for (std::uint32_t& stratum : stratum_of) stratum = rank[stratum];
  }

  void read_counts(const std::int64_t* counts) {
    for (std::size_t x = 0; x < n_cells_ / n_y_; ++x)
      for (std::size_t y = 0; y < n_y_; ++y, ++counts)
        if (*counts) add(x, y, *counts);
  }

  // Counts one stratum in table_, which is zero before and after. Reorders its cells.
  void count_stratum(std::uint32_t* cells, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) ++table_[cells[i]];
    if (n_cells_ < 4 * n) {
      read_counts(table_.data());
      std::fill(table_.begin(), table_.end(), 0);
      return;
    }
    std::sort(cells, cells + n);
    const std::uint32_t n_y = static_cast<std::uint32_t>(n_y_);
    for (std::size_t i = 0; i < n; ++i) {
      std::int64_t& count = table_[cells[i]];
      if (count) add(cells[i] / n_y, cells[i] % n_y, count);
      count = 0;
    }
  }

  std::size_t n_y_, n_cells_, n_strata_, at_ = 0;
  std::vector<std::int64_t> table_;   // of one stratum, or of all where starts_ is empty
  std::vector<std::size_t> starts_;   // where each stratum's rows begin in cells_
  std::vector<std::uint32_t> cells_;  // x and y of each row as one number
};

}  // namespace bnsieve
