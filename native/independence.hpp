// Statistics of conditional independence, read from a joint table.
//
// A table's variables are the conditioning ones, then x, then y, and its configurations are sorted, so
// that a stratum (one configuration of the conditioning variables) is a run of consecutive entries. Within
// a stratum only the levels that occur in it count: empty rows, columns and strata carry no information.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bnsieve {

inline double log_factorial(double n) {
  if (n < 16) {  // exact products; Stirling's series is good to 1e-13 from here on
    double product = 1;
    for (double k = 2; k <= n; ++k) product *= k;
    return std::log(product);
  }
  const double x = n + 1, inverse = 1 / x, square = inverse * inverse;
  return (x - 0.5) * std::log(x) - x + 0.91893853320467274178 +
         inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
}

// n log n; most counts are small and looked up.
inline double x_log_x(std::int64_t n) {
  static const std::vector<double> small = [] {
    std::vector<double> values(1024);
    for (std::size_t i = 1; i < values.size(); ++i)
      values[i] = static_cast<double>(i) * std::log(static_cast<double>(i));
    return values;
  }();
  if (static_cast<std::size_t>(n) < small.size()) return small[static_cast<std::size_t>(n)];
  return static_cast<double>(n) * std::log(static_cast<double>(n));
}

struct StrataStatistics {
  double n_total = 0;     // rows
  double n_rows = 0;      // in strata where both x and y vary
  double n_strata = 0;    // such strata
  double df = 0;          // sum of (rows - 1)(columns - 1)
  double chi_square = 0;  // Pearson's statistic
  double g_square = 0;    // 2 sum n_ij log(n_ij n / (n_i n_j))

  // Pearson's statistic with every stratum weighted (StratumMoments::weight), over the strata in which it
  // can vary, and its exact mean and variance under independence when margins are fixed.
  double weighted = 0;
  double mean = 0;
  double variance = 0;
  double coarse_square = 0;  // see coarse_share()
  // Log of how many ways there are to put x and y together, over the same strata; no p-value is smaller
  // than one of them. Not counted on beyond kManyArrangements.
  double log_arrangements = 0;

  // How much of the variance hangs on single cells: 1 if all on one, 1 / sqrt(k) if on k alike. A cell in
  // which e rows are expected adds about 1/e to the variance, and it does so in jumps of 1/e when e is
  // small. Where few such cells rule, no smooth curve fits the statistic's distribution.
  double coarse_share() const { return variance > 0 ? std::sqrt(coarse_square) / variance : 0; }
};

// The cells of one stratum: levels of x and y are numbered by occurrence, with their totals.
class Stratum {
 public:
  Stratum(std::size_t n_x_levels, std::size_t n_y_levels)
      : x_index_(n_x_levels, -1), y_index_(n_y_levels, -1) {}

  struct Cell {
    std::int32_t x, y;
    std::int64_t count;
  };
  std::vector<Cell> cells;  // those that are not zero
  std::vector<std::int64_t> x_totals, y_totals;
  std::int64_t n = 0;

 protected:
  void clear() {
    for (std::size_t level : x_levels_) x_index_[level] = -1;
    for (std::size_t level : y_levels_) y_index_[level] = -1;
    x_levels_.clear();
    y_levels_.clear();
    x_totals.clear();
    y_totals.clear();
    cells.clear();
    n = 0;
  }

  // Adds a cell that is not zero; each once, in lexicographic order, so that sums come out alike.
  void add(std::size_t x, std::size_t y, std::int64_t count) {
    cells.push_back({total(x_index_, x_levels_, x_totals, x, count),
                     total(y_index_, y_levels_, y_totals, y, count), count});
    n += count;
  }

  bool varies() const { return x_totals.size() > 1 && y_totals.size() > 1; }

 private:
  static std::int32_t total(std::vector<std::int32_t>& index, std::vector<std::size_t>& levels,
                            std::vector<std::int64_t>& totals, std::size_t level, std::int64_t count) {
    if (index[level] < 0) {
      index[level] = static_cast<std::int32_t>(levels.size());
      levels.push_back(level);
      totals.push_back(0);
    }
    totals[static_cast<std::size_t>(index[level])] += count;
    return index[level];
  }

  std::vector<std::int32_t> x_index_, y_index_;
  std::vector<std::size_t> x_levels_, y_levels_;
};

// One stratum after another of a sorted table.
template <typename Code>
class TableStrata : public Stratum {
 public:
  TableStrata(const Code* configurations, const std::int64_t* counts, std::size_t n_variables, std::size_t size)
      : Stratum(n_levels(configurations + (n_variables - 2) * size, size),
                n_levels(configurations + (n_variables - 1) * size, size)),
        x_(configurations + (n_variables - 2) * size),
        y_(x_ + size),
        counts_(counts),
        size_(size),
        starts_(size + 1, 0) {
    starts_[size] = 1;
    for (std::size_t v = 0; v + 2 < n_variables; ++v) {
      const Code* z = configurations + v * size;
      for (std::size_t i = 1; i < size; ++i) starts_[i] |= z[i] != z[i - 1];
    }
    for (std::size_t i = 0; i < size; ++i) n_total += counts[i];
  }

  // Moves to the next stratum in which both variables vary; false at the end.
  bool next() {
    while (at_ < size_) {
      clear();
      do {
        add(x_[at_], y_[at_], counts_[at_]);
        ++at_;
      } while (!starts_[at_]);
      if (varies()) return true;
    }
    return false;
  }

  std::int64_t n_total = 0;  // rows, of all strata

 private:
  static std::size_t n_levels(const Code* codes, std::size_t size) {
    return size ? std::size_t{*std::max_element(codes, codes + size)} + 1 : 0;
  }

  const Code* x_;
  const Code* y_;
  const std::int64_t* counts_;
  std::size_t size_, at_ = 0;
  std::vector<std::uint8_t> starts_;
};

constexpr double kManyArrangements = 20;

inline double log_arrangements(const std::vector<std::int64_t>& totals, double n) {
  double log_count = log_factorial(n);
  for (std::int64_t total : totals) log_count -= log_factorial(static_cast<double>(total));
  return log_count;
}

// Mean and variance of Pearson's statistic over all tables with these margins (Haldane 1940, Dawson 1954).
struct StratumMoments {
  double df, mean, variance = 0, coarse_square = 0;

  StratumMoments(const std::vector<std::int64_t>& x_totals, const std::vector<std::int64_t>& y_totals, double n) {
    const double r = static_cast<double>(x_totals.size()), c = static_cast<double>(y_totals.size());
    df = (r - 1) * (c - 1);
    mean = n / (n - 1) * df;
    if (n < 3) return;  // two rows that differ in both variables have one statistic, 2
    double inverse_x = 0, inverse_y = 0, square_x = 0, square_y = 0;
    for (std::int64_t total : x_totals) {
      const double inverse = 1.0 / static_cast<double>(total);
      inverse_x += inverse;
      square_x += inverse * inverse;
    }
    for (std::int64_t total : y_totals) {
      const double inverse = 1.0 / static_cast<double>(total);
      inverse_y += inverse;
      square_y += inverse * inverse;
    }
    const double spread_x = (n * inverse_x - r * r) / (n - 2), spread_y = (n * inverse_y - c * c) / (n - 2);
    variance = n * n / (n - 1) * spread_x * spread_y;
    if (n > 3) {  // with three rows one of the factors is zero
      const double even_x = (n - r) * (r - 1) / (n - 1) - spread_x;
      const double even_y = (n - c) * (c - 1) / (n - 1) - spread_y;
      variance += 2 * n / (n - 3) * even_x * even_y;
    }
    if (variance < 1e-9) variance = 0;  // but for rounding
    coarse_square = std::min(n * n * square_x * square_y, variance * variance);
  }

  // A few expected counts far below one can give a stratum more variance than all others together, and
  // drown what these show. Its weight is 1 up to the variance 2 df of a full table; beyond, the stratum
  // is scaled down to that variance.
  double weight() const { return variance > 2 * df ? std::sqrt(2 * df / variance) : 1; }
};

// Strata: TableStrata, or RowStrata of row_strata.hpp; both give the same numbers, bit for bit.
template <typename Strata>
StrataStatistics strata_statistics(Strata&& stratum) {
  StrataStatistics out;
  out.n_total = static_cast<double>(stratum.n_total);
  while (stratum.next()) {
    const double n = static_cast<double>(stratum.n);
    double sum = 0, g = x_log_x(stratum.n);
    for (const auto& cell : stratum.cells) {
      const double count = static_cast<double>(cell.count);
      sum += count * count / (static_cast<double>(stratum.x_totals[static_cast<std::size_t>(cell.x)]) *
                              static_cast<double>(stratum.y_totals[static_cast<std::size_t>(cell.y)]));
      g += x_log_x(cell.count);
    }
    for (std::int64_t total : stratum.x_totals) g -= x_log_x(total);
    for (std::int64_t total : stratum.y_totals) g -= x_log_x(total);
    const double chi_square = std::max(n * (sum - 1), 0.0);
    const StratumMoments moments(stratum.x_totals, stratum.y_totals, n);
    out.n_rows += n;
    out.n_strata += 1;
    out.df += moments.df;
    out.chi_square += chi_square;
    out.g_square += std::max(2 * g, 0.0);
    if (moments.variance == 0) continue;
    const double weight = moments.weight();
    out.weighted += weight * chi_square;
    out.mean += weight * moments.mean;
    out.variance += weight * weight * moments.variance;
    out.coarse_square += weight * weight * weight * weight * moments.coarse_square;
    if (out.log_arrangements < kManyArrangements)
      out.log_arrangements +=
          std::min(log_arrangements(stratum.x_totals, n), log_arrangements(stratum.y_totals, n));
  }
  return out;
}

}  // namespace bnsieve
