// SPDX-License-Identifier: Apache-2.0
// The input stage: 32 sequences of 512 tokens in one call, and one decoding step.
#include <posenc/input_stage.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include "bench/buffer.h"
#include "bench/ids.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t sequences = 32, length = 512, step_width = 512;

enum class Signal : std::uint8_t { table = 1, made };

struct Shape {
  Signal signal;
  std::int64_t width;
  Ids ids;
  double dropout;
};

Work batch(const Shape& shape) {
  const auto rows = buffer(vocabulary * shape.width * 4), out = buffer(sequences * length * shape.width * 4);
  const auto ids = std::make_shared<const std::vector<std::int32_t>>(make_ids(shape.ids, sequences * length));
  const auto table = buffer(length * shape.width * 4);
  const Convention& convention = preset("transformer").convention;
  sinusoid(convention, Positions::range(0, length), view(table->as<float>(), {length, shape.width}));
  const ConstView of_ids = view(rows->as<const float>(), {vocabulary, shape.width});
  const ConstView of_positions = view(table->as<const float>(), {length, shape.width});
  const StageOptions with = {.scale = Scale::sqrt_dim, .dropout = shape.dropout, .seed = 7};
  const InputStage stage =
      shape.signal == Signal::table ? InputStage(of_ids, of_positions, with) : InputStage(of_ids, convention, with);
  const ConstView from = view(ids->data(), {sequences, length});
  const View to = view(out->as<float>(), {sequences, length, shape.width});
  const EncodeOptions options = {.mode = shape.dropout > 0 ? StageMode::train : StageMode::evaluate, .call = 3};
  return {.run =
              [=](const Executor& executor) {
                EncodeOptions shared = options;
                shared.executor = executor;
                stage.encode(from, Positions::range(0, length), to, shared);
              },
          .out = out->bytes(),
          .in = rows->bytes(),
          .ids = *ids,
          .owns = {rows, table, ids, out}};
}

// The floors are asked where the signal is read from a table, the faster way for these shapes and the one of all peers.
Row batch_row(const std::string& operation, const Shape& shape, Floor one, Floor two) {
  const std::string size = "32 x 512 x " + std::to_string(shape.width);
  Row made = {operation, size, Ceiling::stream, one, two, [=] { return batch(shape); }};
  made.bare = Ceiling::gather;
  return made;
}

// Steps of one token each. One token again and again is what is timed of peers too; other ones every time show what
// fetching their rows costs.
enum class Tokens : std::uint8_t { one = 1, many };
Work steps(Tokens tokens, Signal signal) {
  constexpr std::int64_t positions = 1024;
  const Convention& convention = preset("transformer").convention;
  const auto rows = buffer(vocabulary * step_width * 4), table = buffer(positions * step_width * 4);
  sinusoid(convention, Positions::range(0, positions), view(table->as<float>(), {positions, step_width}));
  const ConstView of_ids = view(rows->as<const float>(), {vocabulary, step_width});
  const ConstView of_positions = view(table->as<const float>(), {positions, step_width});
  const StageOptions options = {.scale = Scale::sqrt_dim};
  const InputStage stage =
      signal == Signal::table ? InputStage(of_ids, of_positions, options) : InputStage(of_ids, convention, options);
  const auto out = buffer(step_width * 4);
  const auto ids = std::make_shared<const std::vector<std::int32_t>>(make_ids(Ids::zipf, positions));
  const std::int64_t stride = tokens == Tokens::many ? 1 : 0;
  const View to = view(out->as<float>(), {1, 1, step_width});
  return {.run =
              [=, first = ids->data(), step = std::int64_t{77}](const Executor&) mutable {
                stage.encode(view(first + step, {1, 1}), Positions::at(step), to);
                step = (step + stride) % positions;
              },
          .out = out->bytes(),
          .owns = {rows, table, ids, out}};
}

Row step_row(const std::string& operation, Floor floor, Tokens tokens, Signal signal) {
  return {operation, "512", Ceiling::none, floor, no_floor, [=] { return steps(tokens, signal); }, {1}};
}

}  // namespace

std::vector<Row> input_stage_rows(const Scope&) {
  return {
      batch_row("input, uniform ids", {Signal::table, 512, Ids::uniform, 0}, share(0.85), share(0.95)),
      batch_row("input, uniform ids, no table", {Signal::made, 512, Ids::uniform, 0}, no_floor, no_floor),
      batch_row("input, Zipf ids", {Signal::table, 512, Ids::zipf, 0}, share(0.95), share(0.95)),
      batch_row("input, Zipf ids, no table", {Signal::made, 512, Ids::zipf, 0}, no_floor, no_floor),
      batch_row("input, uniform ids", {Signal::table, 1024, Ids::uniform, 0}, share(0.72), share(0.93)),
      batch_row("input, uniform ids, no table", {Signal::made, 1024, Ids::uniform, 0}, no_floor, no_floor),
      batch_row("input, Zipf ids", {Signal::table, 1024, Ids::zipf, 0}, share(0.72), share(0.93)),
      batch_row("input, Zipf ids, no table", {Signal::made, 1024, Ids::zipf, 0}, no_floor, no_floor),
      batch_row("input, dropout 0.1", {Signal::table, 512, Ids::uniform, 0.1}, share(0.40), share(0.80)),
      batch_row("input, dropout 0.1, no table", {Signal::made, 512, Ids::uniform, 0.1}, no_floor, no_floor),
      step_row("input step, table", at_most(50e-9, 50e-9), Tokens::one, Signal::table),
      step_row("input step, no table", at_most(500e-9, 800e-9), Tokens::one, Signal::made),
      step_row("input steps, table", no_floor, Tokens::many, Signal::table),
      step_row("input steps, no table", no_floor, Tokens::many, Signal::made),
  };
}

}  // namespace posenc::bench
