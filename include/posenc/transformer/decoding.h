// SPDX-License-Identifier: Apache-2.0
// Token by token out of a Transformer: greedy and beam search, with a cache of keys and values.
#pragma once

#include <posenc/transformer/transformer.h>

#include <functional>

namespace posenc {

struct DecodingOptions {
  std::vector<std::int64_t> prompt;                 ///< the first tokens of every output: begin of sentence, task
  std::int64_t end;                                 ///< the token that ends a sequence
  std::int64_t longest;                             ///< most tokens made, the end token among them; >= 0
  std::int64_t beams = 1;                           ///< 1 is greedy
  double length_penalty = 0;                        ///< scores are compared divided by (tokens made)^length_penalty
  std::vector<std::int64_t> suppressed = {};        ///< never made
  std::vector<std::int64_t> suppressed_first = {};  ///< never made as the first token
  Executor executor = serial;
};

struct Decoded {
  std::vector<std::int64_t> ids;  ///< tokens made, without prompt and end token
  double score;                   ///< sum of their log probabilities, the end token's among them
  bool ended;  ///< by the end token; false when `longest` cut it, or a step whose logits were all NaN
};

/// What a step of decoding saw, before it chooses.
struct DecodingStep {
  std::int64_t made;     ///< tokens made before this step
  std::int64_t longest;  ///< of the options
  /// f32 [B, k, V], before anything is suppressed: k is 1 at the first step, then the number of beams, the best first.
  /// Those of sequences that have stopped and of places without a live hypothesis have no meaning.
  ConstView logits;
};
/// Is told at every step. It does not throw.
using DecodingWatch = std::function<void(const DecodingStep&)>;

/// The best output that the search finds for each sequence of `source`, given as for encode_source.
///
/// The probabilities of a step are the softmax of the logits of the tokens that may be made: a suppressed one has none,
/// and so has one whose logit is NaN.
/// A hypothesis is the prompt and the tokens made; its sum is that of their log probabilities. Each step forms all
/// hypotheses that are one token longer than the live ones and keeps the `beams` of largest sum; of equal ones the one
/// whose live hypothesis ranked higher, then the one of the lower id. Those of them that made `end` are ended and take
/// no place any more, the others are live. A sequence stops when nothing is live, when no live hypothesis can reach a
/// better score than the best ended one, when no hypothesis can go on because all its logits are NaN, or after
/// `longest` tokens. Its result is the best ended hypothesis by sum / (tokens made)^length_penalty; if none has ended,
/// the live one of largest sum. With one beam this is greedy: the likeliest token at every step.
///
/// A sequence alone and in a batch give the same tokens wherever logits differ by more than the bounds of linear and
/// attention. Errors: as encode_source and logits; options out of range; a table of positions that ends before
/// prompt + longest - 1 tokens. Source: Graves 2012 and Sutskever et al. 2014 (beam search).
/// Thread safety: yes.
inline std::vector<Decoded> generate(const Transformer& model, const ConstView& source,
                                     const std::optional<ConstView>& lengths, const DecodingOptions& options,
                                     const DecodingWatch& watch = {});
/// The problem that generate would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_generate(const Transformer& model, const ConstView& source,
                                                                  const std::optional<ConstView>& lengths,
                                                                  const DecodingOptions& options);

/// The same for a memory that is there already: [B, S, d of the encoder].
inline std::vector<Decoded> generate_from_memory(const Transformer& model, const ConstView& memory,
                                                 const std::optional<ConstView>& lengths,
                                                 const DecodingOptions& options, const DecodingWatch& watch = {});
/// The problem that generate_from_memory would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_generate_from_memory(const Transformer& model,
                                                                              const ConstView& memory,
                                                                              const std::optional<ConstView>& lengths,
                                                                              const DecodingOptions& options);

namespace detail {
POSENC_EXPORT std::vector<Decoded> generate(const Transformer& model, const ConstView& source,
                                            const std::optional<ConstView>& lengths, const DecodingOptions& options,
                                            const DecodingWatch& watch);
POSENC_EXPORT std::vector<Decoded> generate_from_memory(const Transformer& model, const ConstView& memory,
                                                        const std::optional<ConstView>& lengths,
                                                        const DecodingOptions& options, const DecodingWatch& watch);
}  // namespace detail

inline std::vector<Decoded> generate(const Transformer& model, const ConstView& source,
                                     const std::optional<ConstView>& lengths, const DecodingOptions& options,
                                     const DecodingWatch& watch) {
  require(check_generate(model, source, lengths, options));
  return detail::generate(model, source, lengths, options, watch);
}

inline std::vector<Decoded> generate_from_memory(const Transformer& model, const ConstView& memory,
                                                 const std::optional<ConstView>& lengths,
                                                 const DecodingOptions& options, const DecodingWatch& watch) {
  require(check_generate_from_memory(model, memory, lengths, options));
  return detail::generate_from_memory(model, memory, lengths, options, watch);
}

}  // namespace posenc
