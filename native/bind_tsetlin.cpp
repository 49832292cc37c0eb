// Bindings of the Tsetlin machine's kernels (literals.hpp, tsetlin.hpp). Shapes, alignment and row numbers
// are checked here, so that no call from Python can read or write outside its arrays.
#include <memory>
#include <string>
#include <vector>

#include "bind.hpp"
#include "interruption.hpp"
#include "kernels.hpp"

namespace bnsieve {
namespace {

constexpr std::size_t kWords = 8;  // of a block

void require_aligned(const void* data, const char* name) {
  if (reinterpret_cast<std::uintptr_t>(data) % 64)
    throw nb::value_error((std::string(name) + " must be aligned to 64 bytes").c_str());
}

template <typename Code>
void pack_literals(In<Code, 2> codes, In<std::int64_t, 1> first_literal, Out<std::uint64_t, 2> literals) {
  const std::size_t n_variables = codes.shape(0);
  require(first_literal.shape(0) == n_variables + 1,
          "first_literal needs one entry per variable and one past the end");
  for (std::size_t v = 0; v <= n_variables; ++v)
    require(first_literal(v) >= (v ? first_literal(v - 1) : 0), "first_literal must not decrease");
  const std::size_t half = (static_cast<std::size_t>(first_literal(n_variables)) + 63) / 64;
  require(
      literals.shape(0) == codes.shape(1) && literals.shape(1) % kWords == 0 && literals.shape(1) >= 2 * half,
      "literals must be rows x (8 * blocks) with room for both halves");
  nb::gil_scoped_release unlocked;
  if constexpr (sizeof(Code) == 1)
    kernels().pack_literals_u8(codes.data(), n_variables, codes.shape(1), first_literal.data(),
                               literals.shape(1) / kWords, literals.data());
  else
    kernels().pack_literals_u16(codes.data(), n_variables, codes.shape(1), first_literal.data(),
                                literals.shape(1) / kWords, literals.data());
}

using Literals = In<std::uint64_t, 2>;  // rows x blocks * 8
using Index = In<std::int32_t, 1>;

Examples examples_of(const Literals& literals, const Index& rows, const Index* labels,
                     std::size_t n_classes) {
  require_aligned(literals.data(), "literals");
  require(!labels || labels->shape(0) == rows.shape(0), "rows and labels must have the same length");
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    require(rows(i) >= 0 && static_cast<std::size_t>(rows(i)) < literals.shape(0), "a row is out of range");
    require(!labels || ((*labels)(i) >= 0 && static_cast<std::size_t>((*labels)(i)) < n_classes),
            "a label is out of range");
  }
  return {literals.data(), rows.data(), labels ? labels->data() : nullptr, rows.shape(0)};
}

// include: classes x clauses x blocks * 8.
MachineShape shape_of(const std::uint64_t* include, std::size_t n_classes, std::size_t n_clauses,
                      std::size_t n_words, const Literals& literals) {
  require_aligned(include, "include");
  require(n_words == literals.shape(1) && n_words % kWords == 0 && n_words > 0,
          "include and literals must have the same whole number of blocks");
  return {n_words / kWords, n_classes, n_clauses};
}

std::size_t pool_words(std::size_t n_words) {
  // A power of two, large against one mask, so that masks of different clauses seldom overlap.
  std::size_t size = 2048;
  while (size < 4 * n_words) size *= 2;
  return size;
}

void train_machine(Literals literals, Index rows, Index labels, In<std::uint64_t, 1> allowed,
                   Out<std::uint64_t, 3> include, Out<std::uint64_t, 4> depth, Out<std::int32_t, 2> weights,
                   std::int32_t threshold, std::uint32_t forget_p16, bool boost, std::uint64_t seed,
                   std::uint64_t first_epoch, std::uint64_t n_epochs, std::size_t first_class,
                   std::size_t last_class) {
  const MachineShape shape =
      shape_of(include.data(), include.shape(0), include.shape(1), include.shape(2), literals);
  const Examples examples = examples_of(literals, rows, &labels, shape.n_classes);
  require_aligned(depth.data(), "depth");
  require_aligned(allowed.data(), "allowed");
  require(allowed.shape(0) == include.shape(2), "allowed must have one bit per literal");
  require(depth.shape(0) == shape.n_classes && depth.shape(1) == shape.n_clauses &&
              depth.shape(2) == shape.n_blocks && depth.shape(3) == kDepthPlanes * kWords,
          "depth must be classes x clauses x blocks x (planes * 8)");
  require(weights.shape(0) == shape.n_classes && weights.shape(1) == padded_clauses(shape.n_clauses),
          "weights must be classes x clauses, padded to groups of 64");
  require(threshold >= 1 && threshold <= (1 << 20), "threshold must be between 1 and 1048576");
  require(forget_p16 <= 65536, "forget_p16 must be at most 65536");
  require(first_class <= last_class && last_class <= shape.n_classes, "no such range of classes");
  require(examples.n_examples < (std::size_t{1} << 30), "at most 2^30 - 1 examples");

  const std::size_t n = examples.n_examples, n_pool = pool_words(include.shape(2));
  std::vector<std::uint64_t> pool(n_pool + include.shape(2) + kWords);
  std::vector<std::uint32_t> order(n), other_class(n), visits(2 * n);
  std::vector<std::uint32_t> chance(2 * static_cast<std::size_t>(threshold) + 1);
  std::vector<std::size_t> first_visit(shape.n_classes + 1);
  std::vector<std::uint64_t> fired(weights.shape(1) / kClauseGroup);
  std::vector<std::uint64_t> live(shape.n_clauses * live_words(shape.n_blocks));
  const TrainingScratch scratch{pool.data(),        n_pool,        order.data(),
                                other_class.data(), visits.data(), first_visit.data(),
                                chance.data(),      fired.data(),  live.data()};
  const TrainingJob job{shape,          examples,       threshold,    forget_p16,     boost,
                        seed,           first_epoch,    n_epochs,     first_class,    last_class,
                        allowed.data(), include.data(), depth.data(), weights.data(), &should_stop};
  nb::gil_scoped_release unlocked;
  if (!kernels().train_machine(job, scratch)) throw Stopped{};
}

void count_votes(Literals literals, Index rows, In<std::uint64_t, 3> include, In<std::int32_t, 2> weights,
                 Out<std::int64_t, 2> votes) {
  const MachineShape shape =
      shape_of(include.data(), include.shape(0), include.shape(1), include.shape(2), literals);
  const Examples examples = examples_of(literals, rows, nullptr, shape.n_classes);
  require(weights.shape(0) == shape.n_classes && weights.shape(1) == padded_clauses(shape.n_clauses),
          "weights must be classes x clauses, padded to groups of 64");
  require(votes.shape(0) == rows.shape(0) && votes.shape(1) == shape.n_classes,
          "votes must be examples x classes");
  nb::gil_scoped_release unlocked;
  kernels().count_votes(shape, examples, include.data(), weights.data(), votes.data());
}

void count_matches(Literals literals, Index rows, Index labels, In<std::uint64_t, 3> include,
                   Out<std::int64_t, 3> matches) {
  const MachineShape shape =
      shape_of(include.data(), include.shape(0), include.shape(1), include.shape(2), literals);
  const Examples examples = examples_of(literals, rows, &labels, shape.n_classes);
  require(matches.shape(0) == shape.n_classes && matches.shape(1) == shape.n_clauses &&
              matches.shape(2) == shape.n_classes,
          "matches must be classes x clauses x classes");
  nb::gil_scoped_release unlocked;
  kernels().count_matches(shape, examples, include.data(), matches.data());
}

}  // namespace

void bind_tsetlin(nb::module_& m) {
  m.def("pack_literals", &pack_literals<std::uint8_t>, nb::arg("codes").noconvert(),
        nb::arg("first_literal").noconvert(), nb::arg("literals").noconvert());
  m.def("pack_literals", &pack_literals<std::uint16_t>, nb::arg("codes").noconvert(),
        nb::arg("first_literal").noconvert(), nb::arg("literals").noconvert());
  m.def("train_machine", &train_machine, nb::arg("literals").noconvert(), nb::arg("rows").noconvert(),
        nb::arg("labels").noconvert(), nb::arg("allowed").noconvert(), nb::arg("include").noconvert(),
        nb::arg("depth").noconvert(), nb::arg("weights").noconvert(), nb::arg("threshold"),
        nb::arg("forget_p16"), nb::arg("boost"), nb::arg("seed"), nb::arg("first_epoch"), nb::arg("n_epochs"),
        nb::arg("first_class"), nb::arg("last_class"));
  m.def("count_votes", &count_votes, nb::arg("literals").noconvert(), nb::arg("rows").noconvert(),
        nb::arg("include").noconvert(), nb::arg("weights").noconvert(), nb::arg("votes").noconvert());
  m.def("count_matches", &count_matches, nb::arg("literals").noconvert(), nb::arg("rows").noconvert(),
        nb::arg("labels").noconvert(), nb::arg("include").noconvert(), nb::arg("matches").noconvert());
  m.attr("DEPTH_PLANES") = kDepthPlanes;
  m.attr("CLAUSE_GROUP") = kClauseGroup;
  m.attr("MAX_WEIGHT") = kMaxWeight;
}

}  // namespace bnsieve
