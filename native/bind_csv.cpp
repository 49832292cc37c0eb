// Bindings of CSV text taken apart (csv_cells.hpp).
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "bind.hpp"
#include "csv_cells.hpp"

namespace bnsieve {
namespace {

// What to do next, lines, bytes used, codes; lists of different cells; the columns that have one of these
// lists, and which; the columns of too many different cells, and all their cells as CSV.
nb::tuple split_cells(nb::bytes text, std::size_t n_columns, nb::bytes separator, std::size_t n_rows,
                      bool is_last) {
  if (!n_columns || !n_rows || separator.size() != 1)
    throw nb::value_error("lines, columns and a separator of one byte are needed");
  std::unique_ptr<std::uint8_t[]> codes(new std::uint8_t[n_columns * n_rows]);
  CsvCells found;
  {
    nb::gil_scoped_release unlocked;
    found =
        csv_cells(text.c_str(), text.size(), n_columns, separator.c_str()[0], n_rows, is_last, codes.get());
  }
  const char* end = found.end == CsvEnd::kRows ? "rows" : found.end == CsvEnd::kNotPlain ? "other" : "short";
  nb::capsule owner(codes.get(), [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
  nb::ndarray<nb::numpy, std::uint8_t> array(codes.release(), {n_columns, n_rows}, owner);
  nb::list lists;
  for (const std::vector<std::string>& texts : found.lists) {
    nb::list own;
    for (const std::string& text : texts) own.append(nb::bytes(text.data(), text.size()));
    lists.append(nb::tuple(own));
  }
  return nb::make_tuple(end, found.n_rows, found.used, array, lists, found.few, found.list_of, found.many,
                        nb::bytes(found.as_written.data(), found.as_written.size()));
}

}  // namespace

void bind_csv(nb::module_& m) {
  m.def("split_cells", &split_cells, nb::arg("text"), nb::arg("n_columns"), nb::arg("separator"),
        nb::arg("n_rows"), nb::arg("is_last"));
}

}  // namespace bnsieve
