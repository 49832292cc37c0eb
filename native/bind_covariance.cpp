// Parent-set scores from a covariance matrix, for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "covariance_scores.hpp"

namespace bnsieve {
namespace {

void check(const In<double, 2>& covariance, const In<std::int64_t, 1>& first,
           const In<std::int64_t, 1>& variables) {
  require(covariance.shape(0) == covariance.shape(1), "a covariance matrix has as many rows as columns");
  require(first.shape(0) >= 1, "blocks need at least one offset");
  const std::size_t n = first.shape(0) - 1;
  require(first.data()[0] == 0 && first.data()[n] == static_cast<std::int64_t>(covariance.shape(0)),
          "blocks must run from 0 to the size of the matrix");
  for (std::size_t v = 0; v < n; ++v)
    require(first.data()[v] < first.data()[v + 1], "every variable needs a column");
  require(variables.shape(0) >= 1, "there must be a target");
  std::vector<bool> seen(n, false);
  for (std::size_t i = 0; i < variables.shape(0); ++i) {
    const std::int64_t v = variables.data()[i];
    require(v >= 0 && static_cast<std::size_t>(v) < n && !seen[v],
            "the target and its candidates must be different variables");
    seen[v] = true;
  }
}

using KnownSets = std::pair<In<std::uint32_t, 1>, In<double, 1>>;

std::pair<Array<std::uint32_t>, Array<double>> score_covariance_sets(
    In<double, 2> covariance, In<std::int64_t, 1> first, In<std::int64_t, 1> variables, double n_rows,
    double penalty, double parent_cost, std::size_t complete_size, std::size_t max_size, std::size_t width,
    std::uint32_t required, std::uint32_t centre, std::optional<KnownSets> known) {
  check(covariance, first, variables);
  const std::size_t n_candidates = variables.shape(0) - 1;
  require(n_candidates <= 32, "parent sets are scored among at most 32 candidates");
  const auto are_candidates = [&](std::uint32_t mask) {
    return n_candidates == 32 || mask >> n_candidates == 0;
  };
  require(are_candidates(required | centre), "a given parent is not a candidate");
  if (known) {
    require(known->first.shape(0) == known->second.shape(0), "every known set needs a score");
    for (std::size_t i = 0; i < known->first.shape(0); ++i)
      require(are_candidates(known->first.data()[i]), "a known set has a member that is no candidate");
  }
  std::vector<std::uint32_t> masks;
  std::vector<double> scores;
  {
    nb::gil_scoped_release release;
    // The blocks of the target and its candidates, in their order.
    std::vector<std::size_t> columns, starts{0};
    for (std::size_t i = 0; i <= n_candidates; ++i) {
      const std::int64_t v = variables.data()[i];
      for (std::int64_t column = first.data()[v]; column < first.data()[v + 1]; ++column)
        columns.push_back(static_cast<std::size_t>(column));
      starts.push_back(columns.size());
    }
    std::vector<double> part;
    part.reserve(columns.size() * columns.size());
    for (const std::size_t i : columns)
      for (const std::size_t j : columns) part.push_back(covariance.data()[i * covariance.shape(1) + j]);
    CovarianceScorer scorer(part.data(), std::move(starts), {n_rows, penalty, parent_cost});
    if (known)
      for (std::size_t i = 0; i < known->first.shape(0); ++i)
        scorer.note_known(known->first.data()[i], known->second.data()[i]);
    for (const ScoredSet& set : scorer.score_sets(complete_size, max_size, width, required, centre)) {
      masks.push_back(set.mask);
      scores.push_back(set.score);
    }
  }
  return {to_array(std::move(masks)), to_array(std::move(scores))};
}

// `variables`: the target, then its parents.
Array<double> score_covariance_additions(In<double, 2> covariance, In<std::int64_t, 1> first,
                                         In<std::int64_t, 1> variables, double n_rows, double penalty,
                                         double parent_cost) {
  check(covariance, first, variables);
  std::vector<double> gains;
  {
    nb::gil_scoped_release release;
    const std::vector<std::size_t> parents(variables.data() + 1, variables.data() + variables.shape(0));
    std::vector<std::size_t> starts(first.data(), first.data() + first.shape(0));
    gains = covariance_additions(covariance.data(), std::move(starts),
                                 static_cast<std::size_t>(variables.data()[0]), parents,
                                 {n_rows, penalty, parent_cost});
  }
  return to_array(std::move(gains));
}

}  // namespace

void bind_covariance(nb::module_& m) {
  m.def("score_covariance_sets", &score_covariance_sets, nb::arg("covariance"), nb::arg("first"),
        nb::arg("variables"), nb::arg("n_rows"), nb::arg("penalty"), nb::arg("parent_cost"),
        nb::arg("complete_size"), nb::arg("max_size"), nb::arg("width"), nb::arg("required") = 0,
        nb::arg("centre") = 0, nb::arg("known") = nb::none());
  m.def("score_covariance_additions", &score_covariance_additions);
}

}  // namespace bnsieve
