// Random draws of the Tsetlin machine: integers only, so that every level draws the same.
//
// Streams are derived from (seed, epoch, purpose): nothing is carried from one epoch to the next, so that
// five epochs and five more give what ten give, and classes can be trained in any order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block.hpp"

namespace bnsieve::BNSIEVE_LEVEL {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
BNSIEVE_INLINE std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

enum Purpose : std::uint64_t { kOrder = 0, kPool = 1, kFirstClass = 2 };

BNSIEVE_INLINE std::uint64_t derive(std::uint64_t seed, std::uint64_t epoch, std::uint64_t purpose) {
  return mix64(mix64(seed + kGolden * (epoch + 1)) + kGolden * (purpose + 1));
}

struct SplitMix {
  std::uint64_t state;
  std::uint64_t next() { return mix64(state += kGolden); }
  // Uniform in 0 .. bound-1 by multiplication; the bias, below bound / 2^32, is far under what n rows show.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }
};

// Which of 64 clauses get feedback, and where in the pool each clause's mask begins.
struct ClauseStream {
  alignas(64) std::uint64_t lane[16];
  std::uint64_t counter;

  explicit ClauseStream(std::uint64_t key) : counter(mix64(key)) {
    // A xorshift generator must not start at zero.
    for (int i = 0; i < 16; ++i) lane[i] = mix64(key + kGolden * (i + 1)) | 1;
  }

  // 64 Bernoulli draws with probability threshold / 65536: clause j reads the 16 bits at position j % 4 of
  // lane j / 4. threshold is in 1 .. 65536.
  std::uint64_t select64(std::uint32_t threshold) {
    for (int i = 0; i < 16; ++i) {
      std::uint64_t x = lane[i];
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
      lane[i] = x;
    }
    const std::uint16_t last = static_cast<std::uint16_t>(threshold - 1);
#if defined(__AVX512BW__)
    const __m512i bound = _mm512_set1_epi16(static_cast<short>(last));
    const std::uint64_t low = _mm512_cmple_epu16_mask(_mm512_load_si512(lane), bound);
    const std::uint64_t high = _mm512_cmple_epu16_mask(_mm512_load_si512(lane + 8), bound);
    return low | (high << 32);
#elif defined(__SSE4_1__)
    const __m128i bound = _mm_set1_epi16(static_cast<short>(last));
    const __m128i* v = reinterpret_cast<const __m128i*>(lane);
    std::uint64_t mask = 0;
    for (int i = 0; i < 4; ++i) {
      const __m128i a = _mm_load_si128(v + 2 * i), b = _mm_load_si128(v + 2 * i + 1);
      const __m128i below_a = _mm_cmpeq_epi16(_mm_min_epu16(a, bound), a);
      const __m128i below_b = _mm_cmpeq_epi16(_mm_min_epu16(b, bound), b);
      const int bits = _mm_movemask_epi8(_mm_packs_epi16(below_a, below_b));
      mask |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(bits)) << (16 * i);
    }
    return mask;
#else
    std::uint64_t mask = 0;
    for (int j = 0; j < 64; ++j)
      mask |= static_cast<std::uint64_t>(static_cast<std::uint16_t>(lane[j / 4] >> (16 * (j % 4))) <= last)
              << j;
    return mask;
#endif
  }

  // The draw of clause j for the present update; independent of the order in which clauses are served.
  std::uint64_t mask_draw(std::uint64_t clause) const { return mix64(counter + kGolden * (clause + 1)); }
  void next_update(std::uint64_t n_clauses) { counter += kGolden * n_clauses; }
};

// Words whose bits are one with probability p16 / 65536, by binary expansion: 16 draws a word.
BNSIEVE_INLINE void fill_pool(std::uint64_t* pool, std::size_t n_words, std::uint32_t p16,
                              std::uint64_t key) {
  for (std::size_t i = 0; i < n_words; ++i) {
    std::uint64_t bits = 0;
    for (int k = 0; k < 16; ++k) {
      const std::uint64_t draw = mix64(key + kGolden * (16 * i + k + 1));
      const std::uint64_t or_here = 0 - static_cast<std::uint64_t>((p16 >> k) & 1);
      bits = (bits & draw) | (or_here & (bits ^ draw));
    }
    // Specificity 1 is p16 = 65536: every automaton is drawn.
    pool[i] = p16 >> 16 ? ~std::uint64_t{0} : bits;
  }
}

}  // namespace bnsieve::BNSIEVE_LEVEL
