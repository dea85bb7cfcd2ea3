// SPDX-License-Identifier: Apache-2.0
// What posenc demo says: its findings in four parts, or as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/demo/demo.h"
#include "apps/posenc/samples/samples.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::string_view vocabulary_note =
    "The vocabulary and the token rows are 3,072 tokens of OpenAI's Whisper base (MIT licence), built into this\n"
    "program. Whisper itself scales nothing and learns the positions of its decoder: the sum shown here is ours, on\n"
    "its real, trained rows.\n";

std::string ids_of(const Encoded& encoded, std::int64_t b, std::int64_t most) {
  const auto first = encoded.ids.begin() + b * encoded.length;
  const std::int64_t count = std::min(encoded.length, most);
  return fmt::format("[{}{}]", fmt::join(first, first + count, ", "), count < encoded.length ? ", ..." : "");
}

std::string tokens_of(const Default& vocabulary, const Encoded& encoded, std::int64_t most) {
  std::string text;
  for (std::int64_t t = 0; t < std::min(encoded.length, most); ++t)
    text += token_words(vocabulary.bpe.token(encoded.id(0, t))) + " ";
  return text + (encoded.length > most ? "..." : "");
}

std::string norms_line(std::string_view name, const Encoded& encoded) {
  const Norms& norms = encoded.norms;
  return fmt::format("  {:<10} {:>12.2f} {:>14.2f} {:>12.2f} {:>12.2f}\n", name, norms.token, norms.scaled,
                     norms.signal, norms.output);
}

std::string pairs_of(const EqualRows& pairs) {
  std::vector<std::string> parts;
  for (const auto& [i, j] : pairs) parts.push_back(fmt::format("{} = {}", i, j));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string sentences_part(const Default& vocabulary, const DemoFindings& findings) {
  std::string text = "1. Two sentences of the same three words\n\n";
  for (std::int64_t b = 0; b < findings.pair.batch; ++b) {
    const auto sentence = static_cast<std::size_t>(b);
    text += fmt::format("  {} ({})  ids {}  tokens", findings.sentences[sentence],
                        fmt::join(findings.glosses[sentence], " "), ids_of(findings.pair, b, 8));
    for (std::int64_t t = 0; t < findings.pair.length; ++t) {
      text += " " + token_words(vocabulary.bpe.token(findings.pair.id(b, t)));
    }
    text += "\n";
  }
  text += fmt::format("\n  One tensor [{}]: sentence, token, column.\n", fmt::join(findings.pair.shape, ", "));
  text += fmt::format(
      "\n  Rows of the first = rows of the second, to the bit:\n"
      "  without positions  {:<22}  every row is in both: the same rows in another order\n"
      "  with positions     {:<22}  only the word at the same place in both keeps its row\n\n"
      "  Attention weighs rows and does not see their order. Without positions it cannot tell who loves whom.\n\n",
      pairs_of(findings.equal_bare), pairs_of(findings.equal_pair));
  return text;
}

std::string pages_part(const Default& vocabulary, const DemoFindings& findings) {
  std::string text = "2. A page of text\n\n";
  const auto page = [&](std::string_view name, std::string_view sample, const Encoded& encoded) {
    text += fmt::format("  {:<9} {} bytes, {} tokens, tensor [{}]\n            {}\n            ids {}\n", name,
                        sample.size(), encoded.length, fmt::join(encoded.shape, ", "),
                        tokens_of(vocabulary, encoded, 8), ids_of(encoded, 0, 8));
  };
  page("English", english_sample(), findings.english);
  page("Chinese", chinese_sample(), findings.chinese);
  return text + "\n";
}

std::string scale_part(const Default& vocabulary, const DemoFindings& findings) {
  std::string text =
      fmt::format("3. Why the scale exists: mean norm of a row\n\n  {:<10} {:>12} {:>14} {:>12} {:>12}\n", "", "token",
                  "token × √512", "signal", "sum");
  text += norms_line("我爱你", findings.pair) + norms_line("English", findings.english) +
          norms_line("Chinese", findings.chinese);
  const Norms& norms = findings.english.norms;
  text += fmt::format("  {:<10} {:>12.2f}\n", "all 3,072", mean_norm(vocabulary));
  text += fmt::format(
      "\n  Each row of the signal has norm √256 = 16, a trained token row {:.2f}. Unscaled, the words would be {:.1f} "
      "% of\n"
      "  what they are added to; times √512 = {:.4f} they are {:.0f} %.\n\n",
      norms.token, 100 * norms.token / norms.signal, findings.english.factor, 100 * norms.scaled / norms.signal);
  return text;
}

Json json_of(std::span<const std::pair<std::int64_t, std::int64_t>> rows) {
  std::vector<Json> pairs;
  for (const auto& [a, b] : rows) pairs.push_back(json_list({a, b}));
  return pairs;
}

Json json_of(const Encoded& encoded) {
  return json_object(
      {{"shape", encoded.shape}, {"ids", encoded.ids}, {"factor", encoded.factor}, {"norms", json_of(encoded.norms)}});
}

}  // namespace

std::string demo_screen(const Default& vocabulary, const DemoFindings& findings, std::span<const std::string> files) {
  std::string text =
      "From text to the tensor that a Transformer's first block reads (preset transformer, recipe exact)\n\n";
  text += sentences_part(vocabulary, findings) + pages_part(vocabulary, findings) + scale_part(vocabulary, findings);
  text += "4. Written\n\n";
  const std::string_view what[] = {"the two sentences", "the English page", "the Chinese page",
                                   "the picture of all this"};
  for (std::size_t i = 0; i < files.size(); ++i) text += fmt::format("  {:<24} {}\n", files[i], what[i]);
  return text + "\n" + std::string(vocabulary_note);
}

std::string demo_json(const DemoFindings& findings, std::span<const std::string> files) {
  return one_line({{"operation", "demo"},
                   {"preset", "transformer"},
                   {"recipe", "exact"},
                   {"sentences", findings.sentences},
                   {"equal_rows_without_positions", json_of(findings.equal_bare)},
                   {"equal_rows_with_positions", json_of(findings.equal_pair)},
                   {"pair", json_of(findings.pair)},
                   {"english", json_of(findings.english)},
                   {"chinese", json_of(findings.chinese)},
                   {"files", files},
                   {"vocabulary", vocabulary_note}});
}

}  // namespace posenc::tool
