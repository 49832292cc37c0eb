// The joint table of some columns: every configuration that occurs, in lexicographic order, and its count.
//
// This drives the kernels of counts.hpp; it owns the memory and lets the kernels do the work. The result
// does not depend on the order of the rows, because configurations are sorted at the end.
//
// Keys are 64 bits wide. Where the product of the radices needs more, columns are taken in stages: the
// configurations of the first columns are numbered as they appear, and that number is the leading digit of
// the next stage's key. So there is no limit to the number of columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels.hpp"

namespace bnsieve {

// An open-addressing table that grows; at most half full.
class SlotTable {
 public:
  SlotTable() : slots_(std::size_t{1} << (64 - shift_), CountSlot{kNoKey, 0}) {}

  // Counts the keys (weights may be null), or with `index` replaces each by its order of first appearance.
  void add(const Kernels& k, std::uint64_t* keys, const std::int64_t* weights, std::size_t n, bool index) {
    for (std::size_t done = 0;;) {
      const auto kernel = index ? k.index_sparse : k.count_sparse;
      done += kernel(keys + done, weights ? weights + done : nullptr, n - done, slots_.data(), shift_,
                     slots_.size() / 2, &n_used_);
      if (done == n) return;
      grow(k);
    }
  }

  std::size_t n_used() const { return n_used_; }

  // The slots in use, sorted by key.
  std::vector<CountSlot> sorted() const {
    std::vector<CountSlot> used;
    used.reserve(n_used_);
    for (const CountSlot& slot : slots_)
      if (slot.key != kNoKey) used.push_back(slot);
    sort_by_key(used);
    return used;
  }

  static void sort_by_key(std::vector<CountSlot>& slots) {
    if (slots.size() < 256) {
      std::sort(slots.begin(), slots.end(),
                [](const CountSlot& a, const CountSlot& b) { return a.key < b.key; });
      return;
    }
    // Radix sort by bytes, least significant first; bytes that are the same everywhere are skipped.
    std::uint64_t differing = 0;
    for (const CountSlot& slot : slots) differing |= slot.key ^ slots[0].key;
    std::vector<CountSlot> other(slots.size());
    for (unsigned byte = 0; byte < 64; byte += 8) {
      if (!((differing >> byte) & 255)) continue;
      std::size_t first[257] = {};
      for (const CountSlot& slot : slots) ++first[((slot.key >> byte) & 255) + 1];
      for (std::size_t digit = 0; digit < 256; ++digit) first[digit + 1] += first[digit];
      for (const CountSlot& slot : slots) other[first[(slot.key >> byte) & 255]++] = slot;
      slots.swap(other);
    }
  }

 private:
  void grow(const Kernels& k) {
    // Small tables grow by 8 so that few rows are spent on moving; large ones by 2 to spare memory.
    const unsigned bits = slots_.size() < (std::size_t{1} << 18) ? 3 : 1;
    std::vector<CountSlot> larger(slots_.size() << bits, CountSlot{kNoKey, 0});
    k.move_slots(slots_.data(), slots_.size(), larger.data(), shift_ - bits);
    slots_.swap(larger);
    shift_ -= bits;
  }

  unsigned shift_ = 64 - 10;
  std::vector<CountSlot> slots_;
  std::size_t n_used_ = 0;
};

class JointTable {
 public:
  // Counts rows start .. stop of the columns; weights (one per row, null for ones) are summed.
  // wide: codes are 16 bits, not 8. Throws if a code does not fit in its column's radix.
  JointTable(const std::vector<KeyColumn>& columns, bool wide, const std::int64_t* weights, std::size_t start,
             std::size_t stop)
      : columns_(columns), wide_(wide), weights_(weights), start_(start), stop_(stop) {
    split_in_stages();
    const std::uint64_t n_rows = stop - start;
    if (stages_.size() == 1 && stages_[0].radix <= std::max<std::uint64_t>(1024, std::min(n_rows, kMaxDense)))
      scan_dense(stages_[0].radix);
    else
      scan_sparse();
  }

  std::size_t size() const { return rows_.size(); }

  void write_counts(std::int64_t* counts) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) counts[i] = rows_[i].value;
  }

  // configurations: columns x size(). Consumes the keys: call once, after write_counts.
  template <typename Code>
  void write_configurations(Code* configurations) {
    for (std::size_t s = stages_.size(); s-- > 0;) {
      for (std::size_t c = stages_[s].last; c-- > stages_[s].first;) {
        const std::uint64_t radix = columns_[c].radix;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
          configurations[c * rows_.size() + i] = static_cast<Code>(rows_[i].key % radix);
          rows_[i].key /= radix;
        }
      }
      if (s > 0)
        for (CountSlot& row : rows_) row.key = stages_[s - 1].prefixes[row.key].key;
    }
  }

 private:
  static constexpr std::uint64_t kMaxKey = std::uint64_t{1} << 63;
  static constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 40;  // bounds a stage's leading digit
  static constexpr std::uint64_t kMaxDense = std::uint64_t{1} << 18;
  static constexpr std::uint64_t kMaxLaned = 1024;  // four copies of 8 kB: the first-level cache

  struct Stage {
    std::size_t first, last;  // columns
    std::uint64_t radix;      // product over the stage's own columns
    SlotTable table;
    std::vector<CountSlot> prefixes;  // configurations up to this stage, sorted; for all but the last
  };

  void split_in_stages() {
    std::uint64_t limit = kMaxKey;
    for (std::size_t c = 0; c < columns_.size() || stages_.empty(); limit = kMaxKey / kMaxRows) {
      Stage stage{c, c, 1, {}, {}};
      while (c < columns_.size() && columns_[c].radix <= limit / stage.radix)
        stage.radix *= columns_[c++].radix;
      stage.last = c;
      stages_.push_back(std::move(stage));
    }
    if (stages_.size() > 1 && stop_ - start_ >= kMaxRows)
      throw std::invalid_argument(
          "too many rows for one joint table of so many levels; count blocks and add");
  }

  void make_keys(const Kernels& k, const Stage& stage, std::size_t row, std::size_t n) {
    const auto kernel = wide_ ? k.make_keys_u16 : k.make_keys_u8;
    if (!kernel(columns_.data() + stage.first, stage.last - stage.first, row, n, stage.first > 0, keys_))
      throw std::invalid_argument("a code is not below its variable's number of levels");
  }

  void scan_dense(std::uint64_t n_cells) {
    const Kernels& k = kernels();
    const bool laned = n_cells <= kMaxLaned && !weights_;
    const std::size_t n_lanes = laned ? 4 : 1;
    std::vector<std::int64_t> counts(n_cells * n_lanes);
    for (std::size_t row = start_; row < stop_; row += kKeyBlock) {
      const std::size_t n = std::min(kKeyBlock, stop_ - row);
      make_keys(k, stages_[0], row, n);
      k.count_dense(keys_, weights_ ? weights_ + row : nullptr, n, n_cells, laned, counts.data());
    }
    for (std::size_t cell = 0; cell < n_cells; ++cell) {
      std::int64_t count = counts[cell];
      for (std::size_t lane = 1; lane < n_lanes; ++lane) count += counts[lane * n_cells + cell];
      if (count) rows_.push_back({cell, count});
    }
  }

  void scan_sparse() {
    const Kernels& k = kernels();
    for (std::size_t row = start_; row < stop_; row += kKeyBlock) {
      const std::size_t n = std::min(kKeyBlock, stop_ - row);
      for (Stage& stage : stages_) {
        make_keys(k, stage, row, n);
        stage.table.add(k, keys_, weights_ ? weights_ + row : nullptr, n, &stage != &stages_.back());
      }
    }
    rows_ = stages_.back().table.sorted();
    if (stages_.size() > 1) renumber_prefixes();
  }

  // Numbers were given in order of appearance; give them again in sorted order, stage by stage.
  void renumber_prefixes() {
    std::vector<std::uint64_t> rank;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const bool last = s + 1 == stages_.size();
      std::vector<CountSlot> slots = last ? std::move(rows_) : stages_[s].table.sorted();
      if (s > 0) {
        for (CountSlot& slot : slots)
          slot.key = rank[slot.key / stages_[s].radix] * stages_[s].radix + slot.key % stages_[s].radix;
        SlotTable::sort_by_key(slots);
      }
      if (last) {
        rows_ = std::move(slots);
      } else {
        rank.resize(slots.size());
        for (std::size_t i = 0; i < slots.size(); ++i) rank[static_cast<std::size_t>(slots[i].value)] = i;
        stages_[s].prefixes = std::move(slots);
      }
    }
  }

  std::vector<KeyColumn> columns_;
  bool wide_;
  const std::int64_t* weights_;
  std::size_t start_, stop_;
  std::vector<Stage> stages_;
  std::vector<CountSlot> rows_;
  std::uint64_t keys_[kKeyBlock];
};

}  // namespace bnsieve
