// Logarithms of rising products and of the gamma function: most of the time that a Bayesian score takes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bnsieve::BNSIEVE_LEVEL {

// Natural logarithm of a finite x >= 1, to a few units in the last place. Plain arithmetic, the same in every
// lane of every register, where the C library's function would be called once for each number.
inline double log_of(double x) {
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)).
  constexpr std::uint64_t kHalfRoot = 0x3FE6A09E667F3BCD, kOne = 0x3FF0000000000000;
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits += kOne - kHalfRoot;
  // The exponent becomes the last bits of 2^52 + 1023 + e.
  const std::uint64_t exponent = bits >> 52 | 0x4330000000000000,
                      mantissa = (bits & (~std::uint64_t{0} >> 12)) + kHalfRoot;
  double e, m;
  std::memcpy(&e, &exponent, sizeof e);
  std::memcpy(&m, &mantissa, sizeof m);
  e -= 4503599627370496.0 + 1023.0;
  // log m = 2 artanh s, s = (m - 1) / (m + 1), |s| < 0.172.
  const double s = (m - 1) / (m + 1), z = s * s;
  const double series =
      z *
      (1.0 / 3 +
       z * (1.0 / 5 +
            z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11 +
                                               z * (1.0 / 13 + z * (1.0 / 15 + z * (1.0 / 17 + z / 19))))))));
  return e * 0.69314718055994530942 + (2 * s + 2 * s * series);
}

// The sum of log gamma(x + shift) over n numbers x >= 8, by Stirling's series. It is added up in eight parts,
// whatever the width of a register, so that every level gives the same.
inline double sum_log_gamma(const double* numbers, std::size_t n, double shift) {
  constexpr std::size_t kParts = 8;
  double parts[kParts] = {};
  const auto one = [shift](double number) {
    const double x = number + shift, r = 1 / x, y = r * r;
    const double series =
        r * (1.0 / 12 -
             y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * (691.0 / 360360))))));
    return (x - 0.5) * log_of(x) - x + 0.91893853320467274178 + series;
  };
  std::size_t i = 0;
  for (; i + kParts <= n; i += kParts)
    for (std::size_t k = 0; k < kParts; ++k) parts[k] += one(numbers[i + k]);
  if (i < n) {  // a whole register takes less time than its numbers one by one
    double last[kParts];
    for (std::size_t k = 0; k < kParts; ++k) last[k] = i + k < n ? numbers[i + k] : kParts;
    for (std::size_t k = 0; k < kParts; ++k) last[k] = one(last[k]);
    for (std::size_t k = 0; i + k < n; ++k) parts[k] += last[k];
  }
  return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

// Writes log(b), log(b (b + 1)), ...: n logarithms, b > 0.
inline void log_rising(double b, std::size_t n, double* logs) {
  for (std::size_t i = 1; i < n; ++i) logs[i] = log_of(b + static_cast<double>(i));
  logs[0] = std::log(b);  // which may be smaller than 1
  for (std::size_t i = 1; i < n; ++i) logs[i] += logs[i - 1];
}

}  // namespace bnsieve::BNSIEVE_LEVEL
