// Parent-set scores and the search over orders, for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bind.hpp"
#include "order_search.hpp"
#include "scores.hpp"

namespace bnsieve {
namespace {

ScoreRule rule_of(const std::string& kind, const In<double, 1>& parameters, bool observed,
                  double parent_cost) {
  require(parameters.shape(0) > 0, "a score needs at least one parameter");
  require(std::isfinite(parent_cost), "what a parent costs must be a number");
  ScoreRule rule{
      ScoreKind::kBic, {parameters.data(), parameters.data() + parameters.shape(0)}, observed, parent_cost};
  if (kind == "bdeu" || kind == "bd") {
    for (const double sample_size : rule.parameters)
      require(sample_size > 0, "sample sizes must be above zero");
    rule.kind = kind == "bd" ? ScoreKind::kBd : ScoreKind::kBdeu;
  } else if (kind == "qnml") {
    rule.kind = ScoreKind::kQnml;
  } else {
    require(kind == "bic", ("unknown score '" + kind + "'; choose one of: bd, bdeu, bic, qnml").c_str());
    require(std::isfinite(rule.parameters[0]), "the factor of the penalty must be a number");
  }
  return rule;
}

// Which variables have missing cells, coded radix - 1; none if nothing is given.
std::vector<bool> flags_of(const std::optional<In<bool, 1>>& missing, std::size_t n_variables) {
  if (!missing) return {};
  require(missing->shape(0) == n_variables, "there must be one flag of missing cells per variable");
  return std::vector<bool>(missing->data(), missing->data() + n_variables);
}

// Kernels index arrays by these codes and do not look again. A larger radix could make products of them
// overflow.
constexpr std::int64_t kMaxRadix = 1 << 16;

template <typename Code>
void check_codes(const In<Code, 2>& codes, const In<std::int64_t, 1>& radices) {
  require(codes.shape(0) == radices.shape(0), "there must be one radix per row of codes");
  require(codes.shape(1) > 0, "scores need at least one row");
  const Code* row = codes.data();
  for (std::size_t v = 0; v < codes.shape(0); ++v, row += codes.shape(1)) {
    const std::int64_t largest = *std::max_element(row, row + codes.shape(1));
    require(largest < radices.data()[v], "a code is not below its variable's radix");
    require(radices.data()[v] <= kMaxRadix, "a radix is above 65,536");
  }
}

// Kernels use sums of counts as sizes: none may be negative, nor overflow.
void check_counts(const In<std::int64_t, 1>& counts) {
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < counts.shape(0); ++i) {
    const std::int64_t count = counts.data()[i];
    require(count >= 0, "a count is negative");
    require(count <= room, "the counts add up to more than 2^63 - 1");
    room -= count;
  }
}

template <typename Code>
std::pair<Array<std::uint32_t>, Array<double>> score_parent_sets(
    In<Code, 2> configurations, In<std::int64_t, 1> counts, In<std::int64_t, 1> radices,
    const std::string& kind, In<double, 1> parameters, bool observed, double parent_cost,
    std::size_t complete_size, std::size_t max_size, std::size_t width, std::uint32_t required,
    std::uint32_t centre, std::optional<In<bool, 1>> missing, std::uint32_t foremost,
    std::optional<std::tuple<In<std::uint32_t, 1>, In<double, 1>, std::uint32_t>> known) {
  check_codes(configurations, radices);
  require(configurations.shape(1) == counts.shape(0), "counts must have one entry per configuration");
  check_counts(counts);
  require(radices.shape(0) >= 1 && radices.shape(0) <= 33,
          "parent sets are scored among at most 32 candidates");
  require(radices.shape(0) == 33 || (required | centre | foremost) >> (radices.shape(0) - 1) == 0,
          "a given parent is not a candidate");
  if (known) {
    const auto& [sets, values, settled] = *known;
    require(sets.shape(0) == values.shape(0), "every known set needs a score");
    std::uint32_t members = settled;
    for (std::size_t i = 0; i < sets.shape(0); ++i) members |= sets.data()[i];
    require(radices.shape(0) == 33 || members >> (radices.shape(0) - 1) == 0,
            "a known set has a member that is no candidate");
  }
  const ScoreRule rule = rule_of(kind, parameters, observed, parent_cost);
  std::vector<bool> flags = flags_of(missing, radices.shape(0));
  if (!flags.empty()) flags.erase(flags.begin());  // of the target, whose cells are all known
  std::vector<std::uint32_t> masks;
  std::vector<double> scores;
  {
    nb::gil_scoped_release release;
    std::vector<const Code*> variables;
    for (std::size_t v = 0; v < radices.shape(0); ++v)
      variables.push_back(configurations.data() + v * counts.shape(0));
    ParentSetScorer<Code> scorer(variables, counts.data(), counts.shape(0), radices.data(), rule, flags);
    if (known) {
      const auto& [sets, values, settled] = *known;
      for (std::size_t i = 0; i < sets.shape(0); ++i) scorer.note_known(sets.data()[i], values.data()[i]);
      scorer.leave_out_sets_of(settled);
    }
    for (const ScoredSet& set :
         scorer.score_sets(complete_size, max_size, width, required, centre, foremost)) {
      masks.push_back(set.mask);
      scores.push_back(set.score);
    }
  }
  return {to_array(std::move(masks)), to_array(std::move(scores))};
}

template <typename Code>
Array<double> score_additions(In<Code, 2> codes, In<std::int64_t, 1> radices, std::size_t target,
                              In<std::int64_t, 1> parents, const std::string& kind, In<double, 1> parameters,
                              bool observed, double parent_cost, std::optional<In<bool, 1>> missing) {
  const std::size_t n = codes.shape(0), n_rows = codes.shape(1);
  check_codes(codes, radices);
  require(target < n, "the target is not among the variables");
  for (std::size_t i = 0; i < parents.shape(0); ++i)
    require(parents.data()[i] >= 0 && static_cast<std::size_t>(parents.data()[i]) < n,
            "a parent is not among the variables");
  const ScoreRule rule = rule_of(kind, parameters, observed, parent_cost);
  const std::vector<bool> flags = flags_of(missing, n);
  std::vector<double> scores;
  {
    nb::gil_scoped_release release;
    // The target stands first, then all variables, itself among them, so that candidates keep their numbers.
    std::vector<const Code*> variables{codes.data() + target * n_rows};
    std::vector<std::int64_t> all_radices{radices.data()[target]}, counts(n_rows, 1);
    for (std::size_t v = 0; v < n; ++v) {
      variables.push_back(codes.data() + v * n_rows);
      all_radices.push_back(radices.data()[v]);
    }
    std::vector<std::size_t> chosen(parents.data(), parents.data() + parents.shape(0));
    ParentSetScorer<Code> scorer(variables, counts.data(), n_rows, all_radices.data(), rule, flags);
    scores = scorer.score_additions(chosen, target);
  }
  return to_array(std::move(scores));
}

void check_sets(const In<std::int64_t, 1>& first_candidate, const In<std::int32_t, 1>& candidates,
                const In<std::int64_t, 1>& first_set, const In<std::uint32_t, 1>& masks,
                const In<double, 1>& scores, const In<std::int32_t, 1>& order) {
  const std::size_t n = order.shape(0);
  require(first_candidate.shape(0) == n + 1 && first_set.shape(0) == n + 1,
          "offsets must have one entry more than there are variables");
  const std::int64_t *candidate = first_candidate.data(), *set = first_set.data();
  require(candidate[0] == 0 && candidate[n] == static_cast<std::int64_t>(candidates.shape(0)) &&
              set[0] == 0 && set[n] == static_cast<std::int64_t>(masks.shape(0)) &&
              masks.shape(0) == scores.shape(0),
          "offsets must run from 0 to the length of what they divide");
  require(std::is_sorted(candidate, candidate + n + 1) && std::is_sorted(set, set + n + 1),
          "offsets must ascend");
  for (std::size_t i = 0; i < scores.shape(0); ++i)
    require(!std::isnan(scores.data()[i]), "a score is not a number");
  std::vector<bool> seen(n, false);
  for (std::size_t v = 0; v < n; ++v) {
    const std::int32_t placed = order.data()[v];
    require(placed >= 0 && static_cast<std::size_t>(placed) < n && !seen[placed],
            "the order must be a permutation");
    seen[placed] = true;
    const std::int64_t n_candidates = candidate[v + 1] - candidate[v];
    require(n_candidates <= 32, "a variable has at most 32 candidates");
    for (std::int64_t c = candidate[v]; c < candidate[v + 1]; ++c) {
      const std::int32_t other = candidates.data()[c];
      require(other >= 0 && static_cast<std::size_t>(other) < n && static_cast<std::size_t>(other) != v,
              "a candidate must be another variable");
    }
    bool has_empty = false;
    for (std::int64_t i = set[v]; i < set[v + 1]; ++i) {
      has_empty |= masks.data()[i] == 0;
      require(n_candidates == 32 || masks.data()[i] >> n_candidates == 0,
              "a set has more members than candidates");
    }
    require(has_empty, "every variable needs the empty parent set");
  }
}

std::tuple<Array<std::int32_t>, Array<std::int64_t>, double> search_orders(
    In<std::int64_t, 1> first_candidate, In<std::int32_t, 1> candidates, In<std::int64_t, 1> first_set,
    In<std::uint32_t, 1> masks, In<double, 1> scores, In<std::int32_t, 1> order, std::size_t n_rounds,
    std::uint64_t seed) {
  const std::size_t n = order.shape(0);
  check_sets(first_candidate, candidates, first_set, masks, scores, order);
  std::vector<std::int32_t> found;
  std::vector<std::int64_t> chosen;
  double total = 0;
  if (n) {
    nb::gil_scoped_release release;
    OrderSearch search(
        {n, first_candidate.data(), candidates.data(), first_set.data(), masks.data(), scores.data()},
        order.data(), seed);
    search.run(n_rounds);
    found = search.order();
    chosen = search.chosen();
    total = search.total();
  }
  return {to_array(std::move(found)), to_array(std::move(chosen)), total};
}

// For each arrow of the network that an order gives, by how much its total falls if the arrow is turned.
Array<double> falls_if_turned(In<std::int64_t, 1> first_candidate, In<std::int32_t, 1> candidates,
                              In<std::int64_t, 1> first_set, In<std::uint32_t, 1> masks, In<double, 1> scores,
                              In<std::int32_t, 1> order, In<std::int32_t, 2> arrows, std::size_t n_rounds,
                              std::uint64_t seed) {
  check_sets(first_candidate, candidates, first_set, masks, scores, order);
  require(arrows.shape(1) == 2, "an arrow has two ends");
  const auto is_candidate = [&](std::int32_t child, std::int32_t parent) {
    const std::int32_t* all = candidates.data();
    const std::int64_t* first = first_candidate.data() + child;
    return std::find(all + first[0], all + first[1], parent) != all + first[1];
  };
  for (std::size_t i = 0; i < arrows.shape(0); ++i) {
    const std::int32_t parent = arrows.data()[2 * i], child = arrows.data()[2 * i + 1];
    const std::int32_t n = static_cast<std::int32_t>(order.shape(0));
    require(parent >= 0 && parent < n && child >= 0 && child < n, "an arrow has an end that is no variable");
    require(is_candidate(child, parent) && is_candidate(parent, child),
            "to be turned, the ends of an arrow must be candidates of each other");
  }
  std::vector<double> falls;
  {
    nb::gil_scoped_release release;
    OrderSearch search({order.shape(0), first_candidate.data(), candidates.data(), first_set.data(),
                        masks.data(), scores.data()},
                       order.data(), seed);
    for (std::size_t i = 0; i < arrows.shape(0); ++i)
      falls.push_back(search.fall_if_turned(arrows.data()[2 * i], arrows.data()[2 * i + 1], n_rounds));
  }
  return to_array(std::move(falls));
}

}  // namespace

void bind_scores(nb::module_& m) {
  m.def("score_parent_sets", &score_parent_sets<std::uint8_t>, nb::arg("configurations"), nb::arg("counts"),
        nb::arg("radices"), nb::arg("kind"), nb::arg("parameters"), nb::arg("observed"),
        nb::arg("parent_cost"), nb::arg("complete_size"), nb::arg("max_size"), nb::arg("width"),
        nb::arg("required") = 0, nb::arg("centre") = 0, nb::arg("missing") = nb::none(),
        nb::arg("foremost") = 0, nb::arg("known") = nb::none());
  m.def("score_parent_sets", &score_parent_sets<std::uint16_t>, nb::arg("configurations"), nb::arg("counts"),
        nb::arg("radices"), nb::arg("kind"), nb::arg("parameters"), nb::arg("observed"),
        nb::arg("parent_cost"), nb::arg("complete_size"), nb::arg("max_size"), nb::arg("width"),
        nb::arg("required") = 0, nb::arg("centre") = 0, nb::arg("missing") = nb::none(),
        nb::arg("foremost") = 0, nb::arg("known") = nb::none());
  m.def("score_additions", &score_additions<std::uint8_t>, nb::arg("codes"), nb::arg("radices"),
        nb::arg("target"), nb::arg("parents"), nb::arg("kind"), nb::arg("parameters"), nb::arg("observed"),
        nb::arg("parent_cost"), nb::arg("missing") = nb::none());
  m.def("score_additions", &score_additions<std::uint16_t>, nb::arg("codes"), nb::arg("radices"),
        nb::arg("target"), nb::arg("parents"), nb::arg("kind"), nb::arg("parameters"), nb::arg("observed"),
        nb::arg("parent_cost"), nb::arg("missing") = nb::none());
  m.def("search_orders", &search_orders);
  m.def("falls_if_turned", &falls_if_turned);
}

}  // namespace bnsieve
