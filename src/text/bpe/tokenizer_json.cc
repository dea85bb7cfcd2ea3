// SPDX-License-Identifier: Apache-2.0
// A tokenizer.json judged field by field, and the Bpe made of it.
#include <posenc/io/file.h>
#include <posenc/text/tokenizer_json.h>

#include "src/base/json_write.h"
#include "src/base/problem_of.h"
#include "src/text/bpe/tokenizer_tokens.h"
#include "src/text/unicode/first_bytes.h"

#include <algorithm>

namespace posenc::io {
namespace {

constexpr std::string_view contractions = "'s|'t|'re|'ve|'m|'ll|'d";
constexpr std::string_view gpt2_regex = R"(| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view later_regex_start = R"(|[^\r\n\p{L}\p{N}]?\p{L}+|)";
constexpr std::string_view later_regex_end = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

std::string regex_of(Pattern pattern) {
  const std::string start(contractions);
  if (pattern == Pattern::gpt2) return start + std::string(gpt2_regex);
  const std::string numbers = pattern == Pattern::llama3 ? R"(\p{N}{1,3})" : R"(\p{N})";
  return "(?i:" + start + ")" + std::string(later_regex_start) + numbers + std::string(later_regex_end);
}

// ---- what comes before the model ----------------------------------------------------------------

Bpe::Normalization read_normalization(const TokenizerNode& root) {
  if (root.is_null("normalizer")) return Bpe::Normalization::none;
  if (root["normalizer"].type() != "NFC") root["normalizer"]["type"].refuse("NFC, or /normalizer null");
  root["normalizer"].require_keys({"type"});
  return Bpe::Normalization::nfc;
}

enum class Regex : std::uint8_t { own, none };

void require_byte_level(const TokenizerNode& node, Regex regex) {
  if (node.type() != "ByteLevel") node["type"].refuse("ByteLevel");
  node.require_keys({"type", "add_prefix_space", "trim_offsets", "use_regex"});
  if (node["add_prefix_space"].flag()) node["add_prefix_space"].refuse("false");
  if (node.flag_or("use_regex", true) == (regex == Regex::own)) return;
  if (!node.has("use_regex")) node["use_regex"].refuse("false");
  node["use_regex"].refuse(regex == Regex::own ? "true, without a Split before it" : "false, with a Split before it");
}

Pattern read_split(const TokenizerNode& node) {
  if (node.type() != "Split") node["type"].refuse("Split, or there must be no more than ByteLevel");
  node.require_keys({"type", "pattern", "behavior", "invert"});
  if (node["behavior"].text() != "Isolated") node["behavior"].refuse("Isolated");
  if (node["invert"].flag()) node["invert"].refuse("false");
  node["pattern"].require_keys({"Regex"});
  const std::string& regex = node["pattern"]["Regex"].text();
  for (const Pattern pattern : {Pattern::gpt2, Pattern::llama3, Pattern::qwen}) {
    if (regex == regex_of(pattern)) return pattern;
  }
  node["pattern"]["Regex"].refuse("the pattern of GPT-2, Llama 3 or Qwen");
}

Pattern read_pattern(const TokenizerNode& root) {
  const TokenizerNode node = root["pre_tokenizer"];
  const std::string type = node.type();
  if (type == "ByteLevel") {
    require_byte_level(node, Regex::own);
    return Pattern::gpt2;
  }
  if (type != "Sequence") node["type"].refuse("ByteLevel, or Sequence of Split and ByteLevel");
  node.require_keys({"type", "pretokenizers"});
  const TokenizerNode list = node["pretokenizers"];
  if (!list.value.is_array() || list.value.size() == 0 || list.value.size() > 2)
    list.refuse("an array of Split and ByteLevel");
  if (list.value.size() == 1) {
    require_byte_level(list[0], Regex::own);
    return Pattern::gpt2;
  }
  const Pattern pattern = read_split(list[0]);
  require_byte_level(list[1], Regex::none);
  return pattern;
}

// ---- the model ----------------------------------------------------------------------------------

bool is_zero(const JsonTree& value) { return value.is_number() && value.number() == 0; }

void require_bpe(const TokenizerNode& model) {
  if (!model.value.is_object()) model.refuse("an object");
  if (model.has("type") && model.type() != "BPE") model["type"].refuse("BPE");
  model.require_keys({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
                      "byte_fallback", "ignore_merges", "vocab", "merges"});
  if (!model.is_null("dropout") && !is_zero(model["dropout"].value)) model["dropout"].refuse("null");
  for (const char* const key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!model.is_null(key) && !model[key].text().empty()) model[key].refuse("empty");
  }
  if (model.flag_or("byte_fallback", false)) model["byte_fallback"].refuse("false");
}

void require_lists(const TokenizerNode& model, const TokenizerDocument& document) {
  if (!document.has_vocab) model["vocab"].refuse("an object");
  if (!document.has_merges) model["merges"].refuse("an array");
  if (document.ids.empty()) model.source.refuse("/model/vocab must have at least one token", "none");
}

// An unk_token that is no token is never used where every byte is one.
void read_unknown(const TokenizerNode& model, const TokenizerTokens& tokens, Bpe::Parts& parts) {
  parts.unknown_bytes = Bpe::UnknownBytes::refused;
  const bool fused = model.flag_or("fuse_unk", false);
  if (model.is_null("unk_token")) return;
  const std::optional<std::int32_t> id = tokens.id(model["unk_token"].text());
  if (id) {
    parts.unknown_bytes = fused ? Bpe::UnknownBytes::one_a_run : Bpe::UnknownBytes::one_each;
    parts.unknown_id = *id;
    return;
  }
  std::array<bool, 256> known = {};
  for (const std::string& token : parts.tokens) {
    if (token.size() == 1) known[static_cast<std::uint8_t>(token.front())] = true;
  }
  if (std::ranges::find(known, false) != known.end()) model["unk_token"].refuse("a token, as some bytes are none");
}

Bpe::Parts read_parts(const TokenizerNode& root, const TokenizerDocument& document) {
  const TokenizerNode model = root["model"];
  require_bpe(model);
  require_lists(model, document);
  Bpe::Parts parts = {.pattern = read_pattern(root), .normalization = read_normalization(root)};
  const TokenizerTokens tokens(document, root.source);
  if (root.has("added_tokens")) parts.added_tokens = tokens.added(root["added_tokens"]);
  parts.tokens = tokens.bytes(parts.added_tokens);
  parts.merges = tokens.merges();
  parts.whole_pieces = model.flag_or("ignore_merges", false) ? Bpe::WholePieces::taken : Bpe::WholePieces::merged;
  read_unknown(model, tokens, parts);
  return parts;
}

Bpe make_bpe(Bpe::Parts&& parts, const TokenizerSource& source) {
  try {
    return Bpe(std::move(parts));
  } catch (const Error& error) {
    source.refuse(error.problem().rule, error.problem().value, error.problem().index);
  }
}

// ---- the file -----------------------------------------------------------------------------------

// A SentencePiece model is a protocol buffer that begins with its first piece: tag 0x0A, a size, then tag 0x0A again.
bool begins_like_sentencepiece(std::string_view bytes) {
  return bytes.size() > 4 && bytes[0] == '\n' && bytes[2] == '\n' && bytes[1] != ' ' && bytes[1] < 64 && bytes[3] < 64;
}

void check_bytes(const TokenizerSource& source) {
  const std::string rule = "must be the JSON of a tokenizer";
  if (source.bytes.size() > tokenizer_json_byte_limit) {
    source.refuse("must have at most " + std::to_string(tokenizer_json_byte_limit) + " bytes",
                  std::to_string(source.bytes.size()));
  }
  if (begins_like_sentencepiece(source.bytes)) source.refuse(rule, "what begins like a SentencePiece model", {0});
  const std::string_view format = format_of_list(source.bytes);
  if (!format.empty()) source.refuse(rule, "what begins like " + std::string(format), {0});
  if (source.bytes.starts_with("\xEF\xBB\xBF")) source.refuse(rule, "a byte order mark", {0});
}

std::string type_or_none(const TokenizerNode& root, const std::string& key) {
  return root.is_null(key) ? "" : root[key].type();
}

std::string json_or_none(const TokenizerNode& root, const std::string& key) {
  return root.is_null(key) ? "" : json_text(root[key].value);
}

}  // namespace

TokenizerFile parse_tokenizer_json(std::string_view bytes, std::string_view name) {
  const TokenizerSource source = {bytes, name};
  check_bytes(source);
  const TokenizerDocument document = read_tokenizer_document(source);
  const TokenizerNode root = {document.tree, "", source};
  root.require_keys({"version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "model",
                     "post_processor", "decoder"});
  if (root.has("version") && !(root["version"].value.is_string() && root["version"].text() == "1.0"))
    root["version"].refuse("\"1.0\"");
  return {make_bpe(read_parts(root, document), source), type_or_none(root, "post_processor"),
          type_or_none(root, "decoder"), json_or_none(root, "truncation"), json_or_none(root, "padding")};
}

std::optional<Problem> check_tokenizer_json(std::string_view bytes, std::string_view name) {
  return problem_of([&] { parse_tokenizer_json(bytes, name); });
}

TokenizerFile read_tokenizer_json(const std::string& path) {
  return parse_tokenizer_json(read_file(path, tokenizer_json_byte_limit), path);
}

}  // namespace posenc::io
