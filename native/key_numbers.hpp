// Numbers for keys, 0, 1, ... in the order of first appearance, in memory bounded by how many there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bnsieve {

class KeyNumbers {
 public:
  // Whether an array with a place for every possible key is small enough; there it is also faster.
  static bool fit_an_array(std::size_t n_possible, std::size_t n_at_most) {
    return n_possible <= std::max(kFewKeys, 8 * n_at_most);
  }

  // Forgets all keys; up to `n_at_most` different ones will follow.
  void reset(std::size_t n_at_most) {
    std::size_t n_slots = 1024;
    shift_ = 54;
    for (; n_slots < 2 * n_at_most; n_slots *= 2) --shift_;
    keys_.assign(n_slots, 0);
    numbers_.resize(n_slots);
    size_ = 0;
  }

  std::uint32_t of(std::size_t key) {
    const std::uint64_t stored = static_cast<std::uint64_t>(key) + 1;  // 0 is an empty slot
    std::size_t slot = static_cast<std::size_t>((stored * 0x9E3779B97F4A7C15ull) >> shift_);
    while (keys_[slot] && keys_[slot] != stored) slot = slot + 1 == keys_.size() ? 0 : slot + 1;
    if (!keys_[slot]) {
      keys_[slot] = stored;
      numbers_[slot] = size_++;
    }
    return numbers_[slot];
  }

  std::uint32_t size() const { return size_; }

 private:
  static constexpr std::size_t kFewKeys = std::size_t{1} << 20;
  unsigned shift_ = 54;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> numbers_;
  std::uint32_t size_ = 0;
};

}  // namespace bnsieve
