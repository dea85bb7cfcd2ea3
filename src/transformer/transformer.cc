// SPDX-License-Identifier: Apache-2.0
// The whole model: its parts one after another, and whether they go together.
#include <posenc/transformer/transformer.h>

#include "src/base/blocks.h"
#include "src/transformer/into.h"
#include "src/transformer/model_rules.h"
#include "src/transformer/rules.h"
#include "src/transformer/stack.h"

namespace posenc {
namespace {

constexpr std::string_view whole = "transformer";

std::optional<Problem> check_tokens(std::string_view operation, std::string_view name, const TokenInput& input) {
  Match m(operation, name);
  m.rows("rows", input.stage.embedding().rows, "[V, d]", Columns::anywhere);
  m.rows("added row", input.added, "[d]");
  m.part("norm", input.norm, m["d"]);
  return m.problem();
}

void state_output(Match& m, const Transformer& model, std::int64_t width) {
  const std::int64_t many = rows_of(model.output->weight), read = model.target->stage.embedding().rows.size(0);
  m.part("output", *model.output, many, width);
  m.must(many >= 1 && many <= read, {"output must have rows for tokens that the target's embedding has, ", read},
         {many});
}

// What input_rows adds to the stage's rows.
void add_and_normalize(const TokenInput& input, const View& out, const Executor& executor) {
  if (input.added) {
    const auto* added = static_cast<const float*>(input.added->data);
    for (std::int64_t b = 0; b < out.size(0); ++b) {
      for (std::int64_t t = 0; t < out.size(1); ++t) {
        float* row = static_cast<float*>(out.data) + b * out.stride(0) + t * out.stride(1);
        for (std::int64_t c = 0; c < out.size(2); ++c) row[c] += added[c];
      }
    }
  }
  if (input.norm) detail::normalize(*input.norm, out, out, executor);
}

bool past_63_bits(std::int64_t origin, std::int64_t first, std::int64_t count) {
  std::int64_t start = 0, end = 0;
  return __builtin_add_overflow(origin, first, &start) || __builtin_add_overflow(start, count, &end);
}

}  // namespace

std::optional<Problem> check_transformer(const Transformer& model) {
  Match m(whole);
  const std::int64_t width = source_width(model);
  if (const auto* tokens = std::get_if<TokenInput>(&model.source)) {
    m.also([&] { return check_tokens(whole, "source", *tokens); });
  } else {
    m.also([&] { return check_feature_input(std::get<FeatureInput>(model.source)); });
  }
  m.part("encoder", model.encoder, width);
  if (!model.target && !model.decoder && !model.output) return m.problem();
  const auto is = [](bool there) { return there ? "there" : "missing"; };
  m.must(model.target && model.decoder && model.output,
         {"target, decoder and output must all be there, or none of them"},
         {"target ", is(model.target.has_value()), ", decoder ", is(model.decoder.has_value()), ", output ",
          is(model.output.has_value())});
  if (!m.ok()) return m.problem();
  const std::int64_t target = model.target->stage.width();
  m.also([&] { return check_tokens(whole, "target", *model.target); });
  m.part("decoder", *model.decoder, target, width);
  state_output(m, model, target);
  return m.problem();
}

void state_decodes(Match& m, const Transformer& model) {
  m.also([&] { return check_transformer(model); });
  m.must(model.decoder.has_value(), {"the model must have a decoder"}, {"none"});
}

void state_memory(Match& m, const Transformer& model, const ConstView& memory,
                  const std::optional<ConstView>& lengths) {
  m.rows("memory", memory, "[B, S, s]");
  const std::int64_t width = source_width(model);
  m.must(m["s"] == width, {"memory must have the encoder's columns, ", width}, {m["s"]});
  state_lengths(m, lengths, m["S"]);
}

// ---- ids to rows --------------------------------------------------------------------------------

std::optional<Problem> check_input_rows(const TokenInput& input, const ConstView& ids, std::int64_t first,
                                        const View& out) {
  Match m("input_rows");
  m.also([&] { return check_tokens("input_rows", "", input); });
  m.tensor("ids", ids, Types::integer, "[B, n]");
  const std::int64_t count = m["n"];
  m.must(!past_63_bits(input.origin, first, count), {"positions must fit in 63 bits"}, {input.origin, " + ", first});
  m.also([&] { return input.stage.check_encode(ids, Positions::range(input.origin + first, count), out); });
  m.rows("out", out, "[B, n, d]");
  return m.problem();
}

void detail::input_rows(const TokenInput& input, const ConstView& ids, std::int64_t first, const View& out,
                        const Executor& executor) {
  const DefaultEnvironment environment;
  // Attention is bounded, not exact (core.h): so are the rows that it reads.
  static_cast<void>(input.stage.encode_checked(ids, Positions::range(input.origin + first, ids.size(1)), out,
                                               {.executor = executor, .reading = Reading::soon}));
  add_and_normalize(input, out, executor);
}

// ---- the source ---------------------------------------------------------------------------------

std::int64_t source_width(const Transformer& model) {
  if (const auto* tokens = std::get_if<TokenInput>(&model.source)) return tokens->stage.width();
  const std::vector<Convolution>& convolutions = std::get<FeatureInput>(model.source).convolutions;
  return convolutions.empty() ? 0 : convolutions.back().weight.size(0);
}

std::int64_t source_rows(const Transformer& model, const ConstView& source) {
  const auto* features = std::get_if<FeatureInput>(&model.source);
  if (source.rank < 1 || source.rank > max_rank) return 0;
  return features == nullptr ? source.size(-1) : rows_of_features(*features, source.size(-1));
}

std::optional<Problem> check_encode_source(const Transformer& model, const ConstView& source,
                                           const std::optional<ConstView>& lengths, const View& out) {
  Match m("encode_source");
  m.also([&] { return check_transformer(model); });
  const auto* tokens = std::get_if<TokenInput>(&model.source);
  if (tokens == nullptr) m.tensor("source", source, Types::f32, "[B, channels, T]");
  m.also([&] {
    return tokens != nullptr ? check_input_rows(*tokens, source, 0, out)
                             : check_features(std::get<FeatureInput>(model.source), source, out);
  });
  if (m.ok()) m.bind("[B, n, d]", sizes(out));
  state_lengths(m, lengths, m["n"]);
  return m.problem();
}

void detail::encode_source(const Transformer& model, const ConstView& source, const std::optional<ConstView>& lengths,
                           const View& out, const Executor& executor) {
  if (out.count() == 0) return;
  if (const auto* tokens = std::get_if<TokenInput>(&model.source)) {
    detail::input_rows(*tokens, source, 0, out, executor);
  } else {
    detail::features(std::get<FeatureInput>(model.source), source, out, executor);
  }
  detail::encode(model.encoder, out, lengths, out, executor);
}

// ---- logits -------------------------------------------------------------------------------------

std::optional<Problem> check_logits(const Transformer& model, const ConstView& memory,
                                    const std::optional<ConstView>& lengths, const ConstView& ids, const View& out) {
  Match m("logits");
  state_decodes(m, model);
  state_memory(m, model, memory, lengths);
  m.tensor("ids", ids, Types::integer, "[B, n]");
  if (!m.ok()) return m.problem();
  const View rows = rows_to_come(m["B"], m["n"], model.target->stage.width());
  m.also([&] { return check_input_rows(*model.target, ids, 0, rows); });
  m.bind("V", rows_of(model.output->weight));
  m.rows("out", out, "[B, n, V]");
  return m.problem();
}

void detail::logits(const Transformer& model, const ConstView& memory, const std::optional<ConstView>& lengths,
                    const ConstView& ids, const View& out, const Executor& executor) {
  if (out.count() == 0) return;
  const std::int64_t width = model.target->stage.width(), count = ids.size(0) * ids.size(1);
  const Scratch<float> scratch(static_cast<std::size_t>(count * width));
  const View rows = view(scratch.data(), {ids.size(0), ids.size(1), width});
  DecoderCache cache(*model.decoder, memory, lengths, ids.size(1), executor);
  detail::input_rows(*model.target, ids, 0, rows, executor);
  detail::decode(*model.decoder, rows, cache, rows, executor);
  detail::linear(*model.output, rows, out, executor);
}

}  // namespace posenc
