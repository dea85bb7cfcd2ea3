// SPDX-License-Identifier: Apache-2.0
// The whole model: its parts one after another, and whether they go together.
#include <posenc/transformer.h>

#include "src/base/blocks.h"
#include "src/transformer/into.h"
#include "src/transformer/lengths.h"
#include "src/transformer/model_rules.h"
#include "src/transformer/rows.h"
#include "src/transformer/stack.h"

namespace posenc {
namespace {

constexpr std::string_view whole = "transformer";

Problem problem(std::string_view operation, std::string rule, std::string value) {
  return {std::string(operation), std::move(rule), std::move(value)};
}

std::int64_t vocabulary(const TokenInput& input) { return input.stage.embedding().rows.size(0); }

std::optional<Problem> check_input(std::string_view operation, std::string_view name, const TokenInput& input) {
  const DType type = input.stage.embedding().rows.dtype;
  const std::int64_t width = input.stage.width();
  if (type != DType::f32) return problem(operation, part_of(name, "rows must be f32"), std::string(to_string(type)));
  if (input.added) {
    if (auto found = check_weight(operation, part_of(name, "added row"), *input.added, {width})) return found;
  }
  return input.norm ? check_weights(operation, part_of(name, "norm"), *input.norm, width) : std::nullopt;
}

std::optional<Problem> check_source(const Transformer& model) {
  const auto* tokens = std::get_if<TokenInput>(&model.source);
  if (tokens != nullptr) return check_input(whole, "source", *tokens);
  return check_feature_input(std::get<FeatureInput>(model.source));
}

std::optional<Problem> check_output_map(const Transformer& model, std::int64_t width) {
  const std::int64_t many = rows_of(model.output->weight);
  if (auto found = check_weights(whole, "output", *model.output, many, width)) return found;
  if (many >= 1 && many <= vocabulary(*model.target)) return std::nullopt;
  return problem(
      whole,
      "output must have rows for tokens that the target's embedding has, " + std::to_string(vocabulary(*model.target)),
      std::to_string(many));
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
  if (auto found = check_source(model)) return found;
  const std::int64_t width = source_width(model);
  if (auto found = check_stack(whole, "encoder", model.encoder, width)) return found;
  if (!model.target && !model.decoder && !model.output) return std::nullopt;
  if (!model.target || !model.decoder || !model.output) {
    const auto is = [](bool there) { return there ? "there" : "missing"; };
    return problem(whole, "target, decoder and output must all be there, or none of them",
                   std::string("target ") + is(model.target.has_value()) + ", decoder " +
                       is(model.decoder.has_value()) + ", output " + is(model.output.has_value()));
  }
  if (auto found = check_input(whole, "target", *model.target)) return found;
  const std::int64_t target = model.target->stage.width();
  if (auto found = check_stack(whole, "decoder", *model.decoder, target, width)) return found;
  return check_output_map(model, target);
}

std::optional<Problem> check_decodes(std::string_view operation, const Transformer& model) {
  if (auto found = check_transformer(model)) return found;
  return model.decoder ? std::nullopt : std::optional(problem(operation, "the model must have a decoder", "none"));
}

std::optional<Problem> check_memory(std::string_view operation, const Transformer& model, const ConstView& memory,
                                    const std::optional<ConstView>& lengths) {
  if (auto found = check_sequences(operation, "memory", memory)) return found;
  if (memory.size(-1) != source_width(model)) {
    return problem(operation, "memory must have the encoder's columns, " + std::to_string(source_width(model)),
                   std::to_string(memory.size(-1)));
  }
  return lengths ? check_lengths(operation, *lengths, memory.size(0), memory.size(1)) : std::nullopt;
}

// ---- ids to rows --------------------------------------------------------------------------------

std::optional<Problem> check_input_rows(const TokenInput& input, const ConstView& ids, std::int64_t first,
                                        const View& out) {
  constexpr std::string_view operation = "input_rows";
  if (auto found = check_input(operation, "", input)) return found;
  if (auto found = check_view(operation, "ids", ids)) return found;
  if (ids.rank != 2) return problem(operation, "ids must have shape [B, n]", shape_text(ids));
  if (past_63_bits(input.origin, first, ids.size(1))) {
    return problem(operation, "positions must fit in 63 bits",
                   std::to_string(input.origin) + " + " + std::to_string(first));
  }
  if (auto found = input.stage.check_encode(ids, Positions::range(input.origin + first, ids.size(1)), out)) {
    return found;
  }
  return check_rows(operation, "out", out);
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
  if (auto found = check_transformer(model)) return found;
  if (const auto* tokens = std::get_if<TokenInput>(&model.source)) {
    if (auto found = check_input_rows(*tokens, source, 0, out)) return found;
  } else {
    if (auto found = check_features(std::get<FeatureInput>(model.source), source, out)) return found;
    if (out.rank != 3) {
      return problem("encode_source", "source must have shape [B, channels, T]", shape_text(source));
    }
  }
  return lengths ? check_lengths("encode_source", *lengths, out.size(0), out.size(1)) : std::nullopt;
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
  constexpr std::string_view operation = "logits";
  if (auto found = check_decodes(operation, model)) return found;
  if (auto found = check_memory(operation, model, memory, lengths)) return found;
  if (auto found = check_view(operation, "ids", ids)) return found;
  if (ids.rank != 2 || ids.size(0) != memory.size(0)) {
    return problem(operation, "ids must have shape [" + std::to_string(memory.size(0)) + ", n]", shape_text(ids));
  }
  const std::int64_t width = model.target->stage.width();
  // Rules of ids and positions; the rows themselves come later, in memory of their own.
  const View rows = {const_cast<void*>(memory.data),
                     DType::f32,
                     3,
                     {ids.size(0), ids.size(1), width},
                     {ids.size(1) * width, width, 1}};
  if (auto found = check_input_rows(*model.target, ids, 0, rows)) return found;
  return check_rows_out(operation, rows, out, rows_of(model.output->weight));
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
