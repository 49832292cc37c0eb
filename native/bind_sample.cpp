// Bindings of the sampling kernel (sample.hpp). Shapes and indices are checked here, and that codes of
// parents and their strides stay within the thresholds.
#include <algorithm>

#include "bind.hpp"
#include "kernels.hpp"

namespace bnsieve {
namespace {

// The kernel reads the line of thresholds that codes and strides point to, and does not look again.
template <typename Code>
void check_lines(const Out<Code, 2>& codes, const In<std::int64_t, 1>& parents,
                 const In<std::int64_t, 1>& strides, const In<std::uint64_t, 2>& thresholds) {
  const std::size_t n_rows = codes.shape(1);
  if (!n_rows) return;
  if (!thresholds.shape(0)) throw nb::value_error("there must be a line of thresholds");
  std::size_t last = thresholds.shape(0) - 1;  // how far the parents that are left may still point
  for (std::size_t p = 0; p < parents.shape(0); ++p) {
    if (strides(p) < 0) throw nb::value_error("a stride is negative");
    const Code* column = codes.data() + static_cast<std::size_t>(parents(p)) * n_rows;
    const std::size_t largest = *std::max_element(column, column + n_rows);
    if (!largest) continue;
    const std::size_t stride = static_cast<std::size_t>(strides(p));
    if (stride > last / largest) throw nb::value_error("codes and strides point beyond the thresholds");
    last -= stride * largest;
  }
}

template <typename Code>
void sample_variable(Out<Code, 2> codes, std::size_t variable, std::uint64_t first_row,
                     In<std::int64_t, 1> parents, In<std::int64_t, 1> strides,
                     In<std::uint64_t, 2> thresholds, In<std::uint64_t, 1> key) {
  if (variable >= codes.shape(0)) throw nb::value_error("there is no such variable");
  if (strides.shape(0) != parents.shape(0)) throw nb::value_error("strides needs one entry per parent");
  if (key.shape(0) != 2) throw nb::value_error("key must be two words");
  for (std::size_t p = 0; p < parents.shape(0); ++p)
    if (parents(p) < 0 || static_cast<std::size_t>(parents(p)) >= codes.shape(0))
      throw nb::value_error("a parent is not one of the variables");
  check_lines(codes, parents, strides, thresholds);
  nb::gil_scoped_release unlocked;
  const auto run = [&](auto kernel) {
    kernel(codes.data(), codes.shape(1), variable, first_row, parents.data(), strides.data(),
           parents.shape(0), thresholds.data(), thresholds.shape(1), key.data());
  };
  if constexpr (sizeof(Code) == 1)
    run(kernels().sample_variable_u8);
  else
    run(kernels().sample_variable_u16);
}

}  // namespace

void bind_sample(nb::module_& m) {
  const auto define = [&m](auto function) {
    m.def("sample_variable", function, nb::arg("codes").noconvert(), nb::arg("variable"),
          nb::arg("first_row"), nb::arg("parents").noconvert(), nb::arg("strides").noconvert(),
          nb::arg("thresholds").noconvert(), nb::arg("key").noconvert());
  };
  define(&sample_variable<std::uint8_t>);
  define(&sample_variable<std::uint16_t>);
}

}  // namespace bnsieve
