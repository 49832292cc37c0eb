// Training and reading a weighted Tsetlin machine, a register of automata at a time.
//
// Semantics: Granmo 2018 and Phoulady et al. 2020, as the paper's sections 3.1 to 3.3 state them;
// tests/reference.py has the same machine in plain NumPy. Techniques:
//
// - Automata are bit-sliced. One saturating step of a whole register, each automaton up, down or not at all,
//   is a ripple of carries through eight planes; what carries out of the top would have wrapped and is
//   undone.
// - The class machines of one target never read each other, so each is trained alone through a whole epoch
//   (its visits in the order of the epoch), and stays in the first or second cache.
// - Masks with ones at rate 1/s are cut from a pool that is redrawn each epoch, from a random *byte* on:
//   fresh masks would cost a third of the time, and word offsets are measurably worse learners.
// - A clause of a wide machine remembers in which blocks it has literals. It is evaluated there only, and
//   elsewhere a step does not read its include plane: training such machines is bound by memory traffic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block.hpp"
#include "machine_job.hpp"
#include "random.hpp"

namespace bnsieve::BNSIEVE_LEVEL {

// Lanes of one block's depth planes.
constexpr std::size_t kBlockDepth = kDepthPlanes * kLanes;

// What a lane of automata does: which ones move, and which of those go down, towards exclude; others go up.
struct Motion {
  Lane move;
  Lane down;
};

// One step of a lane. depth: its lowest plane, the others follow a block apart; include: its highest.
// Returns the new include.
BNSIEVE_INLINE Lane step(Lane* depth, Lane include, Motion motion) {
  Lane plane[kDepthPlanes + 1];
  for (std::size_t p = 0; p < kDepthPlanes; ++p) plane[p] = depth[p * kLanes];
  plane[kDepthPlanes] = include;
  for (Lane& bits : plane) {
    const Lane before = bits;
    bits = before ^ motion.move;
    motion.move &= before ^ motion.down;
  }
  for (Lane& bits : plane) bits ^= motion.move;
  for (std::size_t p = 0; p < kDepthPlanes; ++p) depth[p * kLanes] = plane[p];
  return plane[kDepthPlanes];
}

// Whether an included literal is false in blocks first .. last - 1.
BNSIEVE_INLINE bool violated(const Lane* include, const Lane* literals, std::size_t first, std::size_t last) {
  include += first * kLanes;
  literals += first * kLanes;
  Lane found[kLanes];  // one sum per lane, so that none waits for another
  for (std::size_t l = 0; l < kLanes; ++l) found[l] = include[l] & ~literals[l];
  for (std::size_t b = 1; b < last - first; ++b)
    for (std::size_t l = 0; l < kLanes; ++l) found[l] |= include[b * kLanes + l] & ~literals[b * kLanes + l];
  for (std::size_t l = 1; l < kLanes; ++l) found[0] |= found[l];
  return !is_zero(found[0]);
}

// True if no included literal is false.
BNSIEVE_INLINE bool fires(const Lane* include, const Lane* literals, std::size_t n_blocks) {
  // Wide clauses mostly fail early: look after every eight blocks.
  constexpr std::size_t kStride = 8;
  std::size_t b = 0;
  for (; b + kStride < n_blocks; b += kStride)
    if (violated(include, literals, b, b + kStride)) return false;
  return !violated(include, literals, b, n_blocks);
}

BNSIEVE_INLINE bool is_empty(const Lane* include, std::size_t n_blocks) {
  Lane any = include[0];
  for (std::size_t i = 1; i < n_blocks * kLanes; ++i) any |= include[i];
  return is_zero(any);
}

// A clause in training. kBlocks is its width in blocks where that is small and known to the compiler; else 0.
// A wide clause has literals in few of its blocks and knows in which: bit b % 64 of live[b / 64] says that
// block b has some. The include plane of other blocks is all zero and need not be read.
template <std::size_t kBlocks>
struct Clause {
  static constexpr bool kWide = kBlocks == 0;
  Lane* depth;
  Lane* include;
  std::uint64_t* live;
  std::size_t n_blocks;

  // An empty clause is true while training.
  BNSIEVE_INLINE bool fires(const Lane* literals) const {
    if (!kWide) return !violated(include, literals, 0, kBlocks);
    for (std::size_t w = 0; w < live_words(n_blocks); ++w) {
      for (std::uint64_t left = live[w]; left; left &= left - 1) {
        const std::size_t b = w * 64 + lowest_bit(left);
        if (violated(include, literals, b, b + 1)) return false;
      }
    }
    return true;
  }

  BNSIEVE_INLINE void find_live() {
    for (std::size_t b = 0; b < n_blocks; ++b) set_live(b, !is_empty(include + b * kLanes, 1));
  }

  // Type I of a clause that does not fire: automata fall back towards exclude with probability 1/s.
  BNSIEVE_INLINE void forget(const unsigned char* mask) {
    const Lane ones = ~Lane{};
    step_all([=](std::size_t i) { return Motion{load_unaligned(mask + kLaneBytes * i), ones}; });
  }

  // Type I of a firing clause: true literals up, false ones down with probability 1/s.
  BNSIEVE_INLINE void recognise(const Lane* literals, const Lane* allowed, const unsigned char* mask,
                                bool boost) {
    step_all([=](std::size_t i) {
      const Lane drawn = load_unaligned(mask + kLaneBytes * i);
      const Lane move = boost ? literals[i] | drawn : literals[i] ^ drawn;
      return Motion{allowed[i] & move, ~literals[i]};
    });
  }

  // Type II of a firing clause: false literals up, so that the clause comes to reject this row.
  BNSIEVE_INLINE void reject(const Lane* literals, const Lane* allowed) {
    step_all([=](std::size_t i) { return Motion{allowed[i] & ~literals[i], Lane{}}; });
  }

 private:
  BNSIEVE_INLINE void set_live(std::size_t b, bool is_live) {
    const std::uint64_t bit = std::uint64_t{1} << (b % 64);
    live[b / 64] = is_live ? live[b / 64] | bit : live[b / 64] & ~bit;
  }

  // One step of all automata; motion(i) is that of lane i.
  template <typename MotionOf>
  BNSIEVE_INLINE void step_all(MotionOf motion) {
    for (std::size_t b = 0; b < (kWide ? n_blocks : kBlocks); ++b) {
      const bool is_live = !kWide || (live[b / 64] >> (b % 64) & 1);
      bool changed = false;
      for (std::size_t l = 0; l < kLanes; ++l) {
        const std::size_t i = b * kLanes + l;
        const Lane before = is_live ? include[i] : Lane{};
        const Lane after = step(depth + b * kBlockDepth + l, before, motion(i));
        if (kWide && is_zero(before ^ after)) continue;
        include[i] = after;
        changed = true;
      }
      if (kWide && changed) set_live(b, !is_empty(include + b * kLanes, 1));
    }
  }
};

// Sum of the weights of the clauses in mask, out of one group of n (at most 64) clauses.
BNSIEVE_INLINE std::int64_t group_votes(const std::int32_t* weights, std::uint64_t mask, std::size_t n) {
#if defined(__AVX512F__)
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t v = 0; v * 16 < n; ++v)
    sum = _mm512_mask_add_epi32(sum, static_cast<__mmask16>(mask >> (16 * v)), sum,
                                _mm512_loadu_si512(weights + 16 * v));
  return _mm512_reduce_add_epi32(sum);
#elif defined(__AVX2__)
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t v = 0; v * 8 < n; ++v) {
    const __m256i byte = _mm256_set1_epi32(static_cast<int>((mask >> (8 * v)) & 255));
    const __m256i chosen = _mm256_cmpeq_epi32(_mm256_and_si256(byte, bit), bit);
    const __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + 8 * v));
    sum = _mm256_add_epi32(sum, _mm256_and_si256(chosen, w));
  }
  __m128i s = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
  s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
  return _mm_cvtsi128_si32(s);
#else
  std::int32_t sum = 0;
  for (std::size_t j = 0; j < n; ++j) sum += weights[j] & -static_cast<std::int32_t>((mask >> j) & 1);
  return sum;
#endif
}

BNSIEVE_INLINE std::size_t group_size(std::size_t n_clauses, std::size_t group) {
  const std::size_t left = n_clauses - group * kClauseGroup;
  return left < kClauseGroup ? left : kClauseGroup;
}

constexpr std::size_t kVisitsBetweenQuestions = 256;

// One class's machine, with everything that training it needs.
template <std::size_t kBlocks>
struct ClassTrainer {
  Lane* include;
  Lane* depth;
  std::int32_t* weights;
  const Lane* allowed;
  const TrainingJob& job;
  const TrainingScratch& scratch;
  ClauseStream stream;

  BNSIEVE_INLINE Clause<kBlocks> clause(std::size_t j) const {
    const std::size_t blocks = kBlocks ? kBlocks : job.shape.n_blocks;
    return {depth + j * blocks * kBlockDepth, include + j * blocks * kLanes,
            scratch.live + j * live_words(blocks), blocks};
  }

  void visit(const Lane* literals, bool is_class) {
    const std::size_t n_clauses = job.shape.n_clauses;
    const std::size_t n_groups = (n_clauses + kClauseGroup - 1) / kClauseGroup;
    std::int64_t votes = 0;
    for (std::size_t g = 0; g < n_groups; ++g) {
      const std::size_t n = group_size(n_clauses, g);
      std::uint64_t fired = 0;
      for (std::size_t j = 0; j < n; ++j)
        fired |= static_cast<std::uint64_t>(clause(g * kClauseGroup + j).fires(literals)) << j;
      scratch.fired[g] = fired;
      votes += group_votes(weights + g * kClauseGroup, fired, n);
    }
    const std::int64_t T = job.threshold;
    const std::int64_t clamped = votes > T ? T : votes < -T ? -T : votes;
    const std::uint32_t chance = scratch.chance_p16[is_class ? T - clamped : T + clamped];
    if (chance == 0) return;
    for (std::size_t g = 0; g < n_groups; ++g) feedback(g, literals, is_class, stream.select64(chance));
    stream.next_update(n_clauses);
  }

  BNSIEVE_INLINE void feedback(std::size_t group, const Lane* literals, bool is_class,
                               std::uint64_t selected) {
    const std::size_t first = group * kClauseGroup;
    const std::size_t n = group_size(job.shape.n_clauses, group);
    if (n < kClauseGroup) selected &= (std::uint64_t{1} << n) - 1;
    // Even clauses vote for the class. Those whose vote is wanted get Type I, the others Type II.
    const std::uint64_t even = 0x5555555555555555ULL;
    const std::uint64_t wanted = is_class ? even : ~even;
    const std::uint64_t fired = scratch.fired[group];
    const std::int32_t direction = is_class ? 1 : -1;
    const std::uint64_t pool_bytes = scratch.pool_words * 8 - 1;
    const unsigned char* pool = reinterpret_cast<const unsigned char*>(scratch.pool);

    for (std::uint64_t left = selected & wanted & ~fired; left; left &= left - 1) {
      const std::size_t j = first + lowest_bit(left);
      const unsigned char* mask = pool + ((stream.mask_draw(j) >> 40) & pool_bytes);
      clause(j).forget(mask);
    }
    for (std::uint64_t left = selected & wanted & fired; left; left &= left - 1) {
      const std::size_t j = first + lowest_bit(left);
      const unsigned char* mask = pool + ((stream.mask_draw(j) >> 40) & pool_bytes);
      if (weights[j] * direction < kMaxWeight) weights[j] += direction;
      if (job.boost)
        clause(j).recognise(literals, allowed, mask, true);
      else
        clause(j).recognise(literals, allowed, mask, false);
    }
    for (std::uint64_t left = selected & ~wanted & fired; left; left &= left - 1) {
      const std::size_t j = first + lowest_bit(left);
      if (weights[j] * -direction > 1) weights[j] += direction;
      clause(j).reject(literals, allowed);
    }
  }
};

// The literals of one example.
BNSIEVE_INLINE const Lane* row_of(const Examples& examples, std::size_t i, std::size_t n_blocks) {
  const std::size_t row = static_cast<std::size_t>(examples.rows[i]);
  return reinterpret_cast<const Lane*>(examples.literals) + row * n_blocks * kLanes;
}

// Visits of one class in one epoch; a visit is twice the example's number, plus one if it is of the class.
// Returns false if it was asked to stop, with the machine half trained.
template <std::size_t kBlocks>
bool train_class(const TrainingJob& job, const TrainingScratch& scratch, std::size_t k, std::uint64_t epoch) {
  const std::size_t blocks = kBlocks ? kBlocks : job.shape.n_blocks;
  const std::size_t lanes = job.shape.n_clauses * blocks * kLanes;
  ClassTrainer<kBlocks> trainer{
      reinterpret_cast<Lane*>(job.include) + k * lanes,
      reinterpret_cast<Lane*>(job.depth) + k * lanes * kDepthPlanes,
      job.weights + k * padded_clauses(job.shape.n_clauses),
      reinterpret_cast<const Lane*>(job.allowed),
      job,
      scratch,
      ClauseStream(derive(job.seed, epoch, kFirstClass + k)),
  };
  for (std::size_t j = 0; kBlocks == 0 && j < job.shape.n_clauses; ++j) trainer.clause(j).find_live();
  const std::size_t stop = scratch.first_visit[k + 1];
  for (std::size_t i = scratch.first_visit[k]; i < stop; ++i) {
    if (i % kVisitsBetweenQuestions == 0 && job.should_stop()) return false;
    const std::uint32_t visit = scratch.visits[i];
    if (i + 1 < stop) {
      const Lane* next = row_of(job.examples, scratch.visits[i + 1] >> 1, blocks);
      for (std::size_t b = 0; b < blocks; ++b) BNSIEVE_PREFETCH(next + b * kLanes);
    }
    trainer.visit(row_of(job.examples, visit >> 1, blocks), visit & 1);
  }
  return true;
}

// The epoch's visits, class by class: every example once in its own class and once in another one, drawn
// evenly, all in one shuffled order.
inline void plan_epoch(const TrainingJob& job, const TrainingScratch& scratch, std::uint64_t epoch) {
  const std::uint32_t n = static_cast<std::uint32_t>(job.examples.n_examples);
  const std::uint32_t n_classes = static_cast<std::uint32_t>(job.shape.n_classes);
  const std::int32_t* labels = job.examples.labels;
  std::uint32_t* order = scratch.order;
  std::size_t* first = scratch.first_visit;
  SplitMix draw{derive(job.seed, epoch, kOrder)};
  for (std::uint32_t i = 0; i < n; ++i) order[i] = i;
  for (std::uint32_t i = n; i > 1; --i) {
    const std::uint32_t j = draw.below(i);
    const std::uint32_t swapped = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swapped;
  }
  for (std::uint32_t k = 0; k <= n_classes; ++k) first[k] = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t label = static_cast<std::uint32_t>(labels[order[i]]);
    ++first[label];
    if (n_classes == 1) continue;
    const std::uint32_t k = draw.below(n_classes - 1);
    scratch.other_class[i] = k >= label ? k + 1 : k;
    ++first[scratch.other_class[i]];
  }
  std::size_t total = 0;
  for (std::uint32_t k = 0; k <= n_classes; ++k) first[k] = total += first[k];
  // Filled from the back: first[k] then stands at the beginning of class k's visits.
  for (std::uint32_t i = n; i-- > 0;) {
    scratch.visits[--first[labels[order[i]]]] = order[i] * 2 + 1;
    if (n_classes > 1) scratch.visits[--first[scratch.other_class[i]]] = order[i] * 2;
  }
}

inline bool train_machine(const TrainingJob& job, const TrainingScratch& scratch) {
  using Train = bool (*)(const TrainingJob&, const TrainingScratch&, std::size_t, std::uint64_t);
  static constexpr Train by_blocks[] = {
      &train_class<0>, &train_class<1>, &train_class<2>, &train_class<3>, &train_class<4>,
      &train_class<5>, &train_class<6>, &train_class<7>, &train_class<8>,
  };
  const Train train = by_blocks[job.shape.n_blocks <= 8 ? job.shape.n_blocks : 0];
  const std::uint64_t two_t = 2 * static_cast<std::uint64_t>(job.threshold);
  for (std::uint64_t q = 0; q <= two_t; ++q)
    scratch.chance_p16[q] = static_cast<std::uint32_t>((q * 65536 + two_t / 2) / two_t);
  const std::size_t pool_size = scratch.pool_words + job.shape.n_blocks * kBlockWords + kBlockWords;
  for (std::uint64_t epoch = job.first_epoch; epoch < job.first_epoch + job.n_epochs; ++epoch) {
    fill_pool(scratch.pool, pool_size, job.forget_p16, derive(job.seed, epoch, kPool));
    plan_epoch(job, scratch, epoch);
    for (std::size_t k = job.first_class; k < job.last_class; ++k)
      if (!train(job, scratch, k, epoch)) return false;
  }
  return true;
}

// votes: n_examples x K. An empty clause does not vote once training is over.
inline void count_votes(const MachineShape& shape, const Examples& examples, const std::uint64_t* include,
                        const std::int32_t* weights, std::int64_t* votes) {
  const std::size_t padded = padded_clauses(shape.n_clauses), blocks = shape.n_blocks;
  const Lane* clause = reinterpret_cast<const Lane*>(include);
  for (std::size_t i = 0; i < examples.n_examples * shape.n_classes; ++i) votes[i] = 0;
  for (std::size_t k = 0; k < shape.n_classes; ++k) {
    for (std::size_t j = 0; j < shape.n_clauses; ++j, clause += blocks * kLanes) {
      if (is_empty(clause, blocks)) continue;
      const std::int64_t weight = weights[k * padded + j];
      for (std::size_t i = 0; i < examples.n_examples; ++i)
        if (fires(clause, row_of(examples, i, blocks), blocks)) votes[i * shape.n_classes + k] += weight;
    }
  }
}

// matches: K x C x K. For every clause, how many examples of each label it is true of.
inline void count_matches(const MachineShape& shape, const Examples& examples, const std::uint64_t* include,
                          std::int64_t* matches) {
  const std::size_t blocks = shape.n_blocks;
  for (std::size_t c = 0; c < shape.n_classes * shape.n_clauses; ++c) {
    const Lane* clause = reinterpret_cast<const Lane*>(include) + c * blocks * kLanes;
    std::int64_t* by_label = matches + c * shape.n_classes;
    for (std::size_t k = 0; k < shape.n_classes; ++k) by_label[k] = 0;
    for (std::size_t i = 0; i < examples.n_examples; ++i)
      by_label[examples.labels[i]] += fires(clause, row_of(examples, i, blocks), blocks);
  }
}

}  // namespace bnsieve::BNSIEVE_LEVEL
