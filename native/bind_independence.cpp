// Bindings of the independence statistics (independence.hpp).
#include "bind.hpp"
#include "independence.hpp"

namespace bnsieve {
namespace {

template <typename Code>
StrataStatistics statistics(In<Code, 2> configurations, In<std::int64_t, 1> counts) {
  if (configurations.shape(0) < 2) throw nb::value_error("a table of at least two variables is needed");
  if (configurations.shape(1) != counts.shape(0))
    throw nb::value_error("counts must have one entry per configuration");
  nb::gil_scoped_release unlocked;
  return strata_statistics(configurations.data(), counts.data(), configurations.shape(0),
                           configurations.shape(1));
}

}  // namespace

void bind_independence(nb::module_& m) {
  nb::class_<StrataStatistics>(m, "StrataStatistics")
      .def_ro("n_rows", &StrataStatistics::n_rows)
      .def_ro("n_strata", &StrataStatistics::n_strata)
      .def_ro("df", &StrataStatistics::df)
      .def_ro("chi_square", &StrataStatistics::chi_square)
      .def_ro("g_square", &StrataStatistics::g_square)
      .def_ro("mean", &StrataStatistics::mean)
      .def_ro("variance", &StrataStatistics::variance);
  m.def("strata_statistics", &statistics<std::uint8_t>, nb::arg("configurations").noconvert(),
        nb::arg("counts").noconvert());
  m.def("strata_statistics", &statistics<std::uint16_t>, nb::arg("configurations").noconvert(),
        nb::arg("counts").noconvert());
}

}  // namespace bnsieve
