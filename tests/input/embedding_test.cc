// SPDX-License-Identifier: Apache-2.0
// Lookups in any shape, type and stride, and what they refuse.
#include <posenc/embedding.h>

#include "tests/input/plain.h"

namespace posenc {
namespace {

using plain::error_of;
using plain::Tensor;

// ---- lookup -------------------------------------------------------------------------------------

// Ids counted up by 7 modulo the vocabulary, then every element compared by its bytes.
template <class T, class Id>
void expect_rows(const std::vector<std::int64_t>& ids_shape, const std::vector<int>& order, std::int64_t gap) {
  constexpr std::int64_t vocabulary = 5, width = 3;
  Tensor<T> rows({vocabulary, width}, {1, 0}, gap);
  plain::fill(rows.memory, 1);
  Tensor<Id> ids(ids_shape, order, gap);
  std::vector<std::int64_t> shape = ids_shape;
  shape.push_back(width);
  Tensor<T> out(shape);
  std::vector<T> expected;
  for (std::int64_t i = 0; i < ids.view.count(); ++i) {
    std::int64_t offset = 0, rest = i;
    for (int axis = ids.view.rank - 1; axis >= 0; --axis) {
      offset += rest % ids.view.size(axis) * ids.view.stride(axis);
      rest /= ids.view.size(axis);
    }
    const std::int64_t id = i * 7 % vocabulary;
    static_cast<Id*>(ids.view.data)[offset] = static_cast<Id>(id);
    for (std::int64_t c = 0; c < width; ++c) expected.push_back(rows.at({id, c}));
  }
  if (expected.empty()) expected = out.memory;
  Embedding{rows.view}.lookup(ids.view, out.view);
  EXPECT_EQ(plain::bytes(out.memory), plain::bytes(expected));
}

TEST(Embedding, TakesIdsOfAnyShapeTypeAndStride) {
  plain::for_each_real([]<class T>(T) {
    for (const std::int64_t gap : {1, 2, -1, -3}) {
      for (const auto& shape : std::vector<std::vector<std::int64_t>>{
               {}, {1}, {4}, {2, 4}, {3, 1, 5}, {2, 3, 1, 2, 1, 2, 2}, {0}, {3, 0}, {0, 3}}) {
        expect_rows<T, std::int32_t>(shape, {}, gap);
        expect_rows<T, std::int64_t>(shape, {}, gap);
      }
      expect_rows<T, std::int64_t>({2, 4}, {1, 0}, gap);
      expect_rows<T, std::int32_t>({2, 3, 4}, {2, 0, 1}, gap);
    }
  });
}

TEST(Embedding, RepeatsAnIdAlongAStrideOfZero) {
  Tensor<float> rows({5, 3}), out({2, 4, 3});
  plain::fill(rows.memory, 1);
  const std::int32_t id[] = {3, 1, 4, 2};
  Embedding{rows.view}.lookup(view(id, {4}).repeated(2), out.view);
  for (std::int64_t i = 0; i < 24; ++i) EXPECT_EQ(out({i / 12, i / 3 % 4, i % 3}), rows({id[i / 3 % 4], i % 3}));
}

TEST(Embedding, WritesThroughAnyStridesAndNowhereElse) {
  Tensor<double> rows({5, 3});
  plain::fill(rows.memory, 1);
  const std::int64_t ids[] = {4, 0, 2, 2, 1, 3};
  for (const std::int64_t gap : {1, 2, -1, -3}) {
    Tensor<double> out({2, 3, 3}, {2, 0, 1}, gap);
    const std::vector<double> untouched = out.memory;
    Embedding{rows.view}.lookup(view(ids, {2, 3}), out.view);
    for (std::int64_t i = 0; i < 18; ++i) {
      EXPECT_EQ(out({i / 9, i / 3 % 3, i % 3}), rows({ids[i / 3], i % 3}));
      out.at({i / 9, i / 3 % 3, i % 3}) = untouched[0];
    }
    EXPECT_EQ(out.memory, untouched);
  }
}

TEST(Embedding, CopiesEveryBitUnderAnyRounding) {
  const std::uint32_t rows[] = {0x80000000, 0x00000001, 0x7F801234, 0xFFC00001};  // -0, subnormal, both kinds of NaN
  std::uint32_t out[4] = {};
  const std::int32_t ids[] = {1, 0};
  {
    const plain::RoundsUpAndFlushes caller;
    const Embedding embedding{view(reinterpret_cast<const float*>(rows), {2, 2})};
    embedding.lookup(view(ids, {2}), view(reinterpret_cast<float*>(out), {2, 2}));
    EXPECT_TRUE(caller.intact());
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(out[i], rows[(i + 2) % 4]);
}

TEST(Embedding, ReadsThePaddingRowAsZeros) {
  plain::for_each_real([]<class T>(T) {
    Tensor<T> rows({4, 3}), out({6, 3});
    plain::fill(rows.memory, 5);
    std::fill(rows.memory.begin() + 6, rows.memory.begin() + 9, T(std::nanf("")));  // never seen
    const std::int64_t ids[] = {0, 2, 3, 2, 1, 2};
    Embedding{rows.view, 2}.lookup(view(ids, {6}), out.view);
    for (std::int64_t t = 0; t < 6; ++t) {
      for (std::int64_t c = 0; c < 3; ++c) {
        EXPECT_TRUE(plain::same(out({t, c}), ids[t] == 2 ? 0.0 : rows({ids[t], c})));
      }
    }
  });
}

TEST(Embedding, NamesTheFirstBadIdAndItsIndex) {
  Tensor<float> rows({5, 2}), out({2, 3, 2});
  const std::vector<float> before = out.memory;
  const auto text = [&](const std::vector<std::int64_t>& ids) {
    return error_of([&] { Embedding{rows.view}.lookup(view(ids.data(), {2, 3}), out.view); });
  };
  const std::string rule = "[embedding] ids must be in [0, 5), got ";
  EXPECT_EQ(text({0, 1, 2, 3, 4, 5}), rule + "5 at [1, 2]");
  EXPECT_EQ(text({0, 1, -1, 3, 9, 5}), rule + "-1 at [0, 2]");
  EXPECT_EQ(text({0, 1, 2, std::int64_t{1} << 32, 4, 0}), rule + "4294967296 at [1, 0]");
  EXPECT_EQ(text({std::numeric_limits<std::int64_t>::min(), 0, 0, 0, 0, 0}), rule + "-9223372036854775808 at [0, 0]");
  EXPECT_EQ(out.memory, before);

  const std::int32_t one = 5;
  Tensor<float> row({2});
  EXPECT_EQ(error_of([&] { Embedding{rows.view}.lookup(view(&one, {}), row.view); }), rule + "5");
  const std::optional<Problem> problem =
      Embedding{rows.view}.check_lookup(view(&one, {1, 1}), view(&out.memory[0], {1, 1, 2}));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->index, (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(problem->value, "5");
  const Embedding nothing{view(&rows.memory[0], {0, 2})};
  EXPECT_EQ(error_of([&] { nothing.lookup(view(&one, {1}), view(&out.memory[0], {1, 2})); }),
            "[embedding] ids must be in [0, 0), got 5 at [0]");
}

TEST(Embedding, RefusesViewsThatBreakTheRules) {
  Tensor<float> rows({5, 2}), out({3, 2});
  Tensor<double> wide({3, 2});
  Tensor<std::int32_t> ids({3});
  ids.memory = {0, 1, 2};
  const std::vector<float> before = out.memory;
  const auto text = [](const Embedding& embedding, const ConstView& of, const View& to) {
    return error_of([&] { embedding.lookup(of, to); });
  };
  float line[8] = {};
  const Embedding good{rows.view};
  EXPECT_EQ(text({ids.view}, ids.view, out.view), "[embedding] rows must be f32, f64, f16 or bf16, got i32");
  EXPECT_EQ(text({view(line, {8})}, ids.view, out.view), "[embedding] rows must have shape [vocabulary, d], got [8]");
  EXPECT_EQ(text({rows.view, 5}, ids.view, out.view), "[embedding] padding_id must be in [0, 5), got 5");
  EXPECT_EQ(text({rows.view, -1}, ids.view, out.view), "[embedding] padding_id must be in [0, 5), got -1");
  EXPECT_EQ(text(good, out.view, out.view), "[embedding] ids must be i32 or i64, got f32");
  EXPECT_EQ(text(good, view(&ids.memory[0], {1, 1, 1, 1, 1, 1, 1, 3}), out.view),
            "[embedding] ids must have at most 7 axes, got [1, 1, 1, 1, 1, 1, 1, 3]");
  EXPECT_EQ(text(good, ids.view, wide.view), "[embedding] out must have the type of rows, f32, got f64");
  EXPECT_EQ(text(good, ids.view, view(line, {3, 1})), "[embedding] out must have shape [3, 2], got [3, 1]");
  EXPECT_EQ(text(good, ids.view, view(line, {6})), "[embedding] out must have shape [3, 2], got [6]");
  EXPECT_EQ(text(good, ids.view, view(line, {1, 3, 2})), "[embedding] out must have shape [3, 2], got [1, 3, 2]");
  EXPECT_EQ(text(good, ids.view, view(line, {2}).repeated(3)),
            "[embedding] out must have no stride 0, got 0 for axis 0 of shape [3, 2]");
  View nowhere = out.view;
  nowhere.data = nullptr;
  EXPECT_EQ(text(good, ids.view, nowhere), "[embedding] out must have data, got a null pointer for shape [3, 2]");
  ConstView ninth = ids.view;
  ninth.rank = 9;
  EXPECT_EQ(text(good, ninth, out.view), "[embedding] ids must have 0 to 8 axes, got 9");
  EXPECT_EQ(out.memory, before);
}

TEST(Embedding, ReadsNoAxesBeyondTheRank) {
  Tensor<float> rows({5, 2}), out({3, 2});
  plain::fill(rows.memory, 1);
  const std::int32_t numbers[] = {4, 2, 0};
  View to = out.view;
  to.shape[2] = 7;  // left over from a tensor of higher rank
  ConstView ids = view(numbers, {3});
  ids.shape[1] = ids.shape[2] = 9;
  Embedding{rows.view}.lookup(ids, to);
  EXPECT_EQ(out({2, 1}), rows({0, 1}));
}

}  // namespace
}  // namespace posenc
