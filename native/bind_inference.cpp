// Orders of elimination and inference for rows with missing cells, for Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "bind.hpp"
#include "elimination_order.hpp"
#include "row_inference.hpp"

namespace bnsieve {
namespace {

OrderRule rule_of(const std::string& name) {
  if (name == "fill") return OrderRule::kFill;
  if (name == "weight") return OrderRule::kWeight;
  require(name == "weighted fill", "the rule must be 'fill', 'weight' or 'weighted fill'");
  return OrderRule::kWeightedFill;
}

// Order, members of all cliques beside the variable itself, and where each variable's members start.
std::tuple<std::vector<std::int32_t>, std::vector<std::int32_t>, std::vector<std::size_t>> elimination_order(
    In<std::int32_t, 1> members, In<std::int64_t, 1> starts, In<double, 1> log_levels,
    In<std::int32_t, 1> stage, int n_stages, const std::string& rule) {
  const std::size_t n = log_levels.shape(0);
  require(stage.shape(0) == n, "stage needs one entry per variable");
  require(starts.shape(0) > 0, "starts needs one entry more than there are scopes");
  // With others, no order would be the least.
  for (std::size_t v = 0; v < n; ++v)
    require(0 <= log_levels(v) && log_levels(v) <= 64, "logarithms of levels must be from 0 to 64");
  for (std::size_t i = 0; i < members.shape(0); ++i)
    require(members(i) >= 0 && static_cast<std::size_t>(members(i)) < n, "there is no such variable");
  for (std::size_t i = 0; i + 1 < starts.shape(0); ++i)
    require(0 <= starts(i) && starts(i) <= starts(i + 1) &&
                static_cast<std::size_t>(starts(i + 1)) <= members.shape(0),
            "starts must ascend within the members");
  EliminationOrder found;
  const OrderRule chosen = rule_of(rule);
  {
    nb::gil_scoped_release unlocked;
    Neighbourhoods graph;
    graph.reset(n);
    for (std::size_t i = 0; i + 1 < starts.shape(0); ++i)
      graph.join(members.data() + starts(i), static_cast<std::size_t>(starts(i + 1) - starts(i)));
    GreedyOrder greedy;
    greedy.run(graph, log_levels.data(), stage.data(), n_stages, chosen, found);
  }
  return {std::move(found.variables), std::move(found.members), std::move(found.starts)};
}

// Let Python end a long run between two rows.
void notice_interrupts(std::size_t row) {
  if (row % 64 != 63) return;
  nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals()) throw nb::python_error();
}

// Sum a table over some of its axes: those whose stride in `sums` is 0. Radices and strides are of the
// table's axes, the last of which runs fastest.
void sum_axes(In<double, 1> table, In<std::int64_t, 1> radices, In<std::int64_t, 1> strides,
              Out<double, 1> sums) {
  const std::size_t n_axes = radices.shape(0);
  require(n_axes > 0 && strides.shape(0) == n_axes, "strides needs one entry per axis");
  const auto size = static_cast<std::int64_t>(table.shape(0));
  std::int64_t n_cells = 1, sums_left = static_cast<std::int64_t>(sums.shape(0)) - 1;
  require(sums_left >= 0, "strides reach beyond the sums");
  for (std::size_t a = 0; a < n_axes; ++a) {
    require(radices(a) > 0 && strides(a) >= 0, "radices must be above zero, strides not below");
    // Divided, not multiplied: a product may overflow.
    require(radices(a) <= size / n_cells, "radices must make the table's size");
    n_cells *= radices(a);
    if (radices(a) == 1) continue;
    require(strides(a) <= sums_left / (radices(a) - 1), "strides reach beyond the sums");
    sums_left -= strides(a) * (radices(a) - 1);
  }
  require(n_cells == size, "radices must make the table's size");
  require_apart(sums, table, radices, strides);
  nb::gil_scoped_release unlocked;
  std::fill(sums.data(), sums.data() + sums.shape(0), 0.0);
  std::vector<std::int64_t> digits(n_axes, 0);
  const std::int64_t n = radices(n_axes - 1), step = strides(n_axes - 1);
  const double* cell = table.data();
  double* sum = sums.data();
  for (std::int64_t done = 0; done < n_cells; done += n, cell += n) {
    if (step == 0) {
      double total = 0;
      for (std::int64_t x = 0; x < n; ++x) total += cell[x];
      *sum += total;
    } else {
      for (std::int64_t x = 0; x < n; ++x) sum[x * step] += cell[x];
    }
    for (std::size_t a = n_axes - 1; a-- > 0;) {
      sum += strides(a);
      if (++digits[a] < radices(a)) break;
      sum -= strides(a) * radices(a);
      digits[a] = 0;
    }
  }
}

class NetworkRows {
 public:
  NetworkRows(In<std::int32_t, 1> n_levels, In<std::int64_t, 1> parent_start, In<std::int32_t, 1> parents,
              In<std::int64_t, 1> table_start, In<double, 1> tables) {
    const std::size_t n = n_levels.shape(0);
    require(parent_start.shape(0) == n + 1 && table_start.shape(0) == n + 1,
            "starts need one entry more than there are variables");
    network_.n_levels.assign(n_levels.data(), n_levels.data() + n);
    network_.parent_start.assign(parent_start.data(), parent_start.data() + n + 1);
    network_.parents.assign(parents.data(), parents.data() + parents.shape(0));
    network_.table_start.assign(table_start.data(), table_start.data() + n + 1);
    network_.tables.assign(tables.data(), tables.data() + tables.shape(0));
    require(parent_start(0) == 0 && static_cast<std::size_t>(parent_start(n)) == parents.shape(0),
            "parent_start must cover the parents");
    require(table_start(0) == 0 && static_cast<std::size_t>(table_start(n)) == tables.shape(0),
            "table_start must cover the tables");
    std::vector<std::vector<std::int32_t>> children(n);
    for (std::size_t v = 0; v < n; ++v) {
      require(n_levels(v) > 0, "a variable has no levels");
      require(parent_start(v) <= parent_start(v + 1) && parent_start(v + 1) <= parent_start(n),
              "parent_start must ascend within the parents");
      const std::int64_t n_cells = table_start(n) - table_start(v);
      std::int64_t size = n_levels(v);
      for (std::int64_t p = parent_start(v); p < parent_start(v + 1); ++p) {
        require(parents(p) >= 0 && static_cast<std::size_t>(parents(p)) < n,
                "a parent is not one of the variables");
        // Larger than all tables together, it is wrong already, and must not overflow.
        require(n_levels(parents(p)) > 0 && size <= n_cells, "a table has not the size of its family");
        size *= n_levels(parents(p));
        children[parents(p)].push_back(static_cast<std::int32_t>(v));
      }
      require(size <= n_cells && table_start(v + 1) == table_start(v) + size,
              "a table has not the size of its family");
      double smallest = 1;
      for (std::int64_t i = table_start(v); i < table_start(v + 1); ++i)
        if (tables(i) > 0) smallest = std::min(smallest, tables(i));
      network_.smallest.push_back(smallest);
    }
    network_.child_start.push_back(0);
    for (const auto& own : children) {
      network_.children.insert(network_.children.end(), own.begin(), own.end());
      network_.child_start.push_back(static_cast<std::int64_t>(network_.children.size()));
    }
  }

  void margins(In<std::int32_t, 2> rows, std::int32_t target, Out<double, 2> probabilities,
               Out<std::uint8_t, 1> states, std::size_t max_bytes) const {
    check(rows, states);
    require(target >= 0 && static_cast<std::size_t>(target) < network_.n_variables(),
            "there is no such variable");
    require(probabilities.shape(0) == rows.shape(0) &&
                probabilities.shape(1) == static_cast<std::size_t>(network_.n_levels[target]),
            "probabilities must have one line per row and one entry per level");
    require_apart(probabilities, rows, states);
    nb::gil_scoped_release unlocked;
    RowInference inference(network_, max_bytes / sizeof(double));
    const std::size_t n = rows.shape(1), n_levels = probabilities.shape(1);
    for (std::size_t r = 0; r < rows.shape(0); ++r) {
      notice_interrupts(r);
      states.data()[r] = static_cast<std::uint8_t>(
          inference.margin(rows.data() + r * n, target, probabilities.data() + r * n_levels));
    }
  }

  // The margins of several targets given one row, one after the other, and the logarithm of the row's
  // probability. Stops at the first that cannot be answered, or when all took more than max_work cells of
  // cliques, and returns the state.
  std::uint8_t each_margin(In<std::int32_t, 2> row, In<std::int32_t, 1> targets, Out<double, 1> probabilities,
                           Out<double, 1> logarithm, std::size_t max_bytes, double max_work) const {
    require(row.shape(0) == 1 && logarithm.shape(0) == 1, "there must be one row");
    check_codes(row);
    std::size_t n_cells = 0;
    for (std::size_t i = 0; i < targets.shape(0); ++i) {
      require(targets(i) >= 0 && static_cast<std::size_t>(targets(i)) < network_.n_variables(),
              "there is no such variable");
      n_cells += static_cast<std::size_t>(network_.n_levels[targets(i)]);
    }
    require(probabilities.shape(0) == n_cells, "probabilities must have one entry per level");
    require_apart(probabilities, row, targets, logarithm);
    require_apart(logarithm, row, targets);
    nb::gil_scoped_release unlocked;
    RowInference inference(network_, max_bytes / sizeof(double));
    RowState state = inference.log_probability(row.data(), logarithm.data());
    double* out = probabilities.data();
    for (std::size_t i = 0; i < targets.shape(0) && state == RowState::kAnswered; ++i) {
      state = inference.margin(row.data(), targets(i), out);
      out += network_.n_levels[targets(i)];
      if (inference.work() > max_work) state = RowState::kTooLarge;
    }
    return static_cast<std::uint8_t>(state);
  }

  void log_probabilities(In<std::int32_t, 2> rows, Out<double, 1> logarithms, Out<std::uint8_t, 1> states,
                         std::size_t max_bytes) const {
    check(rows, states);
    require(logarithms.shape(0) == rows.shape(0), "logarithms must have one entry per row");
    require_apart(logarithms, rows, states);
    nb::gil_scoped_release unlocked;
    RowInference inference(network_, max_bytes / sizeof(double));
    const std::size_t n = rows.shape(1);
    for (std::size_t r = 0; r < rows.shape(0); ++r) {
      notice_interrupts(r);
      states.data()[r] =
          static_cast<std::uint8_t>(inference.log_probability(rows.data() + r * n, logarithms.data() + r));
    }
  }

  // Copy `rows` and fill unknown cells of the copy: each with its most probable label given the row, or,
  // if there are draws from 0 to 1, with a label drawn given the row and what was drawn before in it. A row
  // that cannot be answered keeps the cells that are unknown then.
  void fill(In<std::int32_t, 2> rows, Out<std::int32_t, 2> filled, In<std::int32_t, 1> order,
            In<double, 2> draws, Out<std::uint8_t, 1> states, std::size_t max_bytes) const {
    check(rows, states);
    const std::size_t n = rows.shape(1), n_rows = rows.shape(0);
    const bool drawn = draws.shape(0) > 0;
    require(filled.shape(0) == n_rows && filled.shape(1) == n, "filled must have the shape of rows");
    require(!drawn || (draws.shape(0) == n_rows && draws.shape(1) == n), "draws must have the shape of rows");
    for (std::size_t i = 0; i < order.shape(0); ++i)
      require(order(i) >= 0 && static_cast<std::size_t>(order(i)) < n, "there is no such variable");
    require_apart(filled, rows, order, draws, states);
    nb::gil_scoped_release unlocked;
    std::copy(rows.data(), rows.data() + n_rows * n, filled.data());
    RowInference inference(network_, max_bytes / sizeof(double));
    std::int32_t most_levels = 0;  // a network may be empty
    for (std::int32_t n_levels : network_.n_levels) most_levels = std::max(most_levels, n_levels);
    std::vector<double> probabilities(static_cast<std::size_t>(most_levels));
    for (std::size_t r = 0; r < n_rows; ++r) {
      notice_interrupts(r);
      std::int32_t* out = filled.data() + r * n;
      const std::int32_t* given = drawn ? out : rows.data() + r * n;
      RowState state = RowState::kAnswered;
      for (std::size_t i = 0; i < order.shape(0); ++i) {
        const std::int32_t v = order(i);
        if (given[v] >= 0) continue;
        state = inference.margin(given, v, probabilities.data());
        if (state != RowState::kAnswered) break;
        const std::int32_t n_levels = network_.n_levels[v];
        if (drawn) {
          double left = draws.data()[r * n + v];
          std::int32_t code = 0, last = 0;
          for (; code < n_levels; ++code) {
            if (probabilities[code] > 0) last = code;
            if (left < probabilities[code]) break;
            left -= probabilities[code];
          }
          out[v] = code < n_levels ? code : last;  // sums fall short of 1 by rounding
        } else {
          out[v] = static_cast<std::int32_t>(
              std::max_element(probabilities.begin(), probabilities.begin() + n_levels) -
              probabilities.begin());
        }
      }
      states.data()[r] = static_cast<std::uint8_t>(state);
    }
  }

 private:
  void check(const In<std::int32_t, 2>& rows, const Out<std::uint8_t, 1>& states) const {
    require(states.shape(0) == rows.shape(0), "states needs one entry per row");
    require_apart(states, rows);
    check_codes(rows);
  }

  void check_codes(const In<std::int32_t, 2>& rows) const {
    require(rows.shape(1) == network_.n_variables(), "rows needs one column per variable");
    const std::size_t n = rows.shape(1);
    for (std::size_t i = 0; i < rows.shape(0) * n; ++i)
      require(rows.data()[i] < network_.n_levels[i % n], "a code is not below its variable's levels");
  }

  NetworkTables network_;
};

}  // namespace

void bind_inference(nb::module_& m) {
  m.def("elimination_order", &elimination_order, nb::arg("members").noconvert(),
        nb::arg("starts").noconvert(), nb::arg("log_levels").noconvert(), nb::arg("stage").noconvert(),
        nb::arg("n_stages"), nb::arg("rule"));
  m.def("sum_axes", &sum_axes, nb::arg("table").noconvert(), nb::arg("radices").noconvert(),
        nb::arg("strides").noconvert(), nb::arg("sums").noconvert());
  nb::class_<NetworkRows>(m, "NetworkRows")
      .def(nb::init<In<std::int32_t, 1>, In<std::int64_t, 1>, In<std::int32_t, 1>, In<std::int64_t, 1>,
                    In<double, 1>>(),
           nb::arg("n_levels").noconvert(), nb::arg("parent_start").noconvert(),
           nb::arg("parents").noconvert(), nb::arg("table_start").noconvert(), nb::arg("tables").noconvert())
      .def("margins", &NetworkRows::margins, nb::arg("rows").noconvert(), nb::arg("target"),
           nb::arg("probabilities").noconvert(), nb::arg("states").noconvert(), nb::arg("max_bytes"))
      .def("each_margin", &NetworkRows::each_margin, nb::arg("row").noconvert(),
           nb::arg("targets").noconvert(), nb::arg("probabilities").noconvert(),
           nb::arg("logarithm").noconvert(), nb::arg("max_bytes"), nb::arg("max_work"))
      .def("log_probabilities", &NetworkRows::log_probabilities, nb::arg("rows").noconvert(),
           nb::arg("logarithms").noconvert(), nb::arg("states").noconvert(), nb::arg("max_bytes"))
      .def("fill", &NetworkRows::fill, nb::arg("rows").noconvert(), nb::arg("filled").noconvert(),
           nb::arg("order").noconvert(), nb::arg("draws").noconvert(), nb::arg("states").noconvert(),
           nb::arg("max_bytes"));
}

}  // namespace bnsieve
