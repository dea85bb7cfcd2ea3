// SPDX-License-Identifier: Apache-2.0
// Ids of several sequences.
#include "apps/posenc/encode/batch.h"

#include <fmt/format.h>
#include <posenc/io/npy.h>

#include <algorithm>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::size_t ids_a_read = 4096;

bool is_array(const EncodeRequest& request, const Input& input) {
  return request.tokens.kind == TokensRequest::Kind::ids && input.kind == Input::Kind::file &&
         input.name.ends_with(".npy");
}

// Ends the sequence whose ids have been appended.
void end_sequence(const EncodeRequest& request, Batch& batch) {
  const std::int64_t begin = batch.ends.empty() ? 0 : batch.ends.back();
  batch.ends.push_back(std::ssize(batch.ids));
  if (!request.texts.max_length || std::ssize(batch.ids) - begin <= *request.texts.max_length) return;
  if (request.texts.too_long == TooLong::refused) {
    const SequenceName name = batch.name(batch.size() - 1);
    refuse_length(encode_verb.name, *request.texts.max_length,
                  name.line > 0 ? fmt::format("line {} of {}", name.line, quote(name.source)) : quote(name.source));
  }
  batch.ends.back() = begin + *request.texts.max_length;
  batch.ids.resize(static_cast<std::size_t>(batch.ends.back()));
}

void read_text(const EncodeRequest& request, const io::Tokenizer& tokenizer, const Input& input, Batch& batch) {
  OpenInput open = open_input(input);
  io::TokenReader reader(tokenizer, std::move(open.source), input.title(),
                         {.formats = input.formats(), .most = request.texts.most_tokens()});
  Progress progress("tokens", "tokens");
  const std::int64_t begin = std::ssize(batch.ids);
  for (;;) {
    const std::size_t filled = batch.ids.size();
    batch.ids.resize(filled + ids_a_read);
    const std::size_t got = reader.read(std::span(batch.ids).subspan(filled));
    batch.ids.resize(filled + got);
    const std::int64_t count = std::ssize(batch.ids) - begin;
    if (got < ids_a_read || (request.texts.max_length && count > *request.texts.max_length)) break;
    progress.at(count, share_of_text(reader.bytes(), open.bytes, count, request.texts.max_length));
  }
  if (std::ssize(batch.ids) == begin) {
    refuse(encode_verb.name, "a text must have at least one token",
           fmt::format("{}, an empty text", quote(input.title())));
  }
  add_unknowns(batch.unknowns, reader.unknowns(), input.title());
  batch.sources.push_back({input.name, batch.size(), TextSequences::texts});
  end_sequence(request, batch);
}

void read_lines(const EncodeRequest& request, const io::Tokenizer& tokenizer, const Input& input,
                const Executor& executor, Batch& batch) {
  batch.sources.push_back({input.name, batch.size(), TextSequences::lines});
  for_each_line(request.texts, tokenizer, input, executor, [&](LineIds& line) {
    batch.ids.insert(batch.ids.end(), line.ids.begin(), line.ids.end());
    batch.ends.push_back(std::ssize(batch.ids));
    add_unknowns(batch.unknowns, line.unknowns, input.title());
  });
}

void read_array(const EncodeRequest& request, const io::Tokenizer& tokenizer, const Input& input, Batch& batch) {
  const io::Array array = io::read_npy(input.name);
  const ConstView ids = array.view();
  if (!is_integer(ids.dtype) || ids.rank < 1 || ids.rank > 2 || ids.count() == 0) {
    refuse(encode_verb.name, "ids must be integers [L] or [B, L], and not empty",
           fmt::format("{} {} [{}]", quote(input.name), to_string(ids.dtype), fmt::join(array.shape, ", ")));
  }
  const std::int64_t length = ids.size(-1), size = io::size(tokenizer);
  batch.sources.push_back({input.name, batch.size(), ids.rank == 2 ? TextSequences::lines : TextSequences::texts});
  for (std::int64_t b = 0; b < ids.count() / length; ++b) {
    for (std::int64_t t = 0; t < length; ++t) {
      const std::int64_t at = b * length + t;
      const std::int64_t id = ids.dtype == DType::i32 ? static_cast<const std::int32_t*>(ids.data)[at]
                                                      : static_cast<const std::int64_t*>(ids.data)[at];
      if (id < 0 || id >= size) {
        throw Error({std::string(encode_verb.name),
                     fmt::format("an id must be 0 to {}", size - 1),
                     fmt::format("{} in {}", id, quote(input.name)),
                     {b, t}});
      }
      batch.ids.push_back(static_cast<std::int32_t>(id));
    }
    end_sequence(request, batch);
  }
}

void check_lengths(const Batch& batch) {
  for (std::int64_t b = 1; b < batch.size(); ++b) {
    if (batch.sequence(b).size() == batch.sequence(0).size()) continue;
    refuse(encode_verb.name, "texts of one batch must have the same number of tokens",
           fmt::format("{} and {}", batch.sequence(0).size(), batch.sequence(b).size()));
  }
}

std::int32_t padding_id(const io::Tokenizer& tokenizer) {
  const io::Vocabulary* vocabulary = vocabulary_of(tokenizer);
  return vocabulary == nullptr ? 0 : vocabulary->id(io::special_tokens[0]).value_or(0);
}

}  // namespace

void add_unknowns(UnknownTokens& all, const io::Unknowns& found, std::string_view source) {
  if (found.count == 0) return;
  if (all.found.count == 0) {
    all = {found, std::string(source)};
  } else {
    all.found.count += found.count;
  }
}

std::span<const std::int32_t> Batch::sequence(std::int64_t b) const {
  const std::int64_t begin = b == 0 ? 0 : ends[static_cast<std::size_t>(b - 1)];
  return std::span(ids).subspan(static_cast<std::size_t>(begin),
                                static_cast<std::size_t>(ends[static_cast<std::size_t>(b)] - begin));
}

SequenceName Batch::name(std::int64_t b) const {
  const auto next = std::ranges::upper_bound(sources, b, {}, &Source::begin);
  const Source& source = *(next - 1);
  return {source.name, source.kind == TextSequences::lines ? b - source.begin + 1 : 0};
}

bool needs_batch(const EncodeRequest& request) {
  return request.texts.inputs.size() > 1 || request.texts.sequences == TextSequences::lines || request.targets.plot ||
         request.positions || is_array(request, request.texts.inputs[0]);
}

Batch read_batch(const EncodeRequest& request, const io::Tokenizer& tokenizer) {
  Batch batch;
  batch.padding_id = padding_id(tokenizer);
  Threads threads(request.threads);
  for (const Input& input : request.texts.inputs) {
    if (is_array(request, input)) {
      read_array(request, tokenizer, input, batch);
    } else if (request.texts.sequences == TextSequences::lines) {
      read_lines(request, tokenizer, input, threads.executor(), batch);
    } else {
      read_text(request, tokenizer, input, batch);
    }
  }
  if (batch.ids.empty()) refuse(encode_verb.name, "the lines must have at least one token", "none");
  if (request.texts.sequences == TextSequences::texts) check_lengths(batch);
  for (std::int64_t b = 0; b < batch.size(); ++b) batch.length = std::max(batch.length, std::ssize(batch.sequence(b)));
  if (request.texts.sequences == TextSequences::lines && request.texts.max_length)
    batch.length = *request.texts.max_length;
  return batch;
}

}  // namespace posenc::tool
