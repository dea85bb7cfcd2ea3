// SPDX-License-Identifier: Apache-2.0
// posenc tokens: texts to token ids, as decimal numbers, a sequence a line.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <iterator>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/encode/encode_report.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
namespace {

io::WriteOptions file_writing(const Arguments& arguments) {
  return write_options(arguments.has("--no-sync") ? io::Sync::none : io::Sync::full);
}

// Where ids go: a file of --out that appears whole, or standard output as they come.
Out ids_out(const Arguments& arguments) {
  const std::string path = arguments.find("--out").value_or(std::string(standard_stream));
  if (path == standard_stream) {
    if (arguments.has("--json"))
      refuse(arguments.operation, "--json must come with --out FILE, as ids go to standard output", "no file");
    return {path, TensorFormat::raw, {.sync = io::Sync::none, .descriptor = STDOUT_FILENO}};
  }
  for (const std::string_view end : {".npy", ".safetensors"}) {
    if (!path.ends_with(end)) continue;
    refuse(arguments.operation, fmt::format("--out must not end in {}, as ids are text", end), quote(path));
  }
  return {path, TensorFormat::raw, file_writing(arguments)};
}

// TextSequences of ids as lines of text.
class IdWriter {
 public:
  explicit IdWriter(const Out& out) : file_(out.title(), out.writing) {}

  void ids(std::span<const std::int32_t> ids) {
    for (const std::int32_t id : ids) {
      if (!begins_) text_ += ' ';
      begins_ = false;
      fmt::format_to(std::back_inserter(text_), "{}", id);
    }
    tokens_ += std::ssize(ids);
    if (text_.size() >= full) flush();
  }
  void end_sequence() {
    text_ += '\n';
    begins_ = true;
    ++sequences_;
  }
  /// What is left, and the file's name.
  void finish(const Files& others) {
    flush();
    commit(others, &file_);
  }
  std::int64_t tokens() const { return tokens_; }
  std::int64_t sequences() const { return sequences_; }
  void flush() {
    file_.write(std::as_bytes(std::span(text_)));
    text_.clear();
  }

 private:
  static constexpr std::size_t full = std::size_t{1} << 16;
  io::FileWriter file_;
  std::string text_ = {};
  bool begins_ = true;  // no id of the sequence has been written
  std::int64_t tokens_ = 0, sequences_ = 0;
};

struct TokensCall {
  TextsRequest texts;
  TokensRequest tokens;
  Out out;
};

void write_text_ids(const TokensCall& call, const io::Tokenizer& tokenizer, const Input& input, UnknownTokens& unknowns,
                    IdWriter& writer) {
  OpenInput open = open_input(input);
  io::TokenReader reader(tokenizer, std::move(open.source), input.title(),
                         {.formats = input.formats(), .most = call.texts.most_tokens()});
  Progress progress(input.operation, "tokens", line_beside(call.out));
  std::array<std::int32_t, 4096> ids = {};
  std::int64_t count = 0;
  while (const std::size_t got = reader.read(ids)) {
    count += static_cast<std::int64_t>(got);
    if (call.texts.max_length && count > *call.texts.max_length) {
      refuse_length(input.operation, *call.texts.max_length, quote(input.title()));
    }
    writer.ids(std::span(ids).first(got));
    progress.at(count, share_of_text(reader.bytes(), open.bytes, count, call.texts.max_length));
  }
  writer.end_sequence();
  add_unknowns(unknowns, reader.unknowns(), input.title());
}

void check_ids_files(const Arguments& arguments, const TokensCall& call) {
  std::vector<NamedFile> inputs = named_files(arguments, {"--vocab"});
  if (!call.tokens.file.empty()) inputs.push_back({"--tokens", call.tokens.file});
  for (const Input& input : call.texts.inputs) {
    if (input.kind == Input::Kind::file) inputs.push_back({"a text", input.name});
  }
  check_apart(arguments.operation, named_files(arguments, {"--out", "--save-vocab"}), inputs);
}

TokensCall read_call(const Arguments& arguments) {
  TokensCall call = {read_texts(arguments), read_tokens_request(arguments), ids_out(arguments)};
  if (call.tokens.kind == TokensRequest::Kind::ids) {
    refuse(arguments.operation, "--tokens must make ids of texts", quote("ids"));
  }
  check_ids_files(arguments, call);
  return call;
}

Said write_ids(const Arguments& arguments) {
  const TokensCall call = read_call(arguments);
  const Tokens tokens = make_tokens(call.tokens, call.texts.inputs);
  Files others;
  if (const auto& path = call.tokens.save_vocab) {
    prepare(others, *path, io::vocabulary_bytes(*vocabulary_of(tokens.get())), file_writing(arguments));
  }
  const auto began = std::chrono::steady_clock::now();
  Threads threads(read_threads(arguments));
  IdWriter writer(call.out);
  UnknownTokens unknowns;
  for (const Input& input : call.texts.inputs) {
    if (call.texts.sequences == TextSequences::texts) {
      write_text_ids(call, tokens.get(), input, unknowns, writer);
      continue;
    }
    for_each_line(call.texts, tokens.get(), input, threads.executor(), [&](const LineIds& line) {
      writer.ids(line.ids);
      writer.end_sequence();
      add_unknowns(unknowns, line.unknowns, input.title());
    });
  }
  writer.finish(others);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  Said said{"", tokens.notes};
  for (std::string& note : unknown_notes(tokens, unknowns)) said.notes.push_back(std::move(note));
  if (arguments.has("--json")) {
    said.text = one_line(
        {{"operation", arguments.operation},
         {"tokens",
          json_object({{"kind", call.tokens.word()}, {"source", tokens.source}, {"size", io::size(tokens.get())}})},
         {"sequences", writer.sequences()},
         {"count", writer.tokens()},
         {"unknown", unknowns.found.count},
         {"out", call.out.path}});
    return said;
  }
  if (line_beside(call.out) == ProgressLine::own) {  // of a pipe its reader tells
    said.notes.push_back(
        fmt::format("{}: {}", call.out.title(), speed_words(writer.tokens(), writer.sequences(), took.count())));
  }
  return said;
}

constexpr Option tokens_options[] = {
    text_option,       tokens_option,   vocab_option,
    save_vocab_option, lines_option,    json_lines_option,
    max_length_option, truncate_option, {"--out", "FILE|-", "the file that the ids go to (standard output)"},
    threads_option,    no_sync_option};

}  // namespace

constinit const Verb tokens_verb = {
    "tokens",
    "texts to token ids, decimal, a sequence a line",
    "FILE...",
    "are texts as well; - is standard input.",
    "posenc tokens book.txt | posenc encode - --tokens ids --weights built-in --out x.npy",
    Operands::many,
    tokens_options,
    write_ids};

}  // namespace posenc::tool
