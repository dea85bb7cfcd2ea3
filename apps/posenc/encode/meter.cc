// SPDX-License-Identifier: Apache-2.0
// Sums in double: eight side by side along a row, joined in their order; then in the order of the rows.
#include "apps/posenc/encode/meter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "apps/posenc/cli/elements.h"
#include "apps/posenc/cli/positions.h"

namespace posenc::tool {
namespace {

// What a row adds to the mean, and its norm.
struct Measure {
  double sum, norm;
};

// One sum would wait for the last addition at every element.
Measure measure(std::span<const double> row) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums = {}, squares = {};
  const auto add = [&](std::size_t lane, double value) {
    sums[lane] += value;
    squares[lane] += value * value;
  };
  const std::size_t whole = row.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, row[i + lane]);
  }
  for (std::size_t i = whole; i < row.size(); ++i) add(i - whole, row[i]);
  return {std::accumulate(sums.begin(), sums.end(), 0.0),
          std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0))};
}

// Rows of a signal that are made at a time: enough for the fast way, and 512 KiB at most.
std::int64_t rows_at_once(std::int64_t width) { return std::clamp<std::int64_t>((1 << 17) / width, 1, 64); }

}  // namespace

Meter::Meter(const ConstView& embedding, double factor, SignalRows signal)
    : embedding_(embedding),
      factor_(factor),
      signal_(std::move(signal)),
      values_(static_cast<std::size_t>(embedding.size(-1))) {}

void Meter::at(const Positions& positions) {
  const std::int64_t d = embedding_.size(-1), most = rows_at_once(d), count = positions.count_;
  std::vector<float> rows(static_cast<std::size_t>(std::min(most, count) * d));
  signal_norms_.clear();
  for (std::int64_t t = 0; t < count; t += most) {
    const std::int64_t made = std::min(most, count - t);
    signal_(PositionPart(positions, t, made).get(), view(rows.data(), {made, d}));
    for (std::int64_t i = 0; i < made; ++i) {
      std::copy_n(rows.begin() + i * d, d, values_.begin());
      signal_norms_.push_back(measure(values_).norm);
    }
  }
}

void Meter::row(std::int64_t t, std::int32_t id, const ConstView& output) {
  read_row(entry(embedding_, id), values_);
  sums_.token += measure(values_).norm;
  sums_.signal += signal_norms_[static_cast<std::size_t>(t)];
  read_row(output, values_);
  const Measure measured = measure(values_);
  sums_.output += measured.norm;
  sum_ += measured.sum;
  ++rows_;
}

double Meter::mean() const {
  return sum_ / (static_cast<double>(rows_ + padded_) * static_cast<double>(values_.size()));
}

Norms Meter::norms() const {
  const double count = static_cast<double>(rows_), token = sums_.token / count;
  return {token, token * std::abs(factor_), sums_.signal / count, sums_.output / count};
}

}  // namespace posenc::tool
