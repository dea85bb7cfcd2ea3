// SPDX-License-Identifier: Apache-2.0
// What posenc run says: lines of text, vectors, JSON, notes.
#include <fmt/format.h>

#include <algorithm>

#include "apps/posenc/cli/elements.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/run/run.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t told_vectors = 12, told_values = 4;

double cosine(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum / (norm(a) * norm(b));
}

std::string vectors_screen(const Run& run) {
  const std::int64_t count = std::ssize(run.results), told = std::min(count, told_vectors);
  std::string text = fmt::format("{} of width {}: the mean of the encoder's rows of a text\n\n{:>4} {:>7} {:>9}  {}\n",
                                 count == 1 ? "a vector" : fmt::format("{} vectors", count),
                                 run.results[0].vector.size(), "", "tokens", "norm", "first values");
  for (std::int64_t i = 0; i < told; ++i) {
    const std::vector<float>& vector = run.results[static_cast<std::size_t>(i)].vector;
    text += fmt::format("{:>4} {:>7} {:>9.4g} ", i + 1, run.sources[static_cast<std::size_t>(i)].ids.ids.size(),
                        norm(vector));
    for (std::int64_t c = 0; c < std::min(told_values, std::ssize(vector)); ++c) {
      text += fmt::format(" {:>9.6f}", vector[static_cast<std::size_t>(c)]);
    }
    text += "\n";
  }
  if (count > told) text += fmt::format("... and {} more\n", count - told);
  if (told == 1) return text;
  text += "\ncosine between texts\n    ";
  for (std::int64_t j = 0; j < told; ++j) text += fmt::format(" {:>6}", j + 1);
  for (std::int64_t i = 0; i < told; ++i) {
    text += fmt::format("\n{:>4}", i + 1);
    for (std::int64_t j = 0; j < told; ++j) {
      text += fmt::format(" {:>6.3f}", cosine(run.results[static_cast<std::size_t>(i)].vector,
                                              run.results[static_cast<std::size_t>(j)].vector));
    }
  }
  return text + "\n";
}

Json json_of(const io::Unknowns& unknowns) {
  if (unknowns.count == 0) return json_object({{"count", 0}});
  return json_object({{"count", unknowns.count},
                      {"first", printable(unknowns.first)},
                      {"line", unknowns.line},
                      {"column", unknowns.column}});
}

Json json_of(const Run& run, std::size_t i) {
  const RunSource& source = run.sources[i];
  const RunResult& result = run.results[i];
  std::vector<JsonMember> json = {
      {"source", source.sentence.source.empty() ? Json(nullptr) : Json(source.sentence.source)},
      {"line", source.sentence.line}};
  if (source.features != nullptr) {
    json.push_back({"shape", json_list({source.channels, source.columns})});
  } else {
    json.push_back({"text", source.sentence.text});
    json.push_back({"source_ids", source.ids.ids});
    json.push_back({"unknown", json_of(source.ids.unknowns)});
  }
  if (!run.trained.makes_text()) {
    json.push_back({"vector", result.vector});
    return json_object(json);
  }
  std::vector<Json> tokens;
  for (const std::int64_t id : result.decoded.ids) tokens.push_back(target_label(run.trained, id));
  json.push_back({"output", target_text(run.trained, result.decoded.ids)});
  json.push_back({"ids", result.decoded.ids});
  json.push_back({"tokens", tokens});
  json.push_back({"score", result.decoded.score});
  json.push_back({"ended", result.decoded.ended});
  return json_object(json);
}

}  // namespace

std::string run_screen(const Run& run) {
  if (!run.trained.makes_text()) return vectors_screen(run);
  std::string text;
  for (const RunResult& result : run.results) text += printable(target_text(run.trained, result.decoded.ids)) + "\n";
  return text;
}

std::string run_json(const Run& run) {
  const RunRequest& request = run.request;
  std::vector<Json> texts;
  for (std::size_t i = 0; i < run.results.size(); ++i) texts.push_back(json_of(run, i));
  return one_line({{"operation", run_verb.name},
                   {"model", request.model},
                   {"family", run.trained.description().family},
                   {"positions", request.placed == Placed::with},
                   {"beams", request.beams},
                   {"texts", texts},
                   {"out", or_null(request.targets.out)},
                   {"plot", or_null(request.targets.plot)}});
}

std::vector<std::string> run_notes(const Run& run) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < run.sources.size(); ++i) {
    const RunSource& source = run.sources[i];
    const io::Unknowns& found = source.ids.unknowns;
    if (found.count > 0) {
      notes.push_back(fmt::format("{} unknown {} of {} became {}; the first is {} in column {}", found.count,
                                  found.count == 1 ? "token" : "tokens", source.place(),
                                  quote(io::token(*run.trained.source, io::unknown(*run.trained.source).value())),
                                  first_unknown(found, source.sentence.text), found.column));
    }
    if (run.trained.makes_text() && !run.results[i].decoded.ended) {
      notes.push_back(fmt::format("the output of {} was cut after {} tokens, without an end", source.place(),
                                  run.results[i].decoded.ids.size()));
    }
  }
  return notes;
}

}  // namespace posenc::tool
