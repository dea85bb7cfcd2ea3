// SPDX-License-Identifier: Apache-2.0
// Recurrent networks of 256 columns with self attention: one sequence, and 32 of them.
#include <posenc/transformer/recurrent.h>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t width = 256;

Work run(Cell cell, std::int64_t batch, std::int64_t steps) {
  const std::int64_t gates = cell == Cell::lstm ? 4 * width : width, count = batch * steps * width;
  const auto inputs = buffer(count * 4), input = buffer(gates * width * 4), context = buffer(gates * width * 4),
             states = buffer(count * 4), contexts = buffer(count * 4);
  const auto matrix = [=](const auto& of) { return view(of->template as<float>(), {gates, width}); };
  const auto rows = [=](const auto& of) { return view(of->template as<float>(), {batch, steps, width}); };
  const Recurrent weights = {cell, {matrix(input)}, {matrix(context)}, Score::scaled_dot};
  const ConstView in = rows(inputs);
  const RecurrentSteps out = {rows(states), rows(contexts)};
  return {.run =
              [=](const Executor& executor) {
                recurrent(weights, in, out, {.remembered = Remembered::states, .executor = executor});
              },
          .out = states->bytes(),
          .owns = {inputs, input, context, states, contexts}};
}

Row row(Cell cell, std::int64_t batch, std::int64_t steps) {
  return {"recurrent " + std::string(to_string(cell)),
          std::to_string(batch) + " x " + std::to_string(steps) + " x 256",
          Ceiling::none,
          no_floor,
          no_floor,
          [=] { return run(cell, batch, steps); }};
}

}  // namespace

std::vector<Row> recurrent_rows(const Scope&) {
  return {row(Cell::rnn, 1, 512), row(Cell::lstm, 1, 512), row(Cell::rnn, 32, 64), row(Cell::lstm, 32, 64)};
}

}  // namespace posenc::bench
