// SPDX-License-Identifier: Apache-2.0
// posenc demo: the main job on sample texts, and why positions and the scale exist.
#include <fmt/format.h>
#include <posenc/file.h>
#include <posenc/npy.h>

#include <cstring>
#include <filesystem>

#include "apps/posenc/encoded.h"
#include "apps/posenc/json.h"
#include "apps/posenc/output.h"
#include "apps/posenc/picture.h"
#include "apps/posenc/problem.h"
#include "apps/posenc/samples/samples.h"
#include "apps/posenc/screen.h"
#include "apps/posenc/signals.h"
#include "apps/posenc/words.h"

namespace posenc::tool {
namespace {

constexpr std::string_view vocabulary_note =
    "The vocabulary and the token rows are 3,072 tokens of OpenAI's Whisper base (MIT licence), built into this\n"
    "program. Whisper itself scales nothing and learns the positions of its decoder: the sum shown here is ours, on\n"
    "its real, trained rows.\n";
constexpr std::int64_t drawn_columns = 64, signal_columns = 128, drawn_positions = 128;

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

// What the demo computes before it says or writes anything.
struct Findings {
  std::vector<std::string> sentences = {"我爱你", "你爱我"};
  std::vector<std::array<std::string_view, 3>> glosses = {{"I", "love", "you"}, {"you", "love", "me"}};
  Encoded pair;                  // both sentences, [2, 3, 512]
  std::vector<float> bare;       // the same without positions
  Pairs equal_bare, equal_pair;  // rows i of the first and j of the second that are the same to the bit
  Encoded english, chinese;
};

Pairs equal_rows(std::span<const float> first, std::span<const float> second) {
  Pairs equal;
  const std::size_t rows = first.size() / default_width;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      const bool same =
          std::memcmp(&first[i * default_width], &second[j * default_width], default_width * sizeof(float)) == 0;
      if (same) equal.emplace_back(i, j);
    }
  }
  return equal;
}

Pairs equal_rows(std::span<const float> both) {
  return equal_rows(both.first(both.size() / 2), both.subspan(both.size() / 2));
}

Findings find_out(const Default& vocabulary) {
  const Stage stage = stage_of(preset("transformer"));
  const auto one = [&](std::string_view text) {
    const std::string texts[] = {std::string(text)};
    return encode("demo", vocabulary, texts, stage);
  };
  Findings findings;
  findings.pair = encode("demo", vocabulary, findings.sentences, stage);
  findings.bare = without_positions(vocabulary, findings.pair);
  findings.equal_bare = equal_rows(findings.bare);
  findings.equal_pair = equal_rows(findings.pair.output);
  findings.english = one(english_sample());
  findings.chinese = one(chinese_sample());
  return findings;
}

// ---- the picture

Heatmap sentence_map(const Default& vocabulary, const Findings& findings, std::span<const float> rows, std::int64_t b) {
  const auto sentence = static_cast<std::size_t>(b);
  std::vector<std::string> names;
  for (std::int64_t t = 0; t < findings.pair.length; ++t) {
    names.push_back(fmt::format("{}  {}  {}", t, token_label(vocabulary, findings.pair.id(b, t)),
                                findings.glosses[sentence][static_cast<std::size_t>(t)]));
  }
  const auto write = [&](std::int64_t r, std::span<float> out) {
    const std::int64_t row = b * findings.pair.length + r;
    std::copy_n(rows.data() + row * default_width, out.size(), out.data());
  };
  const std::string title =
      fmt::format("{} ({})", findings.sentences[sentence], fmt::join(findings.glosses[sentence], " "));
  return heatmap(title, "", names, drawn_columns, write);
}

Heatmap signal_map() {
  const SinusoidRows rows(preset("transformer").convention, default_width);
  std::vector<float> row(default_width);
  std::vector<std::string> names;
  for (std::int64_t p = 0; p < drawn_positions; ++p) names.push_back(fmt::format("{}", p));
  const auto write = [&](std::int64_t r, std::span<float> out) {
    rows.write(Positions::at(r), view(row.data(), {1, default_width}));
    std::copy_n(row.data(), out.size(), out.data());
  };
  return heatmap("What was added: the position signal, preset transformer, first 128 columns", "position", names,
                 signal_columns, write);
}

std::string draw_findings(const Default& vocabulary, const Findings& findings) {
  const auto band = [&](std::span<const float> rows, const Pairs& equal, std::string title, std::string caption) {
    Band result{std::move(title), {}, equal, std::move(caption)};
    for (const std::int64_t b : {0, 1}) result.maps.push_back(sentence_map(vocabulary, findings, rows, b));
    return result;
  };
  const Picture picture = {
      "Without positions a sentence is a bag of words",
      {band(findings.bare, findings.equal_bare, "Without positions: token rows × √512, first 64 of 512 columns",
            "A line joins rows that are equal to the bit. Every row is there in both: the same rows in another order."),
       band(findings.pair.output, findings.equal_pair, "With positions: token rows × √512 + signal",
            "Only the word that stands at the same place in both keeps its row. The two sentences are now different."),
       {"", {signal_map()}}}};
  return draw(picture, PictureFormat::png);
}

// ---- the report

std::string ids_of(const Encoded& encoded, std::int64_t b, std::int64_t most) {
  const auto first = encoded.ids.begin() + b * encoded.length;
  const std::int64_t count = std::min(encoded.length, most);
  return fmt::format("[{}{}]", fmt::join(first, first + count, ", "), count < encoded.length ? ", ..." : "");
}

std::string tokens_of(const Default& vocabulary, const Encoded& encoded, std::int64_t most) {
  std::string text;
  for (std::int64_t t = 0; t < std::min(encoded.length, most); ++t)
    text += token_words(vocabulary, encoded.id(0, t)) + " ";
  return text + (encoded.length > most ? "..." : "");
}

std::string norms_line(std::string_view name, const Encoded& encoded) {
  const Norms& norms = encoded.norms;
  return fmt::format("  {:<10} {:>12.2f} {:>14.2f} {:>12.2f} {:>12.2f}\n", name, norms.token, norms.scaled,
                     norms.signal, norms.output);
}

std::string pairs_of(const Pairs& pairs) {
  std::vector<std::string> parts;
  for (const auto& [i, j] : pairs) parts.push_back(fmt::format("{} = {}", i, j));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string sentences_part(const Default& vocabulary, const Findings& findings) {
  std::string text = "1. Two sentences of the same three words\n\n";
  for (std::int64_t b = 0; b < findings.pair.batch; ++b) {
    const auto sentence = static_cast<std::size_t>(b);
    text += fmt::format("  {} ({})  ids {}  tokens", findings.sentences[sentence],
                        fmt::join(findings.glosses[sentence], " "), ids_of(findings.pair, b, 8));
    for (std::int64_t t = 0; t < findings.pair.length; ++t) {
      text += " " + token_words(vocabulary, findings.pair.id(b, t));
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

std::string pages_part(const Default& vocabulary, const Findings& findings) {
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

std::string scale_part(const Default& vocabulary, const Findings& findings) {
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

std::string report(const Default& vocabulary, const Findings& findings, std::span<const std::string> files) {
  std::string text =
      "From text to the tensor that a Transformer's first block reads (preset transformer, recipe exact)\n\n";
  text += sentences_part(vocabulary, findings) + pages_part(vocabulary, findings) + scale_part(vocabulary, findings);
  text += "4. Written\n\n";
  const std::string_view what[] = {"the two sentences", "the English page", "the Chinese page",
                                   "the picture of all this"};
  for (std::size_t i = 0; i < files.size(); ++i) text += fmt::format("  {:<24} {}\n", files[i], what[i]);
  return text + "\n" + std::string(vocabulary_note);
}

Json json_of(const Encoded& encoded) {
  return {
      {"shape", encoded.shape}, {"ids", encoded.ids}, {"factor", encoded.factor}, {"norms", json_of(encoded.norms)}};
}

std::string json_report(const Findings& findings, std::span<const std::string> files) {
  return one_line({{"operation", "demo"},
                   {"preset", "transformer"},
                   {"recipe", "exact"},
                   {"sentences", findings.sentences},
                   {"equal_rows_without_positions", findings.equal_bare},
                   {"equal_rows_with_positions", findings.equal_pair},
                   {"pair", json_of(findings.pair)},
                   {"english", json_of(findings.english)},
                   {"chinese", json_of(findings.chinese)},
                   {"files", files},
                   {"vocabulary", vocabulary_note}});
}

// ---- the work

std::string npy_text(const Encoded& encoded) {
  const std::vector<std::byte> bytes = io::npy_bytes(encoded.view());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> write_files(const std::string& folder, const Findings& findings, const std::string& picture) {
  std::vector<std::string> files;
  std::vector<NamedFile> targets;
  for (const std::string_view name : {"sentences.npy", "english.npy", "chinese.npy", "demo.png"}) {
    files.push_back(fmt::format("{}/{}", folder, name));
    targets.push_back({std::string(name), files.back()});
  }
  check_apart("demo", targets, {});
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    const Cause cause = failed == std::errc::not_a_directory ? Cause::input : Cause::system;
    throw Error(
        {"demo", "the folder must be there or be made", quote(folder) + " (" + failed.message() + ")", {}, cause});
  }
  const std::string contents[] = {npy_text(findings.pair), npy_text(findings.english), npy_text(findings.chinese),
                                  picture};
  Files writers;
  for (std::size_t i = 0; i < files.size(); ++i) prepare(writers, files[i], contents[i], write_options());
  commit(writers);
  return files;
}

Said run(const Arguments& arguments) {
  const std::string folder = arguments.find("--out").value_or("out");
  if (folder.empty()) refuse(arguments.operation, "--out must name a folder", "''");
  const Default vocabulary = load_default();
  const Findings findings = find_out(vocabulary);
  const std::string picture = draw_findings(vocabulary, findings);
  const std::vector<std::string> files = write_files(folder, findings, picture);
  return {arguments.has("--json") ? json_report(findings, files) : report(vocabulary, findings, files)};
}

constexpr Option options[] = {{"--out", "FOLDER", "where the tensors and the picture go (out)"}};

}  // namespace

constinit const Verb demo_verb = {"demo",
                                  "the main job on sample texts: why positions, why the scale",
                                  "",
                                  "",
                                  "posenc demo",
                                  Operands::none,
                                  options,
                                  run};

}  // namespace posenc::tool
