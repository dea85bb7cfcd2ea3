// SPDX-License-Identifier: Apache-2.0
// What tensors hold, as JSON: field by field, in the order of the structs.
#include <posenc/referee/referee.h>
#include <posenc/spec/spec.h>

#include "src/base/environment.h"
#include "src/spec/values_json.h"

namespace posenc {
namespace {

using io::JsonObject;

std::string context_json(const Context& context) {
  JsonObject object;
  object.add("length", std::to_string(context.length));
  object.add("centre", io::real_json(context.centre)).add("learned", io::real_json(context.learned));
  return object.text();
}

std::string agreement_json(const Agreement& agreement) {
  JsonObject object;
  object.add("entries", std::to_string(agreement.entries)).add("equal", std::to_string(agreement.equal));
  object.add("median", io::real_json(agreement.median)).add("largest", io::real_json(agreement.largest));
  object.add("difference", io::real_json(agreement.difference)).add("first", io::wholes_json(agreement.first));
  return object.text();
}

std::string places_json(const AxisPlaces& places) {
  JsonObject object;
  object.add("axis", json_string(places.axis));
  object.add("first", io::real_json(places.first)).add("step", io::real_json(places.step));
  return object.text();
}

std::string fitted_json(const Fitted& fitted) {
  JsonObject object;
  object.add("name", json_string(fitted.name)).add("value", io::real_json(fitted.value));
  object.add("low", io::real_json(fitted.low)).add("high", io::real_json(fitted.high));
  object.add("simple", json_string(fitted.simple));
  return object.text();
}

std::string candidate_json(const Candidate& candidate) {
  JsonObject object;
  object.add("presets", io::texts_json(candidate.presets));
  object.add("differences", io::texts_json(candidate.differences));
  object.add("convention", to_json(candidate.convention));
  object.add("form", json_string(candidate.form)).add("reading", json_string(candidate.reading));
  object.add("extra", std::to_string(candidate.extra)).add("copies", std::to_string(candidate.copies));
  object.add("extents", io::wholes_json(candidate.extents));
  object.add("width", std::to_string(candidate.width)).add("places", io::json_list(candidate.places, places_json));
  object.add("fitted", io::json_list(candidate.fitted, fitted_json));
  object.add("storage", json_string(to_string(candidate.storage))).add("exact", agreement_json(candidate.exact));
  object.add("recipe", json_string(candidate.recipe)).add("by_recipe", agreement_json(candidate.by_recipe));
  object.add("known_share", io::real_json(candidate.known_share)).add("context", context_json(candidate.context));
  return object.text();
}

std::string candidate_json(const std::optional<Candidate>& candidate) {
  return candidate ? candidate_json(*candidate) : "null";
}

std::string ruled_out_json(const RuledOut& ruled_out) {
  JsonObject object;
  object.add("preset", json_string(ruled_out.preset)).add("equal_places", std::to_string(ruled_out.equal_places));
  object.add("place", io::wholes_json(ruled_out.place)).add("difference", io::real_json(ruled_out.difference));
  object.add("differences", io::texts_json(ruled_out.differences));
  return object.text();
}

std::string entry_json(const std::optional<DifferingEntry>& entry) {
  if (!entry) return "null";
  JsonObject object;
  object.add("at", io::reals_json(entry->at)).add("a", io::real_json(entry->a)).add("b", io::real_json(entry->b));
  return object.text();
}

std::string score_json(const std::optional<ScoreChange>& score) {
  if (!score) return "null";
  constexpr std::string_view of[] = {"", "products", "norm", "single"};
  JsonObject object;
  object.add("of", json_string(of[static_cast<std::size_t>(score->of)])).add("places", std::to_string(score->places));
  object.add("largest", io::real_json(score->largest)).add("p", io::reals_json(score->p));
  object.add("q", io::reals_json(score->q)).add("greatest", io::real_json(score->greatest));
  return object.text();
}

}  // namespace

std::string to_json(const Identification& identification) {
  const DefaultEnvironment environment;
  JsonObject object;
  object.add("identified", io::flag_json(!identification.candidates.empty()));
  object.add("candidates", io::json_list(identification.candidates,
                                         [](const Candidate& candidate) { return candidate_json(candidate); }));
  object.add("kind", json_string(identification.kind)).add("nearest", candidate_json(identification.nearest));
  object.add("ruled_out", io::json_list(identification.ruled_out, ruled_out_json));
  object.add("sampled", io::flag_json(identification.sampled));
  return object.text();
}

std::string to_json(const Diagnosis& diagnosis) {
  const DefaultEnvironment environment;
  JsonObject object, assumed;
  for (const auto& [name, value] : diagnosis.assumed) assumed.add(name, json_string(value));
  object.add("right", io::flag_json(diagnosis.right)).add("findings", io::texts_json(diagnosis.findings));
  object.add("assumed", assumed.text());
  object.add("entries", std::to_string(diagnosis.entries)).add("wrong", std::to_string(diagnosis.wrong));
  object.add("first", io::wholes_json(diagnosis.first)).add("explained", io::real_json(diagnosis.explained));
  object.add("found", candidate_json(diagnosis.found));
  return object.text();
}

std::string to_json(const Comparison& comparison) {
  const DefaultEnvironment environment;
  JsonObject object;
  object.add("differences", io::texts_json(comparison.differences)).add("equal", io::flag_json(comparison.equal));
  object.add("numbers", json_string(comparison.numbers)).add("not_compared", json_string(comparison.not_compared));
  object.add("dim", std::to_string(comparison.dim)).add("context", context_json(comparison.context));
  object.add("axes", io::texts_json(comparison.axes)).add("entries", std::to_string(comparison.entries));
  object.add("largest", entry_json(comparison.largest)).add("first", entry_json(comparison.first));
  object.add("first_f32", entry_json(comparison.first_f32)).add("first_bf16", entry_json(comparison.first_bf16));
  object.add("score", score_json(comparison.score));
  return object.text();
}

}  // namespace posenc
