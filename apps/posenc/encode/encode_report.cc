// SPDX-License-Identifier: Apache-2.0
// The words of encode: summary, JSON, notes.
#include "apps/posenc/encode/encode_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/words.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/show.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t summed_rows = 12;

std::string dropout_words(const Stage& stage) {
  return stage.dropout == 0 ? "no dropout" : fmt::format("dropout {} with seed {}", stage.dropout, stage.seed);
}

std::string title_of(const SequenceName& name) {
  return name.line > 0 ? fmt::format("{}, line {}", printable(name.source), name.line) : printable(name.source);
}

std::string original_id(const Tokens& tokens, std::int32_t id) {
  return tokens.original_ids.empty() ? "" : fmt::format("{}", tokens.original_ids[static_cast<std::size_t>(id)]);
}

std::string rows_of(const EncodeRequest& request, const Tokens& tokens, const ToldSequence& sequence,
                    std::int64_t length) {
  std::string text =
      fmt::format("\n{}: {} tokens\n{:>9} {:>6} {:>9}  {:<46}  {}\n", title_of(sequence.name), length, "position", "id",
                  tokens.original_ids.empty() ? "" : "original", "first values of the row", "token");
  const std::int64_t count = std::min(std::ssize(sequence.rows), summed_rows);
  for (std::int64_t t = 0; t < count; ++t) {
    const std::int32_t id = sequence.ids[static_cast<std::size_t>(t)];
    std::string values;
    for (const double value : sequence.rows[static_cast<std::size_t>(t)].first) {
      values += fmt::format("{}{:>10.6f}", values.empty() ? "" : ", ", value);
    }
    text += fmt::format("{:>9} {:>6} {:>9}  {}  {}\n", request.position_name(t), id, original_id(tokens, id), values,
                        token_words(io::token(tokens.get(), id)));
  }
  if (length > count) text += fmt::format("... and {} more\n", length - count);
  return text;
}

Json json_of(const Tokens& tokens, const ToldSequence& sequence, std::int64_t length) {
  std::vector<Json> ids, originals, words;
  for (const std::int32_t id : sequence.ids) {
    ids.push_back(id);
    if (!tokens.original_ids.empty()) originals.push_back(tokens.original_ids[static_cast<std::size_t>(id)]);
    words.push_back(printable(io::token(tokens.get(), id)));
  }
  return json_object({{"source", sequence.name.source},
                      {"line", sequence.name.line > 0 ? Json(sequence.name.line) : Json(nullptr)},
                      {"length", length},
                      {"ids", ids},
                      {"original_ids", tokens.original_ids.empty() ? Json(nullptr) : Json(originals)},
                      {"tokens", words}});
}

Json json_of(const Tokens& tokens, const UnknownTokens& unknowns) {
  const io::Unknowns& found = unknowns.found;
  if (found.count == 0) return json_object({{"count", 0}});
  return json_object({{"count", found.count},
                      {"id", io::unknown(tokens.get()).value()},
                      {"first", printable(found.first)},
                      {"source", unknowns.source},
                      {"line", found.line},
                      {"column", found.column},
                      {"offset", found.offset}});
}

std::string length_words(const EncodeRequest& request, const Result& result) {
  if (request.texts.sequences != TextSequences::lines) return "";
  std::int64_t least = INT64_MAX, most = 0;
  for (std::size_t b = 0; b < result.ends.size(); ++b) {
    least = std::min(least, result.length_of(b));
    most = std::max(most, result.length_of(b));
  }
  return fmt::format(", lines of {} to {} tokens", least, most);
}

}  // namespace

std::string what(const EncodeRequest& request, const Result& result) {
  return fmt::format("{} [{}]{}, {}, {}, recipe {}, scale {}, {}", to_string(result.type),
                     fmt::join(result.shape, ", "), length_words(request, result), words(request.stage.axes),
                     request.stage.choice.name, request.stage.choice.recipe.name, words(request.stage.scale),
                     dropout_words(request.stage));
}

std::string summary(const EncodeRequest& request, const Tokens& tokens, const Result& result) {
  const Norms& norms = *result.norms;
  std::string text = fmt::format("{}\npositions {} to {}, mean {:.6g}\n\n", what(request, result),
                                 request.position_name(0), request.position_name(result.length - 1), *result.mean);
  text += fmt::format("mean norm of a row\n{:<26}{:>9.4g}\n{:<26}{:>9.4g}\n{:<26}{:>9.4g}\n{:<26}{:>9.4g}\n", "  token",
                      norms.token, fmt::format("  token x {:.6g}", result.factor), norms.scaled, "  position signal",
                      norms.signal, "  result", norms.output);
  const std::int64_t count = std::ssize(result.ends);
  for (std::size_t b = 0; b < static_cast<std::size_t>(std::min(count, told_texts)); ++b) {
    text += rows_of(request, tokens, result.sequences[b], result.length_of(b));
  }
  if (count > told_texts) text += fmt::format("\n... and {} more texts\n", count - told_texts);
  return text;
}

std::string report(const EncodeRequest& request, const Tokens& tokens, const Weights& weights, const Result& result) {
  const Stage& stage = request.stage;
  std::vector<Json> texts, lengths;
  for (std::size_t b = 0; b < result.ends.size(); ++b) {
    if (b < result.sequences.size()) texts.push_back(json_of(tokens, result.sequences[b], result.length_of(b)));
    lengths.push_back(result.length_of(b));
  }
  const Json start = request.positions ? Json(nullptr) : Json(stage.start);
  Json dropout = nullptr;
  if (stage.dropout != 0) dropout = json_object({{"p", stage.dropout}, {"seed", stage.seed}});
  return one_line(
      {{"operation", encode_verb.name},
       {"preset", stage.choice.name},
       {"recipe", stage.choice.recipe.name},
       {"tokens",
        json_object({{"kind", request.tokens.word()}, {"source", tokens.source}, {"size", io::size(tokens.get())}})},
       {"weights", weights.source},
       {"dim", weights.width()},
       {"dtype", to_string(result.type)},
       {"shape", result.shape},
       {"axes", words(stage.axes)},
       {"start", start},
       {"scale", json_object({{"name", words(stage.scale)}, {"factor", result.factor}})},
       {"dropout", dropout},
       {"mean", *result.mean},
       {"norms", json_of(*result.norms)},
       {"unknown", json_of(tokens, result.unknowns)},
       {"lengths", lengths},
       {"texts", texts},
       {"out", or_null(request.targets.out)},
       {"plot", or_null(request.targets.plot)},
       {"save_vocab", or_null(request.tokens.save_vocab)}});
}

std::string heatmap_lines(const EncodeRequest& request, const Result& result) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  for (const ToldSequence& sequence : result.sequences) {
    for (const ToldRow& row : sequence.rows) {
      names.push_back(request.position_name(static_cast<std::int64_t>(&row - sequence.rows.data())));
      rows.push_back(row.spread);
    }
  }
  return heat_lines(names, rows, ink_of_standard_output());
}

std::vector<std::string> token_notes(const Tokens& tokens, const Result& result) {
  std::vector<std::string> notes = tokens.notes;
  for (std::string& note : unknown_notes(tokens, result.unknowns)) notes.push_back(std::move(note));
  if (result.alike.size() > 1) {
    const auto shown = [&](std::size_t i) { return token_words(io::token(tokens.get(), result.alike[i])); };
    notes.push_back(
        fmt::format("{} and {} have the same row: Whisper never met 48 of the built-in tokens, control "
                    "characters among them, which share one",
                    shown(0), shown(1)));
  }
  return notes;
}

std::vector<std::string> unknown_notes(const Tokens& tokens, const UnknownTokens& unknowns) {
  const io::Unknowns& found = unknowns.found;
  if (found.count == 0) return {};
  return {fmt::format("{} unknown {} became {}; the first is {} in line {}, column {} of {} (byte {})", found.count,
                      found.count == 1 ? "token" : "tokens",
                      quote(io::token(tokens.get(), io::unknown(tokens.get()).value())), quote(found.first), found.line,
                      found.column, quote(unknowns.source), found.offset)};
}

}  // namespace posenc::tool
