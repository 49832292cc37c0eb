// Bindings of many joint tables counted together (tally.hpp), and of the columns that they are counted from.
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "bind.hpp"
#include "tally.hpp"

namespace bnsieve {
namespace {

template <typename T>
nb::ndarray<nb::numpy, T> new_array(std::size_t size) {
  std::unique_ptr<T[]> data(new T[size ? size : 1]);
  nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::ndarray<nb::numpy, T>(data.release(), {size}, owner);
}

// depth, sorted keys, counts
nb::tuple to_python(const KeyedCounts& table) {
  auto keys = new_array<std::uint64_t>(table.slots.size());
  auto counts = new_array<std::int64_t>(table.slots.size());
  for (std::size_t i = 0; i < table.slots.size(); ++i) {
    keys.data()[i] = table.slots[i].key;
    counts.data()[i] = table.slots[i].value;
  }
  return nb::make_tuple(table.depth, keys, counts);
}

KeyedCounts from_python(std::size_t depth, In<std::uint64_t, 1> keys, In<std::int64_t, 1> counts) {
  if (keys.shape(0) != counts.shape(0)) throw nb::value_error("keys and counts must have the same length");
  KeyedCounts table{depth, std::vector<CountSlot>(keys.shape(0))};
  for (std::size_t i = 0; i < table.slots.size(); ++i) table.slots[i] = {keys.data()[i], counts.data()[i]};
  return table;
}

Tally* new_tally(std::vector<std::vector<std::size_t>> columns, std::vector<std::uint64_t> radices,
                 std::size_t limit) {
  for (const std::uint64_t radix : radices)
    if (radix < 1 || radix > 65536) throw nb::value_error("a radix must be in 1 .. 65536");
  for (const auto& table : columns) {
    std::uint64_t room = std::uint64_t{1} << 63;
    for (const std::size_t column : table) {
      if (column >= radices.size()) throw nb::value_error("a column's index is out of range");
      room /= radices[column];
    }
    if (!room || table.empty())
      throw nb::value_error("a table needs columns, and less than 2^63 possible keys");
  }
  return new Tally(std::move(columns), std::move(radices), limit);
}

template <typename Code>
void add(Tally& tally, In<Code, 2> codes) {
  if (codes.shape(0) != tally.n_columns()) throw nb::value_error("codes must have one row per column");
  nb::gil_scoped_release unlocked;
  tally.add(codes.data(), codes.shape(1));
}

nb::tuple counted(const Tally& tally, std::size_t t) {
  if (t >= tally.n_tables()) throw nb::index_error("there is no such table");
  KeyedCounts table{0, {}};
  {
    nb::gil_scoped_release unlocked;
    table = tally.counted(t);
  }
  return to_python(table);
}

nb::tuple add_counted(const std::vector<std::uint64_t>& radices, std::size_t limit, std::size_t depth_a,
                      In<std::uint64_t, 1> keys_a, In<std::int64_t, 1> counts_a, std::size_t depth_b,
                      In<std::uint64_t, 1> keys_b, In<std::int64_t, 1> counts_b) {
  if (depth_a > radices.size() || depth_b > radices.size() || !depth_a || !depth_b)
    throw nb::value_error("a depth is not a number of columns");
  for (const std::uint64_t radix : radices)
    if (!radix) throw nb::value_error("a radix must be in 1 .. 65536");
  KeyedCounts a = from_python(depth_a, keys_a, counts_a), b = from_python(depth_b, keys_b, counts_b);
  {
    nb::gil_scoped_release unlocked;
    a = sum(std::move(a), std::move(b), radices, limit);
  }
  return to_python(a);
}

void check_indices(In<std::int32_t, 1> indices, std::size_t n) {
  std::uint32_t largest = 0;  // a negative index is a large one
  const std::int32_t* values = indices.data();
  for (std::size_t i = 0; i < indices.shape(0); ++i)
    largest = std::max(largest, static_cast<std::uint32_t>(values[i]));
  if (indices.shape(0) && largest >= n) throw nb::value_error("an index is outside its dictionary");
}

// codes[i] = code_of[indices[i]]
template <typename Code>
void recode(In<std::int32_t, 1> indices, In<Code, 1> code_of, Out<Code, 1> codes) {
  if (codes.shape(0) != indices.shape(0))
    throw nb::value_error("indices and codes must have the same length");
  bool inside;
  {
    nb::gil_scoped_release unlocked;
    if constexpr (sizeof(Code) == 2)
      inside = kernels().recode_u16(indices.data(), indices.shape(0), code_of.data(), code_of.shape(0),
                                    codes.data());
    else
      inside = kernels().recode_u8(indices.data(), indices.shape(0), code_of.data(), code_of.shape(0),
                                   codes.data());
  }
  if (!inside) throw nb::value_error("an index is outside its dictionary");
}

// How often each index below n occurs.
nb::ndarray<nb::numpy, std::int64_t> count_indices(In<std::int32_t, 1> indices, std::size_t n) {
  auto out = new_array<std::int64_t>(n);
  nb::gil_scoped_release unlocked;
  check_indices(indices, n);
  // Four copies, so that equal neighbours do not wait for each other's store.
  std::vector<std::int64_t> lanes(4 * n, 0);
  std::int64_t *lane0 = lanes.data(), *lane1 = lane0 + n, *lane2 = lane1 + n, *lane3 = lane2 + n;
  const std::int32_t* values = indices.data();
  const std::size_t n_rows = indices.shape(0);
  std::size_t i = 0;
  for (; i + 4 <= n_rows; i += 4) {
    ++lane0[values[i]];
    ++lane1[values[i + 1]];
    ++lane2[values[i + 2]];
    ++lane3[values[i + 3]];
  }
  for (; i < n_rows; ++i) ++lane0[values[i]];
  for (std::size_t v = 0; v < n; ++v) out.data()[v] = lane0[v] + lane1[v] + lane2[v] + lane3[v];
  return out;
}

}  // namespace

void bind_tally(nb::module_& m) {
  nb::class_<Tally>(m, "Tally")
      .def(nb::new_(&new_tally), nb::arg("columns"), nb::arg("radices"), nb::arg("limit"))
      .def("add", &add<std::uint8_t>, nb::arg("codes").noconvert())
      .def("add", &add<std::uint16_t>, nb::arg("codes").noconvert())
      .def("counted", &counted, nb::arg("table"));
  m.def("add_counted", &add_counted);
  m.def("recode", &recode<std::uint8_t>, nb::arg("indices").noconvert(), nb::arg("code_of").noconvert(),
        nb::arg("codes").noconvert());
  m.def("recode", &recode<std::uint16_t>, nb::arg("indices").noconvert(), nb::arg("code_of").noconvert(),
        nb::arg("codes").noconvert());
  m.def("count_indices", &count_indices, nb::arg("indices").noconvert(), nb::arg("n"));
}

}  // namespace bnsieve
