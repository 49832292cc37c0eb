// Bindings of the counting kernels: counts.hpp, by way of joint_table.hpp, and pairs.hpp.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bind.hpp"
#include "interruption.hpp"
#include "joint_table.hpp"

namespace bnsieve {
namespace {

// A new NumPy array that owns its memory.
template <typename T>
nb::ndarray<nb::numpy, T> new_array(std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (std::size_t extent : shape) size *= extent;
  std::unique_ptr<T[]> data(new T[size ? size : 1]);
  nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::ndarray<nb::numpy, T>(data.release(), shape, owner);
}

template <typename Code>
nb::ndarray<nb::numpy, Code> configurations(JointTable& table, std::size_t n_columns) {
  auto out = new_array<Code>({n_columns, table.size()});
  nb::gil_scoped_release unlocked;
  table.write_configurations(out.data());
  return out;
}

template <typename Code>
nb::tuple count_joint(In<Code, 2> codes, In<std::int64_t, 1> variables, In<std::int64_t, 1> radices,
                      nb::list missing, nb::object weights, std::size_t start, std::size_t stop) {
  const std::size_t n_rows = codes.shape(1), n_columns = variables.shape(0);
  if (radices.shape(0) != n_columns || nb::len(missing) != n_columns)
    throw nb::value_error("variables, radices and missing must have the same length");
  if (start > stop || stop > n_rows) throw nb::value_error("start .. stop is not a range of rows");
  std::vector<KeyColumn> columns;
  bool wide_result = false;
  for (std::size_t c = 0; c < n_columns; ++c) {
    const std::int64_t variable = variables.data()[c], radix = radices.data()[c];
    if (variable < 0 || static_cast<std::size_t>(variable) >= codes.shape(0))
      throw nb::value_error("a variable's index is out of range");
    if (radix < 1 || radix > 65536) throw nb::value_error("a radix must be in 1 .. 65536");
    wide_result |= radix > 256;
    KeyColumn column{codes.data() + static_cast<std::size_t>(variable) * n_rows, nullptr,
                     static_cast<std::uint64_t>(radix)};
    if (!missing[c].is_none()) {
      In<bool, 1> flags;
      if (!nb::try_cast(missing[c], flags, false))
        throw nb::value_error("missing flags must be a plain vector of booleans, or None");
      if (flags.shape(0) != n_rows) throw nb::value_error("missing flags must have one entry per row");
      column.missing = reinterpret_cast<const std::uint8_t*>(flags.data());
    }
    columns.push_back(column);
  }
  const std::int64_t* weight_data = nullptr;
  if (!weights.is_none()) {
    In<std::int64_t, 1> values;
    if (!nb::try_cast(weights, values, false))
      throw nb::value_error("weights must be a plain vector of 64-bit integers, or None");
    if (values.shape(0) != n_rows) throw nb::value_error("weights must have one entry per row");
    weight_data = values.data();
  }
  std::unique_ptr<JointTable> table;
  {
    nb::gil_scoped_release unlocked;
    table = std::make_unique<JointTable>(columns, sizeof(Code) == 2, weight_data, start, stop);
  }
  auto counts = new_array<std::int64_t>({table->size()});
  table->write_counts(counts.data());
  if (wide_result) return nb::make_tuple(configurations<std::uint16_t>(*table, n_columns), counts);
  return nb::make_tuple(configurations<std::uint8_t>(*table, n_columns), counts);
}

template <typename Code>
void bind_count_joint(nb::module_& m) {
  m.def("count_joint", &count_joint<Code>, nb::arg("codes").noconvert(), nb::arg("variables").noconvert(),
        nb::arg("radices").noconvert(), nb::arg("missing"), nb::arg("weights").none(), nb::arg("start"),
        nb::arg("stop"));
}

constexpr std::size_t kRowsOfB = 16;  // of all rows, the bits of so many stay in the cache

void count_pairs(In<std::uint64_t, 2> a, In<std::uint64_t, 2> b, Out<double, 2> counts) {
  if (a.shape(1) != b.shape(1) || counts.shape(0) != a.shape(0) || counts.shape(1) != b.shape(0))
    throw nb::value_error("counts must have one row per row of a, and one column per row of b");
  nb::gil_scoped_release unlocked;
  const std::size_t n_words = a.shape(1), n_b = b.shape(0);
  for (std::size_t start = 0; start < n_b; start += kRowsOfB) {
    stop_if_asked();
    const std::size_t n = std::min(kRowsOfB, n_b - start);
    kernels().count_pairs(a.data(), a.shape(0), b.data() + start * n_words, n, n_words, counts.data() + start,
                          n_b);
  }
}

// So that the number of joint levels of three is one that limits can have.
constexpr std::size_t kMostLevelsOfThree = 64;

void require_ascending(In<std::int64_t, 1> first, std::size_t n_variables, std::size_t n_levels) {
  bool ascends = first(0) == 0 && first(n_variables) == static_cast<std::int64_t>(n_levels);
  for (std::size_t v = 0; v < n_variables; ++v) ascends = ascends && first(v) <= first(v + 1);
  require(ascends, "first must ascend from 0 to the number of levels");
}

void spread_over_pairs(In<std::uint64_t, 2> bits, In<std::uint64_t, 2> marked, In<std::int64_t, 1> first,
                       In<bool, 1> open, In<double, 2> together, double share, std::int64_t n_rows,
                       Out<double, 2> spread) {
  const std::size_t n_levels = bits.shape(0), n_variables = spread.shape(0);
  if (marked.shape(0) != n_levels || marked.shape(1) != bits.shape(1) || together.shape(0) != n_levels ||
      together.shape(1) != n_levels)
    throw nb::value_error(
        "marked must have the shape of bits, and together a row and a column per row of bits");
  if (spread.shape(1) != n_variables || open.shape(0) != n_variables || first.shape(0) != n_variables + 1)
    throw nb::value_error("spread must be square, open as long, and first one number longer");
  require_ascending(first, n_variables, n_levels);
  nb::gil_scoped_release unlocked;
  stop_if_asked();
  std::vector<double> n_marked(n_levels), left(n_levels);
  // A variable without a missing cell has each row in one of its levels.
  std::vector<std::int64_t> last(n_variables, -1);
  for (std::size_t v = 0; v < n_variables; ++v) {
    double n_known = 0;
    for (std::int64_t i = first(v); i < first(v + 1); ++i) n_known += together(i, i);
    if (n_known == static_cast<double>(n_rows)) last[v] = first(v + 1) - 1;
  }
  kernels().spread_over_pairs(bits.data(), marked.data(), bits.shape(1), first.data(), open.data(),
                              n_variables, together.data(), share, last.data(), n_marked.data(), left.data(),
                              spread.data());
}

// The three variables that a target depends on most, or none. Of variables that are `complete` each row is in
// one of the levels.
std::vector<std::size_t> strongest_triple(In<std::uint64_t, 2> bits, In<std::int64_t, 1> first,
                                          In<bool, 1> open, In<bool, 1> complete, In<std::uint64_t, 2> target,
                                          In<double, 1> shares, In<double, 1> scales, In<double, 1> limits) {
  const std::size_t n_levels = bits.shape(0), n_variables = open.shape(0), n_target = target.shape(0);
  require(target.shape(1) == bits.shape(1), "target must have rows as long as those of bits");
  require(shares.shape(0) == n_target && scales.shape(0) == n_target,
          "shares and scales must have a number per row of target");
  require(complete.shape(0) == n_variables && first.shape(0) == n_variables + 1,
          "complete must be as long as open, and first one number longer");
  require_ascending(first, n_variables, n_levels);
  // Of the open variables alone: their lines one after the other.
  std::vector<std::size_t> chosen;
  std::vector<std::int64_t> own_first{0}, last;
  std::vector<std::uint64_t> lines;
  std::size_t most_levels = 0;
  for (std::size_t v = 0; v < n_variables; ++v) {
    if (!open(v)) continue;
    chosen.push_back(v);
    lines.insert(lines.end(), bits.data() + static_cast<std::size_t>(first(v)) * bits.shape(1),
                 bits.data() + static_cast<std::size_t>(first(v + 1)) * bits.shape(1));
    own_first.push_back(own_first.back() + first(v + 1) - first(v));
    last.push_back(complete(v) ? own_first.back() - 1 : -1);
    most_levels = std::max(most_levels, static_cast<std::size_t>(first(v + 1) - first(v)));
  }
  require(most_levels <= kMostLevelsOfThree, "open variables must have at most 64 levels");
  require(limits.shape(0) > most_levels * most_levels * most_levels,
          "limits must have a number for each number of joint levels");
  nb::gil_scoped_release unlocked;
  stop_if_asked();
  const std::size_t n_lines = static_cast<std::size_t>(own_first.back()), n_counts = 1 + n_target;
  std::vector<std::uint64_t> rows(2 * bits.shape(1));
  std::vector<double> pairs(n_counts * n_lines * n_lines), left_of_a(n_counts * n_lines),
      left_of_b(n_counts * n_lines * most_levels), counted(2 * n_lines), worth(n_lines);
  std::vector<std::size_t> best(3);
  const TripleScan scan{lines.data(),  bits.shape(1), own_first.data(), last.data(),   chosen.size(),
                        target.data(), n_target,      shares.data(),    scales.data(), limits.data()};
  const TripleScratch scratch{rows.data(),      pairs.data(),   left_of_a.data(),
                              left_of_b.data(), counted.data(), worth.data()};
  if (!kernels().strongest_triple(scan, scratch, best.data())) return {};
  for (std::size_t& one : best) one = chosen[one];
  return best;
}

}  // namespace

void bind_counts(nb::module_& m) {
  m.def("spread_over_pairs", &spread_over_pairs, nb::arg("bits").noconvert(), nb::arg("marked").noconvert(),
        nb::arg("first").noconvert(), nb::arg("open").noconvert(), nb::arg("together").noconvert(),
        nb::arg("share"), nb::arg("n_rows"), nb::arg("spread").noconvert());
  m.def("strongest_triple", &strongest_triple, nb::arg("bits").noconvert(), nb::arg("first").noconvert(),
        nb::arg("open").noconvert(), nb::arg("complete").noconvert(), nb::arg("target").noconvert(),
        nb::arg("shares").noconvert(), nb::arg("scales").noconvert(), nb::arg("limits").noconvert());
  m.def("count_pairs", &count_pairs, nb::arg("a").noconvert(), nb::arg("b").noconvert(),
        nb::arg("counts").noconvert());
  bind_count_joint<std::uint8_t>(m);
  bind_count_joint<std::uint16_t>(m);
}

}  // namespace bnsieve
