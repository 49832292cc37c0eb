// Compiled once per instruction set, with BNSIEVE_LEVEL naming it. See kernels.hpp.
#include "kernels.hpp"

#include "tsetlin.hpp"

namespace bnsieve::BNSIEVE_LEVEL {

const Kernels& kernel_table() {
  static const Kernels table = {
      &pack_literals<std::uint8_t>,
      &pack_literals<std::uint16_t>,
  };
  return table;
}

}  // namespace bnsieve::BNSIEVE_LEVEL
