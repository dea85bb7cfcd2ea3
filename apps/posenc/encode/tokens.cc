// SPDX-License-Identifier: Apache-2.0
// Tokenizers by their word on the command line.
#include "apps/posenc/encode/tokens.h"

#include <fmt/format.h>
#include <posenc/text/tokenizer_json.h>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

using Kind = TokensRequest::Kind;
constexpr std::pair<std::string_view, Kind> plain_kinds[] = {{"bpe", Kind::built_in},
                                                             {"chars", Kind::chars},
                                                             {"words", Kind::words},
                                                             {"bytes", Kind::bytes},
                                                             {"ids", Kind::ids}};
constexpr std::pair<std::string_view, Kind> file_kinds[] = {{"bpe:", Kind::bpe},
                                                            {"sentencepiece:", Kind::sentencepiece}};

void read_kind(const std::string& text, TokensRequest& request) {
  for (const auto& [word, kind] : plain_kinds) {
    if (text == word) {
      request.kind = kind;
      return;
    }
  }
  for (const auto& [word, kind] : file_kinds) {
    if (text.starts_with(word) && text.size() > word.size()) {
      request.kind = kind;
      request.file = text.substr(word.size());
      return;
    }
  }
  refuse(request.operation, "--tokens must be bpe, bpe:FILE, chars, words, bytes, ids or sentencepiece:FILE",
         quote(text));
}

// All inputs in a row, so that one vocabulary serves them all. A line end keeps words of two inputs apart.
io::Source all_of(std::span<const Input> inputs, Progress& progress) {
  std::int64_t total = 0;
  for (const Input& input : inputs) total += open_input(input).bytes.value_or(0);
  return [inputs, &progress, total, open = std::optional<OpenInput>(), next = std::size_t{0},
          done = std::int64_t{0}](std::span<char> to) mutable -> std::size_t {
    for (;;) {
      if (!open) {
        if (next == inputs.size()) return 0;
        open = open_input(inputs[next++]);
      }
      if (const std::size_t got = open->source(to)) {
        done += static_cast<std::int64_t>(got);
        progress.at(done, share_of(done, total));
        return got;
      }
      open.reset();
      if (next < inputs.size()) {
        to[0] = '\n';
        return 1;
      }
    }
  };
}

// Vocabularies of other tokenizers read as lists of tokens would make ids that no model knows.
void check_vocabulary(std::string_view operation, const std::string& path, const io::Vocabulary& vocabulary) {
  const bool word_pieces = vocabulary.id("[UNK]").has_value();
  for (std::int32_t id = 0; word_pieces && id < vocabulary.size(); ++id) {
    if (!vocabulary.token(id).starts_with("##")) continue;
    refuse(
        operation,
        "--vocab must be words or characters; WordPiece is not read: make ids by its own tokenizer, then --tokens ids",
        fmt::format("{} with {}", quote(path), quote(vocabulary.token(id))));
  }
  if (vocabulary.token(0).starts_with('{')) {
    refuse(operation, "--vocab must have one token a line; a map has no merges: --tokens bpe:tokenizer.json has both",
           fmt::format("{}, which begins like JSON", quote(path)));
  }
}

// A map of tokens to ids, as vocab.json is, that stands where a tokenizer.json belongs.
bool is_token_map(const std::string& path) {
  const auto document = read_object(io::read_file(path, io::tokenizer_json_byte_limit));
  const auto is_id = [](const JsonEntry& entry) {
    return std::holds_alternative<std::uint64_t>(entry.value) || std::holds_alternative<std::int64_t>(entry.value);
  };
  return document && !document->empty() && find_value(*document, "model") == nullptr &&
         std::ranges::all_of(*document, is_id);
}

// A list of pieces, as vocab.txt is, that stands there.
bool is_piece_list(const std::string& path) {
  const std::string text = io::read_file(path, io::tokenizer_json_byte_limit);
  return !text.starts_with('{') && text.find("\n##") != text.npos;
}

io::TokenizerFile read_tokenizer(std::string_view operation, const std::string& path) {
  try {
    return io::read_tokenizer_json(path);
  } catch (const Error&) {
    if (is_piece_list(path)) {
      refuse(operation, "a tokenizer must be a tokenizer.json of BPE; of WordPiece, --tokens ids takes the ids",
             quote(path));
    }
    if (!is_token_map(path)) throw;
    refuse(operation, "a tokenizer must have merges; a vocab.json has none, the tokenizer.json beside it does",
           quote(path));
  }
}

io::Vocabulary wanted_vocabulary(const TokensRequest& request, std::span<const Input> inputs) {
  if (request.vocab) {
    io::Vocabulary vocabulary = io::read_vocabulary(*request.vocab);
    if (vocabulary.size() > 0) check_vocabulary(request.operation, *request.vocab, vocabulary);
    return vocabulary;
  }
  for (const Input& input : inputs) {
    if (!input.repeatable()) {
      refuse(request.operation, "a text that --save-vocab reads first must be a file or --text", "standard input");
    }
  }
  const io::Unit unit = request.kind == Kind::chars ? io::Unit::character : io::Unit::word;
  Progress progress("vocabulary", "bytes");
  return io::build_vocabulary(unit, all_of(inputs, progress), inputs.size() == 1 ? inputs[0].title() : "the texts",
                              inputs[0].formats());
}

Tokens built_in() {
  Default built = load_default();
  io::Array rows = built_in_array(built);
  return {std::move(built.bpe), "built in", std::move(built.original_ids), std::move(rows)};
}

// What the file says beyond ids is left to the caller; the notes tell it.
Tokens from_json(const TokensRequest& request) {
  const std::string& path = request.file;
  io::TokenizerFile file = read_tokenizer(request.operation, path);
  std::vector<std::string> notes;
  const std::pair<std::string_view, std::string> others[] = {{"post-processor", file.post_processor},
                                                             {"decoder", file.decoder},
                                                             {"truncation", file.truncation},
                                                             {"padding", file.padding}};
  std::string ignored;
  for (const auto& [name, value] : others) {
    if (!value.empty()) ignored += fmt::format("{}{} {}", ignored.empty() ? "" : ", ", name, value.substr(0, 64));
  }
  if (!ignored.empty()) notes.push_back(fmt::format("{}: no part in the ids have {}", path, ignored));
  return {std::move(file.bpe), path, {}, {}, std::move(notes)};
}

}  // namespace

io::Array built_in_array(const Default& built) {
  const auto bytes = std::as_bytes(std::span(built.rows));
  return {DType::f32, {built.bpe.size(), default_width}, {bytes.begin(), bytes.end()}};
}

std::vector<std::string> token_choices(const Arguments&) {
  std::vector<std::string> words;
  for (const auto& [word, kind] : plain_kinds) words.emplace_back(word);
  for (const auto& [word, kind] : file_kinds) words.emplace_back(word);
  return words;
}

std::string_view TokensRequest::word() const {
  if (kind == Kind::bpe) return "bpe";
  if (kind == Kind::sentencepiece) return "sentencepiece";
  for (const auto& [word, plain] : plain_kinds) {
    if (plain == kind) return word;
  }
  return "";
}

TokensRequest read_tokens_request(const Arguments& arguments) {
  TokensRequest request{arguments.operation};
  if (const auto text = arguments.find("--tokens")) read_kind(*text, request);
  request.vocab = arguments.find("--vocab");
  request.save_vocab = arguments.find("--save-vocab");
  const bool by_vocabulary = request.kind == Kind::chars || request.kind == Kind::words;
  if (by_vocabulary && !request.vocab && !request.save_vocab) {
    refuse(request.operation, fmt::format("--tokens {} must come with --vocab or --save-vocab", request.word()),
           "neither");
  }
  if (request.vocab && request.save_vocab) {
    refuse(request.operation, "one of --vocab and --save-vocab must be given",
           quote(*request.vocab) + " and " + quote(*request.save_vocab));
  }
  if (!by_vocabulary && (request.vocab || request.save_vocab)) {
    refuse(request.operation, "--vocab and --save-vocab must come with --tokens chars or words",
           std::string(request.word()));
  }
  if (const auto size = arguments.find("--vocab-size")) {
    if (request.kind != Kind::ids || !arguments.has("--init")) {
      refuse(request.operation, "--vocab-size must come with --tokens ids and --init", quote(*size));
    }
    request.vocab_size =
        static_cast<std::int32_t>(parse_integer(request.operation, "--vocab-size", *size, 1, INT32_MAX));
  }
  return request;
}

const io::Vocabulary* vocabulary_of(const io::Tokenizer& tokenizer) {
  if (const auto* chars = std::get_if<io::Chars>(&tokenizer)) return &chars->vocabulary();
  const auto* words = std::get_if<io::Words>(&tokenizer);
  return words == nullptr ? nullptr : &words->vocabulary();
}

Tokens make_tokens(const TokensRequest& request, std::span<const Input> inputs) {
  switch (request.kind) {
    case Kind::built_in: return built_in();
    case Kind::bytes: return {io::Bytes{}, "bytes", {}, {}};
    case Kind::chars:
      return {io::Chars(wanted_vocabulary(request, inputs)), request.vocab.value_or("the text"), {}, {}};
    case Kind::words:
      return {io::Words(wanted_vocabulary(request, inputs)), request.vocab.value_or("the text"), {}, {}};
    case Kind::sentencepiece: return {io::SentencePiece::read(request.file), request.file, {}, {}};
    case Kind::bpe: return from_json(request);
    case Kind::ids:
      if (!request.vocab_size) return {std::nullopt, "ids", {}, {}};
      return {io::Ids(*request.vocab_size), "ids", {}, {}};
  }
  refuse(request.operation, "--tokens must be stated", "none");
}

}  // namespace posenc::tool
