// SPDX-License-Identifier: Apache-2.0
// Cases and score cards of conformance as JSON.
#include <posenc/referee/referee.h>
#include <posenc/spec/spec.h>

#include "src/base/environment.h"
#include "src/spec/values_json.h"

namespace posenc {
namespace {

using io::JsonObject;

std::string without_json(const WithoutCase& without) {
  JsonObject object;
  object.add("case", json_string(without.name)).add("reason", json_string(without.reason));
  return object.text();
}

}  // namespace

std::string to_json(const ConformanceCase& of) {
  const DefaultEnvironment environment;
  JsonObject object;
  object.add("case", json_string(of.name)).add("operation", json_string(to_string(of.of)));
  object.add("convention", to_json(of.convention));
  if (of.dim > 0) object.add("dim", std::to_string(of.dim));
  if (!of.axes.empty()) {
    object.add("axes", io::texts_json(of.axes));
    object.add("positions", io::json_list(of.positions, [](const auto& list) { return io::reals_json(list); }));
  }
  if (!of.head.empty()) object.add("head", io::reals_json(of.head));
  if (of.window[0] > 0) object.add("window", io::wholes_json(of.window));
  if (of.context.length > 0) object.add("length", std::to_string(of.context.length));
  if (of.context.centre) object.add("centre", io::real_json(of.context.centre));
  if (of.context.learned) object.add("learned", io::real_json(of.context.learned));
  if (of.head_width > 0) object.add("head_width", std::to_string(of.head_width));
  object.add("shape", io::wholes_json(of.shape)).add("dtype", of.whole() ? "\"i64\"" : "\"f32\"");
  object.add("recipe", json_string(to_string(of.original)));
  return object.text();
}

std::string to_json(const ConformanceCases& cases) {
  const DefaultEnvironment environment;
  JsonObject object;
  object.add("cases", io::json_list(cases.cases, [](const ConformanceCase& of) { return to_json(of); }));
  object.add("without", io::json_list(cases.without, without_json));
  return object.text();
}

std::string to_json(const CardLine& line) {
  const DefaultEnvironment environment;
  JsonObject object;
  object.add("case", json_string(line.name)).add("operation", json_string(to_string(line.of)));
  object.add("result", json_string(result_of(line)));
  object.add("reason", line.reason.empty() ? "null" : json_string(line.reason));
  if (!line.score) {
    for (const char* name : {"places", "units", "distance", "index", "from"}) object.add(name, "null");
    return object.add("instead", "[]").add("findings", "[]").text();
  }
  const ConformanceScore& score = *line.score;
  object.add("places", io::wholes_json(std::array{score.places, line.places}));
  object.add("units", io::real_json(score.units)).add("distance", io::real_json(score.distance));
  object.add("index", io::wholes_json(score.index)).add("from", io::real_json(score.from));
  object.add("instead", io::texts_json(score.instead)).add("findings", io::texts_json(score.findings));
  return object.text();
}

std::string to_json(const ScoreCard& card) {
  const DefaultEnvironment environment;
  JsonObject totals, object;
  for (const ResultCount& each : counts(card)) totals.add(each.result, std::to_string(each.lines));
  object.add("cases", io::json_list(card.lines, [](const CardLine& line) { return to_json(line); }));
  object.add("counts", totals.text());
  return object.text();
}

}  // namespace posenc
