// A block of 512 bits: eight words that every level computes on with its widest registers.
//
// GCC and Clang split the vector type into whatever registers the level has; other compilers get the
// same arithmetic word by word.
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

#if defined(__GNUC__) || defined(__clang__)
typedef std::uint64_t Block __attribute__((vector_size(64), aligned(64), may_alias));
typedef std::uint64_t UnalignedBlock __attribute__((vector_size(64), aligned(1), may_alias));
BNSIEVE_INLINE Block load_unaligned(const unsigned char* p) {
  return *reinterpret_cast<const UnalignedBlock*>(p);
}
#else
struct alignas(64) Block {
  std::uint64_t w[kBlockWords];
};
#define BNSIEVE_BLOCK_OPERATOR(op)                                                 \
  BNSIEVE_INLINE Block operator op(const Block& a, const Block& b) {               \
    Block r;                                                                       \
    for (std::size_t i = 0; i < kBlockWords; ++i) r.w[i] = a.w[i] op b.w[i];       \
    return r;                                                                      \
  }                                                                                \
  BNSIEVE_INLINE Block& operator op##=(Block& a, const Block& b) { return a = a op b; }
BNSIEVE_BLOCK_OPERATOR(&)
BNSIEVE_BLOCK_OPERATOR(|)
BNSIEVE_BLOCK_OPERATOR(^)
#undef BNSIEVE_BLOCK_OPERATOR
BNSIEVE_INLINE Block operator~(const Block& a) {
  Block r;
  for (std::size_t i = 0; i < kBlockWords; ++i) r.w[i] = ~a.w[i];
  return r;
}
BNSIEVE_INLINE Block load_unaligned(const unsigned char* p) {
  Block r;
  std::memcpy(&r, p, sizeof r);
  return r;
}
#endif

BNSIEVE_INLINE bool is_zero(const Block& a) {
#if defined(__AVX512F__)
  const __m512i v = _mm512_load_si512(&a);
  return _mm512_test_epi64_mask(v, v) == 0;
#elif defined(__AVX2__)
  const __m256i* half = reinterpret_cast<const __m256i*>(&a);
  const __m256i v = _mm256_or_si256(_mm256_load_si256(half), _mm256_load_si256(half + 1));
  return _mm256_testz_si256(v, v) != 0;
#elif defined(__SSE4_1__)
  const __m128i* part = reinterpret_cast<const __m128i*>(&a);
  const __m128i v = _mm_or_si128(_mm_or_si128(_mm_load_si128(part), _mm_load_si128(part + 1)),
                                 _mm_or_si128(_mm_load_si128(part + 2), _mm_load_si128(part + 3)));
  return _mm_testz_si128(v, v) != 0;
#else
  std::uint64_t any = 0, words[kBlockWords];
  std::memcpy(words, &a, sizeof words);
  for (std::size_t i = 0; i < kBlockWords; ++i) any |= words[i];
  return any == 0;
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
