// SPDX-License-Identifier: Apache-2.0
// The rules of a model's description that need no tensor.
#include "src/io/model/model_rules.h"

#include <algorithm>
#include <functional>
#include <set>

#include "src/base/json_write.h"
#include "src/base/quote.h"
#include "src/io/model/model_parts.h"
#include "src/spec/json/json_words.h"

namespace posenc::io {
namespace {

/// Most of per_token and of plus: per_token x ids + plus stays below 2^63 for any number of ids below 2^31.
constexpr std::int64_t longest_limit = (std::int64_t{1} << 31) - 1;

/// A place in the description, by its JSON pointer.
struct ModelPlace {
  std::string pointer;
  const JsonSource& source;

  [[noreturn]] void refuse(std::string_view wanted, std::string got) const {
    source.refuse(pointer + " must be " + std::string(wanted), std::move(got));
  }
  ModelPlace member(std::string_view key) const { return {pointer + pointer_step(key), source}; }
  ModelPlace item(std::size_t i) const { return member(std::to_string(i)); }

  void require_least(std::int64_t value, std::int64_t least) const {
    if (value < least) refuse("an integer of at least " + std::to_string(least), std::to_string(value));
  }
  void require_most(std::int64_t value, std::int64_t most) const {
    if (value > most) refuse("at most " + std::to_string(most), std::to_string(value));
  }
  void require_positive(double value) const {
    if (!(value > 0)) refuse("positive", json_real(value));
  }
  void require_ids(const std::vector<std::int64_t>& ids) const {
    for (std::size_t i = 0; i < ids.size(); ++i) item(i).require_least(ids[i], 0);
  }
};

void require_features(const FeatureSide& side, const ModelPlace& at) {
  const ModelPlace steps = at.member("convolutions");
  if (side.convolutions.empty()) steps.refuse("at least one", "an empty array");
  for (std::size_t i = 0; i < side.convolutions.size(); ++i) {
    steps.item(i).member("stride").require_least(side.convolutions[i].stride, 1);
    steps.item(i).member("padding").require_least(side.convolutions[i].padding, 0);
  }
  if (side.positions.origin != 0) {
    at.member("positions").member("origin").refuse("0 for features", std::to_string(side.positions.origin));
  }
}

void require_tokens(const TokenSide& side, const ModelPlace& at) {
  if (side.norm_epsilon) at.member("norm_epsilon").require_positive(*side.norm_epsilon);
}

void require_stack(const StackDescription& stack, const ModelPlace& at) {
  at.member("layers").require_least(stack.layers, 0);
  at.member("layers").require_most(stack.layers, model_layer_limit);
  at.member("heads").require_least(stack.heads, 1);
  at.member("key_heads").require_least(stack.key_heads, 1);
  if (stack.heads % stack.key_heads != 0) {
    at.member("key_heads")
        .refuse("a divisor of heads, " + std::to_string(stack.heads), std::to_string(stack.key_heads));
  }
  at.member("epsilon").require_positive(stack.epsilon);
  const ModelPlace positions = at.member("positions");
  if (const auto* turned = std::get_if<TurnedHeads>(&stack.positions)) {
    positions.member("columns").require_least(turned->columns, 2);
  }
  if (const auto* sloped = std::get_if<SlopedHeads>(&stack.positions)) {
    const std::int64_t slopes = std::ssize(sloped->slopes);
    if (slopes != stack.heads) {
      positions.member("slopes").refuse("one for each head, " + std::to_string(stack.heads), std::to_string(slopes));
    }
  }
}

void require_text(const TextDescription& text, const ModelPlace& at) {
  const std::string_view known[] = {"bytes", "chars", "words", "ids", "bpe", "sentencepiece"};
  if (std::ranges::find(known, text.tokenizer) == std::end(known)) {
    at.member("tokenizer").refuse("one of " + listed(known, std::identity()), quote(text.tokenizer));
  }
  const ModelPlace file = at.member("file");
  const bool plain = text.file && !text.file->empty() && text.file->find_first_of("/\\") == std::string::npos &&
                     *text.file != "." && *text.file != "..";
  if (text.file && !plain) file.refuse("the name of a file in the model's folder", quote(*text.file));
  if (text.file.has_value() == (text.tokenizer == "bytes" || text.tokenizer == "ids")) {
    file.refuse((text.file ? "null for " : "stated for ") + text.tokenizer, text.file ? quote(*text.file) : "null");
  }
  if (text.begin) at.member("begin").require_least(*text.begin, 0);
  if (text.end) at.member("end").require_least(*text.end, 0);
}

void require_decoding(const DecodingDescription& decoding, const ModelPlace& at) {
  at.member("prompt").require_ids(decoding.prompt);
  at.member("end").require_least(decoding.end, 0);
  const std::pair<const char*, std::int64_t> longest[] = {{"per_token", decoding.longest.per_token},
                                                          {"plus", decoding.longest.plus}};
  for (const auto& [name, value] : longest) {
    at.member("longest").member(name).require_least(value, 0);
    at.member("longest").member(name).require_most(value, longest_limit);
  }
  at.member("suppressed").require_ids(decoding.suppressed);
  at.member("suppressed_first").require_ids(decoding.suppressed_first);
}

void require_part(const TensorPart& part, const ModelPlace& at) {
  if (part.row && part.rows) at.refuse("given by rows or by row", "both");
  if (part.row) at.member("row").require_least(*part.row, 0);
  // Below the greatest number, so that the one after it is a number.
  if (part.row) at.member("row").require_most(*part.row, INT64_MAX - 1);
  if (!part.rows) return;
  const auto& [first, last] = *part.rows;
  for (std::size_t i = 0; i < 2; ++i) at.member("rows").item(i).require_least((*part.rows)[i], 0);
  if (first >= last) {
    at.member("rows").refuse("[first, last + 1], rising",
                             "[" + std::to_string(first) + ", " + std::to_string(last) + "]");
  }
}

}  // namespace

void require_rules(const ModelDescription& model, const JsonSource& source) {
  const ModelPlace document = {"", source};
  if (model.target.has_value() != model.decoder.has_value()) {
    source.refuse("/target and /decoder must be there together, or both null",
                  model.target ? "/target alone" : "/decoder alone");
  }
  const ModelPlace text = document.member("text");
  if (const auto* features = std::get_if<FeatureSide>(&model.source)) {
    require_features(*features, document.member("source"));
    if (model.source_text) text.member("source").refuse("null for features", quote(model.source_text->tokenizer));
  } else {
    require_tokens(std::get<TokenSide>(model.source), document.member("source"));
  }
  require_stack(model.encoder, document.member("encoder"));
  if (model.source_text) require_text(*model.source_text, text.member("source"));
  if (model.decoder) {
    require_tokens(*model.target, document.member("target"));
    require_stack(*model.decoder, document.member("decoder"));
    if (model.target_text) require_text(*model.target_text, text.member("target"));
    if (model.decoding) require_decoding(*model.decoding, document.member("decoding"));
  } else {
    if (model.target_text) text.member("target").refuse("null without a decoder", quote(model.target_text->tokenizer));
    if (model.decoding) document.member("decoding").refuse("null without a decoder", "an object");
  }
}

void require_part_rules(const ModelDescription& model, const JsonSource& source) {
  const ModelPlace tensors = {"/tensors", source};
  const std::vector<PartName> names = part_names(model);
  std::set<std::string_view> known;
  for (const PartName& name : names) {
    const ModelPlace at = tensors.member(name.name);
    const auto found = model.parts.find(name.name);
    if (found == model.parts.end()) source.refuse(at.pointer + " must be stated", "no such key");
    if (!found->second && name.need == PartNeed::required) at.refuse("a tensor", "null");
    if (found->second) require_part(*found->second, at);
    known.insert(name.name);
  }
  for (const auto& [key, part] : model.parts) {
    if (known.contains(key)) continue;
    source.refuse("the keys of /tensors must be parts of this model, such as " + names.front().name,
                  quote(key, Keep::tail));
  }
}

}  // namespace posenc::io
