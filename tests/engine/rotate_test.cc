// SPDX-License-Identifier: Apache-2.0
// The rotation kernel against plain loops: every instruction set, type, pairing, tail, stride and number of lines.
#include "src/engine/rotary/rotate.h"

#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "tests/engine/every_target.h"
#include "tests/engine/stored.h"

namespace posenc::engine {
namespace {

// Rows that lie `line` and `row` apart, in the middle of other elements.
struct RotationShape {
  std::int64_t pairs, width, lines, rows;
  std::int64_t line, row;

  std::size_t at(std::int64_t l, std::int64_t t) const { return static_cast<std::size_t>(l * line + t * row); }
  std::size_t size() const { return at(lines - 1, rows - 1) + static_cast<std::size_t>(width); }
};

constexpr std::size_t margin = 70;

// Mostly of size near 1; now and then zeros, subnormal numbers, large ones, infinities and NaN.
template <class T>
T random_element(std::mt19937& random) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float hard[] = {0.0f, -0.0f, 1.0f, 0x1p-24f, -0x1.8p-25f, 0x1p-130f, 65504.0f, -3e38f, infinity, NAN};
  const auto word = static_cast<std::uint32_t>(random());
  if (word % 16 == 0) return T(hard[word / 16 % std::size(hard)]);
  return T(static_cast<float>(static_cast<std::int32_t>(word)) * 0x1p-30f);
}

struct Table {
  std::vector<float> cosine, sine;
  std::int64_t stride;
};

// Of any bits; every third of few, so that results lie half-way between two elements of storage.
Table random_table(std::mt19937& random, const RotationShape& shape) {
  Table table = {{}, {}, shape.pairs + static_cast<std::int64_t>(random() % 5)};
  const auto size = static_cast<std::size_t>(shape.rows * table.stride + Angles::slack);
  for (std::vector<float>* values : {&table.cosine, &table.sine}) {
    for (std::size_t i = 0; i < size; ++i) {
      const auto word = static_cast<std::int32_t>(random());
      values->push_back(i % 3 == 0 ? static_cast<float>(word >> 28) / 8 : static_cast<float>(word) * 0x1p-31f);
    }
  }
  table.cosine[0] = 1;
  table.sine[0] = 0;
  return table;
}

template <class T>
std::vector<float> expected_row(const T* row, const Table& table, std::int64_t t, const RotationShape& shape,
                                Pairs pairs) {
  const auto part = [&](const std::vector<float>& values) {
    const auto begin = values.begin() + t * table.stride;
    return std::vector<float>(begin, begin + shape.pairs);
  };
  std::vector<float> wide;
  for (std::int64_t i = 0; i < shape.width; ++i) wide.push_back(static_cast<float>(row[i]));
  return reference::rotated(wide, part(table.cosine), part(table.sine),
                            pairs == Pairs::adjacent ? reference::Pairing::adjacent : reference::Pairing::split_half,
                            storage_of<T>);
}

// In place, or with the output elsewhere: of the same shape, its rows laid out another way.
template <class T>
void expect_plain_rotation(std::mt19937& random, const RotationShape& shape, Pairs pairs,
                           const std::optional<RotationShape>& elsewhere) {
  const RotationShape out_shape = elsewhere.value_or(shape);
  SCOPED_TRACE(std::to_string(shape.pairs) + " pairs of " + std::to_string(shape.width) + " columns, " +
               std::to_string(shape.lines) + " lines, " + std::to_string(shape.rows) + " rows" +
               (elsewhere ? "" : ", in place"));
  const Table table = random_table(random, shape);
  const std::size_t offset = random() % 64;
  std::vector<T> in(shape.size() + 2 * margin);
  for (T& element : in) element = random_element<T>(random);
  std::vector<T> out = in;
  if (elsewhere) out.assign(out_shape.size() + 2 * margin, T(9.0f));
  const std::vector<T> before = out;
  T* to = out.data() + offset;
  const T* from = elsewhere ? in.data() + offset : to;
  const Angles angles = {table.cosine.data(), table.sine.data(), table.stride, shape.rows, shape.pairs};
  const Lines<T> run[] = {
      {{from, shape.line, shape.row}, {to, out_shape.line, out_shape.row}, shape.lines, shape.width}};
  rotate<T>(angles, pairs, run);

  std::vector<bool> written(out.size());
  for (std::int64_t l = 0; l < shape.lines; ++l) {
    for (std::int64_t t = 0; t < shape.rows; ++t) {
      const std::size_t at = offset + out_shape.at(l, t);
      const std::vector<float> row = expected_row(in.data() + offset + shape.at(l, t), table, t, shape, pairs);
      for (std::size_t i = 0; i < row.size(); ++i) {
        written[at + i] = true;
        ASSERT_TRUE(same(static_cast<float>(out[at + i]), row[i]))
            << "line " << l << " row " << t << " column " << i << ": " << static_cast<float>(out[at + i]) << " is not "
            << row[i];
      }
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool kept = same(static_cast<float>(out[i]), static_cast<float>(before[i]));
    ASSERT_TRUE(written[i] || kept) << "element " << i << ", of no row, is written";
  }
}

// What lies next to each other: rows of a head, or heads of a position, as in [B, L, H, d].
enum class Near { rows, heads };

RotationShape laid_out(RotationShape shape, Near near, std::uint64_t gap) {
  const std::int64_t step = shape.width + static_cast<std::int64_t>(gap);
  shape.row = near == Near::rows ? step : shape.lines * step;
  shape.line = near == Near::rows ? shape.rows * step : step;
  return shape;
}

// Where case i is turned: in place, every other one to rows with a wider gap.
std::optional<RotationShape> other_place(int i, const RotationShape& shape, Near near) {
  return i % 2 == 0 ? std::nullopt : std::optional(laid_out(shape, near, 3));
}

template <class T>
void expect_plain_rotation_of_many() {
  std::mt19937 random(11);
  for (const std::int64_t pairs : {1, 2, 3, 4, 5, 7, 8, 10, 12, 15, 16, 17, 20, 31, 32, 33, 40, 48, 63, 64, 65, 129}) {
    for (const Pairs pairing : {Pairs::adjacent, Pairs::split_half}) {
      for (int i = 0; i < 6; ++i) {
        RotationShape shape = {pairs, 2 * pairs, 1 + i, 1, 0, 0};
        shape.width += i % 2 * static_cast<std::int64_t>(random() % 9);
        shape.rows += static_cast<std::int64_t>(random() % 40);
        const Near near = i % 3 == 2 ? Near::heads : Near::rows;
        shape = laid_out(shape, near, random() % 3);
        expect_plain_rotation<T>(random, shape, pairing, other_place(i, shape, near));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// Four heads abreast are turned where the pairs are whole steps and the call is more than 64 KiB: in 16 bits at least
// 65 rows of four heads of 128 columns.
template <class T>
void expect_plain_rotation_of_large_calls() {
  std::mt19937 random(12);
  for (const std::int64_t pairs : {64, 128}) {
    for (const Pairs pairing : {Pairs::adjacent, Pairs::split_half}) {
      for (const Near near : {Near::rows, Near::heads}) {
        for (int i = 0; i < 6; ++i) {
          const std::int64_t rest = i / 2 % 2 * (1 + static_cast<std::int64_t>(random() % 8));
          const std::int64_t rows = 65 + static_cast<std::int64_t>(random() % 20);
          const RotationShape shape = laid_out({pairs, 2 * pairs + rest, 4 + i, rows, 0, 0}, near, random() % 3);
          expect_plain_rotation<T>(random, shape, pairing, other_place(i, shape, near));
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

// A run that is at hand, two that are not, and two more: of one call, then each of its own.
template <class T>
void expect_runs_of_one_call_as_alone() {
  std::mt19937 random(14);
  for (const std::int64_t pairs : {5, 16, 64, 80}) {
    const RotationShape angles_of = {pairs, 0, 0, 7, 0, 0};
    const Table table = random_table(random, angles_of);
    const Angles angles = {table.cosine.data(), table.sine.data(), table.stride, angles_of.rows, pairs};
    std::vector<std::vector<T>> together;
    std::vector<Lines<T>> runs;
    for (const std::int64_t lines : {3, 700, 701, 1, 6}) {
      const RotationShape shape = laid_out({pairs, 2 * pairs + lines % 3, lines, angles_of.rows, 0, 0}, Near::rows, 1);
      std::vector<T>& elements = together.emplace_back(shape.size());
      for (T& element : elements) element = random_element<T>(random);
      runs.push_back(
          {{elements.data(), shape.line, shape.row}, {elements.data(), shape.line, shape.row}, lines, shape.width});
    }
    std::vector<std::vector<T>> alone = together;
    for (const Pairs pairing : {Pairs::adjacent, Pairs::split_half}) {
      rotate<T>(angles, pairing, runs);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        Lines<T> run = runs[i];
        run.in.data = run.out.data = alone[i].data();
        rotate<T>(angles, pairing, std::span<const Lines<T>>(&run, 1));
        ASSERT_EQ(std::memcmp(together[i].data(), alone[i].data(), alone[i].size() * sizeof(T)), 0)
            << "run " << i << " of " << pairs << " pairs";
      }
    }
    rotate<T>(angles, Pairs::adjacent, std::span<const Lines<T>>());
  }
}

TEST(Rotate, OfF32RunsInOneCallIsThatOfEachOnEveryTarget) { on_every_target(expect_runs_of_one_call_as_alone<float>); }
TEST(Rotate, OfF16RunsInOneCallIsThatOfEachOnEveryTarget) { on_every_target(expect_runs_of_one_call_as_alone<half>); }
TEST(Rotate, OfBf16RunsInOneCallIsThatOfEachOnEveryTarget) {
  on_every_target(expect_runs_of_one_call_as_alone<bfloat16>);
}

TEST(Rotate, OfF32IsThePlainLoopOnEveryTarget) { on_every_target(expect_plain_rotation_of_many<float>); }
TEST(Rotate, OfF16IsThePlainLoopOnEveryTarget) { on_every_target(expect_plain_rotation_of_many<half>); }
TEST(Rotate, OfBf16IsThePlainLoopOnEveryTarget) { on_every_target(expect_plain_rotation_of_many<bfloat16>); }

TEST(Rotate, OfManyF32HeadsIsThePlainLoopOnEveryTarget) {
  on_every_target(expect_plain_rotation_of_large_calls<float>);
}
TEST(Rotate, OfManyF16HeadsIsThePlainLoopOnEveryTarget) { on_every_target(expect_plain_rotation_of_large_calls<half>); }
TEST(Rotate, OfManyBf16HeadsIsThePlainLoopOnEveryTarget) {
  on_every_target(expect_plain_rotation_of_large_calls<bfloat16>);
}

// The two elements of a pair round at once: every pattern of each beside every other kind of the other.
template <class T>
void expect_every_pattern_kept() {
  for (const Pairs pairing : {Pairs::adjacent, Pairs::split_half}) {
    constexpr std::int64_t n = 128;
    const std::vector<float> one(n + Angles::slack, 1.0f), zero(n + Angles::slack, 0.0f);
    for (std::uint32_t first = 0; first < 1u << 16; first += n) {
      std::vector<T> row(2 * n);
      for (std::uint32_t i = 0; i < n; ++i) {
        row[i] = T::from_bits(static_cast<std::uint16_t>(first + i));
        row[i + n] = T::from_bits(static_cast<std::uint16_t>(~(first + i)));
      }
      const std::vector<float> wide(row.begin(), row.end());
      const std::vector<float> expected = reference::rotated(
          wide, {one.begin(), one.begin() + n}, {zero.begin(), zero.begin() + n},
          pairing == Pairs::adjacent ? reference::Pairing::adjacent : reference::Pairing::split_half, storage_of<T>);
      const Lines<T> run[] = {{{row.data(), 0, 0}, {row.data(), 0, 0}, 1, 2 * n}};
      rotate<T>({one.data(), zero.data(), n, 1, n}, pairing, run);
      for (std::size_t i = 0; i < row.size(); ++i) ASSERT_TRUE(same(static_cast<float>(row[i]), expected[i])) << first;
    }
  }
}

TEST(Rotate, ByNothingKeepsEveryPatternOnEveryTarget) {
  on_every_target([] {
    expect_every_pattern_kept<half>();
    expect_every_pattern_kept<bfloat16>();
  });
}

}  // namespace
}  // namespace posenc::engine
