// What every binding file needs: array types with shapes checked by nanobind, results, refusals, and the bind
// functions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace bnsieve {

template <typename T, std::size_t N>
using In = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <typename T, std::size_t N>
using Out = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

template <typename T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// A vector as an array that owns it.
template <typename T>
Array<T> to_array(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(owned->data(), {owned->size()}, owner);
}

inline void require(bool condition, const char* message) {
  if (!condition) throw nb::value_error(message);
}

// Refuse an array to write to that shares memory with one to read: inputs are checked once, before anything
// is written.
template <typename Written, typename... Read>
void require_apart(const Written& written, const Read&... read) {
  const auto begin = reinterpret_cast<std::uintptr_t>(written.data()), end = begin + written.nbytes();
  const auto is_apart = [&](const auto& one) {
    const auto first = reinterpret_cast<std::uintptr_t>(one.data());
    return first >= end || first + one.nbytes() <= begin;
  };
  require((... && is_apart(read)), "an array to write to shares memory with another");
}

void bind_counts(nb::module_& m);
void bind_covariance(nb::module_& m);
void bind_independence(nb::module_& m);
void bind_inference(nb::module_& m);
void bind_interruption(nb::module_& m);
void bind_tsetlin(nb::module_& m);
void bind_sample(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_steps(nb::module_& m);
void bind_tally(nb::module_& m);

}  // namespace bnsieve
