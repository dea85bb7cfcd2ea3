// SPDX-License-Identifier: Apache-2.0
// What is told of a result: ids, the beginnings of rows, mean and norms.
#include "apps/posenc/encode/recorder.h"

#include <algorithm>
#include <map>

#include "apps/posenc/cli/elements.h"

namespace posenc::tool {

namespace {

// Row p of a table for position p, which the stage has checked.
SignalRows rows_of_table(const ConstView& table) {
  return [table](const Positions& positions, const View& out) {
    std::vector<double> values(static_cast<std::size_t>(out.size(1)));
    for (std::int64_t i = 0; i < positions.count_; ++i) {
      read_row(entry(table, static_cast<std::int64_t>(number(positions, i))), values);
      std::ranges::transform(values, static_cast<float*>(out.data) + i * out.size(1),
                             [](double value) { return static_cast<float>(value); });
    }
  };
}

SignalRows signal_of(const EncodeRequest& request, const Weights& weights) {
  if (weights.table) return rows_of_table(weights.table->view());
  const Choice& choice = request.stage.choice;
  return [signal = Rows(choice.convention, weights.width(), {.recipe = choice.recipe})](
             const Positions& positions, const View& out) { signal.write(positions, out); };
}

// Those of the tokens that were met whose rows are the same; of several such sets the first.
std::vector<std::int32_t> alike_of(std::span<const std::uint8_t> met, const Weights& weights) {
  std::map<std::string_view, std::vector<std::int32_t>> by_row;
  const auto row_bytes = static_cast<std::size_t>(weights.width()) * size_of(weights.rows.dtype);
  const auto* rows = reinterpret_cast<const char*>(weights.rows.data.data());
  for (std::size_t id = 0; id < met.size(); ++id) {
    if (met[id] != 0) by_row[{rows + id * row_bytes, row_bytes}].push_back(static_cast<std::int32_t>(id));
  }
  for (const auto& [row, ids] : by_row) {
    if (ids.size() > 1) return ids;
  }
  return {};
}

}  // namespace

Recorder::Recorder(const EncodeRequest& request, const Weights& weights, double factor)
    : request_(&request),
      tells_rows_(!request.targets.out || request.show),
      weights_(&weights),
      met_(weights.built_in() ? static_cast<std::size_t>(weights.count()) : 0),
      values_(static_cast<std::size_t>(weights.width())),
      result_{{}, weights.rows.dtype, 0, factor, {}, {}, {}, {}, {}} {
  if (request.measured()) meter_.emplace(weights.rows.view(), factor, signal_of(request, weights));
}

void Recorder::begin_sequence(SequenceName name) { result_.sequences.push_back({std::move(name)}); }

void Recorder::at(std::int64_t first, std::int64_t count) {
  first_ = first;
  if (meter_) meter_->at(request_->positions_of(first, count).get());
}

void Recorder::row(std::int64_t b, std::int64_t t, std::int32_t id, const ConstView& output) {
  if (meter_) meter_->row(t - first_, id, output);
  if (!met_.empty()) met_[static_cast<std::size_t>(id)] = 1;
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
  result_.alike = alike_of(met_, *weights_);
  if (meter_) {
    result_.mean = meter_->mean();
    result_.norms = meter_->norms();
  }
  return std::move(result_);
}

}  // namespace posenc::tool
