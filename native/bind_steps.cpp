// Bindings of functions of steps (steps.hpp).
#include "bind.hpp"
#include "kernels.hpp"

namespace bnsieve {
namespace {

std::size_t step_columns(In<double, 1> values, In<double, 1> lowest, In<double, 2> tables,
                         Out<double, 2> columns) {
  if (!lowest.shape(0) || tables.shape(1) != lowest.shape(0))
    throw nb::value_error("tables must have one entry per step, and at least one");
  if (columns.shape(0) != tables.shape(0) || columns.shape(1) != values.shape(0))
    throw nb::value_error("columns must have one row per table and one cell per value");
  nb::gil_scoped_release unlocked;
  return kernels().step_columns(values.data(), values.shape(0), lowest.data(), lowest.shape(0), tables.data(),
                                tables.shape(0), columns.data());
}

}  // namespace

void bind_steps(nb::module_& m) {
  m.def("step_columns", &step_columns, nb::arg("values"), nb::arg("lowest"), nb::arg("tables"),
        nb::arg("columns").noconvert());
}

}  // namespace bnsieve
