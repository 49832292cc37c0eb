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

  // Pearson's statistic, damped (see Damping), over the strata in which it can vary, and its exact mean and
  // variance under independence when margins are fixed.
  double damped = 0;
  double mean = 0;
  double variance = 0;
  double coarse_square = 0;  // see coarse_share()
  // Log of how many ways there are to put x and y together, over the same strata; no p-value is smaller
  // than one of them. Not counted on beyond kManyArrangements.
  double log_arrangements = 0;

  // How much of the variance hangs on single cells: 1 if all on one, 1 / sqrt(k) if on k alike. A cell that
  // expects e rows, far less than one, moves the statistic in jumps. Where few such cells rule, no smooth
  // curve fits the statistic's distribution.
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
  TableStrata(const Code* configurations, const std::int64_t* counts, std::size_t n_variables,
              std::size_t size)
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

// One variable's part in the damped statistic of a stratum,
//
//   sum over cells of  n (n_ij - n_i n_j / n)^2 / ((n_i + kDamping) (n_j + kDamping)).
//
// With zero damping this is Pearson's. There a rare level of x that meets a rare level of y, by chance, is
// worth more than everything the common levels show; damping, like a few more rows in every level, bounds
// what one row can do, and changes nothing where all levels are frequent.
struct Damping {
  static constexpr double kDamping = 2;

  // The statistic is the trace of A B, where A and B are the two variables' n x n matrices of row
  // similarity (one over n_i + kDamping if both rows have level i, else zero), centred.
  double trace = 0, trace_square = 0, diagonal_square = 0;
  double total_square = 0;   // sum of n_i^2 / divisor
  double coarse_square = 0;  // sum of (n_i / divisor^2)^2

  Damping(const std::vector<std::int64_t>& totals, double n) {
    for (std::int64_t total : totals) {
      const double t = static_cast<double>(total);
      total_square += t * t / divisor(t);
    }
    const double grand_mean = total_square / (n * n);
    for (std::int64_t total : totals) {
      const double t = static_cast<double>(total), a = 1 / divisor(t), row_mean = a * t / n;
      const double diagonal = a - 2 * row_mean + grand_mean;
      trace += t * diagonal;
      diagonal_square += t * diagonal * diagonal;
      trace_square += a * a * t * t - 2 * n * t * row_mean * row_mean;
      coarse_square += t * a * a * t * a * a;
    }
    trace_square += n * n * grand_mean * grand_mean;
  }

  static double divisor(double total) { return total + kDamping; }
};

// Mean and variance of the damped statistic over all tables with these margins (Kazi-Aoual et al. 1995; for
// Pearson's statistic Haldane 1940, Dawson 1954).
struct StratumMoments {
  double mean, variance = 0, coarse_square = 0;

  StratumMoments(const Damping& x, const Damping& y, double n) {
    mean = n * x.trace * y.trace / (n - 1);
    if (n < 3) return;  // two rows that differ in both variables: there is one table
    const auto spread = [n](const Damping& v) { return (n - 1) * v.trace_square - v.trace * v.trace; };
    variance = 2 * spread(x) * spread(y) / ((n - 1) * (n - 1) * (n + 1) * (n - 2));
    if (n > 3) {  // with three rows both factors are zero
      const auto uneven = [n](const Damping& v) {
        return n * (n + 1) * v.diagonal_square - (n - 1) * (v.trace * v.trace + 2 * v.trace_square);
      };
      variance += uneven(x) * uneven(y) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3));
    }
    variance *= n * n;
    if (variance < 1e-9 * mean * mean) variance = 0;  // but for rounding
    coarse_square = std::min(n * n * x.coarse_square * y.coarse_square, variance * variance);
  }
};

// Strata: TableStrata, or RowStrata of row_strata.hpp; both give the same numbers, bit for bit.
template <typename Strata>
StrataStatistics strata_statistics(Strata&& stratum) {
  StrataStatistics out;
  out.n_total = static_cast<double>(stratum.n_total);
  while (stratum.next()) {
    const double n = static_cast<double>(stratum.n);
    const Damping x(stratum.x_totals, n), y(stratum.y_totals, n);
    double pearson = 0, likelihood = x_log_x(stratum.n), damped = x.total_square * y.total_square / (n * n);
    for (const auto& cell : stratum.cells) {
      const double count = static_cast<double>(cell.count);
      const double row = static_cast<double>(stratum.x_totals[static_cast<std::size_t>(cell.x)]);
      const double column = static_cast<double>(stratum.y_totals[static_cast<std::size_t>(cell.y)]);
      pearson += count * count / (row * column);
      likelihood += x_log_x(cell.count);
      damped += count * (count - 2 * row * column / n) / Damping::divisor(row) / Damping::divisor(column);
    }
    for (std::int64_t total : stratum.x_totals) likelihood -= x_log_x(total);
    for (std::int64_t total : stratum.y_totals) likelihood -= x_log_x(total);
    out.n_rows += n;
    out.n_strata += 1;
    out.df += static_cast<double>((stratum.x_totals.size() - 1) * (stratum.y_totals.size() - 1));
    out.chi_square += std::max(n * (pearson - 1), 0.0);
    out.g_square += std::max(2 * likelihood, 0.0);
    const StratumMoments moments(x, y, n);
    if (moments.variance == 0) continue;
    out.damped += std::max(n * damped, 0.0);
    out.mean += moments.mean;
    out.variance += moments.variance;
    out.coarse_square += moments.coarse_square;
    if (out.log_arrangements < kManyArrangements)
      out.log_arrangements +=
          std::min(log_arrangements(stratum.x_totals, n), log_arrangements(stratum.y_totals, n));
  }
  return out;
}

}  // namespace bnsieve
