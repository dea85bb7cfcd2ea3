// SPDX-License-Identifier: Apache-2.0
// Trained models on disk: a folder with weights, and a JSON that says what each of them is. Part of posenc::io.
//
// model.safetensors holds the tensors under the names that their makers gave them. model.json, version 1, states every
// convention of the model and which tensor is which part of it; docs/models.md has all keys. tools/convert makes such
// folders. Thread safety: plain values, and const use of one Model from many threads is safe.
#pragma once

#include <posenc/io/npy.h>
#include <posenc/transformer/transformer.h>

#include <map>

namespace posenc::io {

// ---- what model.json states -----------------------------------------------------------------------

/// Nothing is added to the rows.
struct NoSignal {};
/// Row p of a stored tensor [n, d]: learned positions, or a table that was kept.
struct StoredSignal {
  std::string tensor;
};
/// The rows of a convention, at any position.
struct ComputedSignal {
  Convention convention;
  Recipe recipe;
};

/// What is added to the rows of a side, and the position of the first one.
struct InputPositions {
  std::variant<NoSignal, StoredSignal, ComputedSignal> signal;
  std::int64_t origin;
};

/// Ids become rows of an embedding.
struct TokenSide {
  Scale scale;
  InputPositions positions;
  std::optional<double> norm_epsilon;  ///< of the norm behind the sum, where there is one
};

/// Features become rows by convolutions along time.
struct FeatureSide {
  struct Step {
    std::int64_t stride, padding;
  };
  std::vector<Step> convolutions;
  InputPositions positions;  ///< origin 0
};

/// Queries and keys are turned: the first `columns` of each head.
struct TurnedHeads {
  Convention convention;
  Recipe recipe;
  std::int64_t columns;
};
/// Scores get -slope |i - j|, one slope a head: ALiBi's, or any.
struct SlopedHeads {
  std::vector<float> slopes;
};

/// The layers of an encoder or a decoder.
struct StackDescription {
  std::int64_t layers, heads, key_heads;
  NormPlace norm;
  Activation activation;
  Score score;
  double epsilon;  ///< of all its norms
  std::variant<NoSignal, TurnedHeads, SlopedHeads> positions;
};

/// Where a part of the model stands: a tensor, some rows of one, or one row without its axis.
struct TensorPart {
  std::string tensor;
  std::optional<std::array<std::int64_t, 2>> rows = {};  ///< first, and the one after the last
  std::optional<std::int64_t> row = {};
};

/// How the ids of one side are made from text.
struct TextDescription {
  std::string tokenizer;            ///< the word for it, as name(Tokenizer) gives it
  std::optional<std::string> file;  ///< in the model's folder
  std::optional<std::int64_t> begin, end;
};

/// The rule for the longest output: per_token x (ids of the source) + plus, the end token among them; both below 2^31.
struct LongestRule {
  std::int64_t per_token, plus;  ///< >= 0
};
/// What the rule gives for a source of `ids` ids, >= 0; INT64_MAX where that is more.
POSENC_EXPORT std::int64_t longest_output(const LongestRule& rule, std::int64_t ids);

struct DecodingDescription {
  std::vector<std::int64_t> prompt;
  std::int64_t end;
  LongestRule longest;
  std::vector<std::int64_t> suppressed, suppressed_first;
};

/// Where the weights come from.
struct Provenance {
  std::string package, version, sha256, licence;
};

/// All of model.json, version 1.
struct ModelDescription {
  std::string family;
  std::variant<TokenSide, FeatureSide> source;
  StackDescription encoder;
  std::optional<TokenSide> target;  ///< with `decoder`
  std::optional<StackDescription> decoder;
  std::optional<TextDescription> source_text, target_text;
  std::optional<DecodingDescription> decoding;
  /// Every part by name, nothing where the model has none. {layer} in both names stands for 0, 1, ...
  std::map<std::string, std::optional<TensorPart>, std::less<>> parts;
  std::optional<Provenance> provenance;
};

/// The description in the bytes of a model.json; `name` stands for the file in messages.
///
/// Every key is stated exactly once and there is no other; null says that there is no such thing.
/// Errors: as convention_from_json, with JSON pointers; preset, recipe and convention that do not exist or do not go
/// together; a part that is missing, or is none of a model of that form.
POSENC_EXPORT ModelDescription parse_model(std::string_view json, std::string_view name = "model.json");
/// The problem that parse_model would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_model(std::string_view json,
                                                               std::string_view name = "model.json");
/// read_file of FOLDER/model.json, then parse_model.
POSENC_EXPORT ModelDescription read_model_description(const std::string& folder);

// ---- the model ------------------------------------------------------------------------------------

/// A Transformer and the tensors that it reads.
///
/// Tensors of f16 and bf16 are widened to f32, which changes no value. A tensor that several parts name is in memory
/// once: stacked projections, tied embeddings, shared layers.
/// Errors: those of read_model_description and Safetensors; a tensor that is not there or is not of the shape that its
/// part has in this model, with both names; widths, heads and ids that do not go together.
class Model {
 public:
  /// FOLDER/model.json and FOLDER/model.safetensors.
  explicit Model(const std::string& folder) : Model(folder, read_model_description(folder)) {}
  /// Another description of the same tensors: the one that was read with other positions, say. It is held to the rules
  /// of parse_model.
  POSENC_EXPORT Model(const std::string& folder, ModelDescription description);
  Model(Model&&) = default;
  Model& operator=(Model&&) = default;

  /// Valid as long as this model, or one that it was moved to.
  const Transformer& transformer() const { return transformer_; }
  const ModelDescription& description() const { return description_; }
  /// Numbers in all tensors.
  POSENC_EXPORT std::int64_t size() const;

 private:
  ModelDescription description_;
  std::map<std::string, Array, std::less<>> tensors_;
  std::vector<std::vector<float>> zeros_;  // rows where nothing is added
  Transformer transformer_;
};

}  // namespace posenc::io
