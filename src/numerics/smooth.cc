// SPDX-License-Identifier: Apache-2.0
// Digits of logarithms, factors of numbers, and a table of what is near.
#include "src/numerics/smooth.h"

#include <array>
#include <bit>

namespace posenc::numerics {
namespace {

// floor(ln 3 2^1280) and floor(ln 5 2^1280), least significant limb first. Source: mpmath 1.3, mp.log of 4000 bits; a
// test compares them with MPFR.
constexpr std::uint64_t ln3_digits[] = {0xAD1A1BD9DB7348CA, 0xA9D92E2DC8B38572, 0x2D41D713C141DAA2, 0xFEA499BB80EDE15E,
                                        0xC9C46D883BD971A2, 0xF46BFB13041098A7, 0xE55CC04E78A3DF18, 0xD09840C479F0654D,
                                        0x29816E82B43E6464, 0x1F0B2F23B88200E7, 0x47DF6E91FC91754B, 0x86D094E21E74D0A5,
                                        0xCF37D8F11024C664, 0x625C15071EA7BCA1, 0x5071F733039A8ED5, 0xAA9782D20CC69850,
                                        0x3D97EEEA5149358C, 0xBE1442D9B7E08DF0, 0xA4198D55053B7CB5, 0x193EA7AAD030A976,
                                        0x0000000000000001};
constexpr std::uint64_t ln5_digits[] = {0xEF467FCB4B53436D, 0xA3A48F2C62127B29, 0x12499FC118B706C3, 0x81297518B98FBED2,
                                        0x404CFE753CD7D041, 0x06C31FD82896A49A, 0x446D3377D9B23EF5, 0xB6D045BAF01BF94B,
                                        0x20174C3AD20F27A3, 0x03B09EFD7998BBAE, 0xBE9EC0FD91E48F71, 0xA21D187407E75BB4,
                                        0xC6E6A6E6FA2AA334, 0xC459E22B42F76A27, 0xDC2DDC0566821A8F, 0x7103953E58B494DA,
                                        0x850B62AC7C15BB9E, 0x494C70C0F6DF2E0C, 0xDF77A516075931F4, 0x9C041F7ED8D336AF,
                                        0x0000000000000001};

Bignum cut_constant(std::span<const std::uint64_t> limbs, std::int64_t F) {
  const std::int64_t drop = most_smooth_bits - F;
  return Bignum(limbs.subspan(static_cast<std::size_t>(drop / 64))) >> drop % 64;
}

std::uint64_t size_of_power(std::int64_t n) { return static_cast<std::uint64_t>(n < 0 ? -n : n); }

struct NearOne {
  Smooth exact;
  double value;
};

// The powers of 3 and 5 up to the 4th, each times the power of 2 that brings it to [1/2, 1), and 1.
constexpr auto smooth_near_one = [] {
  constexpr int most = 4;
  std::array<NearOne, (2 * most + 1) * (2 * most + 1) + 1> made = {};
  std::size_t count = 0;
  for (int threes = -most; threes <= most; ++threes) {
    for (int fives = -most; fives <= most; ++fives) {
      NearOne& each = made[count++] = {{0, threes, fives}, 1};
      for (int i = 0; i < threes; ++i) each.value *= 3;
      for (int i = 0; i < fives; ++i) each.value *= 5;
      for (int i = threes; i < 0; ++i) each.value /= 3;
      for (int i = fives; i < 0; ++i) each.value /= 5;
      for (; each.value >= 1; each.value /= 2) --each.exact.twos;
      for (; each.value < 0.5; each.value *= 2) ++each.exact.twos;
    }
  }
  made[count] = {{}, 1};
  return made;
}();

}  // namespace

Bignum ln3(std::int64_t F) { return cut_constant(ln3_digits, F); }
Bignum ln5(std::int64_t F) { return cut_constant(ln5_digits, F); }

std::uint64_t factors(const Smooth& x) {
  return size_of_power(x.twos) + size_of_power(x.threes) + size_of_power(x.fives);
}

Signed log(const Smooth& x, std::int64_t F) {
  Signed sum = {x.twos < 0, ln2(F) * size_of_power(x.twos)};
  if (x.threes != 0) sum = sum + Signed{x.threes < 0, ln3(F) * size_of_power(x.threes)};
  if (x.fives != 0) sum = sum + Signed{x.fives < 0, ln5(F) * size_of_power(x.fives)};
  return sum;
}

SmoothPart smooth_part(const Bignum& x) {
  const std::int64_t zeros = trailing_zeros(x);
  SmoothPart part = {{.twos = zeros}, x >> zeros};
  if (part.rest.bit_length() > 64) return part;
  std::uint64_t rest = part.rest.limb(0);
  for (; rest % 3 == 0; rest /= 3) ++part.smooth.threes;
  for (; rest % 5 == 0; rest /= 5) ++part.smooth.fives;
  part.rest = Bignum(rest);
  return part;
}

const Smooth& nearest_smooth(double m, NearSmooth which) {
  const NearOne* nearest = nullptr;
  double least = 1;  // |m - c| / (m + c)
  for (const NearOne& each : smooth_near_one) {
    if (which == NearSmooth::powers_of_two && (each.exact.threes != 0 || each.exact.fives != 0)) continue;
    const double difference = m < each.value ? each.value - m : m - each.value, sum = m + each.value;
    if (difference >= least * sum) continue;
    least = difference / sum;
    nearest = &each;
  }
  return nearest->exact;
}

}  // namespace posenc::numerics
