// Bindings of functions of steps and of places (steps.hpp).
#include <functional>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "kernels.hpp"

namespace bnsieve {
namespace {

// The functions that variables become in some rows. They are written for a block of rows at a time, which
// stays in the processor's cache.
class RowFunctions {
 public:
  explicit RowFunctions(std::size_t n_rows) : n_rows_(n_rows) {}

  void add_steps(In<double, 1> values, In<double, 1> lowest, In<double, 2> tables) {
    require(lowest.shape(0) && tables.shape(1) == lowest.shape(0),
            "tables must have one entry per step, and at least one");
    add(values.shape(0), tables.shape(0), [=](std::size_t start, std::size_t n, double* columns) {
      kernels().step_columns(values.data() + start, n, lowest.data(), lowest.shape(0), tables.data(),
                             tables.shape(0), columns);
    });
  }

  void add_places(In<std::int32_t, 1> places, In<double, 2> tables) {
    const auto n_places = static_cast<std::int64_t>(tables.shape(1));
    require(n_places, "tables must have one entry per place, and at least one");
    bool inside = true;
    for (std::size_t i = 0; i < places.shape(0); ++i)
      inside &= places.data()[i] >= -1 && places.data()[i] < n_places;
    require(inside, "a place is outside its table");
    add(places.shape(0), tables.shape(0), [=](std::size_t start, std::size_t n, double* columns) {
      kernels().place_columns(places.data() + start, n, tables.shape(1), tables.data(), tables.shape(0),
                              columns);
    });
  }

  void add_scaled(In<double, 1> values, double mean, double deviation) {
    add(values.shape(0), 1, [=](std::size_t start, std::size_t n, double* columns) {
      for (std::size_t i = 0; i < n; ++i) {
        const double value = (values.data()[start + i] - mean) / deviation;
        columns[i] = value == value ? value : 0.0;
      }
    });
  }

  // Writes the functions of a block of rows, one line per function, 0 where a value is missing.
  void fill(std::size_t start, Out<double, 2> columns) const {
    const std::size_t n = columns.shape(1);
    require(columns.shape(0) == n_functions_, "columns must have one line per function");
    require(start <= n_rows_ && n <= n_rows_ - start, "there are no such rows");
    nb::gil_scoped_release unlocked;
    double* lines = columns.data();
    for (const auto& [n_lines, fill_lines] : variables_) {
      fill_lines(start, n, lines);
      lines += n_lines * n;
    }
  }

 private:
  using Fill = std::function<void(std::size_t start, std::size_t n, double* columns)>;

  void add(std::size_t n_rows, std::size_t n_functions, Fill fill) {
    require(n_rows == n_rows_, "every variable must have one value per row");
    n_functions_ += n_functions;
    variables_.emplace_back(n_functions, std::move(fill));
  }

  std::size_t n_rows_, n_functions_ = 0;
  std::vector<std::pair<std::size_t, Fill>> variables_;
};

}  // namespace

void bind_steps(nb::module_& m) {
  nb::class_<RowFunctions>(m, "RowFunctions")
      .def(nb::init<std::size_t>(), nb::arg("n_rows"))
      .def("add_steps", &RowFunctions::add_steps, nb::arg("values"), nb::arg("lowest"), nb::arg("tables"))
      .def("add_places", &RowFunctions::add_places, nb::arg("places"), nb::arg("tables"))
      .def("add_scaled", &RowFunctions::add_scaled, nb::arg("values"), nb::arg("mean"), nb::arg("deviation"))
      .def("fill", &RowFunctions::fill, nb::arg("start"), nb::arg("columns").noconvert());
}

}  // namespace bnsieve
