// Greedy orders in which variables are summed out of a product of tables.
//
// Neighbourhoods are rows of bits. A variable's score says what eliminating it would cost; after each
// step only the scores of its neighbours, and of theirs, can have changed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bnsieve {

enum class OrderRule { kFill, kWeight, kWeightedFill };

inline int count_bits(std::uint64_t word) {
#if defined(_MSC_VER) && !defined(__clang__)
  int n = 0;
  for (; word; word &= word - 1) ++n;
  return n;
#else
  return __builtin_popcountll(word);
#endif
}

inline int lowest_bit(std::uint64_t word) {
#if defined(_MSC_VER) && !defined(__clang__)
  int n = 0;
  for (; !(word & 1); word >>= 1) ++n;
  return n;
#else
  return __builtin_ctzll(word);
#endif
}

// Which variables share a table, one row of bits per variable; a variable is not its own neighbour.
class Neighbourhoods {
 public:
  void reset(std::size_t n) {
    n_ = n;
    words_ = (n + 63) / 64;
    bits_.assign(n_ * words_, 0);
  }
  std::size_t size() const { return n_; }
  std::size_t words() const { return words_; }
  std::uint64_t* row(std::size_t v) { return bits_.data() + v * words_; }
  const std::uint64_t* row(std::size_t v) const { return bits_.data() + v * words_; }
  void join(const std::int32_t* scope, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (i != j) row(scope[i])[scope[j] / 64] |= std::uint64_t{1} << (scope[j] % 64);
  }
  template <typename Visit>
  void each(const std::uint64_t* mask, Visit visit) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t word = mask[w]; word; word &= word - 1)
        visit(static_cast<std::int32_t>(64 * w + lowest_bit(word)));
  }

 private:
  std::size_t n_ = 0, words_ = 0;
  std::vector<std::uint64_t> bits_;
};

// An order, and for each of its variables the others that it is joined with when its turn comes.
struct EliminationOrder {
  std::vector<std::int32_t> variables, members;
  std::vector<std::size_t> starts;  // of each variable's members; one more at the end
  double cells = 0;                 // of all cliques together
};

// `stage` of a variable: all of stage 0 go before any of stage 1, and so on; negative ones are kept.
class GreedyOrder {
 public:
  void run(Neighbourhoods& graph, const double* log_levels, const std::int32_t* stage, int n_stages,
           OrderRule rule, EliminationOrder& found) {
    found.variables.clear();
    found.members.clear();
    found.starts.assign(1, 0);
    found.cells = 0;
    const std::size_t n = graph.size(), words = graph.words();
    score_.resize(n);
    left_.assign(n, 0);
    for (int now = next(stage, n, 0); now < n_stages; now = next(stage, n, now + 1)) {
      std::size_t n_left = 0;
      for (std::size_t v = 0; v < n; ++v)
        if (stage[v] == now) {
          left_[v] = 1;
          ++n_left;
          score_[v] = score(graph, log_levels, rule, v);
        }
      for (; n_left; --n_left) {
        std::size_t best = n;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t v = 0; v < n; ++v)
          if (left_[v] && score_[v] < least) {
            least = score_[v];
            best = v;
          }
        eliminate(graph, log_levels, best, found);
        left_[best] = 0;
        touched_.assign(graph.row(best), graph.row(best) + words);
        graph.each(graph.row(best), [&](std::int32_t w) {
          for (std::size_t i = 0; i < words; ++i) touched_[i] |= graph.row(w)[i];
        });
        graph.each(touched_.data(), [&](std::int32_t w) {
          if (left_[w]) score_[w] = score(graph, log_levels, rule, w);
        });
      }
    }
  }

 private:
  // The lowest stage of any variable from `from` on.
  static int next(const std::int32_t* stage, std::size_t n, int from) {
    int lowest = std::numeric_limits<int>::max();
    for (std::size_t v = 0; v < n; ++v)
      if (stage[v] >= from) lowest = std::min<int>(lowest, stage[v]);
    return lowest;
  }

  static double weight(const Neighbourhoods& graph, const double* log_levels, std::size_t v) {
    double total = log_levels[v];
    graph.each(graph.row(v), [&](std::int32_t w) { total += log_levels[w]; });
    return total;
  }

  static double score(const Neighbourhoods& graph, const double* log_levels, OrderRule rule, std::size_t v) {
    const double size = weight(graph, log_levels, v);
    if (rule == OrderRule::kWeight) return size;
    const std::uint64_t* around = graph.row(v);
    double fill = 0;
    graph.each(around, [&](std::int32_t w) {
      const std::uint64_t* theirs = graph.row(w);
      for (std::size_t i = 0; i < graph.words(); ++i) {
        std::uint64_t absent = around[i] & ~theirs[i];
        if (rule == OrderRule::kFill) {
          fill += count_bits(absent);
        } else {
          for (; absent; absent &= absent - 1) {
            const std::size_t u = 64 * i + lowest_bit(absent);
            if (u != static_cast<std::size_t>(w)) fill += log_levels[u] * log_levels[w];
          }
        }
      }
      if (rule == OrderRule::kFill) fill -= 1;  // a variable is not its own neighbour
    });
    return fill + 1e-3 * size;  // of equal ones the smaller clique first
  }

  static void eliminate(Neighbourhoods& graph, const double* log_levels, std::size_t v,
                        EliminationOrder& found) {
    const std::uint64_t* around = graph.row(v);
    const std::uint64_t own = std::uint64_t{1} << (v % 64);
    found.variables.push_back(static_cast<std::int32_t>(v));
    double size = log_levels[v];
    graph.each(around, [&](std::int32_t w) {
      found.members.push_back(w);
      size += log_levels[w];
      std::uint64_t* theirs = graph.row(w);
      for (std::size_t i = 0; i < graph.words(); ++i) theirs[i] |= around[i];
      theirs[w / 64] &= ~(std::uint64_t{1} << (w % 64));
      theirs[v / 64] &= ~own;
    });
    found.starts.push_back(found.members.size());
    found.cells += std::exp2(size);
  }

  std::vector<double> score_;
  std::vector<char> left_;
  std::vector<std::uint64_t> touched_;
};

}  // namespace bnsieve
