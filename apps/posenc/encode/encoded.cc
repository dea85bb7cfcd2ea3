// SPDX-License-Identifier: Apache-2.0
// Texts through the embedded vocabulary and an input stage, and the norms that tell why the scale exists.
#include "apps/posenc/encode/encoded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t width = default_width;

double norm(std::span<const float> row, float factor = 1) {
  double sum = 0;
  for (const float value : row) sum += static_cast<double>(value * factor) * static_cast<double>(value * factor);
  return std::sqrt(sum);
}

Encoded tokenize(std::string_view operation, const Default& vocabulary, std::span<const std::string> texts) {
  Encoded encoded{};
  encoded.batch = std::ssize(texts);
  for (const std::string& text : texts) {
    const std::vector<std::int32_t> ids = vocabulary.bpe.encode(text);
    if (ids.empty()) refuse(operation, "a text must have at least one token", "an empty text");
    if (&text == texts.data()) encoded.length = std::ssize(ids);
    if (std::ssize(ids) != encoded.length) {
      refuse(operation, "texts of one batch must have the same number of tokens",
             fmt::format("{} and {}", encoded.length, ids.size()));
    }
    encoded.ids.insert(encoded.ids.end(), ids.begin(), ids.end());
  }
  return encoded;
}

std::span<const float> embedding_row(const Default& vocabulary, std::int32_t id) {
  return std::span(vocabulary.rows).subspan(static_cast<std::size_t>(id * width), width);
}

Norms measure(const ConstView& rows, const Stage& stage, const Encoded& encoded) {
  Meter meter(rows, encoded.factor, SinusoidRows(stage.choice.convention, width, stage.choice.recipe));
  meter.at(stage.start, encoded.length);
  for (std::int64_t b = 0; b < encoded.batch; ++b) {
    for (std::int64_t t = 0; t < encoded.length; ++t) {
      meter.row(t, encoded.id(b, t), posenc::view(encoded.row(b, t).data(), {width}));
    }
  }
  return meter.norms();
}

}  // namespace

Stage stage_of(const Preset& preset) {
  return {{std::string(preset.name), &preset, preset.convention, exact()}, preset.stage.scale, preset.stage.axes};
}

ConstView Encoded::view() const { return posenc::view(output.data(), {shape[0], shape[1], shape[2]}); }

std::span<const float> Encoded::row(std::int64_t b, std::int64_t t) const {
  const std::int64_t index = axes == Axes::batch_first ? b * length + t : t * batch + b;
  return std::span(output).subspan(static_cast<std::size_t>(index * width), width);
}

Encoded encode(std::string_view operation, const Default& vocabulary, std::span<const std::string> texts,
               const Stage& stage) {
  const ConstView rows = posenc::view(vocabulary.rows.data(), {vocabulary.bpe.size(), width});
  const InputStage input(rows, stage.choice.convention, {.scale = stage.scale, .recipe = stage.choice.recipe});
  Encoded encoded = tokenize(operation, vocabulary, texts);
  const std::int64_t tokens = std::ssize(encoded.ids);
  check_memory(operation, bytes_of(operation, tokens, width, DType::f32));
  encoded.output.resize(static_cast<std::size_t>(tokens * width));
  encoded.factor = input.factor();

  const bool batch_first = stage.axes == Axes::batch_first;
  encoded.axes = stage.axes;
  encoded.shape = batch_first ? std::vector{encoded.batch, encoded.length, width}
                              : std::vector{encoded.length, encoded.batch, width};
  const View out = posenc::view(encoded.output.data(), {encoded.shape[0], encoded.shape[1], width});
  const ConstView ids = posenc::view(std::as_const(encoded.ids).data(), {encoded.batch, encoded.length});
  const Positions positions = Positions::range(stage.start, encoded.length);
  input.encode(ids, positions, batch_first ? out : out.transposed(0, 1));

  double sum = 0;
  for (const float value : encoded.output) sum += static_cast<double>(value);
  encoded.mean = sum / static_cast<double>(encoded.output.size());
  encoded.norms = measure(rows, stage, encoded);
  return encoded;
}

std::vector<float> without_positions(const Default& vocabulary, const Encoded& encoded) {
  std::vector<float> rows;
  for (const std::int32_t id : encoded.ids) {
    for (const float value : embedding_row(vocabulary, id)) rows.push_back(value * static_cast<float>(encoded.factor));
  }
  return rows;
}

double mean_norm(const Default& vocabulary) {
  double sum = 0;
  for (std::int32_t id = 0; id < vocabulary.bpe.size(); ++id) sum += norm(embedding_row(vocabulary, id));
  return sum / vocabulary.bpe.size();
}

std::string token_words(const Default& vocabulary, std::int32_t id) {
  return fmt::format("'{}'", printable(vocabulary.bpe.token(id)));
}

std::string token_label(const Default& vocabulary, std::int32_t id) {
  std::string label;
  for (const char c : printable(vocabulary.bpe.token(id))) label += c == ' ' ? "\u2423" : std::string(1, c);
  return label;
}

}  // namespace posenc::tool
