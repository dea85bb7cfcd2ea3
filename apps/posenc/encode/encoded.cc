// SPDX-License-Identifier: Apache-2.0
// Texts through the embedded vocabulary and an input stage, and the norms that tell why the scale exists.
#include "apps/posenc/encode/encoded.h"

#include "apps/posenc/cli/elements.h"

namespace posenc::tool {
namespace {

Norms measure(const ConstView& rows, const Stage& stage, const Encoded& encoded) {
  const Rows signal(stage.choice.convention, default_width, {.recipe = stage.choice.recipe});
  Meter meter(rows, encoded.factor, [&](const Positions& at, const View& out) { signal.write(at, out); });
  meter.at(Positions::range(0, encoded.length));
  for (std::int64_t b = 0; b < encoded.batch; ++b) {
    for (std::int64_t t = 0; t < encoded.length; ++t) {
      meter.row(t, encoded.id(b, t), posenc::view(encoded.row(b, t).data(), {default_width}));
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
  return std::span(output).subspan(static_cast<std::size_t>((b * length + t) * default_width), default_width);
}

Encoded encode(const Default& vocabulary, std::span<const std::string> texts, const Stage& stage) {
  const ConstView rows = posenc::view(vocabulary.rows.data(), {vocabulary.bpe.size(), default_width});
  const InputStage input(rows, stage.choice.convention, {.scale = stage.scale, .recipe = stage.choice.recipe});
  Encoded encoded{};
  for (const std::string& text : texts) {
    const std::vector<std::int32_t> ids = vocabulary.bpe.encode(text);
    encoded.ids.insert(encoded.ids.end(), ids.begin(), ids.end());
  }
  encoded.batch = std::ssize(texts);
  encoded.length = std::ssize(encoded.ids) / encoded.batch;
  encoded.shape = {encoded.batch, encoded.length, default_width};
  encoded.output.resize(encoded.ids.size() * default_width);
  encoded.factor = input.factor();
  input.encode(posenc::view(std::as_const(encoded.ids).data(), {encoded.batch, encoded.length}),
               Positions::range(0, encoded.length),
               posenc::view(encoded.output.data(), {encoded.batch, encoded.length, default_width}));
  encoded.norms = measure(rows, stage, encoded);
  return encoded;
}

std::vector<float> without_positions(const Default& vocabulary, std::span<const std::int32_t> ids, double factor) {
  std::vector<float> rows;
  for (const std::int32_t id : ids) {
    for (const float value : vocabulary.row(id)) rows.push_back(value * static_cast<float>(factor));
  }
  return rows;
}

double mean_norm(const Default& vocabulary) {
  double sum = 0;
  for (std::int32_t id = 0; id < vocabulary.bpe.size(); ++id) sum += norm(vocabulary.row(id));
  return sum / vocabulary.bpe.size();
}

}  // namespace posenc::tool
