// SPDX-License-Identifier: Apache-2.0
// The rules of the recurrent network's arguments.
#include <posenc/recurrent.h>

#include "src/transformer/lengths.h"
#include "src/transformer/rows.h"

namespace posenc {
namespace {

using Found = std::optional<Problem>;

constexpr std::string_view operation = "recurrent";

Problem problem(std::string rule, std::string value) {
  return {std::string(operation), std::move(rule), std::move(value)};
}

Found check_scores(const Recurrent& weights, std::int64_t width) {
  if (const auto* additive = std::get_if<Additive>(&weights.score)) {
    return check_weights(operation, "score", *additive, width, width);
  }
  const Score score = std::get<Score>(weights.score);
  if (score == Score::dot || score == Score::scaled_dot) return std::nullopt;
  return problem("score must be stated", "none");
}

Found check_network(const Recurrent& weights, std::int64_t inputs, std::int64_t width) {
  if (weights.cell != Cell::rnn && weights.cell != Cell::lstm) return problem("cell must be stated", "none");
  const std::int64_t gates = weights.cell == Cell::lstm ? 4 * width : width;
  if (auto problem = check_weights(operation, "input", weights.input, gates, inputs)) return problem;
  if (auto problem = check_weights(operation, "context", weights.context, gates, width)) return problem;
  return check_scores(weights, width);
}

Found check_steps(std::string_view name, const View& view, std::array<std::int64_t, 3> shape) {
  if (auto problem = check_output(operation, name, view)) return problem;
  if (auto problem = check_rows(operation, name, view)) return problem;
  if (view.rank == 3 && std::equal(shape.begin(), shape.end(), view.shape.begin())) return std::nullopt;
  return problem(std::string(name) + " must have shape " + to_text(shape), shape_text(view));
}

}  // namespace

std::optional<Problem> check_recurrent(const Recurrent& weights, const ConstView& in, const RecurrentSteps& out,
                                       const RecurrentOptions& options) {
  if (auto problem = check_rows(operation, "in", in)) return problem;
  if (in.rank != 3) return problem("in must have shape [B, T, x]", shape_text(in));
  const std::int64_t batch = in.size(0), steps = in.size(1);
  if (auto problem = check_view(operation, "states", out.states)) return problem;
  if (out.states.rank != 3) return problem("states must have shape [B, T, h]", shape_text(out.states));
  const std::int64_t width = out.states.size(2);
  if (auto problem = check_steps("states", out.states, {batch, steps, width})) return problem;
  if (auto problem = check_steps("contexts", out.contexts, {batch, steps, width})) return problem;
  if (out.weights) {
    if (auto problem = check_steps("weights", *out.weights, {batch, steps, steps})) return problem;
  }
  if (auto problem = check_network(weights, in.size(2), width)) return problem;
  if (options.remembered != Remembered::states && options.remembered != Remembered::contexts) {
    return problem("remembered must be stated", "none");
  }
  return options.lengths ? check_lengths(operation, *options.lengths, batch, steps) : std::nullopt;
}

}  // namespace posenc
