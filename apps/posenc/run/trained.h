// SPDX-License-Identifier: Apache-2.0
// A trained model with its vocabularies: text to the ids that it reads, and ids that it made to text.
#pragma once

#include <posenc/io/model.h>
#include <posenc/text/tokenizer.h>
#include <posenc/transformer/decoding.h>

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

inline constexpr Option model_option = {"--model", "DIR", "a folder with model.json and model.safetensors"};

/// Whether what is added to the rows and done inside attention is left out, as if the model had never had positions.
enum class Placed : std::uint8_t { without = 0, with };

struct Trained {
  std::string folder;
  io::Model model;
  std::optional<io::Tokenizer> source, target;  ///< where the model reads or writes text
  std::string_view operation;                   ///< the verb, as errors name it

  const io::ModelDescription& description() const { return model.description(); }
  bool makes_text() const { return description().decoding.has_value(); }
};

Trained read_trained(std::string_view operation, const std::string& folder, Placed placed);

/// What is done with what the model's vocabulary lacks.
enum class Unknown : std::uint8_t { refused = 1, taken };

/// A text as the model reads it: begin, its tokens, end.
struct SourceIds {
  std::vector<std::int64_t> ids;
  io::Unknowns unknowns;  ///< where they are taken
};
/// Errors: a model that reads no text; what the tokenizer refuses, unknown tokens, and more tokens than the model has
/// positions, with `place`.
SourceIds source_ids(const Trained& trained, const std::string& text, const std::string& place, Unknown unknown);
/// The character that the first unknown token is a part of.
std::string first_unknown(const io::Unknowns& unknowns, const std::string& text);

/// Tokens as one reads them; begin and end have their names.
std::string source_label(const Trained& trained, std::int64_t id);
std::string target_label(const Trained& trained, std::int64_t id);
std::string target_text(const Trained& trained, std::span<const std::int64_t> ids);

/// How the model decodes a source of `ids` ids (0 for features).
DecodingOptions decoding_options(const Trained& trained, std::int64_t ids, std::int64_t beams);

}  // namespace posenc::tool
