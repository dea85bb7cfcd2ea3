// SPDX-License-Identifier: Apache-2.0
// Trained models by their folder.
#include "apps/posenc/run/trained.h"

#include <fmt/format.h>
#include <posenc/text/tokenizer_json.h>

#include <filesystem>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

void remove_positions(io::ModelDescription& description) {
  std::visit([](auto& side) { side.positions = {io::NoSignal{}, 0}; }, description.source);
  if (description.target) description.target->positions = {io::NoSignal{}, 0};
  description.encoder.positions = io::NoSignal{};
  if (description.decoder) description.decoder->positions = io::NoSignal{};
}

io::Tokenizer tokenizer_of(const io::TextDescription& text, const std::string& folder, std::int64_t rows) {
  const std::string file = text.file ? folder + "/" + *text.file : "";
  if (text.tokenizer == "bytes") return io::Bytes{};
  if (text.tokenizer == "chars") return io::Chars(io::read_vocabulary(file));
  if (text.tokenizer == "words") return io::Words(io::read_vocabulary(file));
  if (text.tokenizer == "bpe") return io::read_tokenizer_json(file).bpe;
  if (text.tokenizer == "sentencepiece") return io::SentencePiece::read(file);
  return io::Ids(static_cast<std::int32_t>(rows));
}

std::int64_t rows_of(const TokenInput& input) { return input.stage.embedding().rows.size(0); }

io::ModelDescription read_description(std::string_view operation, const std::string& folder) {
  std::error_code ignored;  // what cannot be looked at is no folder for us
  if (!std::filesystem::is_directory(folder, ignored)) {
    refuse(operation, "--model must be a folder with model.json and model.safetensors", quote(folder));
  }
  if (!std::filesystem::exists(folder + "/model.json", ignored) &&
      std::filesystem::exists(folder + "/config.json", ignored)) {
    refuse(operation, "--model must have a model.json, which tools/convert/convert.py makes of a Hugging Face folder",
           quote(folder));
  }
  io::ModelDescription description = io::read_model_description(folder);
  if (description.decoder.has_value() != description.decoding.has_value()) {
    refuse(operation, "/decoder and /decoding of model.json must be there together, or both null",
           fmt::format("{} alone in {}", description.decoder ? "/decoder" : "/decoding", quote(folder)));
  }
  return description;
}

// Each token that a text may become has a row. The other way round models have rows without a token: Whisper's times.
void check_rows(const Trained& trained, std::int64_t rows) {
  if (io::size(*trained.source) <= rows) return;
  refuse(trained.operation, fmt::format("the source's vocabulary must have at most the rows of source.rows, {}", rows),
         fmt::format("{} tokens in {}", io::size(*trained.source), quote(trained.folder)));
}

// Learned positions, and stored ones, end somewhere.
void check_length(const Trained& trained, const std::vector<std::int64_t>& ids, const std::string& place) {
  const auto& input = std::get<TokenInput>(trained.model.transformer().source);
  const std::int64_t count = std::ssize(ids), width = input.stage.width();
  std::vector<float> rows(static_cast<std::size_t>(count * width));
  auto problem = check_input_rows(input, view(ids.data(), {1, count}), 0, view(rows.data(), {1, count, width}));
  if (!problem) return;
  const std::optional<std::int64_t> positions = input.stage.positions();
  if (!positions || input.origin < 0 || count <= *positions - input.origin) {
    problem->value += " in " + place;
    throw Error(*std::move(problem));
  }
  refuse(trained.operation, fmt::format("a text must fit into the model's positions ({})", problem->rule),
         fmt::format("{} of {} tokens, begin and end among them", place, count));
}

std::string label(const std::optional<io::Tokenizer>& tokenizer, const std::optional<io::TextDescription>& text,
                  std::int64_t id) {
  if (!tokenizer || id < 0 || id >= io::size(*tokenizer)) return fmt::format("{}", id);
  // Numbers have no names for the begin and the end.
  if (std::holds_alternative<io::Ids>(*tokenizer) && text) {
    if (text->begin == id) return "<begin>";
    if (text->end == id) return "<end>";
  }
  return token_label(io::token(*tokenizer, static_cast<std::int32_t>(id)));
}

}  // namespace

Trained read_trained(std::string_view operation, const std::string& folder, Placed placed) {
  io::ModelDescription description = read_description(operation, folder);
  if (placed == Placed::without) remove_positions(description);
  Trained trained{folder, io::Model(folder, std::move(description)), {}, {}, operation};
  const Transformer& model = trained.model.transformer();
  if (const auto* tokens = std::get_if<TokenInput>(&model.source); tokens && trained.description().source_text) {
    trained.source = tokenizer_of(*trained.description().source_text, folder, rows_of(*tokens));
    check_rows(trained, rows_of(*tokens));
  }
  if (model.target && trained.description().target_text) {
    trained.target = tokenizer_of(*trained.description().target_text, folder, rows_of(*model.target));
  }
  return trained;
}

std::string first_unknown(const io::Unknowns& unknowns, const std::string& text) {
  auto end = static_cast<std::size_t>(unknowns.offset) + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  const std::string character =
      text.substr(static_cast<std::size_t>(unknowns.offset), end - static_cast<std::size_t>(unknowns.offset));
  return quote(unknowns.first.size() > character.size() ? unknowns.first : character);
}

SourceIds source_ids(const Trained& trained, const std::string& text, const std::string& place, Unknown unknown) {
  if (!trained.source) {
    refuse(trained.operation, "the model must read text, as its model.json says",
           quote(trained.folder) + ", which does not");
  }
  std::vector<std::int32_t> tokens;
  SourceIds result;
  try {
    io::encode_prefix(*trained.source, text, io::Rest::none, tokens, result.unknowns);
  } catch (const Error& error) {  // which of the texts it is
    Problem problem = error.problem();
    problem.value += " in " + place;
    throw Error(std::move(problem));
  }
  const io::TextDescription& description = *trained.description().source_text;
  if (description.begin) result.ids.push_back(*description.begin);
  result.ids.insert(result.ids.end(), tokens.begin(), tokens.end());
  if (description.end) result.ids.push_back(*description.end);
  if (result.unknowns.count > 0 && unknown == Unknown::refused) {
    refuse(trained.operation, "every character must be one that the model knows",
           fmt::format("{} in column {} of {}", first_unknown(result.unknowns, text), result.unknowns.column, place));
  }
  check_length(trained, result.ids, place);
  return result;
}

std::string source_label(const Trained& trained, std::int64_t id) {
  return label(trained.source, trained.description().source_text, id);
}

std::string target_label(const Trained& trained, std::int64_t id) {
  return label(trained.target, trained.description().target_text, id);
}

std::string target_text(const Trained& trained, std::span<const std::int64_t> ids) {
  if (!trained.target) return fmt::format("{}", fmt::join(ids, " "));
  std::vector<std::int32_t> tokens;
  for (const std::int64_t id : ids) tokens.push_back(static_cast<std::int32_t>(id));
  return io::decode(*trained.target, tokens);
}

DecodingOptions decoding_options(const Trained& trained, std::int64_t ids, std::int64_t beams) {
  if (!trained.makes_text()) {
    refuse(trained.operation, "the model must have a decoder, as its model.json says",
           quote(trained.folder) + ", which has none");
  }
  const io::DecodingDescription& description = *trained.description().decoding;
  DecodingOptions options{.prompt = description.prompt,
                          .end = description.end,
                          .longest = io::longest_output(description.longest, ids),
                          .beams = beams};
  options.suppressed = description.suppressed;
  options.suppressed_first = description.suppressed_first;
  return options;
}

}  // namespace posenc::tool
