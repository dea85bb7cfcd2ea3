// SPDX-License-Identifier: Apache-2.0
// Classes of pairs: known edges, logarithms of MPFR at every distance to 2^17, all kinds of positions and memory, what
// is refused.
#include <gtest/gtest.h>
#include <posenc/buckets.h>
#include <posenc/preset.h>

#include <cmath>
#include <numeric>

#include "tests/encodings/field.h"
#include "tests/encodings/named.h"
#include "tests/encodings/said.h"
#include "tests/oracle/sines.h"

namespace posenc {
namespace {

using test::Field;
using test::said;

// The class of a key `distance` ahead of its query.
std::int64_t class_at(const Convention& convention, std::int64_t distance) {
  std::int64_t out = -77;
  buckets(convention, Positions::at(1000), Positions::at(1000 + distance), view(&out, {1, 1}));
  return out;
}

std::vector<std::int64_t> classes_to(const Convention& convention, std::int64_t reach) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(2 * reach + 1));
  buckets(convention, Positions::at(0), Positions::range(-reach, 2 * reach + 1), view(out.data(), {1, 2 * reach + 1}));
  return out;
}

TEST(Buckets, OfT5HaveEdgesAtPowersOfTwo) {
  for (const auto& [distance, of_t5] : {std::pair{0, 0},
                                        {-7, 7},
                                        {-8, 8},
                                        {-15, 9},
                                        {-16, 10},
                                        {-31, 11},
                                        {-32, 12},
                                        {-63, 13},
                                        {-64, 14},
                                        {-127, 15},
                                        {-128, 15},
                                        {-9999, 15},
                                        {1, 17},
                                        {7, 23},
                                        {8, 24},
                                        {16, 26},
                                        {32, 28},
                                        {64, 30},
                                        {128, 31}}) {
    EXPECT_EQ(class_at(test::named("t5-bucket"), distance), of_t5) << distance;
  }
}

TEST(Buckets, OfOneSideKnowNoKeyAhead) {
  EXPECT_EQ(class_at(test::named("t5-bucket-decoder"), 1), 0);
  EXPECT_EQ(class_at(test::named("t5-bucket-decoder"), 4000), 0);
  EXPECT_EQ(class_at(test::named("t5-bucket-decoder"), -15), 15);
  EXPECT_EQ(class_at(test::named("t5-bucket-decoder"), -16), 16);
  EXPECT_EQ(class_at(test::named("t5-bucket-decoder"), -128), 31);
}

TEST(Buckets, OfDebertaHaveTheSignOfTheQueryLessTheKey) {
  EXPECT_EQ(class_at(test::named("deberta-bucket"), 40), -40);
  EXPECT_EQ(class_at(test::named("deberta-bucket"), -128), 128);
  EXPECT_EQ(class_at(test::named("deberta-bucket"), -129), 129);
  EXPECT_EQ(class_at(test::named("deberta-bucket"), -511), 255);
  EXPECT_EQ(class_at(test::named("deberta-bucket"), -512), 256);
  EXPECT_EQ(class_at(test::named("deberta-bucket"), 512), -256);
}

TEST(Buckets, OfShawAreClippedDistances) {
  const Convention wav = test::named("wav2vec2-bert");
  for (const auto& [distance, clipped] :
       {std::pair{-9999, 0}, {-65, 0}, {-64, 0}, {-63, 1}, {0, 64}, {7, 71}, {8, 72}, {9, 72}, {9999, 72}}) {
    EXPECT_EQ(class_at(wav, distance), clipped) << distance;
  }
  EXPECT_EQ(class_at(with_fields(wav, {{"classes.left", 0}, {"classes.right", 0}}), -5), 0);
}

// ---- logarithms of MPFR -------------------------------------------------------------------------

constexpr std::int64_t furthest = 1 << 17;
constexpr int oracle_bits = 300;

// ln m for all distances.
const std::vector<std::unique_ptr<oracle::Number>>& logarithms() {
  static const auto all = [] {
    std::vector<std::unique_ptr<oracle::Number>> made;
    for (std::int64_t m = 0; m <= furthest; ++m) {
      made.push_back(std::make_unique<oracle::Number>(oracle_bits));
      if (m > 0) mpfr_log_ui(made.back()->get(), static_cast<unsigned long>(m), MPFR_RNDN);
    }
    return made;
  }();
  return all;
}

// n ln(m / e) / ln(end / e), which is whole where it is within 2^-200 of a whole number.
struct Quotient {
  std::int64_t below;
  bool whole;
};
Quotient quotient(std::int64_t m, std::int64_t e, std::int64_t end, std::int64_t n) {
  const auto ln = [](std::int64_t x) { return logarithms()[static_cast<std::size_t>(x)]->get(); };
  static oracle::Number over(oracle_bits), x(oracle_bits), nearest(oracle_bits), rest(oracle_bits);
  mpfr_sub(x.get(), ln(m), ln(e), MPFR_RNDN);
  mpfr_sub(over.get(), ln(end), ln(e), MPFR_RNDN);
  mpfr_div(x.get(), x.get(), over.get(), MPFR_RNDN);
  mpfr_mul_si(x.get(), x.get(), n, MPFR_RNDN);
  mpfr_round(nearest.get(), x.get());
  mpfr_sub(rest.get(), x.get(), nearest.get(), MPFR_RNDN);
  if (mpfr_zero_p(rest.get()) || mpfr_get_exp(rest.get()) < -200) return {mpfr_get_si(nearest.get(), MPFR_RNDN), true};
  return {mpfr_get_si(x.get(), MPFR_RNDD), false};
}

std::int64_t log_class(const LogBuckets& log, std::int64_t d) {
  if (log.sign == DistanceSign::query_minus_key) d = -d;
  const bool both = log.sides == DistanceSides::both;
  if (!both && d > 0) return 0;
  const std::int64_t classes = both ? log.count / 2 : log.count, e = classes / 2, m = std::abs(d);
  const std::int64_t added = d > 0 ? classes : 0;
  if (m < e) return added + m;
  return added + std::min(classes - 1, e + quotient(m, e, log.reach, classes - e).below);
}

std::int64_t signed_class(const SignedLogBuckets& log, std::int64_t d) {
  if (log.sign == DistanceSign::query_minus_key) d = -d;
  const std::int64_t e = log.count / 2, m = std::abs(d);
  if (m <= e) return d;
  const Quotient up = quotient(m, e, log.reach - 1, e - 1);
  const std::int64_t size = e + up.below + (up.whole ? 0 : 1);
  return d < 0 ? -size : size;
}

template <class Kind, class Class>
void expect_logarithms(const Kind& kind, const Class& class_of) {
  const std::vector<std::int64_t> ours = classes_to(Buckets{kind, 1.0}, furthest);
  std::int64_t unlike = 0, first = 0;
  for (std::int64_t d = -furthest; d <= furthest; ++d) {
    if (ours[static_cast<std::size_t>(d + furthest)] == class_of(kind, d)) continue;
    if (unlike++ == 0) first = d;
  }
  EXPECT_EQ(unlike, 0) << kind.count << " " << kind.reach << ", first at " << first;
}

constexpr DistanceSign ahead = DistanceSign::key_minus_query, behind = DistanceSign::query_minus_key;

TEST(Buckets, OfLogarithmsAreExactAtEveryDistance) {
  for (const LogBuckets& log :
       {LogBuckets{32, 128, DistanceSides::both, ahead}, LogBuckets{32, 128, DistanceSides::one, ahead},
        LogBuckets{320, 800, DistanceSides::both, ahead}, LogBuckets{64, 256, DistanceSides::both, behind},
        LogBuckets{2, 2, DistanceSides::one, ahead}, LogBuckets{4, 100'000, DistanceSides::both, ahead},
        LogBuckets{33, 17, DistanceSides::one, behind}, LogBuckets{1000, 131'072, DistanceSides::both, ahead}}) {
    expect_logarithms(log, log_class);
  }
}

TEST(Buckets, OfSignedLogarithmsAreExactAtEveryDistance) {
  for (const SignedLogBuckets& log : {SignedLogBuckets{256, 512, behind}, SignedLogBuckets{4, 4, ahead},
                                      SignedLogBuckets{17, 11, ahead}, SignedLogBuckets{512, 2048, behind}}) {
    expect_logarithms(log, signed_class);
  }
}

// ---- positions and memory -----------------------------------------------------------------------

template <class T>
void expect_every_memory(const Convention& convention, const Positions& queries, const Positions& keys) {
  for (const test::Memory memory : test::memories) {
    Field<T> out({queries.count_, keys.count_}, memory);
    buckets(convention, queries, keys, out.view());
    EXPECT_TRUE(out.rest_is_untouched());
    std::vector<T> each;
    const std::vector<std::int64_t> classes = classes_to(convention, 1000);
    const auto at = [](const Positions& p, std::int64_t i) {
      return p.kind_ == Positions::Kind::list ? static_cast<const std::int32_t*>(p.list_.data)[i * p.list_.stride(0)]
                                              : p.start_ + i * p.step_;
    };
    for (std::int64_t i = 0; i < queries.count_; ++i) {
      for (std::int64_t j = 0; j < keys.count_; ++j) {
        each.push_back(static_cast<T>(classes.at(static_cast<std::size_t>(1000 + at(keys, j) - at(queries, i)))));
      }
    }
    EXPECT_EQ(out.values(), each);
  }
}

TEST(Buckets, AreThoseOfTheirDistancesInEveryOrder) {
  const std::vector<std::int32_t> list = {5, -3, 900, 5, 0, -77, 12};
  const Positions any = Positions::list(view(list.data(), {7}));
  for (const char* name : {"t5-bucket", "deberta-bucket", "wav2vec2-bert"}) {
    SCOPED_TRACE(name);
    expect_every_memory<std::int32_t>(test::named(name), Positions::range(3, 20), Positions::range(0, 31));
    expect_every_memory<std::int64_t>(test::named(name), Positions::range(30, 9, -4), Positions::range(100, 6, -4));
    expect_every_memory<std::int64_t>(test::named(name), any, Positions::range(0, 5));
    expect_every_memory<std::int32_t>(test::named(name), any, any);
  }
}

TEST(Buckets, OfFarPositionsHaveNoOverflow) {
  const std::int64_t last = std::int64_t{1} << 52;
  std::int64_t out = 0;
  buckets(test::named("t5-bucket"), Positions::at(-last), Positions::at(last), view(&out, {1, 1}));
  EXPECT_EQ(out, 31);
  buckets(test::named("shaw"), Positions::at(last), Positions::at(-last), view(&out, {1, 1}));
  EXPECT_EQ(out, 0);
  const Convention steep =
      with_fields(test::named("deberta-bucket"), {{"classes.count", 4}, {"classes.reach", 1 << 30}});
  buckets(steep, Positions::at(last), Positions::at(-last), view(&out, {1, 1}));
  EXPECT_EQ(out, 4);  // 2 + ceil(ln(2^52) / ln((2^30 - 1) / 2)) = 2 + ceil(1.79)
}

TEST(Buckets, OfNothingAreNothing) {
  std::int64_t out = 77;
  buckets(test::named("t5-bucket"), Positions::range(0, 0), Positions::range(0, 4), view(&out, {0, 4}));
  EXPECT_EQ(out, 77);
}

// ---- windows ------------------------------------------------------------------------------------

TEST(WindowBuckets, OfTwoByTwoCellsAreNine) {
  std::int32_t out[4][4];
  window_buckets(test::named("swin-window"), {2, 2}, view(&out[0][0], {4, 4}));
  EXPECT_EQ((std::vector<std::int32_t>(out[0], out[0] + 16)),
            (std::vector<std::int32_t>{4, 3, 1, 0, 5, 4, 2, 1, 7, 6, 4, 3, 8, 7, 5, 4}));
}

TEST(WindowBuckets, OfAClassTokenAreThreeMore) {
  std::int64_t out[2][2];
  window_buckets(test::named("beit-window"), {1, 1}, view(&out[0][0], {2, 2}));
  EXPECT_EQ((std::vector<std::int64_t>(out[0], out[0] + 4)), (std::vector<std::int64_t>{3, 1, 2, 0}));
}

TEST(WindowBuckets, HaveAPlaceForEachCellAndForAClassToken) {
  EXPECT_EQ(window_places(test::named("swin-window"), {7, 5}), 35);
  EXPECT_EQ(window_places(test::named("beit-window"), {7, 5}), 36);
}

// ---- refusals -----------------------------------------------------------------------------------

TEST(Buckets, AreRefusedByWhatIsWrong) {
  std::int64_t out[6] = {};
  const View matrix = view(out, {2, 3});
  const Positions two = Positions::range(0, 2), three = Positions::range(0, 3);
  const Convention& t5 = test::named("t5-bucket");
  EXPECT_EQ(said(check_buckets(t5, two, three, matrix)), "nothing");
  EXPECT_EQ(said(check_buckets(test::named("swin-window"), two, three, matrix)),
            "[buckets] the convention must be buckets of distances, got buckets");
  EXPECT_EQ(said(check_buckets(Buckets{}, two, three, matrix)), "[convention] classes must be stated, got none");
  EXPECT_EQ(said(check_buckets(t5, three, two, matrix)),
            "[buckets] out must have 3 rows, one a query, and 2 columns, one a key, got [2, 3]");
  EXPECT_EQ(said(check_buckets(t5, two, three, view(out, {6}))), "[buckets] out must have shape [L, S], got [6]");
  float reals[6] = {};
  EXPECT_EQ(said(check_buckets(t5, two, three, view(reals, {2, 3}))), "[buckets] out must be i32 or i64, got f32");
  EXPECT_EQ(said(check_buckets(t5, Positions::range(0.0, 2, 0.5), three, matrix)),
            "[buckets] positions of queries must be integers from -2^52 to 2^52, got another at [1]");
  EXPECT_EQ(said(check_buckets(t5, two, Positions::range((std::int64_t{1} << 52) - 1, 3), matrix)),
            "[buckets] positions of keys must be integers from -2^52 to 2^52, got 4503599627370497 at [2]");
  EXPECT_EQ(said(check_buckets(t5, Positions::list(view(out, {2, 3})), three, matrix)),
            "[buckets] positions of queries must have one axis, got [2, 3]");
  EXPECT_EQ(test::thrown([&] { buckets(t5, three, two, matrix); }), said(check_buckets(t5, three, two, matrix)));
}

TEST(WindowBuckets, AreRefusedByWhatIsWrong) {
  std::int64_t out[36] = {};
  const Convention& swin = test::named("swin-window");
  const View six = view(out, {6, 6});
  EXPECT_EQ(said(check_window_buckets(swin, {2, 3}, six)), "nothing");
  EXPECT_EQ(said(check_window_buckets(test::named("t5-bucket"), {2, 3}, six)),
            "[window_buckets] the convention must be buckets of a window, got buckets");
  EXPECT_EQ(said(check_window_buckets(test::named("beit-window"), {2, 3}, six)),
            "[window_buckets] out must have shape [7, 7], got [6, 6]");
  EXPECT_EQ(said(check_window_buckets(swin, {0, 3}, six)),
            "[window_buckets] the sides of the window must be 1 or more, got 0 x 3");
  EXPECT_EQ(said(check_window_buckets(swin, {std::int64_t{1} << 62, 1}, six)),
            "[window_buckets] the window must have at most 2^30 classes, got 4611686018427387904 x 1");
  EXPECT_EQ(said(check_window_buckets(swin, {16384, 16385}, six)),
            "[window_buckets] the window must have at most 2^30 classes, got 16384 x 16385");
  EXPECT_EQ(test::thrown([&] { window_buckets(swin, {1, 3}, six); }), said(check_window_buckets(swin, {1, 3}, six)));
}

}  // namespace
}  // namespace posenc
