// SPDX-License-Identifier: Apache-2.0
// A text as it is read: chunks through the text encoder, into the target and past the recorder.
#include <fmt/format.h>
#include <posenc/text/text_encoder.h>

#include <algorithm>

#include "apps/posenc/cli/elements.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/target.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/encode/block.h"
#include "apps/posenc/encode/encoding.h"
#include "apps/posenc/encode/recorder.h"
#include "apps/posenc/encode/spool.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// The length of a text, and the state of the file that has it.
struct Counted {
  std::int64_t tokens;
  InputState state;
};

Counted count_tokens(const EncodeRequest& request, const io::Tokenizer& tokenizer, OpenInput open) {
  const Input& input = request.texts.inputs[0];
  io::TokenReader reader(tokenizer, std::move(open.source), input.title(),
                         {.formats = input.formats(), .most = request.texts.most_tokens()});
  std::vector<std::int32_t> ids(static_cast<std::size_t>(most_block_rows));
  Progress progress("count", "tokens");
  std::int64_t count = 0;
  while (const std::size_t got = reader.read(ids)) {
    count += static_cast<std::int64_t>(got);
    if (request.texts.max_length && count > *request.texts.max_length) {
      refuse_length(encode_verb.name, *request.texts.max_length, quote(input.title()));
    }
    progress.at(count, share_of_text(reader.bytes(), open.bytes, count, request.texts.max_length));
  }
  return {count, open.state};
}

// The text from its beginning; and its length where the header of the target cannot be written last. Then it is read
// twice.
struct Beginning {
  OpenInput open;
  std::optional<Counted> counted = {};
};

Beginning begin(const EncodeRequest& request, const io::Tokenizer& tokenizer) {
  const Input& input = request.texts.inputs[0];
  if (!request.targets.out || request.targets.out->open_ended()) return {open_input(input)};
  if (!input.repeatable()) {
    const Spool spool(encode_verb.name, open_input(input).source);
    const Counted counted = count_tokens(request, tokenizer, {spool.first(), std::nullopt, {}});
    return {{spool.again(), std::nullopt, {}}, counted};
  }
  const Counted counted = count_tokens(request, tokenizer, open_input(input));
  OpenInput open = open_input(input);
  if (open.state != counted.state) refuse_change(input);
  return {std::move(open), counted};
}

std::optional<TensorTarget> open_target(const EncodeRequest& request, const Weights& weights, std::int64_t length) {
  if (!request.targets.out) return std::nullopt;
  return std::make_optional<TensorTarget>(
      *request.targets.out,
      Contents{{"output", weights.rows.dtype, shape_of(request.stage, 1, length, weights.width())},
               plan_of_ids(1, length),
               request.about});
}

// At the end of the rows: whether the text has more tokens than there may be.
void check_end(const EncodeRequest& request, io::TokenReader& reader, std::int64_t length,
               const std::optional<Counted>& counted) {
  const std::string source = quote(request.texts.inputs[0].title());
  if (length == 0) refuse(encode_verb.name, "a text must have at least one token", source + ", an empty text");
  std::int32_t id = 0;
  if (reader.read(std::span(&id, 1)) == 0) return;
  if (length == request.texts.max_length) refuse_length(encode_verb.name, length, source);
  if (counted && length == counted->tokens) refuse_change(request.texts.inputs[0]);
}

}  // namespace

Result encode_stream(const EncodeRequest& request, const io::Tokenizer& tokenizer, const Weights& weights,
                     const Files& others) {
  const InputStage stage = stage_with(request, weights);
  const EncodeOptions options = dropout_options(request.stage);
  require(check_positions(encode_verb.name, Positions::range(request.stage.start, 1)));
  const Input& input = request.texts.inputs[0];
  Recorder recorder(request, weights, stage.factor());
  recorder.begin_sequence({input.name});

  auto [open, counted] = begin(request, tokenizer);
  std::optional<TensorTarget> target = open_target(request, weights, counted ? counted->tokens : io::unknown_size);
  const bool keeps_ids = target && request.targets.out->format == TensorFormat::safetensors;
  std::vector<std::int32_t> kept;
  io::TokenReader reader(tokenizer, std::move(open.source), input.title(),
                         {.formats = input.formats(), .most = request.texts.most_tokens()});
  Threads threads(request.threads);
  io::TextEncoder encoder(
      stage, reader,
      {.start = request.stage.start, .mode = options.mode, .first = options.first, .executor = threads.executor()});
  const std::int64_t rows = block_rows(weights, 1);
  const std::optional<std::int64_t> last = counted ? std::optional(counted->tokens) : request.texts.max_length;
  const std::int64_t most = last.value_or(INT64_MAX);
  Block block(weights.rows.dtype, 1, rows, weights.width());
  const View all = entry(block.view, 0);
  Progress progress("encode", "tokens", line_of(request));
  for (;;) {
    const std::int64_t done = encoder.tokens(), asked = std::min(rows, most - done);
    if (asked == 0) break;
    const std::int64_t count = encoder.read(entries(all, 0, asked));
    const View out = entries(all, 0, count);
    if (target) target->write(out);
    recorder.at(done, count);
    for (std::int64_t i = 0; i < count; ++i) {
      recorder.row(0, done + i, encoder.ids()[static_cast<std::size_t>(i)], entry(out, i));
    }
    if (keeps_ids) kept.insert(kept.end(), encoder.ids().begin(), encoder.ids().end());
    if (count < asked) break;
    progress.at(encoder.tokens(), share_of_text(reader.bytes(), open.bytes, encoder.tokens(), last));
  }
  const std::int64_t length = encoder.tokens();
  check_end(request, reader, length, counted);
  const ConstView kept_views[] = {view(&length, {1}), view(std::as_const(kept).data(), {1, length})};
  commit(others, target ? &target->finish(keeps_ids ? std::span(kept_views) : std::span<const ConstView>()) : nullptr);
  Result result = std::move(recorder).result();
  result.length = length;
  result.ends = {length};
  result.shape = shape_of(request.stage, 1, length, weights.width());
  add_unknowns(result.unknowns, reader.unknowns(), input.title());
  return result;
}

}  // namespace posenc::tool
