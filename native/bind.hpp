// What every binding file needs: array types with shapes checked by nanobind, and the bind functions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;

namespace bnsieve {

template <typename T, std::size_t N>
using In = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <typename T, std::size_t N>
using Out = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

void bind_counts(nb::module_& m);
void bind_covariance(nb::module_& m);
void bind_csv(nb::module_& m);
void bind_independence(nb::module_& m);
void bind_inference(nb::module_& m);
void bind_interruption(nb::module_& m);
void bind_tsetlin(nb::module_& m);
void bind_sample(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_steps(nb::module_& m);
void bind_tally(nb::module_& m);

}  // namespace bnsieve
