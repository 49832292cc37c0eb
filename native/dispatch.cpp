// Which instruction set: asked of the processor once, or forced by name.
#include <atomic>
#include <cstring>

#include "kernels.hpp"

#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace bnsieve {
namespace {

#if defined(BNSIEVE_HAS_AVX2)
#if defined(_MSC_VER) && !defined(__clang__)
struct Features {
  int leaf1[4], leaf7[4];
  unsigned long long enabled = 0;
  Features() {
    __cpuid(leaf1, 1);
    __cpuidex(leaf7, 7, 0);
    if (leaf1[2] & (1 << 27)) enabled = _xgetbv(0);
  }
};

bool has_avx2() {
  const Features f;
  const bool fma = f.leaf1[2] & (1 << 12), avx2 = f.leaf7[1] & (1 << 5), bmi2 = f.leaf7[1] & (1 << 8);
  return fma && avx2 && bmi2 && (f.enabled & 0x6) == 0x6;
}

bool has_avx512() {
  const Features f;
  const unsigned need = (1u << 16) | (1u << 17) | (1u << 28) | (1u << 30) | (1u << 31);
  return has_avx2() && (static_cast<unsigned>(f.leaf7[1]) & need) == need && (f.enabled & 0xe6) == 0xe6;
}
#else
bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("fma");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif
#endif

struct Level {
  const char* name;
  const Kernels* table;
};

struct Registry {
  Level levels[3] = {};
  const char* names[4] = {};
  int count = 0;

  Registry() {
    add("baseline", baseline::kernel_table());
#if defined(BNSIEVE_HAS_AVX2)
    if (has_avx2()) add("avx2", avx2::kernel_table());
    if (has_avx512()) add("avx512", avx512::kernel_table());
#endif
  }

  void add(const char* name, const Kernels& table) {
    levels[count] = {name, &table};
    names[count++] = name;
  }
};

const Registry& registry() {
  static const Registry instance;
  return instance;
}

std::atomic<const Level*>& current() {
  static std::atomic<const Level*> level{&registry().levels[registry().count - 1]};
  return level;
}

}  // namespace

const Kernels& kernels() { return *current().load(std::memory_order_relaxed)->table; }
const char* level_name() { return current().load(std::memory_order_relaxed)->name; }
const char* const* supported_levels() { return registry().names; }

bool set_level(const char* name) {
  for (int i = 0; i < registry().count; ++i) {
    if (std::strcmp(registry().levels[i].name, name) == 0) {
      current().store(&registry().levels[i]);
      return true;
    }
  }
  return false;
}

}  // namespace bnsieve
