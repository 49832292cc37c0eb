// Kernels that count configurations: which combinations of levels occur in some columns, and how often.
//
// A row's configuration becomes one 64-bit key, mixed radix, the first column the most significant. Keys
// are made for a block of rows at a time, so that they stay in the first-level cache until counted, either
// in an array with one cell per possible key (dense) or in an open-addressing hash table (sparse).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels.hpp"

namespace bnsieve::BNSIEVE_LEVEL {

inline void prefetch(const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address, 1);
#else
  (void)address;
#endif
}

// Fibonacci hashing: the high bits of the product are the well mixed ones.
inline std::uint64_t home_slot(std::uint64_t key, unsigned shift) {
  return (key * 0x9E3779B97F4A7C15ull) >> shift;
}

// Writes (first) or appends one column's digits. Returns whether a code was too large for its radix.
template <typename Code, bool first>
std::uint16_t join_digit(const KeyColumn& column, std::size_t start, std::size_t n, std::uint16_t* group) {
  const Code* codes = static_cast<const Code*>(column.codes) + start;
  const std::uint32_t radix = static_cast<std::uint32_t>(column.radix);
  const std::uint16_t last = static_cast<std::uint16_t>(radix - 1);
  std::uint16_t outside = 0;
  if (column.missing) {
    const std::uint8_t* missing = column.missing + start;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint16_t code = static_cast<std::uint16_t>(codes[i] + missing[i] * last);
      outside |= code > last;
      group[i] = static_cast<std::uint16_t>((first ? 0 : group[i] * radix) + code);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint16_t code = codes[i];
      outside |= code > last;
      group[i] = static_cast<std::uint16_t>((first ? 0 : group[i] * radix) + code);
    }
  }
  return outside;
}

// Joins the digits of columns first .. last, whose radices multiply to at most 65536.
template <typename Code>
std::uint16_t join_digits(const KeyColumn* first, const KeyColumn* last, std::size_t start, std::size_t n,
                          std::uint16_t* group) {
  std::uint16_t outside = join_digit<Code, true>(*first, start, n, group);
  while (++first != last) outside |= join_digit<Code, false>(*first, start, n, group);
  return outside;
}

// Keys of rows start .. start + n, n <= kKeyBlock. A column's digit is its code, or radix - 1 where missing
// (the code there must be 0). With `append` the digits follow the values already in keys.
// Returns false, with keys unusable, if a code does not fit in its column's radix.
template <typename Code>
bool make_keys(const KeyColumn* columns, std::size_t n_columns, std::size_t start, std::size_t n, bool append,
               std::uint64_t* keys) {
  // Digits are joined 16 bits at a time, where multiplication is cheapest and vectors are widest; only
  // whole groups are joined in 64 bits, by a 32-bit multiplication while that is enough.
  std::uint16_t group[kKeyBlock];
  std::uint16_t outside = 0;
  std::uint64_t n_keys = append ? kNoKey : 0;  // an upper bound for keys + 1; 0: nothing there yet
  for (std::size_t c = 0; c < n_columns;) {
    const std::size_t first = c;
    std::uint64_t radix = columns[c++].radix;
    for (; c < n_columns && radix * columns[c].radix <= 65536; ++c) radix *= columns[c].radix;
    outside |= join_digits<Code>(columns + first, columns + c, start, n, group);
    if (n_keys == 0) {
      for (std::size_t i = 0; i < n; ++i) keys[i] = group[i];
      n_keys = radix;
    } else if (n_keys <= (std::uint64_t{1} << 32)) {
      for (std::size_t i = 0; i < n; ++i) keys[i] = (keys[i] & 0xFFFFFFFFu) * radix + group[i];
      n_keys *= radix;
    } else {
      for (std::size_t i = 0; i < n; ++i) keys[i] = keys[i] * radix + group[i];
    }
  }
  if (n_keys == 0)
    for (std::size_t i = 0; i < n; ++i) keys[i] = 0;
  return !outside;
}

// Counts rows start .. stop of at least one column, with at most 65536 possible keys, in kCountLanes arrays
// of n_cells counts each, one after the other: successive rows of the same configuration then do not wait
// for each other's store. Returns false, with counts unusable, if a code does not fit in its column's radix.
template <typename Code>
bool count_lanes(const KeyColumn* columns, std::size_t n_columns, std::size_t start, std::size_t stop,
                 std::size_t n_cells, std::uint32_t* lanes) {
  std::uint16_t keys[kKeyBlock];
  std::uint32_t* lane1 = lanes + n_cells;
  std::uint32_t* lane2 = lane1 + n_cells;
  std::uint32_t* lane3 = lane2 + n_cells;
  for (std::size_t row = start; row < stop; row += kKeyBlock) {
    const std::size_t n = stop - row < kKeyBlock ? stop - row : kKeyBlock;
    if (join_digits<Code>(columns, columns + n_columns, row, n, keys)) return false;
    std::size_t i = 0;
    for (; i + kCountLanes <= n; i += kCountLanes) {
      ++lanes[keys[i]];
      ++lane1[keys[i + 1]];
      ++lane2[keys[i + 2]];
      ++lane3[keys[i + 3]];
    }
    for (; i < n; ++i) ++lanes[keys[i]];
  }
  return true;
}

// Adds the lanes of count_lanes to 64-bit counts and leaves them empty.
inline void add_lanes(std::size_t n_cells, std::uint32_t* lanes, std::int64_t* counts) {
  for (std::size_t lane = 0; lane < kCountLanes; ++lane, lanes += n_cells) {
    for (std::size_t cell = 0; cell < n_cells; ++cell) {
      counts[cell] += lanes[cell];
      lanes[cell] = 0;
    }
  }
}

// codes[i] = code_of[indices[i]]. Returns false, with codes unusable, if an index is not below n_labels.
template <typename Code>
bool recode(const std::int32_t* indices, std::size_t n, const Code* code_of, std::size_t n_labels,
            Code* codes) {
  constexpr std::size_t kFewLabels = 16;
  std::uint8_t narrow[kKeyBlock];
  for (std::size_t start = 0; start < n; start += kKeyBlock) {
    const std::size_t size = n - start < kKeyBlock ? n - start : kKeyBlock;
    const std::int32_t* own = indices + start;
    Code* out = codes + start;
    std::uint32_t largest = 0;  // a negative index is a large one
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t index = static_cast<std::uint32_t>(own[i]);
      largest = index > largest ? index : largest;
    }
    if (largest >= n_labels) return false;
    if (n_labels > kFewLabels) {
      for (std::size_t i = 0; i < size; ++i) out[i] = code_of[own[i]];
      continue;
    }
    // Comparing whole vectors with each label beats looking up one row after the other.
    for (std::size_t i = 0; i < size; ++i) narrow[i] = static_cast<std::uint8_t>(own[i]);
    for (std::size_t i = 0; i < size; ++i) out[i] = code_of[0];
    for (std::size_t label = 1; label < n_labels; ++label) {
      const Code code = code_of[label];
      for (std::size_t i = 0; i < size; ++i) out[i] = narrow[i] == label ? code : out[i];
    }
  }
  return true;
}

// Adds the keys to an array of counts with one cell per key and kLanes copies of it (copy l at
// counts + l * n_cells): successive rows of the same configuration then do not wait for each other's
// store. weights may be null.
inline void count_dense(const std::uint64_t* keys, const std::int64_t* weights, std::size_t n,
                        std::size_t n_cells, bool laned, std::int64_t* counts) {
  if (weights) {
    for (std::size_t i = 0; i < n; ++i) counts[keys[i]] += weights[i];
    return;
  }
  std::size_t i = 0;
  if (laned) {
    std::int64_t* lane1 = counts + n_cells;
    std::int64_t* lane2 = lane1 + n_cells;
    std::int64_t* lane3 = lane2 + n_cells;
    for (; i + 4 <= n; i += 4) {
      ++counts[keys[i]];
      ++lane1[keys[i + 1]];
      ++lane2[keys[i + 2]];
      ++lane3[keys[i + 3]];
    }
  }
  for (; i < n; ++i) ++counts[keys[i]];
}

// Adds the keys, all below 2^32, to an array of counts with one cell per key. Cells that were zero are listed
// in `touched`, which has room for one entry more than there are rows in all; returns how many are listed.
inline std::size_t count_cells(const std::uint64_t* keys, std::size_t n, std::uint32_t* cells,
                               std::uint32_t* touched, std::size_t n_touched) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t key = static_cast<std::uint32_t>(keys[i]);
    touched[n_touched] = key;  // kept only if it is the first of its kind: no branch to guess
    n_touched += cells[key]++ == 0;
  }
  return n_touched;
}

// Adds the keys to a hash table of 2^(64 - shift) slots. Stops before a new key would make *n_used exceed
// `limit` and returns how many keys were taken: the caller then grows the table and goes on from there.
// With `index`, a slot's value is the order of the key's first appearance, and keys[i] becomes that value.
template <bool index>
std::size_t count_sparse(std::uint64_t* keys, const std::int64_t* weights, std::size_t n, CountSlot* slots,
                         unsigned shift, std::size_t limit, std::size_t* n_used) {
  constexpr std::size_t kAhead = 16;  // rows between asking for a slot's cache line and using it
  const std::uint64_t mask = (std::uint64_t{1} << (64 - shift)) - 1;
  std::size_t used = *n_used;
  std::size_t i = 0;
  for (; i < n; ++i) {
    if (i + kAhead < n) prefetch(slots + home_slot(keys[i + kAhead], shift));
    const std::uint64_t key = keys[i];
    std::uint64_t h = home_slot(key, shift);
    while (slots[h].key != key && slots[h].key != kNoKey) h = (h + 1) & mask;
    if (slots[h].key == kNoKey) {
      if (used == limit) break;
      slots[h].key = key;
      slots[h].value = index ? static_cast<std::int64_t>(used) : 0;
      ++used;
    }
    if (index)
      keys[i] = static_cast<std::uint64_t>(slots[h].value);
    else
      slots[h].value += weights ? weights[i] : 1;
  }
  *n_used = used;
  return i;
}

// Moves every slot of a table to a larger, empty one.
inline void move_slots(const CountSlot* from, std::size_t n_slots, CountSlot* slots, unsigned shift) {
  const std::uint64_t mask = (std::uint64_t{1} << (64 - shift)) - 1;
  for (std::size_t i = 0; i < n_slots; ++i) {
    if (from[i].key == kNoKey) continue;
    std::uint64_t h = home_slot(from[i].key, shift);
    while (slots[h].key != kNoKey) h = (h + 1) & mask;
    slots[h] = from[i];
  }
}

}  // namespace bnsieve::BNSIEVE_LEVEL
