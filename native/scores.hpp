// Scores of a variable's candidate parent sets, read from one joint table of the variable and its candidates.
//
// A set's parent configurations are found by refining those of a smaller set, one candidate at a time, so
// that the data are never read again. Built once, for the baseline instruction set: scores are bit-identical
// whatever level the other kernels run at.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "family_counts.hpp"
#include "interruption.hpp"
#include "kernels.hpp"
#include "key_numbers.hpp"
#include "row_bits.hpp"
#include "scored_sets.hpp"

namespace bnsieve {

enum class ScoreKind { kBd, kBdeu, kBic, kQnml };

struct ScoreRule {
  ScoreKind kind;
  // BIC: the factor of the penalty. BDeu: equivalent sample sizes, over which the marginal likelihood is
  // averaged; an infinite one predicts every level alike, whatever was seen. BD: the same, and for every
  // second size also with a prior whose mean is the target's margin. Quotient NML: not used.
  std::vector<double> parameters;
  bool observed;  // count only the parent configurations that occur, rather than all that could (not qNML)
  double parent_cost;  // what each parent costs, whatever it explains: the prior against large sets
};

// The joint table, of at least one configuration: variables[0] is the target, variables[1 + k] candidate k;
// one code per configuration.
//
// Where candidates have missing cells (their last code), what one adds to a set is the difference with and
// without it on the rows in which it and the set are known, scaled up to all rows. A set's score is that of
// the empty set plus what its members add one by one, the strongest first: so a set and the same with a
// needless member, which others of their order would measure on different rows, differ by what that member
// adds on the same rows.
template <typename Code>
class ParentSetScorer {
 public:
  ParentSetScorer(const std::vector<const Code*>& variables, const std::int64_t* counts,
                  std::size_t n_columns, const std::int64_t* radices, const ScoreRule& rule,
                  std::vector<bool> has_missing = {})
      : variables_(variables),
        counts_(counts),
        radices_(radices),
        n_columns_(n_columns),
        n_candidates_(variables.size() - 1),
        rule_(rule),
        has_missing_(std::move(has_missing)),
        any_missing_(std::find(has_missing_.begin(), has_missing_.end(), true) != has_missing_.end()),
        groups_(1, std::vector<std::uint32_t>(n_columns, 0)),
        n_groups_(1, 1),
        group_size_(n_columns, 0),
        bits_(variables_, counts, n_columns, radices),
        family_(static_cast<std::size_t>(radices[0]), rule.kind == ScoreKind::kBd),
        without_(family_) {
    for (std::size_t i = 0; i < n_columns; ++i) n_rows_ += counts[i];
    if (any_missing_) weights_.emplace_back(counts, counts + n_columns);
    for (std::size_t k = 0; k < n_candidates_; ++k) order_.push_back(k);
    score_of_.reserve(1 << 10);  // some hundred sets are usual
  }

  // The scores of one set with each candidate added in turn; the set's own score for its members and for
  // the candidate `left_out`.
  std::vector<double> score_additions(const std::vector<std::size_t>& parents, std::size_t left_out) {
    std::size_t depth = 0;
    double n_possible = 1;
    for (const std::size_t k : parents) {
      refine(depth++, k);
      n_possible *= n_known_codes(k);
    }
    settle(depth, score(depth, n_possible));
    std::vector<double> scores(n_candidates_, own_[depth]);
    for (std::size_t k = 0; k < n_candidates_; ++k) {
      if (k == left_out || std::find(parents.begin(), parents.end(), k) != parents.end()) continue;
      scores[k] = score_with(depth, k, n_possible);
    }
    return scores;
  }

  // Takes a score from an earlier scoring of the same rows.
  void note_known(std::uint32_t mask, double value) { note(mask, value); }

  // Says that an earlier scoring of the same sizes had the candidates of this mask: of their sets, those that
  // are not noted have a subset that is better, or did not grow then, and would not now.
  void leave_out_sets_of(std::uint32_t mask) {
    settled_ = mask;
    all_settled_ = !(~mask & every_candidate());
  }

  // Every set up to `complete_size`, and up to one more within the mask `foremost`; then, size by size up to
  // `max_size`, the `width` best with one more. Only sets that hold all candidates of the mask `required`,
  // which alone may be larger than said. The set `centre` and those that differ from it by one member, or by
  // one in exchange for another, are scored in any case.
  std::vector<ScoredSet> score_sets(std::size_t complete_size, std::size_t max_size, std::size_t width,
                                    std::uint32_t required, std::uint32_t centre,
                                    std::uint32_t foremost = 0) {
    order_by_strength();  // strong subsets are met early; with missing cells the order is part of the score
    const double n_possible = refine_by(required);
    const std::size_t depth = popcount(required);
    complete_size = std::max(complete_size, depth);
    settle(depth, score(depth, n_possible));
    foremost_ = complete_size < max_size ? foremost | required : 0;
    max_size = std::min(max_size, n_candidates_);
    if (all_settled_) {
      if (!score_of_.count(required)) note(required, own_[depth]);
    } else {
      extend(depth, required, 0, n_possible, complete_size, own_[depth], own_[depth]);
      for (std::size_t size = complete_size; size < max_size; ++size) grow(size, width);
    }
    if (popcount(centre) >= complete_size) explore(centre | required, required);
    return pruned(found_);
  }

 private:
  // A candidate that lost so much beside smaller sets is not tried beside a larger one.
  static constexpr double kHopeless = 5;

  // `best` is the highest score of a subset met on the way, this set included. Where no superset can reach
  // it, none is scored: it would only be pruned.
  void extend(std::size_t depth, std::uint32_t mask, std::size_t first, double n_possible,
              std::size_t max_size, double value, double best) {
    if (!score_of_.count(mask)) note(mask, value);
    const bool beyond = depth == max_size;
    if (beyond && (mask & ~foremost_)) return;
    if (rule_.parent_cost >= 0 && limit_ - rule_.parent_cost * static_cast<double>(depth + 1) <= best) return;
    for (std::size_t rank = first; rank < n_candidates_; ++rank) {
      const std::size_t k = order_[rank];
      if (mask >> k & 1 || (beyond && !(foremost_ >> k & 1))) continue;
      if (beyond || (depth + 1 == max_size && ((mask | (1u << k)) & ~foremost_))) {
        const std::uint32_t larger = mask | (1u << k);
        if (beyond ? !score_of_.count(larger) : !met(larger)) note(larger, score_with(depth, k, n_possible));
        continue;
      }
      const double next = enter(depth, k, n_possible);
      extend(depth + 1, mask | (1u << k), rank + 1, n_possible * n_known_codes(k), max_size, next,
             std::max(best, next));
    }
  }

  // Extends the best sets of one size by every candidate.
  void grow(std::size_t size, std::size_t width) {
    std::vector<ScoredSet> from;
    for (const ScoredSet& set : found_)
      if (popcount(set.mask) == size && beats_its_subsets(set)) from.push_back(set);
    sort_sets(from);
    if (from.size() > width) from.resize(width);
    // One after the other that begin alike: what they share is split once.
    std::sort(from.begin(), from.end(),
              [this](const ScoredSet& a, const ScoredSet& b) { return in_order(a.mask) > in_order(b.mask); });
    for (const ScoredSet& set : from) {
      if (nothing_to_grow(set.mask)) continue;
      const double n_possible = refine_by(set.mask);
      if (any_missing_) {
        settle(size, score(size, n_possible));
        value_[size] = set.score;
      }
      for (std::size_t k = 0; k < n_candidates_; ++k) {
        const std::uint32_t mask = set.mask | (1u << k);
        if (!met(mask) && !hopeless(set.mask, mask)) note(mask, score_with(size, k, n_possible));
      }
    }
  }

  // Whether the new member lost much beside each smaller set that it was tried with, and it was with two or
  // more. What it could tell only beside all the others is found where these are the centre.
  bool hopeless(std::uint32_t set, std::uint32_t larger) const {
    std::size_t n_known = 0;
    for (std::uint32_t rest = set; rest; rest &= rest - 1) {
      const std::uint32_t member = rest & (~rest + 1);
      const auto with = score_of_.find(larger & ~member), without = score_of_.find(set & ~member);
      if (with == score_of_.end() || without == score_of_.end()) continue;
      if (with->second > without->second - kHopeless) return false;
      ++n_known;
    }
    return n_known >= 2;
  }

  // Whether a set is scored already, or need not be.
  bool met(std::uint32_t mask) const { return settled(mask) || score_of_.count(mask); }

  bool nothing_to_grow(std::uint32_t mask) const {
    for (std::size_t k = 0; k < n_candidates_; ++k)
      if (!met(mask | (1u << k))) return false;
    return true;
  }

  // The bits of a set, those of strong candidates first.
  std::uint32_t in_order(std::uint32_t mask) const {
    std::uint32_t bits = 0;
    for (const std::size_t k : order_) bits = bits << 1 | (mask >> k & 1);
    return bits;
  }

  void explore(std::uint32_t centre, std::uint32_t required) {
    grow_by_one(centre, required);
    for (std::uint32_t rest = centre & ~required; rest; rest &= rest - 1)
      grow_by_one(centre & ~(rest & (~rest + 1)), required);
  }

  // Scores a set and all that have one member more, unless they are scored already.
  void grow_by_one(std::uint32_t mask, std::uint32_t required) {
    std::size_t depth = popcount(required);
    double n_possible = refine_by(required);
    settle(depth, score(depth, n_possible));
    double value = own_[depth];
    for (const std::size_t k : order_) {
      if (!((mask & ~required) >> k & 1)) continue;
      value = enter(depth++, k, n_possible);
      n_possible *= n_known_codes(k);
    }
    if (!score_of_.count(mask)) note(mask, value);
    for (std::size_t k = 0; k < n_candidates_; ++k)
      if (!score_of_.count(mask | (1u << k))) note(mask | (1u << k), score_with(depth, k, n_possible));
  }

  std::uint32_t every_candidate() const { return n_candidates_ == 32 ? ~0u : (1u << n_candidates_) - 1; }

  bool settled(std::uint32_t mask) const { return !(mask & ~settled_); }

  void note(std::uint32_t mask, double value) {
    value = ordered(value);
    found_.push_back({mask, value});
    score_of_[mask] = value;
  }

  // Sums beyond the range of numbers can come to "not a number", which no sort can place.
  static double ordered(double value) {
    return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
  }

  // A set with a member that adds nothing would only repeat, among the sets to grow, what is there without
  // it.
  bool beats_its_subsets(const ScoredSet& set) const {
    for (std::uint32_t rest = set.mask; rest; rest &= rest - 1) {
      const auto smaller = score_of_.find(set.mask & ~(rest & (~rest + 1)));
      if (smaller != score_of_.end() && smaller->second >= set.score) return false;
    }
    return true;
  }

  // Splits the columns by all candidates of a set, as far as they are not yet; returns how many
  // configurations these could have.
  double refine_by(std::uint32_t mask) {
    std::size_t depth = 0;
    double n_possible = 1;
    for (const std::size_t k : order_) {
      if (!(mask >> k & 1)) continue;
      if (depth >= path_.size() || path_[depth] != k) refine(depth, k);
      ++depth;
      n_possible *= n_known_codes(k);
    }
    return n_possible;
  }

  double n_known_codes(std::size_t k) const {
    return static_cast<double>(radices_[1 + k] - (any_missing_ && has_missing_[k] ? 1 : 0));
  }

  // Notes the score of the set at `depth` on the rows in which it is known, for now also as that on all rows.
  void settle(std::size_t depth, double own) {
    if (own_.size() <= depth) {
      own_.resize(depth + 1);
      value_.resize(depth + 1);
    }
    own_[depth] = value_[depth] = own;
  }

  void order_by_strength() {
    settle(0, score(0, 1.0));
    std::vector<double> alone(n_candidates_);
    for (std::size_t k = 0; k < n_candidates_; ++k) alone[k] = ordered(score_with(0, k, 1.0));
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return alone[a] > alone[b]; });
  }

  // Adds candidate k to the set at `depth` and returns the score of the larger set, which is then at depth
  // + 1.
  double enter(std::size_t depth, std::size_t k, double n_possible) {
    if (in_one_pass(depth, k) && by_bits(depth, k)) {
      const double value = score_with(depth, k, n_possible);
      refine(depth, k);
      return value;
    }
    refine(depth, k);
    const double own = score(depth + 1, n_possible * n_known_codes(k));
    if (!any_missing_) return own;
    const double share = static_cast<double>(n_scored_) / static_cast<double>(n_rows_);
    const double without =
        has_missing_[k] ? score_on(depth, weights_[depth + 1].data(), n_possible) : own_[depth];
    const double gain = own - without;
    settle(depth + 1, own);
    return value_[depth + 1] = value_[depth] + (share > 0 ? gain / share : gain);
  }

  // Splits the groups of columns at `depth` by candidate k, into those at depth + 1.
  void refine(std::size_t depth, std::size_t k) {
    if (groups_.size() == depth + 1) {
      groups_.emplace_back(n_columns_);
      n_groups_.push_back(0);
    }
    const std::uint32_t* from = groups_[depth].data();
    std::uint32_t* to = groups_[depth + 1].data();
    const Code* codes = variables_[1 + k];
    const std::size_t radix = static_cast<std::size_t>(radices_[1 + k]);
    stop_if_asked();
    path_.resize(depth);
    path_.push_back(k);
    bits_.forget(depth + 1);
    if (KeyNumbers::fit_an_array(n_groups_[depth] * radix, n_columns_))
      n_groups_[depth + 1] = split_in_array(from, codes, radix, n_groups_[depth] * radix, to);
    else
      n_groups_[depth + 1] = split_by_key(from, codes, radix, to);
    if (!any_missing_) return;
    if (weights_.size() == depth + 1) weights_.emplace_back(n_columns_);
    const Code missing = static_cast<Code>(radix - 1);
    for (std::size_t i = 0; i < n_columns_; ++i)
      weights_[depth + 1][i] = has_missing_[k] && codes[i] == missing ? 0 : weights_[depth][i];
  }

  std::uint32_t split_in_array(const std::uint32_t* from, const Code* codes, std::size_t radix,
                               std::size_t n_possible, std::uint32_t* to) {
    if (number_.size() < n_possible) number_.resize(n_possible, 0);
    touched_.clear();
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < n_columns_; ++i) {
      const std::size_t key = from[i] * radix + codes[i];
      if (!number_[key]) {
        number_[key] = ++n;
        touched_.push_back(key);
      }
      to[i] = number_[key] - 1;
    }
    for (const std::size_t key : touched_) number_[key] = 0;
    return n;
  }

  // The same where the possible groups are too many for an array: variables of thousands of levels.
  std::uint32_t split_by_key(const std::uint32_t* from, const Code* codes, std::size_t radix,
                             std::uint32_t* to) {
    key_numbers_.reset(n_columns_);
    for (std::size_t i = 0; i < n_columns_; ++i) to[i] = key_numbers_.of(from[i] * radix + codes[i]);
    return key_numbers_.size();
  }

  // The score of the set at `depth` on the rows in which all its members are known.
  double score(std::size_t depth, double n_possible) {
    return score_on(depth, any_missing_ ? weights_[depth].data() : counts_, n_possible);
  }

  // The same on rows counted otherwise.
  double score_on(std::size_t depth, const std::int64_t* counts, double n_possible) {
    const std::uint32_t* group = groups_[depth].data();
    const Code* target = variables_[0];
    const std::size_t n_groups = n_groups_[depth], radix = static_cast<std::size_t>(radices_[0]);
    stop_if_asked();
    // In an array with a place for every possible cell, or where that is too large for those that occur.
    const bool in_array = KeyNumbers::fit_an_array(n_groups * radix, n_columns_);
    const std::size_t n_places = in_array ? n_groups * radix : n_columns_;
    if (cell_.size() < n_places) cell_.resize(n_places, 0);
    if (!in_array) key_numbers_.reset(n_columns_);
    touched_.clear();
    labels_.clear();
    family_.clear();
    std::int64_t n_rows = 0;
    for (std::size_t i = 0; i < n_columns_; ++i) {
      if (!counts[i]) continue;
      std::size_t key = group[i] * radix + target[i];
      if (!in_array) key = key_numbers_.of(key);
      if (!cell_[key]) {
        touched_.push_back(key);
        labels_.push_back(target[i]);
      }
      cell_[key] += counts[i];
      group_size_[group[i]] += counts[i];
      n_rows += counts[i];
    }
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      family_.add_cell(labels_[i], cell_[touched_[i]]);
      cell_[touched_[i]] = 0;
    }
    std::size_t n_known = 0;
    for (std::size_t g = 0; g < n_groups; ++g) {
      if (!group_size_[g]) continue;
      family_.add_configuration(group_size_[g]);
      group_size_[g] = 0;
      ++n_known;
    }
    n_scored_ = n_rows;
    limit_ = limit_of(n_rows, n_known);
    return value_of(depth, n_rows, n_known, n_possible);
  }

  bool in_one_pass(std::size_t depth, std::size_t k) const {
    return n_groups_[depth] * static_cast<std::size_t>(radices_[1 + k] * radices_[0]) <= 2 * n_columns_;
  }

  // With missing cells, rows have other weights at each depth.
  bool by_bits(std::size_t depth, std::size_t k) const {
    return !any_missing_ && bits_.pay_off(n_groups_[depth], k);
  }

  // The score of the set at `depth` with candidate k. Where there are few possible cells the columns are not
  // split first: one pass over them, instead of two with a branch each, is most of the work saved.
  double score_with(std::size_t depth, std::size_t k, double n_possible) {
    const std::size_t radix = static_cast<std::size_t>(radices_[0]);
    const std::size_t n_codes = static_cast<std::size_t>(radices_[1 + k]),
                      n_split = n_groups_[depth] * n_codes;
    if (!in_one_pass(depth, k)) return enter(depth, k, n_possible);
    stop_if_asked();
    if (cell_.size() < n_split * radix) cell_.resize(n_split * radix, 0);
    std::int64_t* cell = cell_.data();
    if (by_bits(depth, k)) {
      bits_.count(path_, depth, groups_, n_groups_, k, cell);
    } else {
      const std::uint32_t* group = groups_[depth].data();
      const Code *target = variables_[0], *codes = variables_[1 + k];
      const std::int64_t* counts = any_missing_ ? weights_[depth].data() : counts_;
      for (std::size_t i = 0; i < n_columns_; ++i)
        cell[(group[i] * n_codes + codes[i]) * radix + target[i]] += counts[i];
    }
    if (any_missing_) return value_with(depth, k, n_possible);
    n_possible *= static_cast<double>(n_codes);
    family_.clear();
    std::size_t n_groups = 0;
    for (std::size_t g = 0; g < n_split; ++g, cell += radix) {
      std::int64_t size = 0;
      for (std::size_t t = 0; t < radix; ++t) {
        if (cell[t]) family_.add_cell(t, cell[t]);
        size += cell[t];
        cell[t] = 0;
      }
      if (!size) continue;
      family_.add_configuration(size);
      ++n_groups;
    }
    limit_ = limit_of(n_rows_, n_groups);
    return value_of(depth + 1, n_rows_, n_groups, n_possible);
  }

  // What enter() returns, from counts in cell_ of each group, code of candidate k and label, which are taken
  // away. The last code may stand for a missing cell.
  double value_with(std::size_t depth, std::size_t k, double n_possible) {
    const std::size_t radix = static_cast<std::size_t>(radices_[0]);
    const std::size_t n_codes = static_cast<std::size_t>(radices_[1 + k]);
    const std::size_t n_known = n_codes - (has_missing_[k] ? 1 : 0);
    without_.clear();
    family_.clear();
    label_.assign(radix, 0);
    std::int64_t n_rows = 0;
    std::size_t n_groups = 0, n_groups_without = 0;
    std::int64_t* cell = cell_.data();
    for (std::size_t g = 0; g < n_groups_[depth]; ++g) {
      std::int64_t size_without = 0;
      for (std::size_t code = 0; code < n_codes; ++code, cell += radix) {
        std::int64_t size = 0;
        for (std::size_t t = 0; t < radix; ++t) {
          if (code < n_known && cell[t]) {
            family_.add_cell(t, cell[t]);
            label_[t] += cell[t];
            size += cell[t];
          }
          cell[t] = 0;
        }
        if (!size) continue;
        family_.add_configuration(size);
        ++n_groups;
        size_without += size;
      }
      if (!size_without) continue;
      without_.add_configuration(size_without);
      ++n_groups_without;
      n_rows += size_without;
      for (std::size_t t = 0; t < radix; ++t) {
        if (label_[t]) without_.add_cell(t, label_[t]);
        label_[t] = 0;
      }
    }
    const double own = value_of(depth + 1, n_rows, n_groups, n_possible * n_known_codes(k));
    double without = own_[depth];
    if (has_missing_[k]) {
      std::swap(family_, without_);
      without = value_of(depth, n_rows, n_groups_without, n_possible);
    }
    const double share = static_cast<double>(n_rows) / static_cast<double>(n_rows_), gain = own - without;
    return value_[depth] + (share > 0 ? gain / share : gain);
  }

  // From the counts in family_.
  double value_of(std::size_t depth, std::int64_t n_rows, std::size_t n_groups, double n_possible) {
    const double n = static_cast<double>(n_rows), levels = static_cast<double>(radices_[0]);
    const double q = rule_.observed ? static_cast<double>(n_groups) : n_possible;
    const double cost = rule_.parent_cost * static_cast<double>(depth);
    if (!n_rows) return -cost;  // no row in which all are known says nothing
    if (rule_.kind == ScoreKind::kBd || rule_.kind == ScoreKind::kBdeu) return log_mean(n, q) - cost;
    const double likelihood = family_.cells().sum_log() - family_.configurations().sum_log();
    if (rule_.kind == ScoreKind::kQnml)
      return likelihood - log_regret(n, n_possible * levels) + log_regret(n, n_possible) - cost;
    return likelihood - rule_.parameters[0] * 0.5 * std::log(n) * q * (levels - 1) - cost;
  }

  // No refinement of the groups in family_ scores higher, apart from what its parents cost.
  double limit_of(std::int64_t n_rows, std::size_t n_groups) {
    if (any_missing_) return std::numeric_limits<double>::infinity();  // gains are then scaled up
    const double levels = static_cast<double>(radices_[0]);
    // The first row of a configuration has probability 1 / levels, whatever the sample size.
    const double even = -std::log(levels) * static_cast<double>(family_.cells().size());
    switch (rule_.kind) {
      case ScoreKind::kBdeu:
        return even;
      case ScoreKind::kBd:
        return std::max({even, family_.most_about_margin(), family_.margin()});
      case ScoreKind::kQnml:  // a likelihood of at most one, at no cost
        return 0;
      default:
        return -rule_.parameters[0] * 0.5 * std::log(static_cast<double>(n_rows)) *
               static_cast<double>(n_groups) * (levels - 1);
    }
  }

  // Over the sample sizes and, for every second of them, over both means that the prior may have:
  // neighbouring sizes find the same, and a margin takes time to learn.
  double log_mean(double n, double q) {
    LogMean mean;
    for (std::size_t i = 0; i < rule_.parameters.size(); ++i) {
      const double sample_size = rule_.parameters[i];
      const bool finite = !std::isinf(sample_size);
      mean.add(finite ? family_.even(sample_size / q) : -n * std::log(static_cast<double>(radices_[0])));
      if (rule_.kind == ScoreKind::kBd && i % 2)
        mean.add(finite ? family_.about_margin(sample_size / q) : family_.margin());
    }
    return mean.value();
  }

  const std::vector<const Code*> variables_;
  const std::int64_t* counts_;
  const std::int64_t* radices_;
  std::size_t n_columns_, n_candidates_;
  ScoreRule rule_;
  std::vector<bool> has_missing_;  // of each candidate
  bool any_missing_;
  std::int64_t n_rows_ = 0;
  std::vector<std::vector<std::uint32_t>> groups_;
  std::vector<std::size_t> n_groups_;
  std::vector<std::size_t> path_;  // candidates by which the columns are split, one more at each depth
  std::vector<std::int64_t> group_size_, cell_;
  std::vector<std::uint32_t> number_;
  std::vector<std::size_t> touched_, labels_;  // cells that occur, and their labels
  KeyNumbers key_numbers_;
  RowBits<Code> bits_;
  FamilyCounts family_, without_;
  std::vector<std::int64_t> label_;  // of one group: rows of each label of the target
  std::vector<std::vector<std::int64_t>>
      weights_;                      // by depth: counts, 0 where a member of the set is missing
  std::vector<double> own_, value_;  // by depth, see settle()
  std::vector<std::size_t> order_;   // of the candidates, see order_by_strength()
  std::int64_t n_scored_ = 0;        // rows of the last score
  std::uint32_t foremost_ = 0;       // see score_sets()
  std::uint32_t settled_ = 0;        // see leave_out_sets_of()
  bool all_settled_ = false;
  double limit_ = 0;  // see limit_of(), of the set last refined and scored
  std::vector<ScoredSet> found_;
  std::unordered_map<std::uint32_t, double> score_of_;
};

}  // namespace bnsieve
