// SPDX-License-Identifier: Apache-2.0
// Wrong outputs of every call that writes one: each is refused by the check, by the call in the same words, and nothing
// is written, neither in the output nor around it.
#include <gtest/gtest.h>
#include <posenc/posenc.h>

#include <cstring>
#include <functional>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;
using test::thrown;

/// A call that writes an output of this type and shape.
struct Writer {
  std::string name;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::function<std::optional<Problem>(const View&)> check;
  std::function<void(const View&)> call;
};

const Convention& named(std::string_view preset) { return posenc::preset(preset).convention; }

const std::vector<float>& numbers() {
  static const std::vector<float> made(1024, 0.5f);
  return made;
}
ConstView tensor(std::initializer_list<detail::Size> shape) { return view(numbers().data(), shape); }

std::vector<Writer> writers_of_rows() {
  static const Positions three = Positions::range(5, 3);
  static const Rows rows(named("transformer"), 8), cells(named("mae-2d"), 8);
  return {
      {"sinusoid",
       DType::f32,
       {3, 8},
       [](const View& out) { return check_sinusoid(named("transformer"), three, out); },
       [](const View& out) { sinusoid(named("transformer"), three, out); }},
      {"sinusoid of steps",
       DType::f32,
       {3, 8},
       [](const View& out) { return check_sinusoid(named("ddpm"), three, out); },
       [](const View& out) { sinusoid(named("ddpm"), three, out); }},
      {"add_sinusoid",
       DType::f32,
       {3, 8},
       [](const View& out) { return check_add_sinusoid(named("transformer"), three, tensor({3, 8}), out); },
       [](const View& out) { add_sinusoid(named("transformer"), three, tensor({3, 8}), out); }},
      {"Rows::write",
       DType::f32,
       {3, 8},
       [](const View& out) { return rows.check_write(three, out); },
       [](const View& out) { rows.write(three, out); }},
      {"Rows::add",
       DType::f32,
       {3, 8},
       [](const View& out) { return rows.check_add(three, tensor({3, 8}), out); },
       [](const View& out) { rows.add(three, tensor({3, 8}), out); }},
      {"Rows::write of two axes",
       DType::f32,
       {3, 8},
       [](const View& out) { return cells.check_write(std::vector(2, three), out); },
       [](const View& out) { cells.write(std::vector(2, three), out); }},
      {"Rows::write_cells",
       DType::f32,
       {2, 3, 8},
       [](const View& out) { return cells.check_write_cells(out); },
       [](const View& out) { cells.write_cells(out); }},
      {"grid",
       DType::f32,
       {2, 3, 8},
       [](const View& out) { return check_grid(named("mae-2d"), out); },
       [](const View& out) { grid(named("mae-2d"), out); }},
      {"place_coordinates",
       DType::f64,
       {3},
       [](const View& out) { return check_place_coordinates(whole_places, std::vector<std::int64_t>{3, 2}, 0, out); },
       [](const View& out) { place_coordinates(whole_places, std::vector<std::int64_t>{3, 2}, 0, out); }},
  };
}

std::vector<Writer> writers_of_rotations() {
  static const Positions three = Positions::range(5, 3), moved = Positions::range(0, 3);
  static const Standing from = {std::span(&three, 1)}, to = {std::span(&moved, 1)};
  static const RotaryRows rows(named("llama"), 8);
  static const RotaryCache cache(with_field(named("llama"), "stored", "halves_twice"), 8);
  return {
      {"rotary",
       DType::f32,
       {3, 8},
       [](const View& out) { return check_rotary(named("llama"), three, tensor({3, 8}), out); },
       [](const View& out) { rotary(named("llama"), three, tensor({3, 8}), out); }},
      {"RotaryRows::rotate",
       DType::f32,
       {3, 8},
       [](const View& out) { return rows.check_rotate(three, tensor({3, 8}), out); },
       [](const View& out) { rows.rotate(three, tensor({3, 8}), out); }},
      {"RotaryCache::write",
       DType::f32,
       {3, 8},
       [](const View& out) { return cache.check_write(cache.tensors()[0], three, out); },
       [](const View& out) { cache.write(cache.tensors()[0], three, out); }},
      {"rerotate",
       DType::f32,
       {3, 8},
       [](const View& out) { return check_rerotate(named("llama"), from, to, tensor({3, 8}), out); },
       [](const View& out) { rerotate(named("llama"), from, to, tensor({3, 8}), out); }},
  };
}

std::vector<Writer> writers_of_pairs() {
  static const Positions three = Positions::range(5, 3), four = Positions::range(2, 4);
  return {
      {"bias",
       DType::f32,
       {2, 3, 4},
       [](const View& out) { return check_bias(named("alibi"), three, four, out); },
       [](const View& out) { bias(named("alibi"), three, four, out); }},
      {"buckets",
       DType::i32,
       {3, 4},
       [](const View& out) { return check_buckets(named("t5-bucket"), three, four, out); },
       [](const View& out) { buckets(named("t5-bucket"), three, four, out); }},
      {"window_buckets",
       DType::i32,
       {6, 6},
       [](const View& out) { return check_window_buckets(named("swin-window"), {2, 3}, out); },
       [](const View& out) { window_buckets(named("swin-window"), {2, 3}, out); }},
      {"log_coordinates",
       DType::f32,
       {3, 5, 2},
       [](const View& out) { return check_log_coordinates(named("swin-cr-cpb"), out); },
       [](const View& out) { log_coordinates(named("swin-cr-cpb"), out); }},
      {"query_scale",
       DType::f32,
       {3},
       [](const View& out) { return check_query_scale(named("llama4-temperature"), three, out); },
       [](const View& out) { query_scale(named("llama4-temperature"), three, out); }},
      {"learned_rows",
       DType::i32,
       {3},
       [](const View& out) { return check_learned_rows(named("opt"), std::span(&three, 1), out); },
       [](const View& out) { learned_rows(named("opt"), three, out); }},
      {"resize_table",
       DType::f32,
       {9, 8},
       [](const View& out) { return check_resize_table(named("dino-resize"), tensor({5, 8}), {2, 2}, {2, 4}, out); },
       [](const View& out) { resize_table(named("dino-resize"), tensor({5, 8}), {2, 2}, {2, 4}, out); }},
  };
}

std::vector<Writer> writers_of_inputs() {
  static const std::vector<std::int32_t> ids = {0, 3, 1, 2, 2, 0};
  static const ConstView of_ids = view(ids.data(), {2, 3});
  static const Embedding embedding = {tensor({4, 8})};
  static const InputStage stage(tensor({4, 8}), named("transformer"), {.scale = Scale::sqrt_dim});
  static const Numbering numbering = {1, 0};
  return {
      {"Embedding::lookup",
       DType::f32,
       {2, 3, 8},
       [](const View& out) { return embedding.check_lookup(of_ids, out); },
       [](const View& out) { embedding.lookup(of_ids, out); }},
      {"InputStage::encode",
       DType::f32,
       {2, 3, 8},
       [](const View& out) { return stage.check_encode(of_ids, Positions::range(0, 3), out); },
       [](const View& out) { stage.encode(of_ids, Positions::range(0, 3), out); }},
      {"dropout",
       DType::f32,
       {2, 3, 8},
       [](const View& out) { return check_dropout(tensor({2, 3, 8}), out, 0.5, DropoutKey{}); },
       [](const View& out) { dropout(tensor({2, 3, 8}), out, 0.5, DropoutKey{}); }},
      {"seeded_rows",
       DType::f32,
       {3, 8},
       [](const View& out) { return check_seeded_rows(out, RowInit::normal); },
       [](const View& out) { seeded_rows(out, 7, 0, RowInit::normal); }},
      {"positions_of_mask",
       DType::i64,
       {2, 3},
       [](const View& out) { return check_positions_of_mask(of_ids, numbering, view(&none_before, {}), out); },
       [](const View& out) { positions_of_mask(of_ids, numbering, out); }},
  };
}

struct WrongView {
  std::string name;
  std::function<void(View&)> spoil;
};

const WrongView wrong_views[] = {
    {"rank -1", [](View& out) { out.rank = -1; }},
    {"rank 0", [](View& out) { out.rank = 0; }},
    {"rank 9", [](View& out) { out.rank = 9; }},
    {"rank 2^30", [](View& out) { out.rank = 1 << 30; }},
    {"no type", [](View& out) { out.dtype = DType{}; }},
    {"type 200", [](View& out) { out.dtype = static_cast<DType>(200); }},
    {"another kind of type", [](View& out) { out.dtype = is_real(out.dtype) ? DType::i32 : DType::f32; }},
    {"no memory", [](View& out) { out.data = nullptr; }},
    {"an odd address", [](View& out) { out.data = static_cast<char*>(out.data) + 1; }},
    {"a negative size", [](View& out) { out.shape[0] = -3; }},
    {"a size of 2^62", [](View& out) { out.shape[0] = std::int64_t{1} << 62; }},
    {"a stride of 0", [](View& out) { out.strides[static_cast<std::size_t>(out.rank - 1)] = 0; }},
    {"a stride of 2^62", [](View& out) { out.strides[0] = std::int64_t{1} << 62; }},
    {"one axis more", [](View& out) { out = out.repeated(1).repeated(1).repeated(1).repeated(1).repeated(1); }},
};

void expect_refused(const Writer& writer, const WrongView& wrong) {
  SCOPED_TRACE(writer.name + ", " + wrong.name);
  constexpr std::size_t bytes = 4096;
  alignas(64) std::array<unsigned char, bytes> memory;
  memory.fill(0xA5);
  const std::array<unsigned char, bytes> before = memory;
  View out = {memory.data() + 1024, writer.dtype, static_cast<int>(writer.shape.size()),
              detail::sizes(std::span(writer.shape)), detail::row_major_strides(std::span(writer.shape))};
  ASSERT_EQ(said(writer.check(out)), "nothing");
  wrong.spoil(out);
  const std::string text = said(writer.check(out));
  EXPECT_NE(text, "nothing");
  EXPECT_EQ(thrown([&] { writer.call(out); }), text);
  EXPECT_EQ(std::memcmp(memory.data(), before.data(), bytes), 0);
}

TEST(WrongViews, AreRefusedByEveryCallThatWritesOneAndNothingIsWritten) {
  int refused = 0;
  for (const auto& writers : {writers_of_rows(), writers_of_rotations(), writers_of_pairs(), writers_of_inputs()}) {
    for (const Writer& writer : writers) {
      for (const WrongView& wrong : wrong_views) expect_refused(writer, wrong), ++refused;
    }
  }
  EXPECT_EQ(refused, 25 * 14);
}

// Every writer accepts the views before they are spoiled.
TEST(WrongViews, AreNoneOfTheUsualOnes) {
  for (const auto& writers : {writers_of_rows(), writers_of_rotations(), writers_of_pairs(), writers_of_inputs()}) {
    for (const Writer& writer : writers) {
      SCOPED_TRACE(writer.name);
      std::vector<std::int64_t> memory(512);
      const View out = {memory.data(), writer.dtype, static_cast<int>(writer.shape.size()),
                        detail::sizes(std::span(writer.shape)), detail::row_major_strides(std::span(writer.shape))};
      EXPECT_EQ(thrown([&] { writer.call(out); }), "nothing");
    }
  }
}

}  // namespace
}  // namespace posenc
