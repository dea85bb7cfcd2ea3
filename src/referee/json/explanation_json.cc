// SPDX-License-Identifier: Apache-2.0
// Explanations as JSON: field by field, in the order of the structs.
#include <posenc/referee/referee.h>

#include "src/base/environment.h"
#include "src/spec/values_json.h"

namespace posenc {
namespace {

using io::JsonObject;

std::string bits_json(std::uint64_t bits, DType type) {
  std::string digits(static_cast<std::size_t>(2 * size_of(type)), '0');
  for (std::size_t i = digits.size(); i-- > 0; bits >>= 4) digits[i] = "0123456789abcdef"[bits & 15];
  return json_string("0x" + digits);
}

std::string decimal_json(const Decimal& decimal) {
  JsonObject object;
  object.add("text", json_string(decimal.text)).add("digits", std::to_string(decimal.digits));
  object.add("exact", io::flag_json(decimal.exact));
  return object.text();
}

std::string rounded_json(const RoundedValue& rounded) {
  JsonObject object;
  object.add("dtype", json_string(to_string(rounded.type))).add("value", io::real_json(rounded.value));
  object.add("bits", bits_json(rounded.bits, rounded.type)).add("units", io::real_json(rounded.units));
  return object.text();
}

std::string term_json(const AngleTerm& term) {
  JsonObject object;
  object.add("axis", json_string(term.axis)).add("frequency", std::to_string(term.frequency));
  object.add("rule", json_string(term.rule)).add("formula", json_string(term.formula));
  object.add("w", decimal_json(term.w)).add("coordinate", decimal_json(term.coordinate));
  return object.text();
}

std::string angle_json(const ExplainedAngle& angle) {
  JsonObject object;
  object.add("terms", io::json_list(angle.terms, term_json));
  object.add("phase", angle.phase ? decimal_json(*angle.phase) : "null").add("radians", decimal_json(angle.radians));
  object.add("turns", decimal_json(angle.turns)).add("reduced", decimal_json(angle.reduced));
  return object.text();
}

std::string step_json(const ExplainedStep& step) {
  JsonObject object;
  object.add("name", json_string(step.name)).add("what", json_string(step.what));
  object.add("dtype", json_string(to_string(step.type))).add("value", io::real_json(step.value));
  object.add("bits", bits_json(step.bits, step.type));
  object.add("relative", io::real_json(step.relative)).add("angle", io::real_json(step.angle));
  return object.text();
}

std::string entry_json(const ExplainedEntry& entry) {
  JsonObject object;
  object.add("what", json_string(entry.what)).add("formula", json_string(entry.formula));
  object.add("angle", entry.angle ? angle_json(*entry.angle) : "null").add("exact", decimal_json(entry.exact));
  object.add("rounded", io::json_list(entry.rounded, rounded_json)).add("steps", io::json_list(entry.steps, step_json));
  object.add("under_recipe", io::json_list(entry.recipe, rounded_json));
  return object.text();
}

std::string pair_json(const ExplainedPair& pair) {
  JsonObject object;
  object.add("pair", std::to_string(pair.pair)).add("read", io::wholes_json(pair.read));
  object.add("written", io::wholes_json(pair.written)).add("before", io::reals_json(pair.before));
  object.add("exact", io::json_list(pair.exact, decimal_json)).add("after", io::reals_json(pair.after));
  return object.text();
}

}  // namespace

std::string to_json(const Explanation& explanation) {
  const DefaultEnvironment environment;
  JsonObject object;
  object.add("title", json_string(explanation.title)).add("recipe", json_string(explanation.recipe));
  object.add("entries", io::json_list(explanation.entries, entry_json));
  object.add("pair", explanation.pair ? pair_json(*explanation.pair) : "null");
  return object.text();
}

std::string to_json(const Parting& parting) {
  const DefaultEnvironment environment;
  JsonObject object;
  object.add("column", std::to_string(parting.column));
  object.add("a", json_string(parting.a)).add("b", json_string(parting.b));
  object.add("position", parting.position ? std::to_string(*parting.position) : "null");
  object.add("at_column", std::to_string(parting.at_column)).add("in_a", io::real_json(parting.in_a));
  object.add("in_b", io::real_json(parting.in_b)).add("searched", std::to_string(parting.searched));
  return object.text();
}

}  // namespace posenc
