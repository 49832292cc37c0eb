// How often each count occurs in a family's table, and what its rows are worth under Dirichlet priors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels.hpp"

namespace bnsieve {

constexpr double kLogRootOfPi = 0.57236494292470008707;

// Logarithm of the gamma function for x > 0, by Stirling's series after a shift to x >= 8. The C library's
// keeps a global sign, which threads would share.
inline double log_gamma(double x) {
  double product = 1;
  while (x < 8) product *= x++;
  const double y = 1 / (x * x);
  const double series =
      (1.0 / 12 -
       y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * (691.0 / 360360))))));
  const double value = (x - 0.5) * std::log(x) - x + 0.91893853320467274178 + series / x;
  return product == 1 ? value : value - std::log(product);
}

// Logarithm of the normalising constant of the NML distribution of n draws over k categories: the smaller of
// two approximations by Szpankowski and Weinberger, one good for many draws, one for many categories.
inline double log_regret(double n, double k) {
  if (k < 1.5 || n < 1) return 0;
  if (n == 1) return std::log(k);
  const double a = k / n, c = 0.5 + 0.5 * std::sqrt(1 + 4 / a);
  const double many_categories =
      n * (std::log(a) + (a + 2) * std::log(c) - 1 / c) - 0.5 * std::log(c + 2 / a);
  if (k > n) return many_categories;
  const double half = 0.5 * k, ratio = std::exp(log_gamma(half) - log_gamma(half - 0.5));
  const double term = 0.70710678118654752440 - ratio * k / (3 * std::sqrt(n));
  const double many_draws = (half - 0.5) * std::log(n / 2) + kLogRootOfPi - log_gamma(half) + 0.5 -
                            term * term + (3 + k * (k - 2) * (2 * k + 1)) / (36 * n);
  return std::min(many_draws, many_categories);
}

// Counts below this are counted by themselves.
constexpr std::int64_t kSmall = 16;

// What small counts are worth under one weight b of a prior.
struct SmallCounts {
  double weight = -1;
  double log_gamma_of_weight;
  double rising[kSmall];     // log(b (b + 1) ... (b + c - 1)) for a count c
  double new_draws[kSmall];  // b / b + b / (b + 1) + ... + b / (b + c - 1)

  void tabulate(double b) {
    weight = b;
    log_gamma_of_weight = log_gamma(b);
    rising[0] = new_draws[0] = 0;
    kernels().log_rising(b, kSmall - 1, rising + 1);
    for (std::int64_t count = 1; count < kSmall; ++count)
      new_draws[count] = new_draws[count - 1] + b / (b + static_cast<double>(count - 1));
  }
};

// The table of a weight, good until the next is asked for. Families of as many configurations share theirs,
// so that most logarithms are read and not taken: some hundred tables are kept, each at the place that the
// bits of its weight give.
inline const SmallCounts& small_counts_of(double weight) {
  constexpr unsigned kLogTables = 9;
  thread_local std::vector<SmallCounts> tables(std::size_t{1} << kLogTables);
  std::uint64_t bits;
  std::memcpy(&bits, &weight, sizeof bits);
  SmallCounts& table = tables[bits * 0x9E3779B97F4A7C15ULL >> (64 - kLogTables)];
  if (table.weight != weight) table.tabulate(weight);
  return table;
}

// How often each count occurs: sparse tables hold few distinct counts, and each then costs one product.
class Counted {
 public:
  void add(std::int64_t count) {
    if (count < kSmall) {
      ++small_[count];
      n_small_ = std::max(n_small_, count + 1);
    } else {
      large_.push_back(static_cast<double>(count));
    }
    ++size_;
  }
  // The counts of another, after those that are here.
  void add(const Counted& other) {
    for (std::int64_t count = 1; count < other.n_small_; ++count) small_[count] += other.small_[count];
    n_small_ = std::max(n_small_, other.n_small_);
    large_.insert(large_.end(), other.large_.begin(), other.large_.end());
    size_ += other.size_;
  }
  std::size_t size() const { return size_; }
  void sort() { std::sort(large_.begin(), large_.end()); }
  void clear() {
    std::fill(small_, small_ + n_small_, 0);
    n_small_ = 1;
    size_ = 0;
    large_.clear();
  }
  // Sum of c log(c) over the counts.
  double sum_log() const {
    double total = 0;
    for (std::int64_t count = 2; count < n_small_; ++count) {
      const double c = static_cast<double>(count);
      if (small_[count]) total += static_cast<double>(small_[count]) * c * std::log(c);
    }
    for (const double count : large_) total += count * std::log(count);
    return total;
  }
  // Sum of log(b (b + 1) ... (b + c - 1)) over the counts c, b being the weight of a table.
  double sum_log_rising(const SmallCounts& table) const {
    double total = 0;
    for (std::int64_t count = 1; count < n_small_; ++count)
      total += static_cast<double>(small_[count]) * table.rising[count];
    if (large_.empty()) return total;
    return total + kernels().sum_log_gamma(large_.data(), large_.size(), table.weight) -
           static_cast<double>(large_.size()) * table.log_gamma_of_weight;
  }

  // Sum of b / b + b / (b + 1) + ... + b / (b + c - 1) over the counts c: of c draws, each again one of those
  // before it or, with weight b, a new one from a common source, so many are expected to be new. From kSmall
  // on the sum is an integral, by the midpoint rule good to a thousandth of a draw.
  double sum_new_draws(const SmallCounts& table) const {
    double total = 0;
    for (std::int64_t count = 1; count < n_small_; ++count)
      total += static_cast<double>(small_[count]) * table.new_draws[count];
    if (large_.empty()) return total;
    const double b = table.weight, summed = b + static_cast<double>(kSmall) - 1.5;
    double logs = 0, product = 1;
    for (const double count : large_) {
      product *= (b + count - 0.5) / summed;
      if (product < 1e280) continue;
      logs += std::log(product);
      product = 1;
    }
    return total + static_cast<double>(large_.size()) * table.new_draws[kSmall - 1] +
           b * (logs + std::log(product));
  }

 private:
  std::int64_t small_[kSmall] = {};
  std::int64_t n_small_ = 1;  // the largest small count, and one
  std::size_t size_ = 0;
  std::vector<double> large_;
};

// The logarithm of a mean, of numbers given by their logarithms.
class LogMean {
 public:
  void add(double value) {
    if (n_ == 0 || value > largest_) {
      sum_ = n_ == 0 ? 1 : sum_ * std::exp(largest_ - value) + 1;
      largest_ = value;
    } else {
      sum_ += std::exp(value - largest_);
    }
    ++n_;
  }
  double value() const { return largest_ + std::log(sum_ / static_cast<double>(n_)); }

 private:
  double largest_ = 0, sum_ = 0;
  std::size_t n_ = 0;
};

// The table of a variable given its parents: how often each count of a cell and of a configuration occurs.
class FamilyCounts {
 public:
  // With `by_label`, cells are counted for each label by itself.
  FamilyCounts(std::size_t n_labels, bool by_label) : n_labels_(n_labels), by_label_(by_label) {
    if (by_label) {
      of_label_.resize(n_labels);
      size_of_label_.resize(n_labels, 0);
    }
  }
  void add_cell(std::size_t label, std::int64_t count) {
    if (!by_label_) {
      cells_.add(count);
      return;
    }
    if (!size_of_label_[label]) labels_.push_back(label);
    of_label_[label].add(count);
    size_of_label_[label] += count;
  }
  void add_configuration(std::int64_t size) { configurations_.add(size); }
  void clear() {
    cells_.clear();
    configurations_.clear();
    for (const std::size_t label : labels_) {
      of_label_[label].clear();
      size_of_label_[label] = 0;
    }
    labels_.clear();
    in_order_ = false;
  }
  const Counted& cells() {
    put_in_order();
    return cells_;
  }
  const Counted& configurations() const { return configurations_; }

  // The marginal likelihood if each configuration has a Dirichlet prior with mean 1 / labels and this weight.
  double even(double weight) {
    const double of_cells = cells().sum_log_rising(small_counts_of(weight / static_cast<double>(n_labels_)));
    return of_cells - configurations_.sum_log_rising(small_counts_of(weight));
  }

  // The same where the prior's mean is the margin, which is not known beforehand. Of the rows only those
  // teach it that the configurations' own rows do not foretell, and only these pay for learning it: where
  // parents decide the label, hardly any.
  double about_margin(double weight) {
    know_margin();
    double value = -configurations_.sum_log_rising(small_counts_of(weight));
    drawn_.clear();
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const SmallCounts& table = small_counts_of(weight * share_[i]);
      value += of_label_[labels_[i]].sum_log_rising(table);
      drawn_.push_back(of_label_[labels_[i]].sum_new_draws(table));
    }
    return value - cost_of_margin();
  }

  // The same for an infinite weight: parents tell nothing.
  double margin() {
    know_margin();
    return margin_;
  }

  // No table with these cells, or some of them split, is worth more about the margin with a finite weight:
  // the first row of a cell is foretold by the margin alone.
  double most_about_margin() {
    know_margin();
    double value = 0;
    for (std::size_t i = 0; i < labels_.size(); ++i)
      value += log_share_[i] * static_cast<double>(of_label_[labels_[i]].size());
    return value;
  }

 private:
  // Cells are met in the order of rows and columns, on which no sum may depend.
  void put_in_order() {
    if (in_order_ || !by_label_) return;
    in_order_ = true;
    configurations_.sort();
    std::sort(labels_.begin(), labels_.end());
    for (const std::size_t label : labels_) {
      of_label_[label].sort();
      cells_.add(of_label_[label]);
    }
  }

  // Of the rows at hand. Without missing cells they are the same for all parents, and this is done once.
  void know_margin() {
    put_in_order();
    if (size_of_label_ == known_) return;
    known_ = size_of_label_;
    share_.clear();
    log_share_.clear();
    drawn_.clear();
    double n_rows = 0;
    for (const std::size_t label : labels_) n_rows += static_cast<double>(known_[label]);
    for (const std::size_t label : labels_) {
      drawn_.push_back(static_cast<double>(known_[label]));
      share_.push_back((drawn_.back() + 0.5) / (n_rows + 0.5 * static_cast<double>(n_labels_)));
      log_share_.push_back(std::log(share_.back()));
    }
    margin_ = learned(n_rows);
  }

  // By how much the likelihood of the rows that teach the margin is too good, because it was taken from them.
  double cost_of_margin() const {
    double n_drawn = 0, likelihood = 0;
    for (const double drawn : drawn_) n_drawn += drawn;
    for (const double drawn : drawn_) likelihood += drawn * std::log(drawn / n_drawn);
    return std::max(0.0, likelihood - learned(n_drawn));
  }

  // The marginal likelihood of the rows in drawn_ under Jeffreys' prior.
  double learned(double n_drawn) const {
    const double all = 0.5 * static_cast<double>(n_labels_);
    double value = log_gamma(all) - log_gamma(all + n_drawn);
    for (const double drawn : drawn_) value += log_gamma(0.5 + drawn) - kLogRootOfPi;
    return value;
  }

  std::size_t n_labels_;
  bool by_label_, in_order_ = false;
  Counted cells_, configurations_;
  std::vector<Counted> of_label_;
  std::vector<std::int64_t> size_of_label_, known_;  // rows of each label; those that the margin is of
  std::vector<std::size_t> labels_;                  // those that occur, and of each:
  std::vector<double> share_, log_share_;
  double margin_ = 0;
  std::vector<double> drawn_;  // rows that teach the margin
};

}  // namespace bnsieve
