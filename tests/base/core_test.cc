// SPDX-License-Identifier: Apache-2.0
// The vocabulary of all headers: element types, views, errors, executors.
#include <gtest/gtest.h>
#include <posenc/core.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

// ---- half and bfloat16 --------------------------------------------------------------------------

// A 16-bit format by arithmetic alone: `bits` of fraction, 2^minimum the least normal number.
struct Narrow {
  int bits, minimum;
  double largest;

  double decode(std::uint16_t pattern) const {
    const int exponent = (pattern & 0x7FFF) >> bits;
    const double fraction = pattern & ((1 << bits) - 1);
    const double one = std::ldexp(1, bits);
    if (exponent == (1 << (15 - bits)) - 1) return fraction == 0 ? HUGE_VAL : std::nan("");
    const double size = exponent == 0 ? std::ldexp(fraction, minimum - bits)
                                      : std::ldexp(one + fraction, minimum - bits + exponent - 1);
    return (pattern & 0x8000) != 0 ? -size : size;
  }
  // To nearest, ties to even: nearbyint of the value in units of its last place.
  double round(float value) const {
    const double x = std::abs(static_cast<double>(value));
    const double unit = std::ldexp(1, std::max(x > 0 ? std::ilogb(x) : minimum, minimum) - bits);
    const double rounded = std::nearbyint(x / unit) * unit;
    return rounded > largest ? HUGE_VAL : rounded;
  }
};
constexpr Narrow binary16 = {10, -14, 65504};
constexpr Narrow brain16 = {7, -126, 0x1.FEp127};

template <class T>
void expect_round(const Narrow& format, float value) {
  const T narrow(value);
  ASSERT_EQ(std::abs(static_cast<double>(static_cast<float>(narrow))), format.round(value)) << std::hexfloat << value;
  ASSERT_EQ((narrow.bits & 0x8000) != 0, std::signbit(value));
}

template <class T>
void expect_format(const Narrow& format) {
  for (unsigned pattern = 0; pattern < 0x10000 && !testing::Test::HasFatalFailure(); ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const auto value = static_cast<float>(T::from_bits(bits));
    const double expected = format.decode(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << pattern;
      ASSERT_TRUE(std::isnan(static_cast<float>(T(value)))) << pattern;
      continue;
    }
    ASSERT_EQ(std::abs(static_cast<double>(value)), std::abs(expected)) << pattern;
    ASSERT_EQ(T(value).bits, bits);  // with its sign
    // The half-way point above, and the floats beside it.
    const auto above = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(bits ^ 1)));
    const float middle = value / 2 + above / 2;
    if (!std::isfinite(middle)) continue;
    for (const float x : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 2 * middle)}) {
      expect_round<T>(format, x);
    }
  }
}

TEST(Half, ReadsEveryPatternAndRoundsBesideEveryHalfWayPoint) { expect_format<half>(binary16); }
TEST(Bfloat16, ReadsEveryPatternAndRoundsBesideEveryHalfWayPoint) { expect_format<bfloat16>(brain16); }

TEST(Half, RoundsFloatsOfEveryExponentToNearestEven) {
  for (std::uint64_t f = 0; f < 0x7F800000 && !HasFatalFailure(); f += 1009) {
    expect_round<half>(binary16, std::bit_cast<float>(static_cast<std::uint32_t>(f)));
  }
}
TEST(Bfloat16, RoundsFloatsOfEveryExponentToNearestEven) {
  for (std::uint64_t f = 0; f < 0x7F800000 && !HasFatalFailure(); f += 1009) {
    expect_round<bfloat16>(brain16, std::bit_cast<float>(static_cast<std::uint32_t>(f)));
  }
}

TEST(Half, OverflowsAtTheHalfWayPointBeyondItsLargest) {
  EXPECT_EQ(half(65519.996f).bits, 0x7BFF);
  EXPECT_EQ(half(65520.0f).bits, 0x7C00);
  EXPECT_EQ(half(-std::numeric_limits<float>::infinity()).bits, 0xFC00);
  EXPECT_EQ(half(0x1p-25f).bits, 0);
  EXPECT_EQ(half(-0x1.000002p-25f).bits, 0x8001);
}

TEST(Bfloat16, OverflowsAtTheHalfWayPointBeyondItsLargest) {
  EXPECT_EQ(bfloat16(0x1.FEp127f).bits, 0x7F7F);
  EXPECT_EQ(bfloat16(0x1.FF0p127f).bits, 0x7F80);
  EXPECT_EQ(bfloat16(std::bit_cast<float>(0x7F800001u)).bits & 0x7FFF, 0x7FC0);  // a NaN whose upper half is infinity
}

static_assert(half(1.0f).bits == 0x3C00 && static_cast<float>(half::from_bits(0x3555)) == 0x1.554p-2f);
static_assert(bfloat16(-1.0f).bits == 0xBF80 && half() == half(0.0f));

TEST(DType, KnowsItsSizesAndNamesAndZeroIsNone) {
  const std::tuple<DType, std::size_t, std::string_view, bool> rows[] = {
      {DType::f32, 4, "f32", true},   {DType::f64, 8, "f64", true},  {DType::f16, 2, "f16", true},
      {DType::bf16, 2, "bf16", true}, {DType::i32, 4, "i32", false}, {DType::i64, 8, "i64", false}};
  for (const auto& [type, size, name, real] : rows) {
    EXPECT_EQ(size_of(type), size);
    EXPECT_EQ(to_string(type), name);
    EXPECT_EQ(is_real(type), real);
    EXPECT_EQ(is_integer(type), !real);
  }
  EXPECT_EQ(size_of(DType{}), 0u);
  EXPECT_EQ(to_string(DType{}), "no type");
  EXPECT_FALSE(is_real(DType{}) || is_integer(DType{}));
  EXPECT_EQ(dtype_of<short>, DType{});
}

// An engine's own type, as core.h says.
struct EngineHalf {
  std::uint16_t bits;
};

}  // namespace
template <>
inline constexpr DType dtype_of<EngineHalf> = DType::f16;
namespace {

TEST(DType, IsKnownOfAnEnginesOwnType) {
  EngineHalf data[3] = {};
  EXPECT_EQ(view(data, {3}).dtype, DType::f16);
  EXPECT_EQ(view(static_cast<const EngineHalf*>(data), {3}).dtype, DType::f16);
}

// ---- views --------------------------------------------------------------------------------------

TEST(View, OfAPointerIsRowMajor) {
  float data[24] = {};
  const View v = view(data, {2, 3, 4});
  EXPECT_EQ(v.dtype, DType::f32);
  EXPECT_EQ(v.rank, 3);
  EXPECT_EQ(v.count(), 24);
  EXPECT_EQ(v.size(-1), 4);
  EXPECT_EQ(v.size(0), 2);
  EXPECT_EQ(v.stride(0), 12);
  EXPECT_EQ(v.stride(-2), 4);
  EXPECT_EQ(v.stride(-1), 1);
  const float* constant = data;
  EXPECT_EQ(view(constant, {24}).data, data);
  EXPECT_EQ(view(data, {}).count(), 1);
}

TEST(View, OfAnEnginesTensorIsMadeOfItsAddressTypeAndSizes) {
  float data[24] = {};
  void* const address = data;
  const std::vector<std::int64_t> sizes = {2, 3, 4};
  for (const View& v : {view(address, DType::f32, {2, 3, 4}), view(address, DType::f32, sizes)}) {
    const View typed = view(data, {2, 3, 4});
    EXPECT_EQ(v.data, address);
    EXPECT_EQ(v.dtype, DType::f32);
    EXPECT_EQ(v.rank, 3);
    EXPECT_EQ(v.shape, typed.shape);
    EXPECT_EQ(v.strides, typed.strides);
  }
  const void* const constant = data;
  const ConstView padded = view(constant, DType::f16, {3, 4}, {16, 1});  // rows that lie apart
  EXPECT_EQ(padded.stride(0), 16);
  EXPECT_EQ(padded.stride(1), 1);
  EXPECT_EQ(view(address, DType::f32, {}).count(), 1);
  EXPECT_EQ(view(address, DType::f32, {2, 3}, std::array<std::int64_t, 2>{-3, 1}).stride(0), -3);
}

TEST(View, OfAnEnginesTensorHasAStrideForEverySize) {
  float data[24] = {};
  void* const address = data;
  EXPECT_EQ(said(check_strides(2, 2)), "nothing");
  EXPECT_EQ(said(check_strides(2, 3)), "[view] strides must be as many as sizes, got 3 for 2");
  EXPECT_THROW(view(address, DType::f32, {2, 3}, {3}), Error);
  const void* const constant = data;
  EXPECT_THROW(view(constant, DType::f32, {2, 3}, {3}), Error);
}

TEST(View, SliceIsElementsOfAnAxisInTheSameMemory) {
  std::int32_t data[24] = {};
  const View v = view(data, {2, 3, 4});
  const View rows = v.slice(1, 1, 2);
  EXPECT_EQ(rows.data, data + 4);
  EXPECT_EQ(rows.size(1), 2);
  EXPECT_EQ(rows.strides, v.strides);
  EXPECT_EQ(v.slice(-1, 3, 1).data, data + 3);
  EXPECT_EQ(v.slice(0, 1, 1).slice(2, 2, 2).data, data + 14);
  EXPECT_EQ(v.slice(1, 0, 3).data, data);  // all of it
  EXPECT_EQ(v.slice(1, 3, 0).count(), 0);  // none
  EXPECT_EQ(v.slice(1, 3, 0).data, data);
  const ConstView constant = v;
  EXPECT_EQ(constant.slice(0, 1, 1).data, data + 12);
  View backward = v;
  backward.strides[0] = -12, backward.data = data + 12;
  EXPECT_EQ(backward.slice(0, 1, 1).data, data);
}

TEST(View, SliceLiesWithinItsAxis) {
  float data[24] = {};
  const View v = view(data, {2, 3, 4});
  struct {
    int axis;
    std::int64_t first, count;
    std::string_view rule;
  } const rows[] = {
      {1, 2, 2, "[slice] first and count must lie within axis 1 of size 3, got 2 from 2"},
      {-1, -1, 2, "[slice] first and count must lie within axis 2 of size 4, got 2 from -1"},
      {0, 0, -1, "[slice] first and count must lie within axis 0 of size 2, got -1 from 0"},
      {0, highest, highest,
       "[slice] first and count must lie within axis 0 of size 2, got 9223372036854775807 from 9223372036854775807"},
      {3, 0, 1, "[slice] axis must be one of the view, got 3 of 3"},
      {-4, 0, 1, "[slice] axis must be one of the view, got -4 of 3"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(said(check_slice(v, row.axis, row.first, row.count)), row.rule);
    EXPECT_THROW(v.slice(row.axis, row.first, row.count), Error);
  }
  View many = v;
  many.rank = 9;
  EXPECT_THROW(many.slice(0, 0, 1), Error);
}

TEST(View, AsReadsTheBitsOfAnotherTypeOfOneSize) {
  std::uint16_t patterns[] = {0x3F80, 0xC000};  // bf16 as engines keep it: 1 and -2
  const View v = view(static_cast<void*>(patterns), DType::f16, {2}).as(DType::bf16);
  EXPECT_EQ(v.dtype, DType::bf16);
  EXPECT_EQ(v.data, patterns);
  EXPECT_EQ(static_cast<float>(static_cast<const bfloat16*>(v.data)[1]), -2.0f);
  EXPECT_EQ(said(check_as(v, DType::f16)), "nothing");
  EXPECT_EQ(said(check_as(v, DType::f32)), "[as] both types must be of one size, got bf16 and f32");
  EXPECT_EQ(said(check_as(v, DType{})), "[as] both types must be of one size, got bf16 and no type");
  EXPECT_EQ(said(check_as(View{}, DType{})), "[as] both types must be of one size, got no type and no type");
  EXPECT_THROW(v.as(DType::i32), Error);
}

#if defined(__FLT16_MANT_DIG__)
TEST(View, TakesTheCompilersHalf) {
  _Float16 data[2] = {};
  EXPECT_EQ(view(data, {2}).dtype, DType::f16);
}
#endif

TEST(View, TransposedAndRepeatedAreTheSameMemory) {
  double data[6] = {};
  const View v = view(data, {2, 3}).transposed(0, 1);
  EXPECT_EQ(v.size(0), 3);
  EXPECT_EQ(v.stride(0), 1);
  EXPECT_EQ(v.stride(1), 3);
  const View many = v.repeated(1000);
  EXPECT_EQ(many.rank, 3);
  EXPECT_EQ(many.count(), 6000);
  EXPECT_EQ(many.stride(0), 0);
  EXPECT_EQ(many.size(1), 3);
  EXPECT_EQ(many.stride(2), 3);
  EXPECT_EQ(said(check_view("op", "x", many)), "nothing");
}

TEST(View, WithoutElementsHasCountZeroHoweverLargeItsOtherAxes) {
  float* none = nullptr;
  EXPECT_EQ(view(none, {highest, highest, 0}).count(), 0);
  EXPECT_EQ(said(check_output("op", "x", view(none, {highest, highest, 0}))), "nothing");
}

TEST(View, RepeatedBeyondEightAxesIsRefusedByItsCheck) {
  float data = 0;
  struct {
    View view;
    std::int64_t after = 7;
  } eight = {view(&data, {1, 1, 1, 1, 1, 1, 1, 1})};
  eight.view = eight.view.repeated(2);
  EXPECT_EQ(eight.after, 7);
  EXPECT_EQ(said(check_view("op", "x", eight.view)), "[op] x must have 0 to 8 axes, got 9");
}

struct Refused {
  const char* rule;
  View view;
};

TEST(CheckView, NamesTheRuleThatIsBroken) {
  alignas(8) double data[4] = {};
  const auto with = [&](int rank, std::array<std::int64_t, max_rank> shape,
                        std::array<std::int64_t, max_rank> strides) {
    return View{data, DType::f64, rank, shape, strides};
  };
  View untyped = view(data, {4}), unaligned = view(reinterpret_cast<float*>(data), {2});
  untyped.dtype = {};
  unaligned.data = reinterpret_cast<std::byte*>(data) + 2;
  double* none = nullptr;
  const Refused refused[] = {
      {"[op] x must have an element type, got no type", untyped},
      {"[op] x must have 0 to 8 axes, got -1", with(-1, {}, {})},
      {"[op] x must have 0 to 8 axes, got 9", with(9, {}, {})},
      {"[op] x must have no negative size, got [2, -1]", with(2, {2, -1}, {1, 1})},
      {"[op] x must have no negative size, got [0, -1]", with(2, {0, -1}, {1, 1})},
      {"[op] x must have less than 2^63 bytes, got [4294967296, 4294967296]",
       with(2, {std::int64_t{1} << 32, std::int64_t{1} << 32}, {0, 0})},
      {"[op] x must have less than 2^63 bytes, got [4294967296, 4294967296]",
       with(2, {std::int64_t{1} << 32, std::int64_t{1} << 32}, {1, 1})},
      {"[op] x must have less than 2^63 bytes, got [1152921504606846976]", with(1, {std::int64_t{1} << 60}, {0})},
      {"[op] x must have offsets below 2^63 bytes, got [3]", with(1, {3}, {highest})},
      {"[op] x must have offsets below 2^63 bytes, got [3]", with(1, {3}, {lowest})},
      {"[op] x must have offsets below 2^63 bytes, got [2]", with(1, {2}, {highest / 4})},
      {"[op] x must have offsets below 2^63 bytes, got [2, 2]", with(2, {2, 2}, {highest / 2 + 1, highest / 2 + 1})},
      {"[op] x must have offsets below 2^63 bytes, got [2, 2]",
       with(2, {2, 2}, {std::int64_t{1} << 59, std::int64_t{1} << 59})},  // each of them is below
      {"[op] x must have data, got a null pointer for shape [1]", view(none, {1})},
      {"[op] x must have data, got a null pointer for shape []", view(none, {})},
      {"[op] x must be aligned to its 4-byte elements, got an address that is not", unaligned},
  };
  for (const Refused& row : refused) {
    EXPECT_EQ(said(check_view("op", "x", row.view)), row.rule);
    EXPECT_EQ(said(check_output("op", "x", row.view)), row.rule);
  }
}

TEST(CheckView, TakesStridesOfEverySignEmptyViewsAndScalars) {
  double data[12] = {};
  double* none = nullptr;
  View backwards = view(data + 11, {3, 4});
  backwards.strides = {-4, -1};
  View opposed = view(data + 3, {3, 4});
  opposed.strides = {4, -1};
  for (const View& v :
       {view(data, {3, 4}), view(data, {}), view(none, {0}), view(none, {3, 0, 4}), backwards, opposed}) {
    EXPECT_EQ(said(check_view("op", "x", v)), "nothing");
    EXPECT_EQ(said(check_output("op", "x", v)), "nothing");
  }
}

TEST(CheckOutput, RefusesStrideZeroWhereAnAxisIsLongerThanOne) {
  float data[4] = {};
  EXPECT_EQ(said(check_output("op", "out", view(data, {4}).repeated(3))),
            "[op] out must have no stride 0, got 0 for axis 0 of shape [3, 4]");
  EXPECT_EQ(said(check_output("op", "out", view(data, {4}).repeated(1))), "nothing");
  EXPECT_EQ(said(check_output("op", "out", view(data, {0}).repeated(3))), "nothing");
}

// ---- errors and executors -----------------------------------------------------------------------

TEST(Problem, ReadsAsOperationRuleValueAndIndex) {
  EXPECT_EQ((Problem{"op", "x must be even", "7"}.message()), "[op] x must be even, got 7");
  EXPECT_EQ((Problem{"op", "x must be even", "7", {2, -1}}.message()), "[op] x must be even, got 7 at [2, -1]");
  EXPECT_EQ((Problem{"op", "x", "7"}.cause), Cause::input);
}

TEST(Error, CarriesItsProblem) {
  const Problem problem = {"op", "disk must be there", "none", {}, Cause::system};
  try {
    require(problem);
    FAIL() << "nothing thrown";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "[op] disk must be there, got none");
    EXPECT_EQ(dynamic_cast<const Error&>(error).problem(), problem);
  }
  EXPECT_NO_THROW(require(std::nullopt));
}

TEST(Serial, CallsEveryJobOnceInOrder) {
  std::vector<std::int64_t> calls;
  serial.run(
      serial.self, 3,
      [](void* context, std::int64_t i) { static_cast<std::vector<std::int64_t>*>(context)->push_back(i); }, &calls);
  EXPECT_EQ(calls, (std::vector<std::int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace posenc
