// Exact inference for rows with missing cells: one target of one row at a time.
//
// For each row the walk finds what bears on the target given the row's known cells (Shachter's Bayes
// ball, 1998): its tables, cut down to their unknown variables, are a small network of their own. How to
// sum that out is planned once per such network and kept, since most rows share a few. Rows do not depend
// on each other, so that they can be answered in any order and by any number of threads.
//
// Messages are scaled when they become small. Where a product could still become too small for a double,
// logarithms are added instead.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "elimination_order.hpp"

namespace bnsieve {

constexpr double kSafeProduct = 1e-280;   // what cannot underflow when a few more factors come
constexpr double kSmallMessage = 1e-100;  // below this a message is scaled
constexpr double kCheapPlan = 2048;       // cells; a better order than the first is not looked for
constexpr std::size_t kPlanBytes = std::size_t{1} << 26;  // of the plans that are kept

constexpr double kPlanningWork = 15;  // cells that take as long as planning one pair of variables

struct NetworkTables {
  std::vector<std::int32_t> n_levels;
  std::vector<std::int64_t> parent_start;  // of each variable; one more at the end
  std::vector<std::int32_t> parents;
  std::vector<std::int64_t> child_start;
  std::vector<std::int32_t> children;
  std::vector<std::int64_t> table_start;
  std::vector<double> tables;    // parents first, the variable itself last
  std::vector<double> smallest;  // cell of each table that is not 0

  std::size_t n_variables() const { return n_levels.size(); }
};

enum class RowState : std::uint8_t { kAnswered = 0, kImpossible = 1, kTooLarge = 2 };

// A factor of one step: a table of the network at some cells, or an earlier message.
struct PlannedFactor {
  std::int32_t table;                 // variable whose table it is; -1 for a message
  std::int32_t message;               // number of the message, or -1
  std::vector<std::int64_t> strides;  // for each variable of the clique; 0 where it has none
};

// One clique: its factors are multiplied, and its last variable summed out.
struct PlannedStep {
  std::vector<std::int32_t> radices;  // of the clique's variables, the one summed out last
  std::size_t n_result;               // cells of the message
  std::size_t offset;                 // where it lies
  std::vector<PlannedFactor> factors;
};

struct RowPlan {
  std::vector<std::int32_t> signature;
  std::vector<std::int32_t> tables;                                       // all that take part
  std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>> known;  // per table: parent or self, stride
  std::vector<std::int32_t> constants;                                    // tables without unknown variables
  std::vector<PlannedStep> steps;
  std::vector<PlannedFactor> last;  // factors of the target alone, or of nothing
  std::size_t n_cells = 0;          // of all messages
  double work = 0;                  // to plan and to run it, in cells of cliques
  bool too_large = false;
};

class RowInference {
 public:
  RowInference(const NetworkTables& network, std::size_t max_cells)
      : net_(network),
        max_cells_(max_cells),
        seen_(network.n_variables(), 0),
        local_(network.n_variables(), -1),
        base_(network.n_variables(), 0) {}

  // The distribution of the target given a row's known cells (negative: unknown).
  RowState margin(const std::int32_t* row, std::int32_t target, double* probabilities) {
    signature_.clear();
    walk(row, target);
    const RowPlan& plan = planned(row, target);
    work_ += plan.work;
    if (plan.too_large) return RowState::kTooLarge;
    double log_scale = 0;
    if (!run(plan, row, log_scale)) return RowState::kImpossible;
    return finish(plan, net_.n_levels[target], probabilities, log_scale) ? RowState::kAnswered
                                                                         : RowState::kImpossible;
  }

  // What all margins so far took, in cells of cliques.
  double work() const { return work_; }

  // The natural logarithm of the probability of a row's known cells.
  RowState log_probability(const std::int32_t* row, double* logarithm) {
    const std::size_t n = net_.n_variables();
    if (std::all_of(row, row + n, [](std::int32_t code) { return code >= 0; })) {
      *logarithm = 0;
      for (std::size_t v = 0; v < n; ++v)
        *logarithm += std::log(net_.tables[start_of(static_cast<std::int32_t>(v), row)]);
      return RowState::kAnswered;
    }
    signature_.clear();
    ancestors(row);
    const RowPlan& plan = planned(row, -1);
    if (plan.too_large) return RowState::kTooLarge;
    double log_scale = 0, one = 1;
    *logarithm = -std::numeric_limits<double>::infinity();
    for (const std::int32_t v : plan.constants) {
      const double cell = net_.tables[start_of(v, row)];
      if (!(cell > 0)) return RowState::kImpossible;
      log_scale += std::log(cell);
    }
    if (!run(plan, row, log_scale)) return RowState::kImpossible;
    if (!finish(plan, 1, &one, log_scale)) return RowState::kImpossible;
    *logarithm = log_scale;
    return RowState::kAnswered;
  }

 private:
  // Marks of the walk; see Shachter.
  static constexpr char kTop = 1, kBottom = 2, kFromChild = 4, kFromParent = 8;

  void visit(std::int32_t v, char from) {
    if (seen_[v] & from) return;
    if (!seen_[v]) visited_.push_back(v);
    seen_[v] |= from;
    stack_.push_back({v, from});
  }

  // Fill `signature_` with the tables that the target's distribution needs.
  void walk(const std::int32_t* row, std::int32_t target) {
    visited_.clear();
    visit(target, kFromChild);
    while (!stack_.empty()) {
      const auto [v, from] = stack_.back();
      stack_.pop_back();
      const bool known = row[v] >= 0 && v != target;
      if (known && from == kFromChild) continue;
      const bool up = known || from == kFromChild;
      if (up && !(seen_[v] & kTop)) {
        seen_[v] |= kTop;
        for (auto p = net_.parent_start[v]; p < net_.parent_start[v + 1]; ++p)
          visit(net_.parents[p], kFromChild);
      }
      if (!known && !(seen_[v] & kBottom)) {
        seen_[v] |= kBottom;
        for (auto c = net_.child_start[v]; c < net_.child_start[v + 1]; ++c)
          visit(net_.children[c], kFromParent);
      }
    }
    std::sort(visited_.begin(), visited_.end());
    signature_.push_back(target);
    for (const std::int32_t v : visited_) {
      // A variable that is only walked through has no say.
      const bool known = row[v] >= 0 && v != target;
      if (seen_[v] & kTop)
        signature_.push_back(4 * v + 2 + known);
      else if (seen_[v] & kFromChild)
        signature_.push_back(4 * v + known);
      seen_[v] = 0;
    }
  }

  // Fill `signature_` with the known variables and all their ancestors.
  void ancestors(const std::int32_t* row) {
    visited_.clear();
    for (std::size_t v = 0; v < net_.n_variables(); ++v)
      if (row[v] >= 0) visit(static_cast<std::int32_t>(v), kTop);
    while (!stack_.empty()) {
      const std::int32_t v = stack_.back().first;
      stack_.pop_back();
      for (auto p = net_.parent_start[v]; p < net_.parent_start[v + 1]; ++p) visit(net_.parents[p], kTop);
    }
    std::sort(visited_.begin(), visited_.end());
    signature_.push_back(-1);
    for (const std::int32_t v : visited_) {
      signature_.push_back(4 * v + 2 + (row[v] >= 0));
      seen_[v] = 0;
    }
  }

  const RowPlan& planned(const std::int32_t* row, std::int32_t target) {
    std::uint64_t hash = 1469598103934665603u;
    for (const std::int32_t word : signature_)
      hash = (hash ^ static_cast<std::uint32_t>(word)) * 1099511628211u;
    auto& bucket = plans_[hash];
    for (const auto& plan : bucket)
      if (plan->signature == signature_) return *plan;
    if (plan_bytes_ > kPlanBytes) {
      plans_.clear();
      plan_bytes_ = 0;
    }
    auto plan = std::make_unique<RowPlan>();
    make_plan(row, target, *plan);
    plan_bytes_ += size_of(*plan);
    auto& home = plans_[hash];
    home.push_back(std::move(plan));
    return *home.back();
  }

  // About how many bytes a plan takes.
  static std::size_t size_of(const RowPlan& plan) {
    std::size_t bytes = sizeof(RowPlan) + 4 * (plan.signature.size() + plan.tables.size()) + 64;
    for (const auto& known : plan.known) bytes += sizeof(known) + 16 * known.size() + 16;
    for (const PlannedStep& step : plan.steps) {
      bytes += sizeof(step) + 4 * step.radices.size() + 32;
      for (const PlannedFactor& factor : step.factors)
        bytes += sizeof(factor) + 8 * factor.strides.size() + 16;
    }
    return bytes + plan.last.size() * (sizeof(PlannedFactor) + 24);
  }

  struct Scoped {
    std::vector<std::int32_t> scope;  // local numbers
    std::vector<std::int64_t> strides;
    std::int32_t table, message;
  };

  void make_plan(const std::int32_t* row, std::int32_t target, RowPlan& plan) {
    plan.signature = signature_;
    std::vector<std::int32_t> open;  // local number -> variable
    std::vector<Scoped> factors;
    for (std::size_t i = 1; i < signature_.size(); ++i) {
      if (!(signature_[i] & 2)) continue;
      const std::int32_t v = signature_[i] >> 2;
      Scoped factor{{}, {}, v, -1};
      std::vector<std::pair<std::int32_t, std::int64_t>> known;
      std::int64_t stride = 1;
      const auto add = [&](std::int32_t member) {
        if (row[member] >= 0 && member != target) {
          known.push_back({member, stride});
        } else {
          if (local_[member] < 0) {
            local_[member] = static_cast<std::int32_t>(open.size());
            open.push_back(member);
          }
          factor.scope.push_back(local_[member]);
          factor.strides.push_back(stride);
        }
        stride *= net_.n_levels[member];
      };
      add(v);
      for (auto p = net_.parent_start[v + 1]; p-- > net_.parent_start[v];) add(net_.parents[p]);
      if (factor.scope.empty()) {
        plan.constants.push_back(v);
      } else {
        plan.tables.push_back(v);
        plan.known.push_back(std::move(known));
        factors.push_back(std::move(factor));
      }
    }
    std::vector<std::int32_t> stage(open.size(), 0);
    std::vector<double> logs(open.size());
    for (std::size_t i = 0; i < open.size(); ++i) logs[i] = std::log2(net_.n_levels[open[i]]);
    if (target >= 0) stage[local_[target]] = -1;
    for (const std::int32_t v : open) local_[v] = -1;
    choose_order(factors, logs, stage);
    plan.work = order_.cells + kPlanningWork * static_cast<double>(open.size() * open.size());
    plan_steps(open, factors, plan);
  }

  void choose_order(const std::vector<Scoped>& factors, const std::vector<double>& logs,
                    const std::vector<std::int32_t>& stage) {
    order_.cells = std::numeric_limits<double>::infinity();
    for (const OrderRule rule : {OrderRule::kWeight, OrderRule::kFill, OrderRule::kWeightedFill}) {
      graph_.reset(logs.size());
      for (const Scoped& factor : factors) graph_.join(factor.scope.data(), factor.scope.size());
      greedy_.run(graph_, logs.data(), stage.data(), 1, rule, other_);
      if (other_.cells < order_.cells) std::swap(order_, other_);
      if (order_.cells <= kCheapPlan) break;
    }
  }

  void plan_steps(const std::vector<std::int32_t>& open, std::vector<Scoped>& factors, RowPlan& plan) {
    double cells = 0;
    std::vector<std::vector<std::int32_t>> holding(open.size());  // factors of each variable
    std::vector<char> used(factors.size(), 0);
    for (std::size_t f = 0; f < factors.size(); ++f)
      for (const std::int32_t v : factors[f].scope) holding[v].push_back(static_cast<std::int32_t>(f));
    std::vector<std::int32_t> place(open.size(), -1);
    for (std::size_t s = 0; s < order_.variables.size(); ++s) {
      const std::int32_t v = order_.variables[s];
      // The scope from the factors themselves: the order's cliques are the same.
      std::vector<std::int32_t> scope(order_.members.begin() + order_.starts[s],
                                      order_.members.begin() + order_.starts[s + 1]);
      double size = 1;
      for (const std::int32_t w : scope) size *= net_.n_levels[open[w]];
      cells += size;
      if (cells > static_cast<double>(max_cells_)) {
        plan.too_large = true;
        plan.steps.clear();
        return;
      }
      PlannedStep step;
      for (std::size_t i = 0; i < scope.size(); ++i) place[scope[i]] = static_cast<std::int32_t>(i);
      place[v] = static_cast<std::int32_t>(scope.size());
      for (const std::int32_t w : scope) step.radices.push_back(net_.n_levels[open[w]]);
      step.radices.push_back(net_.n_levels[open[v]]);
      step.n_result = static_cast<std::size_t>(size);
      step.offset = plan.n_cells;
      plan.n_cells += step.n_result;
      for (const std::int32_t f : holding[v]) {
        if (used[f]) continue;
        used[f] = 1;
        PlannedFactor factor{factors[f].table, factors[f].message,
                             std::vector<std::int64_t>(scope.size() + 1, 0)};
        for (std::size_t i = 0; i < factors[f].scope.size(); ++i)
          factor.strides[place[factors[f].scope[i]]] = factors[f].strides[i];
        step.factors.push_back(std::move(factor));
      }
      Scoped message{scope, std::vector<std::int64_t>(scope.size(), 1), -1, static_cast<std::int32_t>(s)};
      for (std::size_t i = scope.size(); i-- > 1;)
        message.strides[i - 1] = message.strides[i] * net_.n_levels[open[scope[i]]];
      for (const std::int32_t w : scope) holding[w].push_back(static_cast<std::int32_t>(factors.size()));
      factors.push_back(std::move(message));
      used.push_back(0);
      plan.steps.push_back(std::move(step));
    }
    for (std::size_t f = 0; f < factors.size(); ++f)
      if (!used[f])
        plan.last.push_back({factors[f].table, factors[f].message,
                             factors[f].strides.empty() ? std::vector<std::int64_t>{0} : factors[f].strides});
  }

  std::int64_t start_of(std::int32_t v, const std::int32_t* row) const {
    std::int64_t cell = row[v], stride = net_.n_levels[v];
    for (auto p = net_.parent_start[v + 1]; p-- > net_.parent_start[v];) {
      cell += stride * row[net_.parents[p]];
      stride *= net_.n_levels[net_.parents[p]];
    }
    return net_.table_start[v] + cell;
  }

  const double* cells_of(const PlannedFactor& factor, const RowPlan& plan) const {
    return factor.table >= 0 ? net_.tables.data() + base_[factor.table]
                             : messages_.data() + plan.steps[factor.message].offset;
  }
  double smallest_of(const PlannedFactor& factor) const {
    return factor.table >= 0 ? net_.smallest[factor.table] : smallest_[factor.message];
  }

  bool run(const RowPlan& plan, const std::int32_t* row, double& log_scale) {
    for (std::size_t i = 0; i < plan.tables.size(); ++i) {
      std::int64_t base = net_.table_start[plan.tables[i]];
      for (const auto& [member, stride] : plan.known[i]) base += stride * row[member];
      base_[plan.tables[i]] = base;
    }
    if (messages_.size() < plan.n_cells) messages_.resize(plan.n_cells);
    smallest_.resize(plan.steps.size());
    for (std::size_t s = 0; s < plan.steps.size(); ++s)
      if (!run_step(plan, s, log_scale)) return false;
    return true;
  }

  bool run_step(const RowPlan& plan, std::size_t s, double& log_scale) {
    const PlannedStep& step = plan.steps[s];
    double* result = messages_.data() + step.offset;
    const std::size_t k = step.factors.size(), n_dims = step.radices.size() - 1;
    double safe = 1;
    cells_.resize(k);
    for (std::size_t f = 0; f < k; ++f) {
      cells_[f] = cells_of(step.factors[f], plan);
      safe *= smallest_of(step.factors[f]);
    }
    if (safe > kSafeProduct)
      multiply_and_sum(step, k, n_dims, result);
    else if (!add_logarithms(step, k, n_dims, result, log_scale))
      return false;
    double top = 0, least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < step.n_result; ++i) {
      top = std::max(top, result[i]);
      if (result[i] > 0) least = std::min(least, result[i]);
    }
    if (!(top > 0)) return false;
    if (top < kSmallMessage) {
      for (std::size_t i = 0; i < step.n_result; ++i) result[i] /= top;
      log_scale += std::log(top);
      least /= top;
    }
    smallest_[s] = std::min(1.0, least);
    return true;
  }

  // Advance the cells of all factors to the next cell of the message.
  void advance(const PlannedStep& step, std::size_t k, std::size_t n_dims) {
    for (std::size_t d = n_dims; d-- > 0;) {
      if (++digits_[d] < step.radices[d]) {
        for (std::size_t f = 0; f < k; ++f) cells_[f] += step.factors[f].strides[d];
        return;
      }
      digits_[d] = 0;
      for (std::size_t f = 0; f < k; ++f) cells_[f] -= step.factors[f].strides[d] * (step.radices[d] - 1);
    }
  }

  void multiply_and_sum(const PlannedStep& step, std::size_t k, std::size_t n_dims, double* result) {
    const std::int32_t n = step.radices[n_dims];
    digits_.assign(n_dims, 0);
    const auto stride = [&](std::size_t f) { return step.factors[f].strides[n_dims]; };
    for (std::size_t i = 0; i < step.n_result; ++i) {
      double sum = 0;
      if (k == 1) {
        const std::int64_t s0 = stride(0);
        for (std::int32_t x = 0; x < n; ++x) sum += cells_[0][x * s0];
      } else if (k == 2) {
        const std::int64_t s0 = stride(0), s1 = stride(1);
        for (std::int32_t x = 0; x < n; ++x) sum += cells_[0][x * s0] * cells_[1][x * s1];
      } else if (k == 3) {
        const std::int64_t s0 = stride(0), s1 = stride(1), s2 = stride(2);
        for (std::int32_t x = 0; x < n; ++x) sum += cells_[0][x * s0] * cells_[1][x * s1] * cells_[2][x * s2];
      } else {
        for (std::int32_t x = 0; x < n; ++x) {
          double cell = cells_[0][x * stride(0)];
          for (std::size_t f = 1; f < k; ++f) cell *= cells_[f][x * stride(f)];
          sum += cell;
        }
      }
      result[i] = sum;
      advance(step, k, n_dims);
    }
  }

  // The same, by logarithms: the largest term of the whole clique becomes 1.
  bool add_logarithms(const PlannedStep& step, std::size_t k, std::size_t n_dims, double* result,
                      double& log_scale) {
    const std::vector<const double*> first = cells_;
    const std::int32_t n = step.radices[n_dims];
    const auto term = [&](std::int32_t x) {
      double sum = 0;
      for (std::size_t f = 0; f < k; ++f) sum += std::log(cells_[f][x * step.factors[f].strides[n_dims]]);
      return sum;
    };
    double top = -std::numeric_limits<double>::infinity();
    digits_.assign(n_dims, 0);
    for (std::size_t i = 0; i < step.n_result; ++i) {
      for (std::int32_t x = 0; x < n; ++x) top = std::max(top, term(x));
      advance(step, k, n_dims);
    }
    if (top == -std::numeric_limits<double>::infinity()) return false;
    cells_ = first;
    digits_.assign(n_dims, 0);
    for (std::size_t i = 0; i < step.n_result; ++i) {
      result[i] = 0;
      for (std::int32_t x = 0; x < n; ++x) result[i] += std::exp(term(x) - top);
      advance(step, k, n_dims);
    }
    log_scale += top;
    return true;
  }

  // Multiply what is left: factors of the target alone. With one level, a number.
  bool finish(const RowPlan& plan, std::int32_t n_levels, double* probabilities, double& log_scale) {
    double top = -std::numeric_limits<double>::infinity(), safe = 1;
    for (const PlannedFactor& factor : plan.last) safe *= smallest_of(factor);
    const bool logarithms = !(safe > kSafeProduct);
    for (std::int32_t x = 0; x < n_levels; ++x) {
      double cell = logarithms ? 0 : 1;
      for (const PlannedFactor& factor : plan.last) {
        const double value = cells_of(factor, plan)[x * factor.strides[0]];
        if (logarithms)
          cell += std::log(value);
        else
          cell *= value;
      }
      probabilities[x] = cell;
      top = std::max(top, cell);
    }
    if (logarithms) {
      if (top == -std::numeric_limits<double>::infinity()) return false;
      log_scale += top;
      for (std::int32_t x = 0; x < n_levels; ++x) probabilities[x] = std::exp(probabilities[x] - top);
    }
    double sum = 0;
    for (std::int32_t x = 0; x < n_levels; ++x) sum += probabilities[x];
    if (!(sum > 0)) return false;
    for (std::int32_t x = 0; x < n_levels; ++x) probabilities[x] /= sum;
    log_scale += std::log(sum);
    return true;
  }

  const NetworkTables& net_;
  std::size_t max_cells_;
  std::unordered_map<std::uint64_t, std::vector<std::unique_ptr<RowPlan>>> plans_;
  std::size_t plan_bytes_ = 0;
  double work_ = 0;
  std::vector<char> seen_;
  std::vector<std::int32_t> local_, visited_, signature_, digits_;
  std::vector<std::int64_t> base_;
  std::vector<std::pair<std::int32_t, char>> stack_;
  std::vector<double> messages_, smallest_;
  std::vector<const double*> cells_;
  Neighbourhoods graph_;
  GreedyOrder greedy_;
  EliminationOrder order_, other_;
};

}  // namespace bnsieve
