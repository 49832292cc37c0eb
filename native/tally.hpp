// Many joint tables counted together, block by block of rows, within a bound on each.
//
// A table's columns are ordered: when it holds more configurations than the bound allows, its last columns
// are dropped until it does not (but never the first). What is kept is the longest run of columns whose
// configurations, over all rows, are within the bound: the same whatever rows were counted where and in
// which order, because a part of the rows never has more configurations than all of them.
//
// Codes of one block are read once per table. Where the possible configurations are few, they have one
// count each, and nothing is ever dropped. Where there are more but not too many, the block is counted in
// a plain array, and only the configurations that occur in it go to the hash table that lasts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "joint_table.hpp"
#include "kernels.hpp"

namespace bnsieve {

// Configurations as sorted keys, mixed radix, of a table's first `depth` columns.
struct KeyedCounts {
  std::size_t depth;
  std::vector<CountSlot> slots;
};

// Drops the last column.
inline void drop_column(KeyedCounts& table, const std::vector<std::uint64_t>& radices) {
  const std::uint64_t radix = radices[--table.depth];
  std::size_t n = 0;
  for (const CountSlot& slot : table.slots) {
    const std::uint64_t key = slot.key / radix;
    if (n && table.slots[n - 1].key == key)
      table.slots[n - 1].value += slot.value;
    else
      table.slots[n++] = {key, slot.value};
  }
  table.slots.resize(n);
}

inline void trim(KeyedCounts& table, const std::vector<std::uint64_t>& radices, std::size_t limit) {
  while (table.slots.size() > limit && table.depth > 1) drop_column(table, radices);
}

// The sum of two tables of the same columns, cut to what both have and to the limit.
inline KeyedCounts sum(KeyedCounts a, KeyedCounts b, const std::vector<std::uint64_t>& radices,
                       std::size_t limit) {
  while (a.depth > b.depth) drop_column(a, radices);
  while (b.depth > a.depth) drop_column(b, radices);
  KeyedCounts both{a.depth, {}};
  both.slots.reserve(std::max(a.slots.size(), b.slots.size()));
  std::size_t i = 0, j = 0;
  while (i < a.slots.size() || j < b.slots.size()) {
    if (j == b.slots.size() || (i < a.slots.size() && a.slots[i].key < b.slots[j].key)) {
      both.slots.push_back(a.slots[i++]);
    } else if (i == a.slots.size() || b.slots[j].key < a.slots[i].key) {
      both.slots.push_back(b.slots[j++]);
    } else {
      both.slots.push_back({a.slots[i].key, a.slots[i].value + b.slots[j].value});
      ++i, ++j;
    }
  }
  trim(both, radices, limit);
  return both;
}

class Tally {
 public:
  // columns: for each table the columns that it joins, the most important first; radices: of all columns.
  Tally(std::vector<std::vector<std::size_t>> columns, std::vector<std::uint64_t> radices, std::size_t limit)
      : columns_(std::move(columns)), radices_(std::move(radices)), limit_(limit), tables_(columns_.size()) {
    for (std::size_t t = 0; t < columns_.size(); ++t) {
      tables_[t].depth = columns_[t].size();
      const std::uint64_t cells = n_cells(t);
      if (cells <= std::min<std::uint64_t>(limit_, kMaxSmall)) tables_[t].counts.resize(cells, 0);
    }
  }

  std::size_t n_tables() const { return columns_.size(); }
  std::size_t n_columns() const { return radices_.size(); }

  std::vector<std::uint64_t> radices_of(std::size_t t) const {
    std::vector<std::uint64_t> own;
    for (const std::size_t column : columns_[t]) own.push_back(radices_[column]);
    return own;
  }

  // Counts a block of rows: one contiguous row of codes per column. Throws if a code does not fit.
  template <typename Code>
  void add(const Code* codes, std::size_t n_rows) {
    for (std::size_t t = 0; t < columns_.size(); ++t) {
      add_to(t, codes, n_rows);
      if (tables_[t].table.n_used() > limit_ && tables_[t].depth > 1) shorten(t);
    }
  }

  // The table's configurations, sorted; the counts stay as they are.
  KeyedCounts counted(std::size_t t) const {
    const Growing& own = tables_[t];
    if (own.counts.empty()) return {own.depth, own.table.sorted()};
    KeyedCounts found{own.depth, {}};
    for (std::size_t cell = 0; cell < own.counts.size(); ++cell)
      if (own.counts[cell]) found.slots.push_back({cell, own.counts[cell]});
    return found;
  }

 private:
  // Keys of 16 bits.
  static constexpr std::uint64_t kMaxSmall = std::uint64_t{1} << 16;
  // Rows that a lane of 32-bit counts may take.
  static constexpr std::size_t kLaneRows = std::size_t{1} << 31;
  // Cells of 4 bytes: together the size of a large second-level cache. Few of them are ever touched.
  static constexpr std::uint64_t kMaxPlain = std::uint64_t{1} << 22;

  struct Growing {
    std::size_t depth = 0;
    std::vector<std::int64_t> counts;  // one per possible configuration if these are few, else none
    SlotTable table;
  };

  std::uint64_t n_cells(std::size_t t) const {
    std::uint64_t cells = 1;
    for (std::size_t c = 0; c < tables_[t].depth; ++c) cells *= radices_[columns_[t][c]];
    return cells;
  }

  template <typename Code>
  void add_to(std::size_t t, const Code* codes, std::size_t n_rows) {
    const Kernels& k = kernels();
    Growing& own = tables_[t];
    std::vector<KeyColumn> columns;
    for (std::size_t c = 0; c < own.depth; ++c) {
      const std::size_t column = columns_[t][c];
      columns.push_back({codes + column * n_rows, nullptr, radices_[column]});
    }
    if (!own.counts.empty()) {
      add_small(k, columns, sizeof(Code) == 2, n_rows, own.counts);
      return;
    }
    const bool plain = n_cells(t) <= kMaxPlain && n_rows < (std::size_t{1} << 32);
    if (plain && cells_.size() < n_cells(t)) cells_.resize(n_cells(t), 0);
    if (plain && touched_.size() < n_rows + 1) touched_.resize(n_rows + 1);
    std::size_t n_touched = 0;
    for (std::size_t row = 0; row < n_rows; row += kKeyBlock) {
      const std::size_t n = std::min(kKeyBlock, n_rows - row);
      const auto make_keys = sizeof(Code) == 2 ? k.make_keys_u16 : k.make_keys_u8;
      if (!make_keys(columns.data(), columns.size(), row, n, false, keys_)) {
        for (std::size_t i = 0; i < n_touched; ++i) cells_[touched_[i]] = 0;
        throw std::invalid_argument("a code is not below its variable's number of levels");
      }
      if (plain)
        n_touched = k.count_cells(keys_, n, cells_.data(), touched_.data(), n_touched);
      else
        own.table.add(k, keys_, nullptr, n, false);
    }
    for (std::size_t first = 0; first < n_touched; first += kKeyBlock) {
      const std::size_t n = std::min(kKeyBlock, n_touched - first);
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t cell = touched_[first + i];
        keys_[i] = cell;
        weights_[i] = cells_[cell];
        cells_[cell] = 0;
      }
      own.table.add(k, keys_, weights_, n, false);
    }
  }

  void add_small(const Kernels& k, const std::vector<KeyColumn>& columns, bool wide, std::size_t n_rows,
                 std::vector<std::int64_t>& counts) {
    const auto count = wide ? k.count_lanes_u16 : k.count_lanes_u8;
    if (lanes_.size() < kCountLanes * counts.size()) lanes_.resize(kCountLanes * counts.size(), 0);
    for (std::size_t row = 0; row < n_rows; row += kLaneRows) {
      const std::size_t stop = std::min(n_rows, row + kLaneRows);
      if (!count(columns.data(), columns.size(), row, stop, counts.size(), lanes_.data())) {
        std::fill(lanes_.begin(), lanes_.end(), 0);
        throw std::invalid_argument("a code is not below its variable's number of levels");
      }
      k.add_lanes(counts.size(), lanes_.data(), counts.data());
    }
  }

  void shorten(std::size_t t) {
    const std::vector<std::uint64_t> own = radices_of(t);
    KeyedCounts table = counted(t);
    trim(table, own, limit_);
    Growing fresh;
    fresh.depth = table.depth;
    for (std::size_t first = 0; first < table.slots.size(); first += kKeyBlock) {
      const std::size_t n = std::min(kKeyBlock, table.slots.size() - first);
      for (std::size_t i = 0; i < n; ++i) {
        keys_[i] = table.slots[first + i].key;
        weights_[i] = table.slots[first + i].value;
      }
      fresh.table.add(kernels(), keys_, weights_, n, false);
    }
    tables_[t] = std::move(fresh);
  }

  std::vector<std::vector<std::size_t>> columns_;
  std::vector<std::uint64_t> radices_;
  std::size_t limit_;
  std::vector<Growing> tables_;
  std::vector<std::uint32_t> lanes_, cells_, touched_;
  std::uint64_t keys_[kKeyBlock];
  std::int64_t weights_[kKeyBlock];
};

}  // namespace bnsieve
