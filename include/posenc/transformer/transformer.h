// SPDX-License-Identifier: Apache-2.0
// A Transformer for sequences to sequences: four parts that compose - input, encoder, decoder, output.
#pragma once

#include <posenc/input_stage.h>
#include <posenc/transformer/decoder.h>
#include <posenc/transformer/features.h>

namespace posenc {

/// Ids to the rows that the first layer reads: the input stage, then what some families add to it.
struct TokenInput {
  InputStage stage;                     ///< of f32 rows; its dropout is not applied
  std::optional<ConstView> added = {};  ///< f32 [d], added to every row: the segment of a model with one segment
  std::optional<Norm> norm = {};        ///< of the sum
  std::int64_t origin = 0;              ///< position of the first token
};

/// The four parts, values that somebody else keeps alive. Without target, decoder and output it is an encoder alone.
struct Transformer {
  std::variant<TokenInput, FeatureInput> source;
  Encoder encoder;
  std::optional<TokenInput> target = {};
  std::optional<Decoder> decoder = {};
  std::optional<Linear> output = {};  ///< [V, d]; tied weights are the embedding's rows. V: at most the target's rows
};

/// The parts go together. Messages name the part that does not fit.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_transformer(const Transformer& model);

/// out = the rows of tokens `first`, first + 1, ... of each sequence, at positions origin + first, ...
///
/// Shapes: ids [B, n], i32 or i64; out [B, n, d], f32. Errors: an id outside the vocabulary, with its [b, t]; positions
/// past a table.
inline void input_rows(const TokenInput& input, const ConstView& ids, std::int64_t first, const View& out,
                       const Executor& executor = serial);
/// The problem that input_rows would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_input_rows(const TokenInput& input, const ConstView& ids,
                                                                    std::int64_t first, const View& out);

/// Rows that encode_source gives for each sequence of `source`, and their width.
POSENC_EXPORT std::int64_t source_rows(const Transformer& model, const ConstView& source);
POSENC_EXPORT std::int64_t source_width(const Transformer& model);

/// out = the encoder's rows of a source: the memory of decoding, or the vectors of tokens.
///
/// Shapes: source [B, L] of ids (i32 or i64), or features [B, channels, T]; lengths [B] as in encode: ids from
/// lengths[b] on are padding, rows of features likewise; out [B, source_rows, source_width], f32.
/// Errors: parts that do not go together, shapes, ids outside the vocabulary, positions past a table.
/// Thread safety: yes, on distinct outputs.
inline void encode_source(const Transformer& model, const ConstView& source, const std::optional<ConstView>& lengths,
                          const View& out, const Executor& executor = serial);
/// The problem that encode_source would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_encode_source(const Transformer& model,
                                                                       const ConstView& source,
                                                                       const std::optional<ConstView>& lengths,
                                                                       const View& out);

/// out[b, t] = what the model says of the token after ids[b, t], before any softmax: all tokens at once, each seeing
/// those up to itself.
///
/// Shapes: memory [B, S, d of the encoder] with its lengths; ids [B, n]; out [B, n, V], f32. Errors: a model without a
/// decoder, parts that do not go together, shapes, ids, positions past a table. Thread safety: yes, on distinct
/// outputs.
inline void logits(const Transformer& model, const ConstView& memory, const std::optional<ConstView>& lengths,
                   const ConstView& ids, const View& out, const Executor& executor = serial);
/// The problem that logits would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_logits(const Transformer& model, const ConstView& memory,
                                                                const std::optional<ConstView>& lengths,
                                                                const ConstView& ids, const View& out);

namespace detail {
POSENC_EXPORT void input_rows(const TokenInput& input, const ConstView& ids, std::int64_t first, const View& out,
                              const Executor& executor);
POSENC_EXPORT void encode_source(const Transformer& model, const ConstView& source,
                                 const std::optional<ConstView>& lengths, const View& out, const Executor& executor);
POSENC_EXPORT void logits(const Transformer& model, const ConstView& memory, const std::optional<ConstView>& lengths,
                          const ConstView& ids, const View& out, const Executor& executor);
}  // namespace detail

inline void input_rows(const TokenInput& input, const ConstView& ids, std::int64_t first, const View& out,
                       const Executor& executor) {
  require(check_input_rows(input, ids, first, out));
  detail::input_rows(input, ids, first, out, executor);
}

inline void encode_source(const Transformer& model, const ConstView& source, const std::optional<ConstView>& lengths,
                          const View& out, const Executor& executor) {
  require(check_encode_source(model, source, lengths, out));
  detail::encode_source(model, source, lengths, out, executor);
}

inline void logits(const Transformer& model, const ConstView& memory, const std::optional<ConstView>& lengths,
                   const ConstView& ids, const View& out, const Executor& executor) {
  require(check_logits(model, memory, lengths, ids, out));
  detail::logits(model, memory, lengths, ids, out, executor);
}

}  // namespace posenc
