// Values to functions of the step that each lies on, and places to functions of theirs; compiled per
// instruction set, see kernels.hpp.
//
// A step begins at its lowest value. Searches of some values go on side by side, without branches, so
// that none waits for the memory of another.
#pragma once

#include "kernels.hpp"

namespace bnsieve::BNSIEVE_LEVEL {

// columns[f][i] = tables[f][step of values[i]], 0 where a value is NaN. A value below all steps lies on the
// first.
inline void step_columns(const double* values, std::size_t n, const double* lowest, std::size_t n_steps,
                         const double* tables, std::size_t n_tables, double* columns) {
  constexpr std::size_t kSide = 16;
  for (std::size_t start = 0; start < n; start += kSide) {
    const std::size_t here = n - start < kSide ? n - start : kSide;
    double value[kSide] = {};
    std::int64_t step[kSide] = {};
    for (std::size_t j = 0; j < here; ++j) value[j] = values[start + j];
    for (std::size_t left = n_steps; left > 1;) {
      const std::size_t half = left / 2;
      const double* middle = lowest + half;
      for (std::size_t j = 0; j < kSide; ++j)
        step[j] += middle[step[j]] <= value[j] ? static_cast<std::int64_t>(half) : 0;
      left -= half;
    }
    bool whole = true;
    for (std::size_t j = 0; j < kSide; ++j) whole &= value[j] == value[j];
    for (std::size_t f = 0; f < n_tables; ++f) {
      const double* table = tables + f * n_steps;
      double* column = columns + f * n + start;
      if (whole && here == kSide)
        for (std::size_t j = 0; j < kSide; ++j) column[j] = table[step[j]];
      else
        for (std::size_t j = 0; j < here; ++j) column[j] = value[j] == value[j] ? table[step[j]] : 0.0;
    }
  }
}

// columns[f][i] = tables[f][places[i]]; -1 stands for the last of the n_places places.
inline void place_columns(const std::int32_t* places, std::size_t n, std::size_t n_places,
                          const double* tables, std::size_t n_tables, double* columns) {
  for (std::size_t f = 0; f < n_tables; ++f) {
    const double* table = tables + f * n_places;
    double* column = columns + f * n;
    for (std::size_t i = 0; i < n; ++i)
      column[i] = table[places[i] < 0 ? n_places - 1 : static_cast<std::size_t>(places[i])];
  }
}

}  // namespace bnsieve::BNSIEVE_LEVEL
