// SPDX-License-Identifier: Apache-2.0
// Logarithms of 2^k 5^j, as nearly all bases are that people write: 10000, 500000, 1e6. They take two products; a
// series at the first precision of Ziv's loop takes 86 terms.
#pragma once

#include <bit>
#include <optional>

#include "src/numerics/series.h"

namespace posenc::numerics {

/// floor(ln 5 2^1280), the least significant limb first.
inline constexpr std::uint64_t ln5_digits[] = {
    0xEF467FCB4B53436D, 0xA3A48F2C62127B29, 0x12499FC118B706C3, 0x81297518B98FBED2, 0x404CFE753CD7D041,
    0x06C31FD82896A49A, 0x446D3377D9B23EF5, 0xB6D045BAF01BF94B, 0x20174C3AD20F27A3, 0x03B09EFD7998BBAE,
    0xBE9EC0FD91E48F71, 0xA21D187407E75BB4, 0xC6E6A6E6FA2AA334, 0xC459E22B42F76A27, 0xDC2DDC0566821A8F,
    0x7103953E58B494DA, 0x850B62AC7C15BB9E, 0x494C70C0F6DF2E0C, 0xDF77A516075931F4, 0x9C041F7ED8D336AF,
    0x0000000000000001};

/// ln 5 in units of 2^-F, F up to 1280: less than one of them too small.
inline Bignum ln5(std::int64_t F) {
  const std::int64_t drop = 1280 - F;
  return Bignum(std::span(ln5_digits).subspan(static_cast<std::size_t>(drop / 64))) >> drop % 64;
}

/// j where the number is 5^j, j up to 27.
inline std::optional<std::uint64_t> power_of_five(const Bignum& x) {
  if (x.bit_length() > 64) return std::nullopt;
  std::uint64_t rest = x.limb(0), power = 0;
  for (; rest > 1 && rest % 5 == 0; rest /= 5) ++power;
  return rest == 1 ? std::optional(power) : std::nullopt;
}

/// In units of 2^-F, off by less than 2^error_bits of them.
struct LogOfTens {
  Signed value;
  std::int64_t error_bits;
};
/// ln(significand 2^exponent) where that number is 2^k 5^j; F up to 1280.
inline std::optional<LogOfTens> log_of_tens(const Bignum& significand, std::int64_t exponent, std::int64_t F) {
  if (F > 1280) return std::nullopt;
  const std::int64_t zeros = trailing_zeros(significand), k = exponent + zeros;
  const std::optional<std::uint64_t> fives = power_of_five(significand >> zeros);
  if (!fives) return std::nullopt;
  const auto twos = static_cast<std::uint64_t>(k < 0 ? -k : k);
  return LogOfTens{Signed{false, ln5(F) * *fives} + Signed{k < 0, ln2(F) * twos},
                   static_cast<std::int64_t>(std::bit_width(twos + *fives))};
}

}  // namespace posenc::numerics
