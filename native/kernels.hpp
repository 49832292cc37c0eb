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

#include "machine_job.hpp"

namespace bnsieve {

// Types of the counting kernels; see counts.hpp.
constexpr std::size_t kKeyBlock = 2048;
constexpr std::uint64_t kNoKey = ~std::uint64_t{0};
constexpr std::size_t kCountLanes = 4;
struct KeyColumn {
  const void* codes;            // one code per row
  const std::uint8_t* missing;  // one flag per row, or null where nothing is missing
  std::uint64_t radix;          // number of digits, at most 65536; `missing` takes the last one
};
struct CountSlot {
  std::uint64_t key;  // kNoKey where empty
  std::int64_t value;
};
// What strongest_triple looks at; see pairs.hpp.
struct TripleScan {
  const std::uint64_t* bits;  // the rows of each level, n_words of them
  std::size_t n_words;
  const std::int64_t* first;  // variable v has the lines of bits from first[v] up to first[v + 1]
  const std::int64_t* last;  // its last line, if no cell is missing and its rows are what others leave; or -1
  std::size_t n_variables;
  const std::uint64_t* target;  // the rows of each of the target's levels
  std::size_t n_target;
  const double* shares;  // of these levels
  const double* scales;  // what the sum of each is divided by
  const double* limits;  // limits[n]: what is taken off for n joint levels
};

// Where it counts, of all rows and of those of each of the target's levels: 1 + n_target counts, each of
// which has a number per line.
struct TripleScratch {
  std::uint64_t* rows;  // two lines
  double* pairs;        // of each count and line
  double* left_of_a;    // of each count
  double* left_of_b;    // of each count and level of a variable
  double* counted;      // two counts
  double* worth;        // a number per line
};

struct Kernels {
  // Codes (one contiguous row per variable) to packed literals; see literals.hpp.
  void (*pack_literals_u8)(const std::uint8_t* codes, std::size_t n_variables, std::size_t n_rows,
                           const std::int64_t* first_literal, std::size_t n_blocks, std::uint64_t* literals);
  void (*pack_literals_u16)(const std::uint16_t* codes, std::size_t n_variables, std::size_t n_rows,
                            const std::int64_t* first_literal, std::size_t n_blocks, std::uint64_t* literals);

  bool (*make_keys_u8)(const KeyColumn* columns, std::size_t n_columns, std::size_t start, std::size_t n,
                       bool append, std::uint64_t* keys);
  bool (*make_keys_u16)(const KeyColumn* columns, std::size_t n_columns, std::size_t start, std::size_t n,
                        bool append, std::uint64_t* keys);
  void (*count_dense)(const std::uint64_t* keys, const std::int64_t* weights, std::size_t n,
                      std::size_t n_cells, bool laned, std::int64_t* counts);
  bool (*count_lanes_u8)(const KeyColumn* columns, std::size_t n_columns, std::size_t start, std::size_t stop,
                         std::size_t n_cells, std::uint32_t* lanes);
  bool (*count_lanes_u16)(const KeyColumn* columns, std::size_t n_columns, std::size_t start,
                          std::size_t stop, std::size_t n_cells, std::uint32_t* lanes);
  void (*add_lanes)(std::size_t n_cells, std::uint32_t* lanes, std::int64_t* counts);
  std::size_t (*count_cells)(const std::uint64_t* keys, std::size_t n, std::uint32_t* cells,
                             std::uint32_t* touched, std::size_t n_touched);
  std::size_t (*count_sparse)(std::uint64_t* keys, const std::int64_t* weights, std::size_t n,
                              CountSlot* slots, unsigned shift, std::size_t limit, std::size_t* n_used);
  std::size_t (*index_sparse)(std::uint64_t* keys, const std::int64_t* weights, std::size_t n,
                              CountSlot* slots, unsigned shift, std::size_t limit, std::size_t* n_used);
  void (*move_slots)(const CountSlot* from, std::size_t n_slots, CountSlot* slots, unsigned shift);
  bool (*recode_u8)(const std::int32_t* indices, std::size_t n, const std::uint8_t* code_of,
                    std::size_t n_labels, std::uint8_t* codes);
  bool (*recode_u16)(const std::int32_t* indices, std::size_t n, const std::uint16_t* code_of,
                     std::size_t n_labels, std::uint16_t* codes);
  void (*count_pairs)(const std::uint64_t* a, std::size_t n_a, const std::uint64_t* b, std::size_t n_b,
                      std::size_t n_words, double* counts, std::size_t stride);
  void (*spread_over_pairs)(const std::uint64_t* bits, const std::uint64_t* marked, std::size_t n_words,
                            const std::int64_t* first, const bool* open, std::size_t n_variables,
                            const double* together, double share, const std::int64_t* last, double* n_marked,
                            double* left, double* spread);
  bool (*strongest_triple)(const TripleScan& scan, const TripleScratch& scratch, std::size_t* best);
  double (*sum_log_gamma)(const double* numbers, std::size_t n, double shift);
  void (*log_rising)(double b, std::size_t n, double* logs);
  // The weighted Tsetlin machine; see tsetlin.hpp.
  bool (*train_machine)(const TrainingJob& job, const TrainingScratch& scratch);
  void (*count_votes)(const MachineShape& shape, const Examples& examples, const std::uint64_t* include,
                      const std::int32_t* weights, std::int64_t* votes);
  void (*count_matches)(const MachineShape& shape, const Examples& examples, const std::uint64_t* include,
                        std::int64_t* matches);
  // One variable of a Bayesian network drawn for every row; see sample.hpp.
  void (*sample_variable_u8)(std::uint8_t* codes, std::size_t n_rows, std::size_t variable,
                             std::uint64_t first_row, const std::int64_t* parents,
                             const std::int64_t* strides, std::size_t n_parents,
                             const std::uint64_t* thresholds, std::size_t n_thresholds,
                             const std::uint64_t* key);
  void (*sample_variable_u16)(std::uint16_t* codes, std::size_t n_rows, std::size_t variable,
                              std::uint64_t first_row, const std::int64_t* parents,
                              const std::int64_t* strides, std::size_t n_parents,
                              const std::uint64_t* thresholds, std::size_t n_thresholds,
                              const std::uint64_t* key);
  // Functions of the steps that values lie on, and of places; see steps.hpp.
  void (*step_columns)(const double* values, std::size_t n, const double* lowest, std::size_t n_steps,
                       const double* tables, std::size_t n_tables, double* columns);
  void (*place_columns)(const std::int32_t* places, std::size_t n, std::size_t n_places, const double* tables,
                        std::size_t n_tables, double* columns);
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
