// The extension module: instruction-set choice and memory of the process here, kernels in bind_*.cpp by area.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#if defined(__linux__)
#include <malloc.h>
#endif

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

// Gives memory that was freed back to the system, where the C library would keep it.
void give_memory_back() {
#if defined(__GLIBC__)
  nb::gil_scoped_release unlocked;
  malloc_trim(0);
#endif
}

}  // namespace

NB_MODULE(_native, m) {
  m.def("simd_level", [] { return std::string(bnsieve::level_name()); });
  m.def("simd_levels", &level_names);
  m.def("force_simd_level", &force_level);
  m.def("give_memory_back", &give_memory_back);
  // A forced level that cannot run is an error at import, never a silent fallback.
  if (const char* forced = std::getenv("BNSIEVE_SIMD"); forced && *forced) force_level(forced);
  bnsieve::bind_counts(m);
  bnsieve::bind_covariance(m);
  bnsieve::bind_independence(m);
  bnsieve::bind_inference(m);
  bnsieve::bind_interruption(m);
  bnsieve::bind_tsetlin(m);
  bnsieve::bind_sample(m);
  bnsieve::bind_scores(m);
  bnsieve::bind_steps(m);
  bnsieve::bind_tally(m);
}
