// What the Tsetlin machine's kernels are handed: the same for every level.
//
// A multi-class weighted Tsetlin machine of K classes, C clauses each, over B blocks of 512 literals:
//
//   include   K x C x B blocks           bit plane of the automata's action: literal is in the clause
//   depth     K x C x B x 7 blocks       the other bit planes of the automata's states, lowest first
//   weights   K x padded clauses         signed: even clauses vote for the class, odd ones against
//
// An automaton has 256 states, 0 to 127 exclude and 128 to 255 include: `include` is the highest bit. With
// 64 states machines are a tenth faster and as accurate, but their clauses rank variables worse: of the two
// most important to each variable of hepar2, 44 in 100 were true neighbours, with 256 states 49.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bnsieve {

constexpr std::size_t kDepthPlanes = 7;
constexpr std::size_t kClauseGroup = 64;
// Weights stop growing here, so that a group's votes fit 32 bits and all votes fit 64.
constexpr std::int32_t kMaxWeight = 1 << 24;

// Internal linkage: each level keeps its own copy.
static inline std::size_t padded_clauses(std::size_t n_clauses) {
  return (n_clauses + kClauseGroup - 1) / kClauseGroup * kClauseGroup;
}

// Words that hold one bit per block.
static inline std::size_t live_words(std::size_t n_blocks) { return (n_blocks + 63) / 64; }

struct MachineShape {
  std::size_t n_blocks;
  std::size_t n_classes;
  std::size_t n_clauses;
};

// Examples are row numbers of the shared literal matrix with a label each; a row may occur often.
struct Examples {
  const std::uint64_t* literals;
  const std::int32_t* rows;
  const std::int32_t* labels;
  std::size_t n_examples;
};

struct TrainingJob {
  MachineShape shape;
  Examples examples;
  std::int32_t threshold;    // T
  std::uint32_t forget_p16;  // 1 / s in 65536ths
  bool boost;                // Type I strengthens true literals always, not with 1 - 1/s
  std::uint64_t seed;
  std::uint64_t first_epoch;
  std::uint64_t n_epochs;
  std::size_t first_class;       // classes first_class to last_class - 1 are trained: classes never read each
  std::size_t last_class;        // other, so that several jobs may share one machine
  const std::uint64_t* allowed;  // B blocks: literals that may enter a clause
  std::uint64_t* include;
  std::uint64_t* depth;
  std::int32_t* weights;
  bool (*should_stop)();  // asked every so many visits
};

// Memory that training needs beside the machine; sizes in elements.
struct TrainingScratch {
  std::uint64_t* pool;  // pool_words + B * 8 + 8, pool_words a power of two
  std::size_t pool_words;
  std::uint32_t* order;        // n_examples
  std::uint32_t* other_class;  // n_examples
  std::uint32_t* visits;       // 2 * n_examples
  std::size_t* first_visit;    // K + 1
  std::uint32_t* chance_p16;   // 2 T + 1: feedback probability by distance from the target
  std::uint64_t* fired;        // padded clauses / 64
  std::uint64_t* live;         // C * live_words(B): blocks in which a clause has a literal
};

}  // namespace bnsieve
