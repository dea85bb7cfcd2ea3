// SPDX-License-Identifier: Apache-2.0
// The picture of posenc demo: two sentences without positions and with them, and what was added.
#include <fmt/format.h>

#include <algorithm>

#include "apps/posenc/cli/words.h"
#include "apps/posenc/demo/demo.h"
#include "apps/posenc/picture/picture.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t drawn_columns = 64, signal_columns = 128, drawn_positions = 128;

Heatmap sentence_map(const Default& vocabulary, const DemoFindings& findings, std::span<const float> rows,
                     std::int64_t b) {
  const auto sentence = static_cast<std::size_t>(b);
  std::vector<std::string> names;
  for (std::int64_t t = 0; t < findings.pair.length; ++t) {
    names.push_back(fmt::format("{}  {}  {}", t, token_label(vocabulary.bpe.token(findings.pair.id(b, t))),
                                findings.glosses[sentence][static_cast<std::size_t>(t)]));
  }
  const auto write = [&](std::int64_t first, const View& out) {
    auto* to = static_cast<float*>(out.data);
    for (std::int64_t r = 0; r < out.size(0); ++r) {
      std::copy_n(rows.data() + (b * findings.pair.length + first + r) * default_width, drawn_columns,
                  to + r * drawn_columns);
    }
  };
  const std::string title =
      fmt::format("{} ({})", findings.sentences[sentence], fmt::join(findings.glosses[sentence], " "));
  const auto name = [&](std::int64_t row) { return names[static_cast<std::size_t>(row)]; };
  return heatmap(title, {std::ssize(names), "", name, write}, drawn_columns);
}

Heatmap signal_map() {
  const Rows rows(preset("transformer").convention, default_width);
  std::vector<float> row(default_width);
  const auto write = [&](std::int64_t first, const View& out) {
    auto* to = static_cast<float*>(out.data);
    for (std::int64_t r = 0; r < out.size(0); ++r) {
      rows.write(Positions::at(first + r), view(row.data(), {1, default_width}));
      std::copy_n(row.data(), signal_columns, to + r * signal_columns);
    }
  };
  const auto name = [](std::int64_t position) { return fmt::format("{}", position); };
  return heatmap("What was added: the position signal, preset transformer, first 128 columns",
                 {drawn_positions, "position", name, write}, signal_columns);
}

}  // namespace

std::string demo_picture(const Default& vocabulary, const DemoFindings& findings) {
  const auto band = [&](std::span<const float> rows, const EqualRows& equal, std::string title, std::string caption) {
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

}  // namespace posenc::tool
