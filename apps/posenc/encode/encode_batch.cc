// SPDX-License-Identifier: Apache-2.0
// A batch: chunks of its sequences through the input stage, into the target, past the recorder, into pictures.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "apps/posenc/cli/elements.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/target.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/cli/words.h"
#include "apps/posenc/encode/block.h"
#include "apps/posenc/encode/encoding.h"
#include "apps/posenc/encode/recorder.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

class BatchEncoder {
 public:
  BatchEncoder(const EncodeRequest& request, const Batch& batch, const Weights& weights)
      : request_(&request), batch_(&batch), stage_(stage_with(request, weights)), threads_(request.threads) {
    check_count();
    options_ = dropout_options(request.stage);
    if (train() && request.stage.start + batch.length - 1 > UINT32_MAX) {
      refuse(encode_verb.name, "tokens under dropout must have positions within 32 bits",
             fmt::format("{} + {}", request.stage.start, batch.length));
    }
  }
  // Each token has a position.
  void check_count() const {
    if (!request_->positions) {
      require(check_positions(encode_verb.name, Positions::range(request_->stage.start, batch_->length)));
    } else if (request_->positions->positions.count_ < batch_->length) {
      refuse(encode_verb.name, fmt::format("--positions must have one for each of {} tokens", batch_->length),
             fmt::format("{}", request_->positions->positions.count_));
    }
  }
  bool train() const { return options_.mode == StageMode::train; }
  double factor() const { return stage_.factor(); }

  /// Tokens first, ..., of sequences b, ...: out [sequences, tokens, d]. Under dropout b is 0.
  void encode(std::int64_t b, std::int64_t first, const View& out) {
    const std::int64_t sequences = out.size(0), count = out.size(1);
    ids_.assign(static_cast<std::size_t>(sequences * count), 0);
    for (std::int64_t i = 0; i < sequences; ++i) {
      const auto ids = batch_->sequence(b + i);
      const std::int64_t size = std::clamp<std::int64_t>(std::ssize(ids) - first, 0, count);
      std::copy_n(ids.begin() + std::min(first, std::ssize(ids)), size, ids_.begin() + i * count);
    }
    EncodeOptions options = options_;
    options.executor = threads_.executor();
    if (train()) options.first += static_cast<std::uint32_t>(first);
    stage_.encode(view(std::as_const(ids_).data(), {sequences, count}), request_->positions_of(first, count).get(), out,
                  options);
    for (std::int64_t i = 0; i < sequences; ++i) {
      for (std::int64_t t = std::max<std::int64_t>(0, std::ssize(batch_->sequence(b + i)) - first); t < count; ++t) {
        clear(entry(entry(out, i), t));
      }
    }
  }

 private:
  static void clear(const View& row) {  // rows of a block have no gaps
    std::memset(row.data, 0, static_cast<std::size_t>(row.size(0)) * size_of(row.dtype));
  }

  const EncodeRequest* request_;
  const Batch* batch_;
  InputStage stage_;
  EncodeOptions options_;
  Threads threads_;
  std::vector<std::int32_t> ids_;
};

void record(Recorder& recorder, const Batch& batch, std::int64_t b, std::int64_t first, const ConstView& out) {
  recorder.at(first, out.size(1));
  for (std::int64_t i = 0; i < out.size(0); ++i) {
    const auto ids = batch.sequence(b + i);
    for (std::int64_t t = 0; t < out.size(1); ++t) {
      if (first + t >= std::ssize(ids)) {
        recorder.padding(out.size(1) - t);
        break;
      }
      recorder.row(b + i, first + t, ids[static_cast<std::size_t>(first + t)], entry(entry(out, i), t));
    }
  }
}

io::FileWriter& finish(TensorTarget& target, const EncodeRequest& request, const Batch& batch) {
  if (request.targets.out->format != TensorFormat::safetensors) return target.finish();
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> lengths;
  for (std::int64_t b = 0; b < batch.size(); ++b) {
    const auto sequence = batch.sequence(b);
    ids.insert(ids.end(), sequence.begin(), sequence.end());
    ids.resize(static_cast<std::size_t>((b + 1) * batch.length), batch.padding_id);
    lengths.push_back(std::ssize(sequence));
  }
  const ConstView others[] = {view(std::as_const(lengths).data(), {batch.size()}),
                              view(std::as_const(ids).data(), {batch.size(), batch.length})};
  return target.finish(others);
}

}  // namespace

Result encode_batch(const EncodeRequest& request, const Batch& batch, const Weights& weights, const Files& others) {
  BatchEncoder encoder(request, batch, weights);
  const std::vector<std::int64_t> shape = shape_of(request.stage, batch.size(), batch.length, weights.width());
  const std::int64_t cells = product(batch.size(), batch.length).value_or(INT64_MAX);  // whose bytes are too many
  const std::int64_t bytes = bytes_of(encode_verb.name, cells, weights.width(), weights.rows.dtype);
  const bool batch_first = request.stage.axes == Axes::batch_first;
  // The mask of a sequence depends on its number in the batch, so under dropout all of them are encoded together.
  const bool together = !batch_first || (encoder.train() && batch.size() > 1);
  const bool whole = together && batch_first;
  if (whole) check_memory(encode_verb.name, bytes);
  Recorder recorder(request, weights, encoder.factor());
  for (std::int64_t b = 0; b < std::min(batch.size(), reported_texts); ++b) recorder.begin_sequence(batch.name(b));

  std::optional<TensorTarget> target;
  if (const auto& out = request.targets.out) {
    if (out->regular()) check_space(encode_verb.name, bytes, out->path);
    target.emplace(
        *out, Contents{{"output", weights.rows.dtype, shape}, plan_of_ids(batch.size(), batch.length), request.about});
  }
  const std::int64_t sequences = together ? batch.size() : 1;
  const std::int64_t rows = whole ? batch.length : std::min(batch.length, block_rows(weights, sequences));
  Block block(weights.rows.dtype, batch_first ? sequences : rows, batch_first ? rows : sequences, weights.width());
  Progress progress("encode", "tokens", line_of(request));
  for (std::int64_t b = 0; b < batch.size(); b += sequences) {
    for (std::int64_t first = 0; first < batch.length; first += rows) {
      const std::int64_t count = std::min(rows, batch.length - first);
      // Short last chunks: of one sequence, or of the leading axis, so that they have no gaps.
      View stored = block.view;
      stored.shape[batch_first ? 1 : 0] = count;
      const View out = batch_first ? stored : stored.transposed(0, 1);
      encoder.encode(b, first, out);
      if (target) target->write(stored);
      record(recorder, batch, b, first, out);
      const std::int64_t done = (b * batch.length) + (first + count) * sequences;
      progress.at(done, share_of(done, cells));
    }
  }
  commit(others, target ? &finish(*target, request, batch) : nullptr);
  Result result = std::move(recorder).result();
  result.length = batch.length;
  result.shape = shape;
  result.unknowns = batch.unknowns;
  return result;
}

std::string draw_batch(const EncodeRequest& request, const Batch& batch, const io::Tokenizer& tokenizer,
                       const Weights& weights) {
  BatchEncoder encoder(request, batch, weights);
  Picture picture{fmt::format("Tokens with positions: {}, scale {}, recipe {}", request.stage.choice.name,
                              words(request.stage.scale), request.stage.choice.recipe.name),
                  {}};
  const std::int64_t drawn = std::min(batch.size(), told_texts);
  const bool by_token = batch.length <= named_rows;
  std::vector<double> values(static_cast<std::size_t>(weights.width()));
  for (std::int64_t b = 0; b < drawn; ++b) {
    const auto ids = batch.sequence(b);
    const auto name = [&](std::int64_t t) {
      if (!by_token) return request.position_name(t);
      return t < std::ssize(ids) ? token_label(io::token(tokenizer, ids[static_cast<std::size_t>(t)])) : std::string();
    };
    const auto write = [&](std::int64_t first, const View& out) {
      Block block(weights.rows.dtype, drawn, out.size(0), weights.width());
      encoder.encode(0, first, block.view);
      for (std::int64_t r = 0; r < out.size(0); ++r) {
        read_row(entry(entry(block.view, b), r), values);
        std::ranges::transform(values, static_cast<float*>(out.data) + r * out.size(1),
                               [](double value) { return static_cast<float>(value); });
      }
    };
    const MapRows rows = {batch.length, by_token ? "token" : "position", name, write};
    picture.bands.push_back({"", {heatmap(batch.size() > 1 ? fmt::format("text {}", b) : "", rows, weights.width())}});
  }
  return draw(picture, picture_format("encode", *request.targets.plot));
}

}  // namespace posenc::tool
