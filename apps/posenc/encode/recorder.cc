// SPDX-License-Identifier: Apache-2.0
// What is told of a result: ids, the beginnings of rows, mean and norms.
#include "apps/posenc/encode/recorder.h"

#include <algorithm>

#include "apps/posenc/cli/elements.h"

namespace posenc::tool {

Recorder::Recorder(const EncodeRequest& request, const Weights& weights, double factor)
    : tells_rows_(!request.targets.out || request.show),
      start_(request.stage.start),
      values_(static_cast<std::size_t>(weights.width())),
      result_{{}, weights.rows.dtype, 0, factor, {}, {}, {}, {}, {}} {
  if (request.measured()) {
    const Choice& choice = request.stage.choice;
    meter_.emplace(weights.rows.view(), factor, SinusoidRows(choice.convention, weights.width(), choice.recipe));
  }
}

void Recorder::begin_sequence(SequenceName name) { result_.sequences.push_back({std::move(name)}); }

void Recorder::at(std::int64_t first, std::int64_t count) {
  first_ = first;
  if (meter_) meter_->at(start_ + first, count);
}

void Recorder::row(std::int64_t b, std::int64_t t, std::int32_t id, const ConstView& output) {
  if (meter_) meter_->row(t - first_, id, output);
  if (b >= std::ssize(result_.sequences)) return;
  ToldSequence& sequence = result_.sequences[static_cast<std::size_t>(b)];
  if (ids_left_ > 0) {
    sequence.ids.push_back(id);
    --ids_left_;
  }
  if (!tells_rows_ || b >= told_texts || std::ssize(sequence.rows) >= told_rows) return;
  read_row(output, values_);
  ToldRow told{{values_.begin(), values_.begin() + std::min<std::ptrdiff_t>(4, std::ssize(values_))}, {}};
  const Sample kept = sample(std::ssize(values_), shown_columns);
  for (std::int64_t i = 0; i < kept.count; ++i) {
    told.spread.push_back(values_[static_cast<std::size_t>(i * kept.stride)]);
  }
  sequence.rows.push_back(std::move(told));
}

void Recorder::padding(std::int64_t rows) {
  if (meter_) meter_->padding(rows);
}

Result Recorder::result() && {
  if (meter_) {
    result_.mean = meter_->mean();
    result_.norms = meter_->norms();
  }
  return std::move(result_);
}

}  // namespace posenc::tool
