// SPDX-License-Identifier: Apache-2.0
// Sums in double, in the order of the rows.
#include "apps/posenc/meter.h"

#include <cmath>

#include "apps/posenc/elements.h"

namespace posenc::tool {
namespace {

double norm(std::span<const double> row) {
  double sum = 0;
  for (const double value : row) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

Meter::Meter(const ConstView& embedding, double factor, const SinusoidRows& signal)
    : embedding_(embedding), factor_(factor), signal_(signal), values_(static_cast<std::size_t>(embedding.size(-1))) {}

void Meter::at(std::int64_t first, std::int64_t count) {
  const std::int64_t d = embedding_.size(-1);
  std::vector<float> row(static_cast<std::size_t>(d));
  signal_norms_.clear();
  for (std::int64_t t = 0; t < count; ++t) {
    signal_.write(Positions::range(first + t, 1), view(row.data(), {1, d}));
    std::copy(row.begin(), row.end(), values_.begin());
    signal_norms_.push_back(norm(values_));
  }
}

void Meter::row(std::int64_t t, std::int32_t id, const ConstView& output) {
  read_row(entry(embedding_, id), values_);
  sums_.token += norm(values_);
  for (double& value : values_) value *= factor_;
  sums_.scaled += norm(values_);
  sums_.signal += signal_norms_[static_cast<std::size_t>(t)];
  read_row(output, values_);
  sums_.output += norm(values_);
  for (const double value : values_) sum_ += value;
  ++rows_;
}

double Meter::mean() const {
  return sum_ / (static_cast<double>(rows_ + padded_) * static_cast<double>(values_.size()));
}

Norms Meter::norms() const {
  const double count = static_cast<double>(rows_);
  return {sums_.token / count, sums_.scaled / count, sums_.signal / count, sums_.output / count};
}

}  // namespace posenc::tool
