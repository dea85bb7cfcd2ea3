// SPDX-License-Identifier: Apache-2.0
// Conversions in lanes against those of core.h, on every instruction set: all f16 and bf16, and f32 around every tie.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/engine/lanes_test.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/engine/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {

// to[i] = RN(from[i]), back[i] = what storage then holds; count is a multiple of the lanes.
template <class T>
void Convert(const float* from, std::size_t count, T* to, float* back) {
  for (std::size_t i = 0; i < count; i += hn::Lanes(F32())) {
    StoreRounded(LoadWide(from + i), to + i);
    hn::StoreU(Rounded(LoadWide(from + i), to), F32(), back + i);
  }
}
template <class T>
void Widen(const T* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; i += hn::Lanes(F32())) hn::StoreU(LoadWide(from + i), F32(), to + i);
}
void ConvertF16(const float* from, std::size_t count, half* to, float* back) { Convert(from, count, to, back); }
void ConvertBf16(const float* from, std::size_t count, bfloat16* to, float* back) { Convert(from, count, to, back); }
void WidenF16(const half* from, std::size_t count, float* to) { Widen(from, count, to); }
void WidenBf16(const bfloat16* from, std::size_t count, float* to) { Widen(from, count, to); }

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <random>
#include <vector>

#include "tests/engine/every_target.h"

namespace posenc::engine {
namespace {

HWY_EXPORT(ConvertF16);
HWY_EXPORT(ConvertBf16);
HWY_EXPORT(WidenF16);
HWY_EXPORT(WidenBf16);

// Every pattern of the upper 19 bits with what may stand below them: on, next to and between ties; then any.
std::vector<float> hard_floats() {
  std::vector<float> all;
  for (std::uint32_t top = 0; top < 1u << 19; ++top) {
    for (const std::uint32_t rest : {0u, 1u, 0xFFFu, 0x1000u, 0x1001u, 0x1FFFu}) {
      all.push_back(std::bit_cast<float>(top << 13 | rest));
    }
  }
  std::mt19937 random(3);
  while (all.size() % 64 != 0 || all.size() < 4000000)
    all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  return all;
}

template <class T, class Converter>
void expect_roundings_of_core(const Converter& convert) {
  const std::vector<float> from = hard_floats();
  std::vector<T> to(from.size());
  std::vector<float> back(from.size());
  convert(from.data(), from.size(), to.data(), back.data());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const T expected(from[i]);
    ASSERT_EQ(to[i].bits, expected.bits) << std::hex << std::bit_cast<std::uint32_t>(from[i]);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(back[i]), std::bit_cast<std::uint32_t>(static_cast<float>(expected)));
  }
}

template <class T, class Widener>
void expect_widenings_of_core(const Widener& widen) {
  std::vector<T> from;
  for (std::uint32_t bits = 0; bits < 1u << 16; ++bits) from.push_back(T::from_bits(static_cast<std::uint16_t>(bits)));
  std::vector<float> to(from.size());
  widen(from.data(), from.size(), to.data());
  for (std::size_t i = 0; i < from.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(to[i]), std::bit_cast<std::uint32_t>(static_cast<float>(from[i]))) << i;
  }
}

TEST(Lanes, RoundToF16AsTheScalarTypeDoes) {
  on_every_target([] {
    expect_roundings_of_core<half>([](auto... arguments) { HWY_DYNAMIC_DISPATCH(ConvertF16)(arguments...); });
  });
}
TEST(Lanes, RoundToBf16AsTheScalarTypeDoes) {
  on_every_target([] {
    expect_roundings_of_core<bfloat16>([](auto... arguments) { HWY_DYNAMIC_DISPATCH(ConvertBf16)(arguments...); });
  });
}
TEST(Lanes, WidenF16Exactly) {
  on_every_target(
      [] { expect_widenings_of_core<half>([](auto... arguments) { HWY_DYNAMIC_DISPATCH(WidenF16)(arguments...); }); });
}
TEST(Lanes, WidenBf16Exactly) {
  on_every_target([] {
    expect_widenings_of_core<bfloat16>([](auto... arguments) { HWY_DYNAMIC_DISPATCH(WidenBf16)(arguments...); });
  });
}

}  // namespace
}  // namespace posenc::engine
#endif
