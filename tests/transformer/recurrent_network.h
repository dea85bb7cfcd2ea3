// SPDX-License-Identifier: Apache-2.0
// A recurrent network with numbers that the golden script makes too, and its steps in plain f64 loops.
#pragma once

#include <posenc/transformer/recurrent.h>

#include "tests/transformer/additive_truth.h"

namespace posenc::plain {

enum class Scores { dot, scaled_dot, additive };

inline std::vector<float> scaled(std::vector<float> values, float by) {
  for (float& value : values) value *= by;
  return values;
}

/// Numbers from -1/2 to 1/2 for the cell, from -1 to 1 for additive scores.
struct Network {
  Cell cell;
  Scores scores;
  std::int64_t inputs, width, between;
  std::int64_t gates = cell == Cell::lstm ? 4 * width : width;
  std::vector<float> input = scaled(recurrence(gates * inputs, 21), 0.5f),
                     context = scaled(recurrence(gates * width, 22), 0.5f),
                     input_bias = scaled(recurrence(gates, 23), 0.5f),
                     context_bias = scaled(recurrence(gates, 24), 0.5f), of_query = recurrence(between * width, 25),
                     of_key = recurrence(between * width, 26), direction = recurrence(between, 27),
                     bias = recurrence(between, 28);

  Recurrent weights() const {
    Recurrent made = {cell,
                      {view(input.data(), {gates, inputs}), view(input_bias.data(), {gates})},
                      {view(context.data(), {gates, width}), view(context_bias.data(), {gates})},
                      Score::dot};
    if (scores == Scores::scaled_dot) made.score = Score::scaled_dot;
    if (scores == Scores::additive) {
      made.score = Additive{{view(of_query.data(), {between, width}), view(bias.data(), {between})},
                            {view(of_key.data(), {between, width})},
                            view(direction.data(), {between})};
    }
    return made;
  }
};

/// Inputs of a batch and room for what comes out.
struct Steps {
  std::int64_t batch, steps, inputs, width;
  std::vector<float> x = recurrence(batch * steps * inputs, 20);
  std::vector<float> h = std::vector<float>(static_cast<std::size_t>(batch * steps * width), 7.0f), c = h;
  std::vector<float> w = std::vector<float>(static_cast<std::size_t>(batch * steps * steps), 7.0f);

  ConstView in() const { return view(x.data(), {batch, steps, inputs}); }
  RecurrentSteps out() {
    return {view(h.data(), {batch, steps, width}), view(c.data(), {batch, steps, width}),
            view(w.data(), {batch, steps, steps})};
  }
  ConstView states() const { return view(h.data(), {batch, steps, width}); }
  ConstView contexts() const { return view(c.data(), {batch, steps, width}); }
  ConstView row(const ConstView& of, std::int64_t b, std::int64_t t) const { return row_at(of, b, t); }
};

/// tanh and 1 / (1 + exp(-x)) of a number that is known so well.
inline Bounded tangent(const Bounded& z) {
  const double value = std::tanh(z.value);
  return {value, z.error + 8 * half_ulp * std::abs(value)};
}
inline Bounded sigmoid(const Bounded& z) { return {1 / (1 + std::exp(-z.value)), z.error / 4 + 4 * half_ulp}; }
inline Bounded product(const Bounded& a, const Bounded& b) {
  const double value = a.value * b.value;
  return {value, 1.01 * (std::abs(a.value) * b.error + std::abs(b.value) * a.error + half_ulp * std::abs(value))};
}
inline Bounded sum(const Bounded& a, const Bounded& b) {
  const double value = a.value + b.value;
  return {value, a.error + b.error + half_ulp * (std::abs(value) + a.error + b.error)};
}

/// What the states of one sequence should be, each from the context before it that was found; carries the memory.
class Truth {
 public:
  explicit Truth(const Network& network) : network_(network), weights_(network.weights()) {
    memory_.resize(static_cast<std::size_t>(network.width));
  }

  std::vector<Bounded> next(const ConstView& x, const ConstView& context) {
    std::vector<Bounded> state(memory_.size());
    for (std::int64_t c = 0; c < network_.width; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const auto gate = [&](std::int64_t g) {
        const Bounded a = mapped(weights_.input, x, g * network_.width + c),
                      b = mapped(weights_.context, context, g * network_.width + c);
        Bounded z = sum(a, b);
        z.error += 3 * half_ulp * (std::abs(a.value) + std::abs(b.value) + 1);  // two biases of at most 1/2 on the way
        return z;
      };
      if (network_.cell == Cell::rnn) {
        state[at] = tangent(gate(0));
        continue;
      }
      memory_[at] = sum(product(sigmoid(gate(1)), memory_[at]), product(sigmoid(gate(0)), tangent(gate(2))));
      state[at] = product(sigmoid(gate(3)), tangent(memory_[at]));
    }
    return state;
  }

 private:
  const Network& network_;
  Recurrent weights_;
  std::vector<Bounded> memory_;
};

/// Weights and mean of a query over `count` remembered rows.
inline Attended attended(const Network& network, const ConstView& query, const ConstView& remembered, std::int64_t b,
                         std::int64_t count) {
  const Recurrent weights = network.weights();
  std::vector<Scored> scores;
  for (std::int64_t j = 0; j < count; ++j) {
    const ConstView key = row_at(remembered, b, j);
    if (const auto* additive = std::get_if<Additive>(&weights.score)) {
      scores.push_back(additive_score(*additive, query, key));
      continue;
    }
    double value = 0, size = 0;
    for (std::int64_t c = 0; c < network.width; ++c) {
      value += number(query, c) * number(key, c);
      size += std::abs(number(query, c) * number(key, c));
    }
    const double scale = network.scores == Scores::scaled_dot ? 1 / std::sqrt(static_cast<double>(network.width)) : 1.0;
    scores.push_back({scale * value, static_cast<double>(network.width + 5) * half_ulp * scale * size});
  }
  const auto value = [&](std::int64_t j, std::int64_t c) { return number(row_at(remembered, b, j), c); };
  return row_of(scores, network.width, value, ours_at_once);
}

}  // namespace posenc::plain
