// Scores of parent sets from one covariance matrix, in which every variable is a block of columns.
//
// The likelihood of a normal distribution compares how much of the target's block is left to chance with and
// without its parents: a ratio of determinants. A variable has the same block in every family, so that Markov
// equivalent graphs score alike. Built once, for the baseline instruction set: scores are bit-identical
// whatever level the other kernels run at.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "interruption.hpp"
#include "scored_sets.hpp"

namespace bnsieve {

struct CovarianceRule {
  double n_rows;
  double penalty;      // of each product of one column of the target with one of its parents
  double parent_cost;  // of each parent, whatever it explains
};

// Below any variance that rounding or a ridge leaves.
constexpr double kLeastVariance = 1e-12;

// Half the log determinant of what the first `n_given` columns leave of the others. The lower triangle of the
// matrix is decomposed in place, after Cholesky.
inline double half_log_determinant(double* matrix, std::size_t n, std::size_t n_given) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double variance = std::max(matrix[j * n + j], kLeastVariance);
    if (j >= n_given) sum += std::log(variance);
    for (std::size_t i = j + 1; i < n; ++i) {
      const double slope = matrix[i * n + j] / variance;
      for (std::size_t l = j + 1; l <= i; ++l) matrix[i * n + l] -= slope * matrix[l * n + j];
    }
  }
  return 0.5 * sum;
}

// A positive definite matrix of which each variable is a block of columns, given some of these variables.
//
// Of each column given there is a row: what it tells about every column beyond the rows before, in units of
// its own deviation given those. What is left of any two columns is then a difference of few products.
class GivenCovariance {
 public:
  // `first` says where the blocks begin and where the last one ends.
  GivenCovariance(const double* covariance, std::vector<std::size_t> first)
      : covariance_(covariance), first_(std::move(first)), size_(first_.back()) {}

  std::size_t width_of(std::size_t v) const { return first_[v + 1] - first_[v]; }
  std::size_t n_given() const { return n_rows_; }

  void give(std::size_t v) {
    for (std::size_t column = first_[v]; column < first_[v + 1]; ++column) {
      if (told_.size() == n_rows_) told_.emplace_back(size_);
      double* row = told_[n_rows_].data();
      std::copy_n(covariance_ + column * size_, size_, row);
      for (std::size_t r = 0; r < n_rows_; ++r) {
        const double* before = told_[r].data();
        const double share = before[column];
        for (std::size_t j = 0; j < size_; ++j) row[j] -= share * before[j];
      }
      const double scale = 1 / std::sqrt(std::max(row[column], kLeastVariance));
      for (std::size_t j = 0; j < size_; ++j) row[j] *= scale;
      ++n_rows_;
    }
  }
  // Takes back the variables given last, until so many columns are left.
  void take_back(std::size_t n_given) { n_rows_ = n_given; }

  // Half the log determinant of the target's block, given what is given; and given another variable too.
  double left_of(std::size_t target) { return left(nullptr, target); }
  double left_of(std::size_t target, std::size_t other) { return left(&other, target); }

 private:
  double left(const std::size_t* other, std::size_t target) {
    columns_.clear();
    if (other)
      for (std::size_t c = first_[*other]; c < first_[*other + 1]; ++c) columns_.push_back(c);
    const std::size_t n_more = columns_.size();
    for (std::size_t c = first_[target]; c < first_[target + 1]; ++c) columns_.push_back(c);
    const std::size_t n = columns_.size();
    local_.resize(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double value = covariance_[columns_[i] * size_ + columns_[j]];
        for (std::size_t r = 0; r < n_rows_; ++r) value -= told_[r][columns_[i]] * told_[r][columns_[j]];
        local_[i * n + j] = value;
      }
    return half_log_determinant(local_.data(), n, n_more);
  }

  const double* covariance_;
  std::vector<std::size_t> first_;
  std::size_t size_, n_rows_ = 0;
  std::vector<std::vector<double>> told_;
  std::vector<std::size_t> columns_;
  std::vector<double> local_;
};

// Variable 0 is the target, variable 1 + k candidate k.
class CovarianceScorer {
 public:
  CovarianceScorer(const double* covariance, std::vector<std::size_t> first, const CovarianceRule& rule)
      : n_candidates_(first.size() - 2), given_(covariance, std::move(first)), rule_(rule) {
    own_ = given_.left_of(0);
  }

  // Takes a score from an earlier scoring of the same matrix.
  void note_known(std::uint32_t mask, double value) { note(mask, value); }

  // As ParentSetScorer::score_sets, but without `foremost`: parents that tell nothing but together, which
  // more than pairs would have to show, there are none where everything is linear.
  std::vector<ScoredSet> score_sets(std::size_t complete_size, std::size_t max_size, std::size_t width,
                                    std::uint32_t required, std::uint32_t centre) {
    complete_size = std::max(complete_size, popcount(required));
    give(required);
    if (!score_of_.count(required)) note(required, score(popcount(required)));
    extend(popcount(required), required, 0, complete_size);
    max_size = std::min(max_size, n_candidates_);
    for (std::size_t size = complete_size; size < max_size; ++size) grow(size, width);
    if (popcount(centre) >= complete_size) explore(centre | required, required);
    return pruned(found_);
  }

 private:
  void give(std::uint32_t mask) {
    stop_if_asked();
    given_.take_back(0);
    for (std::size_t k = 0; k < n_candidates_; ++k)
      if (mask >> k & 1) given_.give(1 + k);
  }

  void extend(std::size_t n_parents, std::uint32_t mask, std::size_t from, std::size_t max_size) {
    if (n_parents >= max_size) return;
    const std::size_t n_given = given_.n_given();
    for (std::size_t k = from; k < n_candidates_; ++k) {
      const std::uint32_t larger = mask | (1u << k);
      if (larger == mask) continue;
      if (!score_of_.count(larger)) note(larger, score_with(n_parents, k));
      if (n_parents + 1 == max_size) continue;
      given_.give(1 + k);
      extend(n_parents + 1, larger, k + 1, max_size);
      given_.take_back(n_given);
    }
  }

  // Extends the best sets of one size by every candidate.
  void grow(std::size_t size, std::size_t width) {
    std::vector<ScoredSet> from;
    for (const ScoredSet& set : found_)
      if (popcount(set.mask) == size && beats_its_subsets(set)) from.push_back(set);
    sort_sets(from);
    if (from.size() > width) from.resize(width);
    for (const ScoredSet& set : from) grow_by_one(set.mask);
  }

  void explore(std::uint32_t centre, std::uint32_t required) {
    grow_by_one(centre);
    for (std::uint32_t rest = centre & ~required; rest; rest &= rest - 1)
      grow_by_one(centre & ~(rest & (~rest + 1)));
  }

  // Scores a set and all that have one member more, unless they are scored already.
  void grow_by_one(std::uint32_t mask) {
    const std::size_t n_parents = popcount(mask);
    give(mask);
    if (!score_of_.count(mask)) note(mask, score(n_parents));
    for (std::size_t k = 0; k < n_candidates_; ++k)
      if (!score_of_.count(mask | (1u << k))) note(mask | (1u << k), score_with(n_parents, k));
  }

  void note(std::uint32_t mask, double value) {
    found_.push_back({mask, value});
    score_of_[mask] = value;
  }

  // A set with a member that adds nothing would only repeat what is there without it.
  bool beats_its_subsets(const ScoredSet& set) const {
    for (std::uint32_t rest = set.mask; rest; rest &= rest - 1) {
      const auto smaller = score_of_.find(set.mask & ~(rest & (~rest + 1)));
      if (smaller != score_of_.end() && smaller->second >= set.score) return false;
    }
    return true;
  }

  // Of the variables given, which are so many; and of one more.
  double score(std::size_t n_parents) { return value(given_.left_of(0), given_.n_given(), n_parents); }
  double score_with(std::size_t n_parents, std::size_t k) {
    return value(given_.left_of(0, 1 + k), given_.n_given() + given_.width_of(1 + k), n_parents + 1);
  }
  double value(double left, std::size_t n_columns, std::size_t n_parents) const {
    return rule_.n_rows * (own_ - left) -
           rule_.penalty * static_cast<double>(n_columns * given_.width_of(0)) -
           rule_.parent_cost * static_cast<double>(n_parents);
  }

  std::size_t n_candidates_;
  GivenCovariance given_;
  CovarianceRule rule_;
  double own_;  // half the log determinant of the target's block, given nothing
  std::vector<ScoredSet> found_;
  std::unordered_map<std::uint32_t, double> score_of_;
};

// What each variable would add to a target's parents; zero for these and the target. Only what each block
// shares with the target and the parents is looked at, so that it is linear in the number of variables.
inline std::vector<double> covariance_additions(const double* covariance, std::vector<std::size_t> first,
                                                std::size_t target, const std::vector<std::size_t>& parents,
                                                const CovarianceRule& rule) {
  const std::size_t n_variables = first.size() - 1;
  GivenCovariance given(covariance, std::move(first));
  for (const std::size_t v : parents) given.give(v);
  const double without = given.left_of(target);
  std::vector<double> gains(n_variables, 0.0);
  for (std::size_t v = 0; v < n_variables; ++v) {
    if (v == target || std::find(parents.begin(), parents.end(), v) != parents.end()) continue;
    stop_if_asked();
    gains[v] = rule.n_rows * (without - given.left_of(target, v)) -
               rule.penalty * static_cast<double>(given.width_of(v) * given.width_of(target)) -
               rule.parent_cost;
  }
  return gains;
}

}  // namespace bnsieve
