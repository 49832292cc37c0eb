// Bindings of the independence statistics (independence.hpp).
#include "bind.hpp"
#include "independence.hpp"
#include "permutation.hpp"

namespace bnsieve {
namespace {

template <typename Code>
void check_shapes(const In<Code, 2>& configurations, const In<std::int64_t, 1>& counts) {
  if (configurations.shape(0) < 2) throw nb::value_error("a table of at least two variables is needed");
  if (configurations.shape(1) != counts.shape(0))
    throw nb::value_error("counts must have one entry per configuration");
}

template <typename Code>
StrataStatistics statistics(In<Code, 2> configurations, In<std::int64_t, 1> counts) {
  check_shapes(configurations, counts);
  nb::gil_scoped_release unlocked;
  return strata_statistics(configurations.data(), counts.data(), configurations.shape(0),
                           configurations.shape(1));
}

template <typename Code>
double permutation(In<Code, 2> configurations, In<std::int64_t, 1> counts, double observed,
                   std::size_t max_draws, double enough) {
  check_shapes(configurations, counts);
  nb::gil_scoped_release unlocked;
  return permutation_p_value(configurations.data(), counts.data(), configurations.shape(0),
                             configurations.shape(1), observed, max_draws, enough);
}

template <typename Code>
void bind_tables_of(nb::module_& m) {
  m.def("strata_statistics", &statistics<Code>, nb::arg("configurations").noconvert(),
        nb::arg("counts").noconvert());
  m.def("permutation_p_value", &permutation<Code>, nb::arg("configurations").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("observed"), nb::arg("max_draws"), nb::arg("enough"));
}

}  // namespace

void bind_independence(nb::module_& m) {
  nb::class_<StrataStatistics>(m, "StrataStatistics")
      .def_ro("n_rows", &StrataStatistics::n_rows)
      .def_ro("n_strata", &StrataStatistics::n_strata)
      .def_ro("df", &StrataStatistics::df)
      .def_ro("chi_square", &StrataStatistics::chi_square)
      .def_ro("g_square", &StrataStatistics::g_square)
      .def_ro("weighted", &StrataStatistics::weighted)
      .def_ro("mean", &StrataStatistics::mean)
      .def_ro("variance", &StrataStatistics::variance)
      .def_ro("log_arrangements", &StrataStatistics::log_arrangements)
      .def_prop_ro("coarse_share", &StrataStatistics::coarse_share);
  bind_tables_of<std::uint8_t>(m);
  bind_tables_of<std::uint16_t>(m);
}

}  // namespace bnsieve
