// SPDX-License-Identifier: Apache-2.0
// A block of the input stage against plain loops: every type, stored and streamed, masked and not, on every target.
#include "src/engine/stage/stage.h"

#include <cstring>
#include <random>
#include <vector>

#include "tests/engine/drawn.h"
#include "tests/engine/every_target.h"
#include "tests/engine/random_values.h"

namespace posenc::engine {
namespace {

constexpr std::int64_t id_count = 11, padding = 2;
constexpr RowMask dropping = {{31, 7}, 5, 6, 8, 20000, 65536 / 45536.0};

struct StageShape {
  std::int64_t sequences, tokens, width;
  Stores stores;
  std::size_t offset;  // of outputs, in elements from a line on
};

template <class T>
std::vector<T> seeded_values(std::int64_t count) {
  std::mt19937 random(static_cast<std::uint32_t>(count));
  return test::random_values<T>(random, static_cast<std::size_t>(count));
}

template <class T>
T expected_of_stage(const StageBlock<T>& block, const RowMask* masked, std::int64_t b, std::int64_t t, std::int64_t c) {
  using C = Computing<T>;
  const std::int64_t id = block.id(b, t);
  const T row = id == padding ? T(0.0f) : block.rows[id * block.row_stride + c];
  const T scaled = T(static_cast<C>(row) * block.scale);
  const T sum = T(static_cast<C>(scaled) + static_cast<C>(block.signal[t * block.signal_stride + c]));
  if (masked == nullptr) return sum;
  RowMask own = *masked;
  own.batch += static_cast<std::uint32_t>(b);
  own.token += static_cast<std::uint32_t>(t);
  const bool dropped = drawn(own, static_cast<std::size_t>(c)) < own.dropped;
  return T(static_cast<C>(sum) * (dropped ? C(0) : static_cast<C>(own.keep)));
}

template <class T>
void expect_plain_stage(const StageShape& shape, const RowMask* masked) {
  constexpr std::size_t a_line = 64 / sizeof(T);
  const std::int64_t row_stride = shape.width + 3;
  // Between tokens stand elements that nobody may write; where outputs are streamed, a whole line of them.
  const std::int64_t stride = (shape.width / std::int64_t(a_line) + 2) * std::int64_t(a_line);
  const std::int64_t count = shape.sequences * shape.tokens;
  const std::vector<T> rows = seeded_values<T>(id_count * row_stride),
                       signal = seeded_values<T>(shape.tokens * row_stride);
  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back(static_cast<std::int32_t>(i * 7 % id_count));
  std::vector<T> memory(static_cast<std::size_t>(count * stride) + 2 * a_line, T(7.0f));
  const std::size_t to_line = (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64 / sizeof(T);
  T* out = memory.data() + to_line + shape.offset;
  const StageBlock<T> block = {.rows = rows.data(),
                               .row_stride = row_stride,
                               .ids = ids.data(),
                               .id_type = DType::i32,
                               .id_sequence_stride = shape.tokens,
                               .id_token_stride = 1,
                               .padding_id = padding,
                               .signal = signal.data(),
                               .signal_stride = row_stride,
                               .out = out,
                               .out_sequence_stride = shape.tokens * stride,
                               .out_token_stride = stride,
                               .sequences = shape.sequences,
                               .tokens = shape.tokens,
                               .width = shape.width,
                               .scale = Computing<T>(22.625),
                               .stores = shape.stores};
  write_stage(block, masked);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t b = i / shape.tokens, t = i % shape.tokens;
    for (std::int64_t c = 0; c < stride; ++c) {
      const T want = c < shape.width ? expected_of_stage(block, masked, b, t, c) : T(7.0f);
      ASSERT_EQ(std::memcmp(&out[i * stride + c], &want, sizeof(T)), 0)
          << "sequence " << b << ", token " << t << ", column " << c << " of " << shape.width;
    }
  }
}

template <class T>
void expect_plain_stage_of_many() {
  for (const std::int64_t width : {1, 7, 16, 64, 97, 128, 256, 320, 512, 515, 1024, 2100}) {
    for (const auto& [sequences, tokens] : {std::pair{1, 1}, {1, 9}, {3, 1}, {3, 9}}) {
      for (const Stores stores : {Stores::cached, Stores::streamed}) {
        for (const RowMask* masked : {static_cast<const RowMask*>(nullptr), &dropping}) {
          expect_plain_stage<T>({sequences, tokens, width, stores, 0}, masked);
          expect_plain_stage<T>({sequences, tokens, width, stores, 1}, masked);
        }
      }
    }
  }
}

TEST(Stage, OfF32IsThatOfPlainLoopsOnEveryTarget) { on_every_target(expect_plain_stage_of_many<float>); }
TEST(Stage, OfF64IsThatOfPlainLoopsOnEveryTarget) { on_every_target(expect_plain_stage_of_many<double>); }
TEST(Stage, OfF16IsThatOfPlainLoopsOnEveryTarget) { on_every_target(expect_plain_stage_of_many<half>); }
TEST(Stage, OfBf16IsThatOfPlainLoopsOnEveryTarget) { on_every_target(expect_plain_stage_of_many<bfloat16>); }

}  // namespace
}  // namespace posenc::engine
