// Bindings of the Tsetlin machine's kernels (tsetlin.hpp). Shapes are checked here; values are the
// caller's promise, kept by bnsieve.tsetlin.
#include "bind.hpp"
#include "kernels.hpp"

namespace bnsieve {
namespace {

template <typename Code>
void pack_literals(In<Code, 2> codes, In<std::int64_t, 1> first_literal, Out<std::uint64_t, 2> literals) {
  if (first_literal.shape(0) != codes.shape(0) + 1)
    throw nb::value_error("first_literal needs one entry per variable and one past the end");
  if (literals.shape(0) != codes.shape(1) || literals.shape(1) % 8)
    throw nb::value_error("literals must be rows x (8 * blocks)");
  nb::gil_scoped_release unlocked;
  if constexpr (sizeof(Code) == 1)
    kernels().pack_literals_u8(codes.data(), codes.shape(0), codes.shape(1), first_literal.data(),
                               literals.shape(1) / 8, literals.data());
  else
    kernels().pack_literals_u16(codes.data(), codes.shape(0), codes.shape(1), first_literal.data(),
                                literals.shape(1) / 8, literals.data());
}

}  // namespace

void bind_tsetlin(nb::module_& m) {
  m.def("pack_literals", &pack_literals<std::uint8_t>, nb::arg("codes").noconvert(),
        nb::arg("first_literal").noconvert(), nb::arg("literals").noconvert());
  m.def("pack_literals", &pack_literals<std::uint16_t>, nb::arg("codes").noconvert(),
        nb::arg("first_literal").noconvert(), nb::arg("literals").noconvert());
}

}  // namespace bnsieve
