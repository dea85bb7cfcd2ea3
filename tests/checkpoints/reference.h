// SPDX-License-Identifier: Apache-2.0
// What tests/checkpoints/references.py wrote, and our side of it: memories, logits and outputs of one sequence.
#pragma once

#include <posenc/io/model.h>
#include <posenc/io/safetensors.h>
#include <posenc/text/tokenizer.h>
#include <posenc/transformer/decoding.h>

#include <string>
#include <vector>

namespace posenc::checkpoints {

using Ids = std::vector<std::int64_t>;

/// The folder with models/, references/ and features/.
std::string folder();
inline std::string model_folder(const std::string& name) { return folder() + "/models/" + name; }

struct Case {
  std::string source, text;
  bool ended;
  double strays;  // how far from `exact` the reference's f32 gets in other orders of its sums, where that was measured
  Ids ids_in;     // of the source, where it has ids
  Ids ids;        // with begin and end
  std::vector<float> memory;
  std::vector<float> logits;  // of every step
  std::vector<float> exact;   // the same by the reference's code in f64, rounded once
  std::vector<float> vector;  // of a sentence
};

/// Throws with the command to run when the references are not there: nothing is skipped.
std::vector<Case> reference(const std::string& name);

/// The largest |a - b|; infinity when there is a NaN or the sizes differ.
double difference(std::span<const float> a, std::span<const float> b);

/// The tokenizer of one side of a model.
io::Tokenizer tokenizer(const std::string& model, const io::TextDescription& text);
/// Begin, ids of the text, end.
Ids ids_of(const io::Tokenizer& tokenizer, const io::TextDescription& text, const std::string& source);
std::string text_of(const io::Tokenizer& tokenizer, const Ids& ids);

/// [L, d] of one sequence of ids.
std::vector<float> memory_of(const Transformer& model, const Ids& ids);
/// [n, V]: all of ids[0, n) at once, against a memory [L, d].
std::vector<float> logits_of(const Transformer& model, const std::vector<float>& memory,
                             std::span<const std::int64_t> ids);

/// What the model makes of a source token by token, and the logits of every step on the way.
struct Output {
  Ids ids;
  bool ended;
  std::vector<float> logits;
};
DecodingOptions decoding_of(const io::DecodingDescription& decoding, std::int64_t source_ids);
Output output_of(const Transformer& model, const ConstView& source, const DecodingOptions& options);
/// The same from a memory [L, d].
Output output_from(const Transformer& model, const std::vector<float>& memory, const DecodingOptions& options);

/// The reference's ids without prompt and end.
Ids made(const Case& each, std::size_t prompt);

}  // namespace posenc::checkpoints
