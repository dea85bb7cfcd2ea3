// SPDX-License-Identifier: Apache-2.0
// Test vectors of every preset, and the score of an answer.
#include <posenc/referee/referee.h>

#include "bindings/c/edge.h"
#include "bindings/c/verdict.h"

using namespace posenc;

namespace {

ConformanceCase case_of(const char* operation, const char* preset) {
  return conformance_case(&c::given(operation, "preset", preset));
}

}  // namespace

posenc_status posenc_conformance_cases(posenc_verdict** out, posenc_error* error) {
  return c::made("posenc_conformance_cases", out, error, [] {
    const ConformanceCases all = conformance_cases();
    std::string names;
    for (const ConformanceCase& each : all.cases) names += each.name + "\n";
    return posenc_verdict{false, to_json(all), names, {}};
  });
}

posenc_status posenc_conformance_values(const char* preset, const char* recipe, const posenc_view* out,
                                        posenc_error* error) {
  constexpr const char* operation = "posenc_conformance_values";
  return c::call(operation, error, [&] {
    const ConformanceCase of = case_of(operation, preset);
    const bool is_original = recipe != nullptr && std::string_view(recipe) == "original";
    const Recipe& by = is_original ? of.original : c::recipe(operation, nullptr, recipe);
    const View written = c::view(operation, "out", out);
    require(check_conformance_values(of, by, written));
    require(write_conformance_values(of, by, written));
  });
}

posenc_status posenc_conformance_score(const char* preset, const posenc_view* answer, posenc_verdict** out,
                                       posenc_error* error) {
  constexpr const char* operation = "posenc_conformance_score";
  return c::made(operation, out, error, [&] {
    const ConformanceCase of = case_of(operation, preset);
    const ConstView given = c::view(operation, "answer", answer);
    require(check_conformance_score(of, given));
    const ScoreCard card = {{scored_line(of, given)}};
    const bool holds = card.lines[0].score->conformity != Conformity::wrong;
    const std::string text = to_string(card);
    return posenc_verdict{holds, to_json(card.lines[0]), text.substr(0, text.find('\n') + 1), {}};
  });
}
