// Blocks of 512 bits, the unit of every layout, and lanes, the part of a block that one register holds.
//
// Kernels compute lane by lane: GCC passes vectors wider than a register through memory. Compilers without
// vector types get the same arithmetic word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define BNSIEVE_INLINE inline __attribute__((always_inline))
#define BNSIEVE_PREFETCH(address) __builtin_prefetch(address)
#else
#define BNSIEVE_INLINE __forceinline
#define BNSIEVE_PREFETCH(address) (void)(address)
#endif

namespace bnsieve::BNSIEVE_LEVEL {

constexpr std::size_t kBlockWords = 8;
#if defined(__AVX512F__)
constexpr std::size_t kLaneWords = 8;
#elif defined(__AVX2__)
constexpr std::size_t kLaneWords = 4;
#else
constexpr std::size_t kLaneWords = 2;
#endif
constexpr std::size_t kLaneBytes = kLaneWords * 8;
constexpr std::size_t kLanes = kBlockWords / kLaneWords;  // per block

#if defined(__GNUC__) || defined(__clang__)
typedef std::uint64_t Lane __attribute__((vector_size(kLaneBytes), aligned(kLaneBytes), may_alias));
typedef std::uint64_t UnalignedLane __attribute__((vector_size(kLaneBytes), aligned(1), may_alias));
BNSIEVE_INLINE Lane load_unaligned(const unsigned char* p) {
  return *reinterpret_cast<const UnalignedLane*>(p);
}
#else
struct alignas(kLaneBytes) Lane {
  std::uint64_t w[kLaneWords];
};
// clang-format off: it takes `op##=` for an assignment
#define BNSIEVE_LANE_OPERATOR(op)                                                \
  BNSIEVE_INLINE Lane operator op(const Lane& a, const Lane& b) {                \
    Lane r;                                                                      \
    for (std::size_t i = 0; i < kLaneWords; ++i) r.w[i] = a.w[i] op b.w[i];      \
    return r;                                                                    \
  }                                                                              \
  BNSIEVE_INLINE Lane& operator op##=(Lane& a, const Lane& b) { return a = a op b; }
// clang-format on
BNSIEVE_LANE_OPERATOR(&)
BNSIEVE_LANE_OPERATOR(|)
BNSIEVE_LANE_OPERATOR(^)
#undef BNSIEVE_LANE_OPERATOR
BNSIEVE_INLINE Lane operator~(const Lane& a) {
  Lane r;
  for (std::size_t i = 0; i < kLaneWords; ++i) r.w[i] = ~a.w[i];
  return r;
}
BNSIEVE_INLINE Lane load_unaligned(const unsigned char* p) {
  Lane r;
  std::memcpy(&r, p, sizeof r);
  return r;
}
#endif

BNSIEVE_INLINE bool is_zero(const Lane& a) {
#if defined(__AVX512F__)
  const __m512i v = _mm512_load_si512(&a);
  return _mm512_test_epi64_mask(v, v) == 0;
#elif defined(__AVX2__)
  const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(&a));
  return _mm256_testz_si256(v, v) != 0;
#elif defined(__SSE4_1__)
  const __m128i v = _mm_load_si128(reinterpret_cast<const __m128i*>(&a));
  return _mm_testz_si128(v, v) != 0;
#else
  std::uint64_t words[kLaneWords];
  std::memcpy(words, &a, sizeof words);
  return (words[0] | words[1]) == 0;
#endif
}

BNSIEVE_INLINE int lowest_bit(std::uint64_t mask) {
#if defined(_MSC_VER) && !defined(__clang__)
  unsigned long index;
  _BitScanForward64(&index, mask);
  return static_cast<int>(index);
#else
  return __builtin_ctzll(mask);
#endif
}

}  // namespace bnsieve::BNSIEVE_LEVEL
