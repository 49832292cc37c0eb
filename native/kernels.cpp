// Compiled once per instruction set, with BNSIEVE_LEVEL naming it. See kernels.hpp.
#include "kernels.hpp"

#include "counts.hpp"
#include "literals.hpp"
#include "log_gamma.hpp"
#include "pairs.hpp"
#include "sample.hpp"
#include "steps.hpp"
#include "tsetlin.hpp"

namespace bnsieve::BNSIEVE_LEVEL {

const Kernels& kernel_table() {
  static const Kernels table = {
      &pack_literals<std::uint8_t>,
      &pack_literals<std::uint16_t>,
      &make_keys<std::uint8_t>,
      &make_keys<std::uint16_t>,
      &count_dense,
      &count_lanes<std::uint8_t>,
      &count_lanes<std::uint16_t>,
      &add_lanes,
      &count_cells,
      &count_sparse<false>,
      &count_sparse<true>,
      &move_slots,
      &recode<std::uint8_t>,
      &recode<std::uint16_t>,
      &count_pairs,
      &spread_over_pairs,
      &strongest_triple,
      &sum_log_gamma,
      &log_rising,
      &train_machine,
      &count_votes,
      &count_matches,
      &sample_variable<std::uint8_t>,
      &sample_variable<std::uint16_t>,
      &step_columns,
      &place_columns,
  };
  return table;
}

}  // namespace bnsieve::BNSIEVE_LEVEL
