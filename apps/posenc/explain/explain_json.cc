// SPDX-License-Identifier: Apache-2.0
// Field by field, in the order of the structs.
#include "apps/posenc/explain/explain_json.h"

#include <fmt/format.h>

#include <cmath>

namespace posenc::tool {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

std::string hexadecimal(std::uint64_t bits, DType type) { return fmt::format("0x{:0{}x}", bits, 2 * size_of(type)); }

Json decimal_json(const Decimal& decimal) {
  return {{"text", decimal.text}, {"digits", decimal.digits}, {"exact", decimal.exact}};
}

Json rounded_json(const std::vector<RoundedValue>& values) {
  Json all = Json::array();
  for (const RoundedValue& each : values) {
    all.push_back({{"dtype", to_string(each.type)},
                   {"value", number(each.value)},
                   {"bits", hexadecimal(each.bits, each.type)},
                   {"units", number(each.units)}});
  }
  return all;
}

Json angle_json(const ExplainedAngle& angle) {
  Json terms = Json::array();
  for (const AngleTerm& term : angle.terms) {
    terms.push_back({{"axis", term.axis},
                     {"frequency", term.frequency},
                     {"rule", term.rule},
                     {"formula", term.formula},
                     {"w", decimal_json(term.w)},
                     {"coordinate", decimal_json(term.coordinate)}});
  }
  return {{"terms", terms},
          {"phase", angle.phase ? decimal_json(*angle.phase) : Json(nullptr)},
          {"radians", decimal_json(angle.radians)},
          {"turns", decimal_json(angle.turns)},
          {"reduced", decimal_json(angle.reduced)}};
}

Json steps_json(const std::vector<ExplainedStep>& steps) {
  Json all = Json::array();
  for (const ExplainedStep& step : steps) {
    all.push_back({{"name", step.name},
                   {"what", step.what},
                   {"dtype", to_string(step.type)},
                   {"value", number(step.value)},
                   {"bits", hexadecimal(step.bits, step.type)},
                   {"relative", number(step.relative)},
                   {"angle", number(step.angle)}});
  }
  return all;
}

Json pair_json(const ExplainedPair& pair) {
  return {{"pair", pair.pair},
          {"read", pair.read},
          {"written", pair.written},
          {"before", pair.before},
          {"exact", {decimal_json(pair.exact[0]), decimal_json(pair.exact[1])}},
          {"after", {number(static_cast<double>(pair.after[0])), number(static_cast<double>(pair.after[1]))}}};
}

}  // namespace

Json json_of(const Explanation& explanation) {
  Json entries = Json::array();
  for (const ExplainedEntry& entry : explanation.entries) {
    entries.push_back({{"what", entry.what},
                       {"formula", entry.formula},
                       {"angle", entry.angle ? angle_json(*entry.angle) : Json(nullptr)},
                       {"exact", decimal_json(entry.exact)},
                       {"rounded", rounded_json(entry.rounded)},
                       {"steps", steps_json(entry.steps)},
                       {"under_recipe", rounded_json(entry.recipe)}});
  }
  return {{"title", explanation.title},
          {"recipe", explanation.recipe},
          {"entries", entries},
          {"pair", explanation.pair ? pair_json(*explanation.pair) : Json(nullptr)}};
}

Json json_of(const Parting& parting) {
  return {{"column", parting.column},
          {"a", parting.a},
          {"b", parting.b},
          {"position", parting.position ? Json(*parting.position) : Json(nullptr)},
          {"at_column", parting.at_column},
          {"in_a", number(parting.in_a)},
          {"in_b", number(parting.in_b)},
          {"searched", parting.searched}};
}

}  // namespace posenc::tool
