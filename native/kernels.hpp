// The table of kernels: one set of plain functions, built once per instruction set.
//
// kernels.cpp is compiled several times, each time with another BNSIEVE_LEVEL and other compiler flags.
// Everything it defines lives in the namespace bnsieve::<level>, so that the linker can never take a
// function built for AVX-512 where the baseline one is meant. For the same reason kernels use nothing
// from the C++ library that could be emitted as a shared inline function (no containers, no algorithms):
// callers allocate, kernels compute. dispatch.cpp picks one table when the module is loaded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bnsieve {

struct Kernels {
  // Codes (one contiguous row per variable) to packed literals; see tsetlin.hpp.
  void (*pack_literals_u8)(const std::uint8_t* codes, std::size_t n_variables, std::size_t n_rows,
                           const std::int64_t* first_literal, std::size_t n_blocks,
                           std::uint64_t* literals);
  void (*pack_literals_u16)(const std::uint16_t* codes, std::size_t n_variables, std::size_t n_rows,
                            const std::int64_t* first_literal, std::size_t n_blocks,
                            std::uint64_t* literals);
};

namespace baseline {
const Kernels& kernel_table();
}
namespace avx2 {
const Kernels& kernel_table();
}
namespace avx512 {
const Kernels& kernel_table();
}

// The table in use. Set once when the module is loaded; set_level is for tests and benchmarks.
const Kernels& kernels();
const char* level_name();
// Levels that this build contains and this processor can run, weakest first; ends with nullptr.
const char* const* supported_levels();
// False if the level is unknown or cannot run here.
bool set_level(const char* name);

}  // namespace bnsieve
