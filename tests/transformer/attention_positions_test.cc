// SPDX-License-Identifier: Apache-2.0
// What attention knows of positions: nothing, until a signal is added or queries and keys are turned.
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>
#include <posenc/transformer/attention.h>

#include <numeric>

#include "tests/transformer/attention_truth.h"

namespace posenc {
namespace {

using plain::recurrence;
using plain::seeing_all;

constexpr std::int64_t token_count = 60, row_width = 32;

// The order in which the tokens come: 7 i + 3 mod 60.
std::size_t place(std::size_t i) { return (7 * i + 3) % token_count; }

std::vector<float> permuted(const std::vector<float>& rows) {
  std::vector<float> made(rows.size());
  for (std::size_t i = 0; i < token_count; ++i) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(place(i) * row_width), row_width,
                made.begin() + static_cast<std::ptrdiff_t>(i * row_width));
  }
  return made;
}

std::vector<float> with_signal(std::vector<float> rows) {
  const View x = view(rows.data(), {token_count, row_width});
  add_sinusoid(preset("transformer").convention, Positions::range(0, token_count), x, x);
  return rows;
}

// Self attention of two heads over rows [token_count, row_width].
struct SelfAttention {
  std::vector<float> x, o = std::vector<float>(x.size());
  ConstView heads() const { return view(x.data(), {1, token_count, 2, row_width / 2}).transposed(1, 2); }
  View out() { return view(o.data(), {1, token_count, 2, row_width / 2}).transposed(1, 2); }

  explicit SelfAttention(std::vector<float> rows) : x(std::move(rows)) {
    attention(heads(), heads(), heads(), out(), seeing_all);
  }
};

// Largest distance between the output of the permuted rows and the permuted output, in bounds of their two errors.
double distance_in_bounds(const std::vector<float>& rows, const std::vector<float>& permuted_rows) {
  SelfAttention straight(rows), other(permuted_rows);
  double largest = 0;
  for (std::int64_t h = 0; h < 2; ++h) {
    for (std::int64_t i = 0; i < token_count; ++i) {
      const auto from = static_cast<std::int64_t>(place(static_cast<std::size_t>(i)));
      const plain::Attended row =
          plain::row_of(straight.heads(), straight.heads(), straight.heads(), seeing_all, 0, h, from, plain::ours);
      for (std::int64_t c = 0; c < row_width / 2; ++c) {
        const double apart =
            std::abs(plain::element(other.out(), 0, h, i, c) - plain::element(straight.out(), 0, h, from, c));
        largest = std::max(largest, apart / (2 * row.out_bounds[static_cast<std::size_t>(c)]));
      }
    }
  }
  return largest;
}

TEST(AttentionPositions, WithoutASignalAPermutedSequenceGivesThePermutedOutput) {
  const std::vector<float> rows = recurrence(token_count * row_width, 21);
  EXPECT_LE(distance_in_bounds(rows, permuted(rows)), 1);
}

TEST(AttentionPositions, WithASignalAPermutedSequenceGivesAnotherOutput) {
  const std::vector<float> rows = recurrence(token_count * row_width, 21);
  const double without = distance_in_bounds(rows, permuted(rows));
  const double with = distance_in_bounds(with_signal(rows), with_signal(permuted(rows)));
  std::printf("without a signal %.2f of the bound, with it %.0f times the bound\n", without, with);
  EXPECT_GT(with, 1000);
}

// Queries and keys turned by rotary positions `first`, first + 1, ...
std::vector<float> turned(std::vector<float> rows, std::int64_t first) {
  const View x = view(rows.data(), {1, 2, token_count, row_width / 2});
  RotaryRows(preset("rope-half").convention, row_width / 2)
      .rotate(Positions::range(first, token_count), Rotated{x, TokenAxis::before_columns});
  return rows;
}

// Scores from queries and keys turned in f32: an element is a cosine and a sine times two elements, each factor and
// product rounded, and the sum: 3 half places of what its pair weighs.
plain::Scored turned_score(const ConstView& queries, const ConstView& keys, std::int64_t h, std::int64_t i,
                           std::int64_t j) {
  constexpr std::int64_t half = row_width / 4;
  const double scale = 1 / std::sqrt(static_cast<double>(row_width / 2));
  double sum = 0, size = 0;
  for (std::int64_t c = 0; c < half; ++c) {
    const double angle = static_cast<double>(i - j) * std::pow(10000.0, -static_cast<double>(c) / half);
    const double a = plain::element(queries, 0, h, i, c), b = plain::element(queries, 0, h, i, c + half);
    const double x = plain::element(keys, 0, h, j, c), y = plain::element(keys, 0, h, j, c + half);
    sum += scale * ((a * x + b * y) * std::cos(angle) + (a * y - b * x) * std::sin(angle));
    size += scale * (std::abs(a) + std::abs(b)) * (std::abs(x) + std::abs(y));
  }
  // Turned elements are at most |a| + |b|, so that two products of them are at most 2 size.
  return {sum, plain::half_ulp * size * (2 * static_cast<double>(row_width / 2 + 5) + 4 * 3)};
}

TEST(AttentionPositions, TurnedByRotaryKnowsTheDifferenceOfPositionsAlone) {
  const std::vector<float> q = recurrence(2 * token_count * row_width / 2, 31),
                           k = recurrence(2 * token_count * row_width / 2, 32);
  const ConstView queries = view(q.data(), {1, 2, token_count, row_width / 2}),
                  keys = view(k.data(), {1, 2, token_count, row_width / 2});
  for (const std::int64_t first : {0, 1000, 1000000}) {
    const std::vector<float> turned_q = turned(q, first), turned_k = turned(k, first);
    std::vector<float> o(q.size());
    const View out = view(o.data(), {1, 2, token_count, row_width / 2});
    attention(view(turned_q.data(), {1, 2, token_count, row_width / 2}),
              view(turned_k.data(), {1, 2, token_count, row_width / 2}), keys, out, seeing_all);
    plain::Worst worst;
    for (std::int64_t h = 0; h < 2; ++h) {
      for (std::int64_t i = 0; i < token_count; ++i) {
        std::vector<plain::Scored> scores;
        for (std::int64_t j = 0; j < token_count; ++j) scores.push_back(turned_score(queries, keys, h, i, j));
        const auto value = [&](std::int64_t j, std::int64_t c) { return plain::element(keys, 0, h, j, c); };
        const plain::Attended row = plain::row_of(scores, row_width / 2, value, plain::ours);
        for (std::int64_t c = 0; c < row_width / 2; ++c) {
          const auto at = static_cast<std::size_t>(c);
          worst.see(plain::element(out, 0, h, i, c), row.out[at], row.out_bounds[at]);
        }
      }
    }
    EXPECT_LE(worst.share, 1) << "from position " << first;
  }
}

TEST(AttentionPositions, TurnedByOtherPositionsIsAnotherOutput) {
  const std::vector<float> q = recurrence(2 * token_count * row_width / 2, 31),
                           k = recurrence(2 * token_count * row_width / 2, 32);
  const std::vector<float> turned_q = turned(q, 5), turned_k = turned(k, 0);
  std::vector<float> same(q.size()), shifted(q.size());
  const auto heads = [](const std::vector<float>& x) { return view(x.data(), {1, 2, token_count, row_width / 2}); };
  const auto room = [](std::vector<float>& x) { return view(x.data(), {1, 2, token_count, row_width / 2}); };
  attention(heads(turned(q, 0)), heads(turned_k), heads(k), room(same), seeing_all);
  attention(heads(turned_q), heads(turned_k), heads(k), room(shifted), seeing_all);
  double apart = 0;
  for (std::size_t i = 0; i < same.size(); ++i) {
    apart = std::max(apart, static_cast<double>(std::abs(same[i] - shifted[i])));
  }
  EXPECT_GT(apart, 0.01);
}

}  // namespace
}  // namespace posenc
