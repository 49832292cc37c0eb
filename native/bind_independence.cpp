// Bindings of the independence statistics (independence.hpp).
#include <nanobind/stl/vector.h>

#include <vector>

#include "bind.hpp"
#include "independence.hpp"
#include "permutation.hpp"
#include "row_strata.hpp"

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
  return strata_statistics(TableStrata<Code>(configurations.data(), counts.data(), configurations.shape(0),
                                             configurations.shape(1)));
}

// The same from the rows: the last two variables given those before them. None may have missing cells.
template <typename Code>
StrataStatistics scan_statistics(In<Code, 2> codes, In<std::int64_t, 1> n_levels,
                                 const std::vector<std::int64_t>& variables) {
  if (variables.size() < 2) throw nb::value_error("at least two variables are needed");
  if (n_levels.shape(0) != codes.shape(0)) throw nb::value_error("n_levels must have one entry per variable");
  const std::size_t n_rows = codes.shape(1);
  std::vector<KeyColumn> columns;
  for (std::int64_t variable : variables) {
    if (variable < 0 || static_cast<std::size_t>(variable) >= codes.shape(0))
      throw nb::value_error("a variable's index is out of range");
    const std::int64_t radix = n_levels.data()[variable];
    if (radix < 1 || radix > 65536) throw nb::value_error("a number of levels must be in 1 .. 65536");
    columns.push_back({codes.data() + static_cast<std::size_t>(variable) * n_rows, nullptr,
                       static_cast<std::uint64_t>(radix)});
  }
  nb::gil_scoped_release unlocked;
  constexpr bool wide = sizeof(Code) == 2;
  if (RowStrata::fits(columns) && n_rows < (std::size_t{1} << 32))
    return strata_statistics(RowStrata(columns, wide, n_rows));
  JointTable table(columns, wide, nullptr, 0, n_rows);
  std::vector<std::int64_t> counts(table.size());
  std::vector<Code> configurations(columns.size() * table.size());
  table.write_counts(counts.data());
  table.write_configurations(configurations.data());
  return strata_statistics(
      TableStrata<Code>(configurations.data(), counts.data(), columns.size(), counts.size()));
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
  m.def("scan_statistics", &scan_statistics<Code>, nb::arg("codes").noconvert(),
        nb::arg("n_levels").noconvert(), nb::arg("variables"));
  m.def("permutation_p_value", &permutation<Code>, nb::arg("configurations").noconvert(),
        nb::arg("counts").noconvert(), nb::arg("observed"), nb::arg("max_draws"), nb::arg("enough"));
}

}  // namespace

void bind_independence(nb::module_& m) {
  nb::class_<StrataStatistics>(m, "StrataStatistics")
      .def_ro("n_total", &StrataStatistics::n_total)
      .def_ro("n_rows", &StrataStatistics::n_rows)
      .def_ro("n_strata", &StrataStatistics::n_strata)
      .def_ro("df", &StrataStatistics::df)
      .def_ro("chi_square", &StrataStatistics::chi_square)
      .def_ro("g_square", &StrataStatistics::g_square)
      .def_ro("damped", &StrataStatistics::damped)
      .def_ro("mean", &StrataStatistics::mean)
      .def_ro("variance", &StrataStatistics::variance)
      .def_ro("log_arrangements", &StrataStatistics::log_arrangements)
      .def_prop_ro("coarse_share", &StrataStatistics::coarse_share);
  bind_tables_of<std::uint8_t>(m);
  bind_tables_of<std::uint16_t>(m);
}

}  // namespace bnsieve
