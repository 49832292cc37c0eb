// The extension module: instruction-set choice here, kernels in one bind_*.cpp per area.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "bind.hpp"
#include "kernels.hpp"

namespace {

std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (const char* const* name = bnsieve::supported_levels(); *name; ++name) names.emplace_back(*name);
  return names;
}

void force_level(const std::string& name) {
  if (bnsieve::set_level(name.c_str())) return;
  std::string known;
  for (const std::string& level : level_names()) known += known.empty() ? level : ", " + level;
  throw nb::value_error(
      ("instruction set '" + name + "' is not available here; choose one of: " + known).c_str());
}

}  // namespace

NB_MODULE(_native, m) {
  m.def("simd_level", [] { return std::string(bnsieve::level_name()); });
  m.def("simd_levels", &level_names);
  m.def("force_simd_level", &force_level);
  // A forced level that cannot run is an error at import, never a silent fallback.
  if (const char* forced = std::getenv("BNSIEVE_SIMD"); forced && *forced) force_level(forced);
  bnsieve::bind_counts(m);
  bnsieve::bind_covariance(m);
  bnsieve::bind_csv(m);
  bnsieve::bind_independence(m);
  bnsieve::bind_inference(m);
  bnsieve::bind_interruption(m);
  bnsieve::bind_tsetlin(m);
  bnsieve::bind_sample(m);
  bnsieve::bind_scores(m);
  bnsieve::bind_steps(m);
  bnsieve::bind_tally(m);
}
