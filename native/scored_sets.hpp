// Scored sets of candidates, whatever they are scored from.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bnsieve {

struct ScoredSet {
  std::uint32_t mask;  // bit k: candidate k is a parent
  double score;
};

inline std::size_t popcount(std::uint32_t mask) { return std::bitset<32>(mask).count(); }

// Best first; equal scores in the order of the masks, so that the result is one.
inline void sort_sets(std::vector<ScoredSet>& sets) {
  std::sort(sets.begin(), sets.end(), [](const ScoredSet& a, const ScoredSet& b) {
    return a.score != b.score ? a.score > b.score : a.mask < b.mask;
  });
}

// Without the sets that have a subset of at least the same score: no order can prefer them.
inline std::vector<ScoredSet> pruned(std::vector<ScoredSet>& sets) {
  sort_sets(sets);
  std::vector<ScoredSet> kept;
  for (const ScoredSet& set : sets) {
    bool dominated = false;
    for (const ScoredSet& better : kept)
      if (!(better.mask & ~set.mask)) {
        dominated = true;
        break;
      }
    if (!dominated) kept.push_back(set);
  }
  return kept;
}

}  // namespace bnsieve
