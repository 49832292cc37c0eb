// Parent-set scores and the search over orders, for Python.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>
#include <vector>

#include "bind.hpp"
#include "order_search.hpp"
#include "scores.hpp"

namespace bnsieve {
namespace {

template <typename T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <typename T>
Array<T> to_array(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(owned->data(), {owned->size()}, owner);
}

ScoreRule rule_of(const std::string& kind, double parameter, bool observed, double cost) {
  if (kind == "bic") return {ScoreKind::kBic, parameter, observed, cost};
  if (kind == "bdeu") return {ScoreKind::kBdeu, parameter, observed, cost};
  if (kind == "qnml") return {ScoreKind::kQnml, parameter, observed, cost};
  throw nb::value_error(("unknown score '" + kind + "'; choose one of: bic, bdeu, qnml").c_str());
}

template <typename Code>
std::pair<Array<std::uint32_t>, Array<double>> score_parent_sets(
    In<Code, 2> configurations, In<std::int64_t, 1> counts, In<std::int64_t, 1> radices, const std::string& kind,
    double parameter, bool observed, double parent_cost, std::size_t complete_size, std::size_t max_size, std::size_t width) {
  if (configurations.shape(0) != radices.shape(0) || configurations.shape(1) != counts.shape(0))
    throw nb::value_error("configurations must have one row per radix and one column per count");
  if (radices.shape(0) < 1 || radices.shape(0) > 33)
    throw nb::value_error("parent sets are scored among at most 32 candidates");
  const ScoreRule rule = rule_of(kind, parameter, observed, parent_cost);
  std::vector<std::uint32_t> masks;
  std::vector<double> scores;
  {
    nb::gil_scoped_release release;
    std::vector<const Code*> variables;
    for (std::size_t v = 0; v < radices.shape(0); ++v) variables.push_back(configurations.data() + v * counts.shape(0));
    ParentSetScorer<Code> scorer(variables, counts.data(), counts.shape(0), radices.data(), rule);
    for (const ScoredSet& set : scorer.score_sets(complete_size, max_size, width)) {
      masks.push_back(set.mask);
      scores.push_back(set.score);
    }
  }
  return {to_array(std::move(masks)), to_array(std::move(scores))};
}

template <typename Code>
Array<double> score_additions(In<Code, 2> codes, In<std::int64_t, 1> radices, std::size_t target,
                              In<std::int64_t, 1> parents, const std::string& kind, double parameter, bool observed,
                              double parent_cost) {
  const std::size_t n = codes.shape(0), n_rows = codes.shape(1);
  if (radices.shape(0) != n || target >= n) throw nb::value_error("codes must have one row per radix");
  if (parents.shape(0) > 32) throw nb::value_error("at most 32 parents can be scored");
  const ScoreRule rule = rule_of(kind, parameter, observed, parent_cost);
  std::vector<double> scores;
  {
    nb::gil_scoped_release release;
    // The target stands first, then all variables; as a candidate of its own it is told like a parent.
    std::vector<const Code*> variables{codes.data() + target * n_rows};
    std::vector<std::int64_t> all_radices{radices.data()[target]}, counts(n_rows, 1);
    for (std::size_t v = 0; v < n; ++v) {
      variables.push_back(codes.data() + v * n_rows);
      all_radices.push_back(radices.data()[v]);
    }
    std::vector<std::size_t> chosen(parents.data(), parents.data() + parents.shape(0));
    ParentSetScorer<Code> scorer(variables, counts.data(), n_rows, all_radices.data(), rule);
    scores = scorer.score_additions(chosen);
  }
  return to_array(std::move(scores));
}

std::tuple<Array<std::int32_t>, Array<std::int64_t>, double> search_orders(
    In<std::int64_t, 1> first_candidate, In<std::int32_t, 1> candidates, In<std::int64_t, 1> first_set,
    In<std::uint32_t, 1> masks, In<double, 1> scores, In<std::int32_t, 1> order, std::size_t n_rounds,
    std::uint64_t seed) {
  const std::size_t n = order.shape(0);
  if (first_candidate.shape(0) != n + 1 || first_set.shape(0) != n + 1 || masks.shape(0) != scores.shape(0))
    throw nb::value_error("offsets must have one entry more than there are variables");
  std::vector<std::int32_t> found;
  std::vector<std::int64_t> chosen;
  double total = 0;
  if (n) {
    nb::gil_scoped_release release;
    OrderSearch search({n, first_candidate.data(), candidates.data(), first_set.data(), masks.data(), scores.data()},
                       order.data(), seed);
    search.run(n_rounds);
    found = search.order();
    chosen = search.chosen();
    total = search.total();
  }
  return {to_array(std::move(found)), to_array(std::move(chosen)), total};
}

}  // namespace

void bind_scores(nb::module_& m) {
  m.def("score_parent_sets", &score_parent_sets<std::uint8_t>, nb::arg("configurations"), nb::arg("counts"),
        nb::arg("radices"), nb::arg("kind"), nb::arg("parameter"), nb::arg("observed"), nb::arg("parent_cost"),
        nb::arg("complete_size"), nb::arg("max_size"), nb::arg("width"));
  m.def("score_parent_sets", &score_parent_sets<std::uint16_t>);
  m.def("score_additions", &score_additions<std::uint8_t>);
  m.def("score_additions", &score_additions<std::uint16_t>);
  m.def("search_orders", &search_orders);
}

}  // namespace bnsieve
