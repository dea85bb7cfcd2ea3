// SPDX-License-Identifier: Apache-2.0
// What the parts of a Transformer are checked against: plain loops in f64, and weights of any shape from a counter.
#pragma once

#include <posenc/transformer/decoding.h>

#include <cmath>
#include <deque>
#include <functional>
#include <numeric>

namespace posenc::plain {

// ---- numbers that tools/goldens/transformer.py makes too, to the bit ------------------------------

/// The upper 24 bits of splitmix64 at i + 1 from the start of stream `stream`.
inline std::uint64_t word(std::uint64_t stream, std::uint64_t i) {
  std::uint64_t z = (stream << 32) + (i + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (z ^ (z >> 31)) >> 40;
}

/// In [-1, 1), times a power of two.
inline float number(std::uint64_t stream, std::uint64_t i, double scale) {
  return static_cast<float>((static_cast<double>(word(stream, i)) - 0x1p23) * 0x1p-23 * scale);
}

/// Tensors that live as long as this; each takes the next stream.
class Tensors {
 public:
  explicit Tensors(std::uint64_t first = 1) : next_(first) {}

  View make(std::vector<std::int64_t> shape, double scale, double offset = 0) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    std::vector<float>& data = held_.emplace_back(static_cast<std::size_t>(std::max<std::int64_t>(1, count)));
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i] = static_cast<float>(offset) + number(next_, i, scale);
    }
    ++next_;
    return detail::row_major<void*>(data.data(), DType::f32, shape);
  }
  std::vector<std::int64_t> ids(std::int64_t count, std::int64_t vocabulary) {
    std::vector<std::int64_t> made(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::int64_t>(word(next_, i)) % vocabulary;
    ++next_;
    return made;
  }

 private:
  std::uint64_t next_;
  std::deque<std::vector<float>> held_;
};

/// The largest power of two that is not above 1 / sqrt(n).
inline double unit(std::int64_t n) { return std::exp2(std::floor(-0.5 * std::log2(static_cast<double>(n)))); }

inline Linear linear(Tensors& tensors, std::int64_t outputs, std::int64_t inputs) {
  const ConstView weight = tensors.make({outputs, inputs}, unit(inputs));
  return {weight, tensors.make({outputs}, 0.25)};
}
inline Norm norm(Tensors& tensors, std::int64_t width) {
  const ConstView weight = tensors.make({width}, 0.5, 1);
  return {weight, tensors.make({width}, 0.25), 1e-5};
}
inline MultiHead heads(Tensors& tensors, std::int64_t width, std::int64_t source, std::int64_t count,
                       std::int64_t key_count) {
  const std::int64_t keys = width / count * key_count;
  const Linear query = linear(tensors, width, width), key = linear(tensors, keys, source),
               value = linear(tensors, keys, source);
  return {query, key, value, linear(tensors, width, width), count, key_count};
}
inline FeedForward feed_forward(Tensors& tensors, std::int64_t width, std::int64_t inner) {
  const Linear wide = linear(tensors, inner, width);
  return {wide, linear(tensors, width, inner)};
}

struct Shape {
  std::int64_t width, inner, heads, key_heads;
};

inline Encoder encoder(Tensors& tensors, const Shape& s, std::int64_t layers, const LayerStyle& style) {
  Encoder made = {{}, style, {}};
  for (std::int64_t i = 0; i < layers; ++i) {
    const MultiHead attention = heads(tensors, s.width, s.width, s.heads, s.key_heads);
    const Norm first = norm(tensors, s.width);
    const FeedForward forward = feed_forward(tensors, s.width, s.inner);
    made.layers.push_back({attention, first, forward, norm(tensors, s.width)});
  }
  made.final_norm = norm(tensors, s.width);
  return made;
}
inline Decoder decoder(Tensors& tensors, const Shape& s, std::int64_t source, std::int64_t layers,
                       const LayerStyle& style) {
  Decoder made = {{}, style, {}};
  for (std::int64_t i = 0; i < layers; ++i) {
    const MultiHead self = heads(tensors, s.width, s.width, s.heads, s.key_heads);
    const Norm first = norm(tensors, s.width);
    const MultiHead cross = heads(tensors, s.width, source, s.heads, s.key_heads);
    const Norm second = norm(tensors, s.width);
    const FeedForward forward = feed_forward(tensors, s.width, s.inner);
    made.layers.push_back({self, first, cross, second, forward, norm(tensors, s.width)});
  }
  made.final_norm = norm(tensors, s.width);
  return made;
}

// ---- the words, in f64 --------------------------------------------------------------------------

using Row = std::vector<double>;
using Rows = std::vector<Row>;

inline double at(const ConstView& view, std::initializer_list<std::int64_t> index) {
  std::int64_t offset = 0;
  int axis = 0;
  for (const std::int64_t i : index) offset += i * view.stride(axis++);
  return static_cast<const float*>(view.data)[offset];
}

/// Sequence b of [B, L, d].
inline Rows rows_of(const ConstView& view, std::int64_t b) {
  Rows rows(static_cast<std::size_t>(view.size(1)), Row(static_cast<std::size_t>(view.size(2))));
  for (std::size_t t = 0; t < rows.size(); ++t) {
    for (std::size_t c = 0; c < rows[t].size(); ++c) {
      rows[t][c] = at(view, {b, static_cast<std::int64_t>(t), static_cast<std::int64_t>(c)});
    }
  }
  return rows;
}

/// Tokens [first, first + count) of [B, L, d].
inline View tokens(View rows, std::int64_t first, std::int64_t count) {
  rows.data = static_cast<float*>(rows.data) + first * rows.stride(1);
  rows.shape[1] = count;
  return rows;
}

inline Row linear(const Linear& weights, const Row& in) {
  Row out(static_cast<std::size_t>(weights.weight.size(0)));
  for (std::size_t o = 0; o < out.size(); ++o) {
    const auto row = static_cast<std::int64_t>(o);
    out[o] = weights.bias ? at(*weights.bias, {row}) : 0;
    for (std::size_t i = 0; i < in.size(); ++i)
      out[o] += at(weights.weight, {row, static_cast<std::int64_t>(i)}) * in[i];
  }
  return out;
}

inline Row normalize(const Norm& norm, const Row& in) {
  const auto count = static_cast<double>(in.size());
  const double mean = std::accumulate(in.begin(), in.end(), 0.0) / count;
  double variance = 0;
  for (const double x : in) variance += (x - mean) * (x - mean) / count;
  Row out(in.size());
  for (std::size_t c = 0; c < in.size(); ++c) {
    const auto column = static_cast<std::int64_t>(c);
    out[c] = (in[c] - mean) / std::sqrt(variance + norm.epsilon) * at(norm.weight, {column}) +
             (norm.bias ? at(*norm.bias, {column}) : 0);
  }
  return out;
}

inline double curve(Activation activation, double x) {
  if (activation == Activation::relu) return std::max(x, 0.0);
  if (activation == Activation::gelu) return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

inline Row feed_forward(const FeedForward& weights, Activation activation, const Row& in) {
  Row inner = linear(weights.wide, in);
  for (double& x : inner) x = curve(activation, x);
  return linear(weights.narrow, inner);
}

/// What the positions of queries and keys do to a score.
struct Inside {
  Score score = Score::scaled_dot;
  std::function<bool(std::int64_t query, std::int64_t key)> sees = [](std::int64_t, std::int64_t) { return true; };
  std::span<const float> slopes = {};
  std::int64_t rotated = 0;  // columns of a head, adjacent pairs by p 10000^(-2k / rotated)
};

inline void turn(Row& row, std::int64_t heads, std::int64_t rotated, std::size_t position) {
  const std::size_t width = row.size() / static_cast<std::size_t>(heads);
  for (std::size_t h = 0; h < static_cast<std::size_t>(heads); ++h) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(rotated) / 2; ++k) {
      const double angle =
          static_cast<double>(position) * std::pow(10000.0, -2 * static_cast<double>(k) / static_cast<double>(rotated));
      double &x = row[h * width + 2 * k], &y = row[h * width + 2 * k + 1];
      const double turned = x * std::cos(angle) - y * std::sin(angle);
      y = x * std::sin(angle) + y * std::cos(angle);
      x = turned;
    }
  }
}

inline Rows multi_head(const MultiHead& weights, const Rows& in, const Rows& source, const Inside& inside) {
  Rows queries, keys, values, out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    queries.push_back(linear(weights.query, in[i]));
    turn(queries.back(), weights.heads, inside.rotated, i);
  }
  for (std::size_t j = 0; j < source.size(); ++j) {
    keys.push_back(linear(weights.key, source[j]));
    values.push_back(linear(weights.value, source[j]));
    turn(keys.back(), weights.key_heads, inside.rotated, j);
  }
  const auto heads = static_cast<std::size_t>(weights.heads);
  const std::size_t width = queries.empty() ? 0 : queries[0].size() / heads;
  for (std::size_t i = 0; i < in.size(); ++i) {
    Row attended(heads * width);
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t group = h * static_cast<std::size_t>(weights.key_heads) / heads;
      double sum = 0;
      Row mean(width);
      for (std::size_t j = 0; j < source.size(); ++j) {
        if (!inside.sees(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j))) continue;
        double score = 0;
        for (std::size_t c = 0; c < width; ++c) score += queries[i][h * width + c] * keys[j][group * width + c];
        if (inside.score == Score::scaled_dot) score /= std::sqrt(static_cast<double>(width));
        if (!inside.slopes.empty()) {
          score -= static_cast<double>(inside.slopes[h]) * std::abs(static_cast<double>(i) - static_cast<double>(j));
        }
        const double weight = std::exp(score);  // scores of these tests are small
        sum += weight;
        for (std::size_t c = 0; c < width; ++c) mean[c] += weight * values[j][group * width + c];
      }
      for (std::size_t c = 0; c < width && sum > 0; ++c) attended[h * width + c] = mean[c] / sum;
    }
    out.push_back(linear(weights.out, attended));
  }
  return out;
}

inline Rows each(const Rows& rows, const std::function<Row(const Row&)>& function) {
  Rows out;
  for (const Row& row : rows) out.push_back(function(row));
  return out;
}

/// rows + f(rows), with the norm where the style has it.
inline Rows sub_layer(const Rows& rows, NormPlace place, const Norm& norm, const std::function<Rows(const Rows&)>& f) {
  const auto normal = [&](const Row& row) { return normalize(norm, row); };
  const Rows made = f(place == NormPlace::before ? each(rows, normal) : rows);
  Rows out = rows;
  for (std::size_t t = 0; t < out.size(); ++t) {
    for (std::size_t c = 0; c < out[t].size(); ++c) out[t][c] += made[t][c];
  }
  return place == NormPlace::after ? each(out, normal) : out;
}

inline Inside inside_of(const LayerStyle& style) {
  return {style.score, Inside().sees, style.slopes, style.rotary ? style.rotary->width() : 0};
}

inline Rows encode(const Encoder& encoder, Rows rows, std::int64_t length) {
  const LayerStyle& style = encoder.style;
  Inside inside = inside_of(style);
  inside.sees = [&](std::int64_t, std::int64_t key) { return key < length; };
  for (const EncoderLayer& layer : encoder.layers) {
    rows = sub_layer(rows, style.norm, layer.attention_norm,
                     [&](const Rows& read) { return multi_head(layer.attention, read, read, inside); });
    rows = sub_layer(rows, style.norm, layer.feed_forward_norm, [&](const Rows& read) {
      return each(read, [&](const Row& row) { return feed_forward(layer.feed_forward, style.activation, row); });
    });
  }
  return encoder.final_norm ? each(rows, [&](const Row& row) { return normalize(*encoder.final_norm, row); }) : rows;
}

inline Rows decode(const Decoder& decoder, Rows rows, const Rows& memory, std::int64_t length) {
  const LayerStyle& style = decoder.style;
  Inside past = inside_of(style), all = {style.score, Inside().sees, {}, 0};
  past.sees = [](std::int64_t query, std::int64_t key) { return key <= query; };
  all.sees = [&](std::int64_t, std::int64_t key) { return key < length; };
  for (const DecoderLayer& layer : decoder.layers) {
    rows = sub_layer(rows, style.norm, layer.self_norm,
                     [&](const Rows& read) { return multi_head(layer.self_attention, read, read, past); });
    rows = sub_layer(rows, style.norm, layer.cross_norm,
                     [&](const Rows& read) { return multi_head(layer.cross_attention, read, memory, all); });
    rows = sub_layer(rows, style.norm, layer.feed_forward_norm, [&](const Rows& read) {
      return each(read, [&](const Row& row) { return feed_forward(layer.feed_forward, style.activation, row); });
    });
  }
  return decoder.final_norm ? each(rows, [&](const Row& row) { return normalize(*decoder.final_norm, row); }) : rows;
}

/// The largest difference of sequence b of `view` from `expected`, over the first `count` rows.
inline double difference(const ConstView& view, std::int64_t b, const Rows& expected, std::int64_t count) {
  double most = 0;
  for (std::int64_t t = 0; t < count; ++t) {
    for (std::int64_t c = 0; c < view.size(2); ++c) {
      const double away =
          std::abs(at(view, {b, t, c}) - expected[static_cast<std::size_t>(t)][static_cast<std::size_t>(c)]);
      most = std::max(most, std::isnan(away) ? HUGE_VAL : away);
    }
  }
  return most;
}

}  // namespace posenc::plain
