// SPDX-License-Identifier: Apache-2.0
// Tensors written piece by piece: the bytes of writing at once, sizes counted at the end, and what is refused.
#include <gtest/gtest.h>
#include <posenc/io/safetensors.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "tests/io/safetensors_files.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

using Shape = std::vector<std::int64_t>;

/// 0, 1, 2, ... as floats.
std::vector<float> count_to(std::int64_t size) {
  std::vector<float> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

ConstView shaped(const std::vector<float>& values, const Shape& shape) {
  ConstView out = {values.data(), DType::f32, static_cast<int>(shape.size()), {}, {}};
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    out.shape[axis] = shape[axis];
    out.strides[axis] = stride;
    stride *= shape[axis];
  }
  return out;
}

/// Writes the values in pieces of 1, 2, 3, ... rows of `width`.
template <class Stream>
void write_in_pieces(Stream& stream, const std::vector<float>& values, std::int64_t width) {
  const auto rows = static_cast<std::int64_t>(values.size()) / width;
  for (std::int64_t first = 0, count = 1; first < rows; first += count++) {
    count = std::min(count, rows - first);
    stream.write(view(values.data() + first * width, {count, width}));
  }
}

struct Streamed {
  Shape planned;
  Shape final;
};

const Streamed kStreamed[] = {
    {{1, unknown_size, 3}, {1, 17, 3}},
    {{unknown_size, 1, 3}, {17, 1, 3}},
    {{unknown_size, 3}, {17, 3}},
    {{2, unknown_size, 3}, {2, 5, 3}},
    {{unknown_size}, {9}},
    {{4, 3}, {4, 3}},
    {{1, 2, unknown_size}, {1, 2, 6}},
    {{1, unknown_size, 3}, {1, 0, 3}},
    {{0, 3}, {0, 3}},
    {{3}, {3}},
    {{unknown_size, 1, 1, 3}, {7, 1, 1, 3}},
};

TEST(NpyStream, GivesTheFileOfWritingAtOnce) {
  const Scratch folder;
  for (const auto& [planned, final] : kStreamed) {
    SCOPED_TRACE(testing::PrintToString(planned));
    const std::vector<float> values = count_to(shaped({}, final).count());
    NpyStream stream(folder / "f", DType::f32, planned);
    write_in_pieces(stream, values, 3);
    stream.commit();
    EXPECT_EQ(file_at(folder / "f"), text_of(npy_bytes(shaped(values, final))));
  }
}

TEST(NpyStream, TakesOneElementForRankZero) {
  const Scratch folder;
  const float value = 5;
  NpyStream stream(folder / "f", DType::f32, {});
  stream.write(view(&value, {}));
  stream.commit();
  EXPECT_EQ(file_at(folder / "f"), text_of(npy_bytes(view(&value, {}))));
}

// numpy.save pads to multiples of 64, with room for the first size to grow: the header of a stream is the very same as
// long as 2^48 in place of the unknown size needs no other line.
TEST(NpyStream, HasTheHeaderOfNumpyForUpToThreeAxes) {
  constexpr std::int64_t most = npy_dimension_limit;
  for (const DType type : {DType::f16, DType::f32, DType::f64, DType::i64}) {
    for (const std::int64_t other : {std::int64_t{1}, std::int64_t{99'999}, most}) {
      for (const Shape& shape :
           {Shape{other, most, other}, {most, other, other}, {other, other, most}, {most, other}}) {
        for (const std::int64_t size : {std::int64_t{0}, std::int64_t{2'000'000}, most}) {
          Shape final = shape;
          std::ranges::replace(final, most, size);
          EXPECT_EQ(npy_header(type, final).size(), npy_header(type, shape).size());
        }
      }
    }
  }
}

TEST(NpyStream, FillsALargerHeaderWithSpaces) {
  const Shape planned = {1, 1, 1, 1'000'000, 100'000, unknown_size, 1, 1};  // 2^48 in it needs another line
  const Shape final = {1, 1, 1, 1'000'000, 100'000, 0, 1, 1};
  ASSERT_NE(npy_header(DType::f32, Shape{1, 1, 1, 1'000'000, 100'000, npy_dimension_limit, 1, 1}).size(),
            npy_header(DType::f32, final).size());
  const Scratch folder;
  NpyStream stream(folder / "f", DType::f32, planned);
  stream.commit();
  EXPECT_EQ(file_at(folder / "f").size(), 192u);
  EXPECT_EQ(read_npy(folder / "f").shape, final);
}

TEST(NpyStream, WritesAnyStrides) {
  const std::vector<float> values = count_to(12);
  const Scratch folder;
  NpyStream stream(folder / "f", DType::f32, {unknown_size, 4});
  stream.write(view(values.data(), {4, 3}).transposed(0, 1));
  stream.commit();
  EXPECT_EQ(file_at(folder / "f"), text_of(npy_bytes(view(values.data(), {4, 3}).transposed(0, 1))));
}

TEST(NpyStream, LeavesTheOldFileUntilItEnds) {
  const Scratch folder;
  put(folder / "f", "old");
  const std::vector<float> values = count_to(10);
  {
    NpyStream stream(folder / "f", DType::f32, {unknown_size, 3});
    stream.write(view(values.data(), {10}));
    EXPECT_EQ(outcome_of("must fill the shape '(?, 3)', got 10", [&] { stream.commit(); }), Outcome::refused);
    EXPECT_EQ(file_at(folder / "f"), "old");
  }
  EXPECT_EQ(file_at(folder / "f"), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

TEST(NpyStream, RefusesPiecesThatDoNotFit) {
  const Scratch folder;
  const std::vector<float> values = count_to(10);
  const std::vector<double> wide(3);
  NpyStream stream(folder / "f", DType::f32, {2, 3});
  const auto outcome = [&](const std::string& words, const ConstView& piece) {
    return outcome_of(words, [&] { stream.write(piece); });
  };
  EXPECT_EQ(outcome("the tensor's type, f32, got f64", view(wide.data(), {3})), Outcome::refused);
  EXPECT_EQ(outcome("shape '(2, 3)' must get no more elements than it has, got 7 after 0", view(values.data(), {7})),
            Outcome::refused);
  EXPECT_EQ(outcome("", view(values.data(), {4})), Outcome::done);
  EXPECT_EQ(outcome("got 3 after 4", view(values.data(), {3})), Outcome::refused);
  EXPECT_EQ(outcome("piece", ConstView{}), Outcome::refused);
  EXPECT_EQ(outcome_of("must fill the shape '(2, 3)', got 4", [&] { stream.commit(); }), Outcome::refused);
  EXPECT_EQ(outcome("", view(values.data() + 4, {2})), Outcome::done);
  stream.commit();
  EXPECT_EQ(file_at(folder / "f"), text_of(npy_bytes(view(values.data(), {2, 3}))));
  EXPECT_EQ(outcome_of("after commit", [&] { stream.commit(); }), Outcome::refused);
}

TEST(NpyStream, RefusesPlansBeforeAFileIsTouched) {
  const Scratch folder;
  const auto outcome = [&](const std::string& words, DType type, const Shape& shape) {
    return outcome_of(words, [&] { NpyStream(folder / "f", type, shape); });
  };
  EXPECT_EQ(outcome("at most one size may be unknown, got '(?, ?)'", DType::f32, {-1, -1}), Outcome::refused);
  EXPECT_EQ(outcome("needs no other to be 0, got '(?, 0)'", DType::f32, {-1, 0}), Outcome::refused);
  EXPECT_EQ(outcome("from 0 to 2^48, or unknown", DType::f32, {-2}), Outcome::refused);
  EXPECT_EQ(outcome("from 0 to 2^48", DType::f32, {npy_dimension_limit + 1}), Outcome::refused);
  EXPECT_EQ(outcome("at most 2^53 elements", DType::f32, {1 << 30, 1 << 30}), Outcome::refused);
  EXPECT_EQ(outcome("at most 2^53 elements", DType::f32, {0, std::int64_t{1} << 40, std::int64_t{1} << 40}),
            Outcome::refused);
  EXPECT_EQ(outcome("at most 8 axes", DType::f32, Shape(9, 1)), Outcome::refused);
  EXPECT_EQ(outcome("no type", DType{}, {3}), Outcome::refused);
  EXPECT_EQ(outcome(".npy has no bfloat16", DType::bf16, {3}), Outcome::refused);
  EXPECT_TRUE(folder.names().empty());
}

TEST(NpyStream, WritesToAPipeWhatIsKnownBeforehand) {
  const Scratch folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const std::vector<float> values = count_to(6);
  std::string read;
  std::jthread reader([&] {
    const int pipe = ::open((folder / "pipe").c_str(), O_RDONLY | O_CLOEXEC);
    read = read_descriptor(pipe, "pipe", 1 << 20);
    ::close(pipe);
  });
  NpyStream stream(folder / "pipe", DType::f32, {1, 2, 3});
  stream.write(view(values.data(), {6}));
  stream.commit();
  reader.join();
  EXPECT_EQ(read, text_of(npy_bytes(view(values.data(), {1, 2, 3}))));
  const std::string words = "takes a tensor only when all sizes are known beforehand";
  EXPECT_EQ(outcome_of(words, [] { NpyStream("/dev/null", DType::f32, {1, -1, 3}); }), Outcome::refused);
  EXPECT_EQ(outcome_of(words, [] { SafetensorsStream("/dev/null", {{"w", DType::f32, {-1}}}); }), Outcome::refused);
}

// ---- safetensors --------------------------------------------------------------------------------

TEST(SafetensorsStream, GivesTheTensorsOfWritingAtOnce) {
  const Scratch folder;
  for (const auto& [planned, final] : kStreamed) {
    SCOPED_TRACE(testing::PrintToString(planned));
    const std::vector<float> values = count_to(shaped({}, final).count());
    const std::vector<std::int32_t> ids = {5, 4, 3, 2};
    const std::int64_t length = 4;
    const std::vector<TensorPlan> plan = {
        {"encoded", DType::f32, planned}, {"ids", DType::i32, {1, -1}}, {"lengths", DType::i64, {1}}};
    SafetensorsStream stream(folder / "f", plan, {{"made by", "a test"}});
    write_in_pieces(stream, values, 3);
    stream.commit({{view(ids.data(), {1, 4}), view(&length, {1})}});

    const Safetensors file(folder / "f");
    EXPECT_EQ(file.read("encoded").shape, final);
    EXPECT_TRUE(std::ranges::equal(file.read("encoded").data, std::as_bytes(std::span(values))));
    EXPECT_TRUE(std::ranges::equal(file.read("ids").data, std::as_bytes(std::span(ids))));
    EXPECT_EQ(file.read("lengths").shape, Shape{1});
    EXPECT_EQ(file.header().tensors[0].name, "encoded");
    EXPECT_EQ(file.header().metadata, (Metadata{{"made by", "a test"}}));
    EXPECT_EQ(file.header().data % 64, 0u);
  }
}

TEST(SafetensorsStream, GivesTheFileOfWritingAtOnceButForTheSpacesThatAlignIt) {
  const Scratch folder;
  const std::vector<float> values = count_to(6);
  const std::vector<std::int32_t> ids = {1, 2};
  SafetensorsStream stream(folder / "f", {{"encoded", DType::f32, {1, 2, 3}}, {"ids", DType::i32, {1, 2}}});
  stream.write(view(values.data(), {6}));
  stream.commit({{view(ids.data(), {1, 2})}});
  const std::string streamed = file_at(folder / "f");
  const std::string whole =
      text_of(safetensors_bytes({{{"encoded", view(values.data(), {1, 2, 3})}, {"ids", view(ids.data(), {1, 2})}}}));
  const std::size_t header = whole.rfind('}') + 1, data = values.size() * 4 + ids.size() * 4;
  EXPECT_EQ(streamed.substr(8, header - 8), whole.substr(8, header - 8));
  EXPECT_EQ(streamed.substr(streamed.size() - data), whole.substr(whole.size() - data));
  EXPECT_EQ((streamed.size() - data) % 64, 0u);
}

TEST(SafetensorsStream, RefusesWhatIsNotPlanned) {
  const Scratch folder;
  const std::vector<float> values = count_to(6);
  const std::vector<std::int32_t> ids = {1, 2};
  SafetensorsStream stream(folder / "f", {{"encoded", DType::f32, {-1, 3}}, {"ids", DType::i32, {1, -1}}});
  const auto outcome = [&](const std::string& words, const std::vector<ConstView>& others) {
    return outcome_of(words, [&] { stream.commit(others); });
  };
  const ConstView good = view(ids.data(), {1, 2});
  stream.write(view(values.data(), {5}));
  EXPECT_EQ(outcome("must fill the shape '(?, 3)', got 5", {good}), Outcome::refused);
  stream.write(view(values.data() + 5, {1}));
  EXPECT_EQ(outcome("as are planned, 1, got 0", {}), Outcome::refused);
  EXPECT_EQ(outcome("as are planned, 1, got 2", {good, good}), Outcome::refused);
  EXPECT_EQ(outcome("type and shape that are planned, got 'ids'", {view(ids.data(), {2})}), Outcome::refused);
  EXPECT_EQ(outcome("type and shape that are planned, got 'ids'", {view(ids.data(), {2, 1})}), Outcome::refused);
  EXPECT_EQ(outcome("type and shape that are planned, got 'ids'", {view(values.data(), {1, 2})}), Outcome::refused);
  EXPECT_EQ(outcome("", {good}), Outcome::done);
  EXPECT_EQ(Safetensors(folder / "f").read("encoded").shape, (Shape{2, 3}));

  const auto planned = [&](const std::string& words, const std::vector<TensorPlan>& plan) {
    return outcome_of(words, [&] { SafetensorsStream(folder / "g", plan); });
  };
  EXPECT_EQ(planned("a first tensor", {}), Outcome::refused);
  EXPECT_EQ(planned("stand only once, got 'w'", {{"w", DType::f32, {1}}, {"w", DType::f32, {1}}}), Outcome::refused);
  EXPECT_EQ(planned("at most one size may be unknown", {{"w", DType::f32, {-1, -1}}}), Outcome::refused);
  EXPECT_EQ(planned("from 0 to 2^48", {{"w", DType::f32, {1}}, {"x", DType::f32, {-3}}}), Outcome::refused);
  EXPECT_EQ(planned("no type", {{"w", DType{}, {1}}}), Outcome::refused);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

TEST(SafetensorsStream, LeavesRoomForTheLargestSizes) {
  const Scratch folder;
  SafetensorsStream stream(folder / "f", {{"w", DType::f64, {-1, 8}}, {"x", DType::f64, {-1, -1, -1}}});
  const double none = 0;
  stream.write(view(&none, {0, 8}));
  EXPECT_EQ(outcome_of("at most 2^53 elements", [&] { stream.commit({{view(&none, {1 << 30, 0, 1 << 30})}}); }),
            Outcome::refused);
  stream.commit({{view(&none, {npy_dimension_limit, 0, 32})}});
  const Safetensors file(folder / "f");
  EXPECT_EQ(file.tensor("x").shape, (Shape{npy_dimension_limit, 0, 32}));
  EXPECT_GT(file.header().data, 8u + 2 * 80u);
}

}  // namespace
}  // namespace posenc::io
