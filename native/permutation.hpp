// How the damped statistic is distributed under independence when margins are fixed: by drawing tables.
//
// Within each stratum x and y keep their totals and are otherwise put together at random, which is what a
// permutation of y does. Draws depend only on the totals: strata, levels and the two variables are put in
// a canonical order first, so that a test's result does not change when columns or labels change places.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "independence.hpp"

namespace bnsieve {

// SplitMix64 (Steele, Lea, Flood 2014).
class RandomDraws {
 public:
  explicit RandomDraws(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  // Uniform in 0 .. bound - 1; the bias is below bound / 2^32.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// A standard deviation of a number that is drawn; beyond it the number is as good as normal, and to count to
// it from the mode would take as many steps. Among very many rows factorials are too large to tell the
// probability of the mode from them.
constexpr double kWide = 4096, kVeryMany = 0x1p40;

// How many of `drawn` balls are white, of `white` among `total`: inversion, from the mode outwards.
inline std::int64_t draw_hypergeometric(RandomDraws& random, std::int64_t drawn, std::int64_t white,
                                        std::int64_t total) {
  const std::int64_t lowest = std::max<std::int64_t>(0, drawn - (total - white)),
                     highest = std::min(drawn, white);
  if (lowest == highest) return lowest;
  const double n = static_cast<double>(drawn), w = static_cast<double>(white), t = static_cast<double>(total);
  const double spread = std::sqrt(n * (w / t) * ((t - w) / t) * ((t - n) / (t - 1)));
  if (spread > kWide || t > kVeryMany) {
    constexpr double kTurn = 6.283185307179586;
    const double far = std::sqrt(-2 * std::log(1 - random.uniform()));  // Box and Muller 1958
    const double k = n * (w / t) + spread * far * std::cos(kTurn * random.uniform());
    // Compared as numbers first: what is beyond 2^63 could not be converted.
    if (k <= static_cast<double>(lowest)) return lowest;
    return k >= static_cast<double>(highest) ? highest : static_cast<std::int64_t>(k + 0.5);
  }
  std::int64_t below = static_cast<std::int64_t>((n + 1) * (w + 1) / (t + 2));
  below = std::min(std::max(below, lowest), highest);
  const double k = static_cast<double>(below);
  double p_below = std::exp(log_factorial(w) - log_factorial(k) - log_factorial(w - k) +
                            log_factorial(t - w) - log_factorial(n - k) - log_factorial(t - w - n + k) -
                            log_factorial(t) + log_factorial(n) + log_factorial(t - n));
  std::int64_t above = below;
  double p_above = p_below, u = random.uniform() - p_below;
  if (u < 0) return below;
  while (below > lowest || above < highest) {
    if (above < highest) {
      const double a = static_cast<double>(above);
      p_above *= (w - a) * (n - a) / ((a + 1) * (t - w - n + a + 1));
      ++above;
      if ((u -= p_above) < 0) return above;
    }
    if (below > lowest) {
      const double b = static_cast<double>(below);
      p_below *= b * (t - w - n + b) / ((w - b + 1) * (n - b + 1));
      --below;
      if ((u -= p_below) < 0) return below;
    }
  }
  return static_cast<std::int64_t>(k);  // rounding only: probabilities summed to a little less than u
}

// Draws the damped statistic of one stratum from its totals.
class StratumSampler {
 public:
  StratumSampler(std::vector<std::int64_t> x_totals, std::vector<std::int64_t> y_totals)
      : x_(std::move(x_totals)), y_(std::move(y_totals)) {
    std::sort(x_.rbegin(), x_.rend());
    std::sort(y_.rbegin(), y_.rend());
    for (std::int64_t total : x_) n_ += total;
    // Only the rows outside y's most frequent level are dealt out: let these be few.
    if (x_[0] > y_[0] || (x_[0] == y_[0] && x_ < y_)) x_.swap(y_);
    const std::int64_t dealt = n_ - y_[0];
    const std::int64_t n_cells = static_cast<std::int64_t>((x_.size() - 1) * (y_.size() - 1));
    // A hypergeometric draw costs about as much as dealing out thirty rows.
    deals_rows_ = n_ < (std::int64_t{1} << 20) && dealt < 30 * n_cells;
    if (deals_rows_)
      for (std::size_t i = 0; i < x_.size(); ++i)
        rows_.insert(rows_.end(), static_cast<std::size_t>(x_[i]), static_cast<std::int32_t>(i));
    left_.resize(x_.size());
    column_.resize(x_.size());
  }

  double draw(RandomDraws& random) {
    left_ = x_;
    double sum = 0;
    std::size_t dealt = 0;
    std::int64_t undealt = n_;
    for (std::size_t j = 1; j < y_.size(); ++j) {
      if (deals_rows_)
        deal_rows(random, j, dealt);
      else
        deal_cells(random, j, undealt);
      sum += close_column(column_, y_[j]);
      undealt -= y_[j];
      for (std::size_t i = 0; i < x_.size(); ++i) left_[i] -= column_[i];
    }
    sum += close_column(left_, y_[0]);
    return static_cast<double>(n_) * sum;
  }

  bool operator<(const StratumSampler& other) const {
    return n_ != other.n_ ? n_ < other.n_ : x_ != other.x_ ? x_ < other.x_ : y_ < other.y_;
  }

 private:
  void deal_rows(RandomDraws& random, std::size_t j, std::size_t& dealt) {
    std::fill(column_.begin(), column_.end(), 0);
    for (std::int64_t k = 0; k < y_[j]; ++k, ++dealt) {
      const std::size_t pick = dealt + random.below(static_cast<std::uint32_t>(rows_.size() - dealt));
      std::swap(rows_[dealt], rows_[pick]);
      ++column_[static_cast<std::size_t>(rows_[dealt])];
    }
  }

  void deal_cells(RandomDraws& random, std::size_t j, std::int64_t undealt) {
    std::int64_t wanted = y_[j];
    for (std::size_t i = 0; i < x_.size(); ++i) {
      column_[i] = draw_hypergeometric(random, wanted, left_[i], undealt);
      wanted -= column_[i];
      undealt -= left_[i];
    }
  }

  double close_column(const std::vector<std::int64_t>& column, std::int64_t total) const {
    const double t = static_cast<double>(total), share = t / static_cast<double>(n_);
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double row = static_cast<double>(x_[i]), deviation = static_cast<double>(column[i]) - row * share;
      sum += deviation * deviation / Damping::divisor(row);
    }
    return sum / Damping::divisor(t);
  }

  std::vector<std::int64_t> x_, y_;  // totals, most frequent level first
  std::int64_t n_ = 0;
  bool deals_rows_ = false;
  std::vector<std::int32_t> rows_;  // x level of every row, in random order
  std::vector<std::int64_t> left_, column_;
};

// P-value of an observed damped statistic by drawing up to max_draws tables; a draw that ties counts half.
// Stops after `enough` draws were as large, when p is known well enough (Besag, Clifford 1991).
template <typename Code>
double permutation_p_value(const Code* configurations, const std::int64_t* counts, std::size_t n_variables,
                           std::size_t size, double observed, std::size_t max_draws, double enough) {
  std::vector<StratumSampler> samplers;
  double n = 0;
  TableStrata<Code> stratum(configurations, counts, n_variables, size);
  while (stratum.next()) {
    const double rows = static_cast<double>(stratum.n);
    const Damping x(stratum.x_totals, rows), y(stratum.y_totals, rows);
    if (StratumMoments(x, y, rows).variance == 0) continue;
    samplers.emplace_back(stratum.x_totals, stratum.y_totals);
    n += rows;
  }
  std::sort(samplers.begin(), samplers.end());
  // Rounding differs between the draws' order of summation and the observed one's.
  const double tie = 1e-7 * (1 + observed) + 1e-12 * n;
  RandomDraws random(static_cast<std::uint64_t>(n) * 1000003u + samplers.size());
  double exceeded = 0;
  for (std::size_t drawn = 1; drawn <= max_draws; ++drawn) {
    double statistic = 0;
    for (StratumSampler& sampler : samplers) statistic += sampler.draw(random);
    if (statistic > observed + tie)
      exceeded += 1;
    else if (statistic >= observed - tie)
      exceeded += 0.5;
    if (exceeded >= enough) return exceeded / static_cast<double>(drawn);
  }
  return (exceeded + 1) / (static_cast<double>(max_draws) + 1);
}

}  // namespace bnsieve
