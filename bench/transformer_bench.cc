// SPDX-License-Identifier: Apache-2.0
// Trained models of others: Whisper's encoder over 30 seconds, one sentence of the transliterator and many.
#include <posenc/io/model.h>
#include <posenc/text/tokenizer.h>
#include <posenc/transformer/decoding.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "bench/buffer.h"
#include "bench/process.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t bands = 80, columns = 3000;
constexpr const char* sentence = "мо фардо ба душанбе меравем";
constexpr int texts = 600;  // of a file

std::string folder(const std::string& model) { return std::string(POSENC_BENCH_MODELS) + "/" + model; }

// Features in [-1, 1): what the encoder takes does not depend on what it hears.
Work encoder() {
  const auto model = std::make_shared<const io::Model>(folder("whisper"));
  const auto heard = numbers(bands * columns, 1);
  const View source = view(heard->as<float>(), {1, bands, columns});
  const std::int64_t rows = source_rows(model->transformer(), source), width = source_width(model->transformer());
  const auto out = buffer(rows * width * 4);
  const View memory = view(out->as<float>(), {1, rows, width});
  return {.run =
              [=](const Executor& executor) {
                encode_source(model->transformer(), source, std::nullopt, memory, executor);
              },
          .out = out->bytes(),
          .in = {},
          .owns = {model, heard, out}};
}

// The transliterator: letters of one alphabet to letters of another.
struct Letters {
  io::Model model{folder("tg2fa")};
  io::Chars from{io::read_vocabulary(folder("tg2fa") + "/source.txt")};
  io::Chars to{io::read_vocabulary(folder("tg2fa") + "/target.txt")};

  std::string operator()(std::string_view text, const Executor& executor) const {
    const io::DecodingDescription& decoding = *model.description().decoding;
    std::vector<std::int32_t> letters;
    from.encode_prefix(text, io::Rest::none, letters);
    std::vector<std::int64_t> ids = {*model.description().source_text->begin};
    ids.insert(ids.end(), letters.begin(), letters.end());
    ids.push_back(*model.description().source_text->end);
    DecodingOptions options = {decoding.prompt, decoding.end,
                               decoding.longest.per_token * std::ssize(ids) + decoding.longest.plus};
    options.executor = executor;
    const std::vector<Decoded> made =
        generate(model.transformer(), view(ids.data(), {1, std::ssize(ids)}), std::nullopt, options);
    std::string out;
    for (const std::int64_t id : made[0].ids) out += to.token(static_cast<std::int32_t>(id));
    return out;
  }
};

Work transliterate() {
  const auto letters = std::make_shared<const Letters>();
  const auto out = buffer(std::ssize((*letters)(sentence, serial)));
  return {.run = [=](const Executor& executor) { std::ranges::copy((*letters)(sentence, executor), out->as<char>()); },
          .out = out->bytes(),
          .in = {},
          .owns = {letters, out}};
}

Work transliterate_cold() {
  return {
      .run = [](const Executor&) { run_process({POSENC_BENCH_TOOL, "run", "--model", folder("tg2fa"), sentence}); }};
}

// The first one to five words of the sentence, line by line.
Work transliterate_file(int threads) {
  const auto file = std::make_shared<const TemporaryFile>(".txt");
  std::ofstream lines(file->path);
  for (int i = 0; i < texts; ++i) {
    std::size_t end = 0;
    for (int words = i % 5; words >= 0; --words) end = std::string_view(sentence).find(' ', end + 1);
    lines << std::string_view(sentence).substr(0, end) << "\n";
  }
  lines.close();
  if (!lines) throw std::runtime_error("cannot write " + file->path.string());
  return {.run =
              [=](const Executor&) {
                run_process({POSENC_BENCH_TOOL, "run", "--model", folder("tg2fa"), "--file", file->path, "--threads",
                             std::to_string(threads)});
              },
          .owns = {file}};
}

Row row(const std::string& model, std::string operation, std::string size, std::function<Work()> make,
        std::vector<int> threads) {
  Row made = {std::move(operation), std::move(size),   Ceiling::none, no_floor, no_floor,
              std::move(make),      std::move(threads)};
  if (!std::filesystem::exists(folder(model) + "/model.safetensors")) {
    made.absent = "for want of the trained model: ./dev bench --peers fetches it, and so does ./dev checkpoints";
  }
  return made;
}

}  // namespace

std::vector<Row> transformer_rows(const Scope&) {
  return {row("whisper", "encoder, Whisper tiny.en", "80 x 3000", encoder, {1, 2}),
          row("tg2fa", "transliteration", "27 letters", transliterate, {1, 2}),
          row("tg2fa", "transliteration, cold start", "27 letters", transliterate_cold, {1}),
          row("tg2fa", "posenc run, transliteration", "600 texts", [] { return transliterate_file(1); }, {1}),
          row("tg2fa", "posenc run, transliteration", "600 texts", [] { return transliterate_file(2); }, {2})};
}

}  // namespace posenc::bench
