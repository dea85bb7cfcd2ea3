// SPDX-License-Identifier: Apache-2.0
// Ladders told in words.
#include "src/conventions/stated_ladders.h"

#include "src/base/to_text.h"
#include "src/conventions/runs.h"

namespace posenc {

std::vector<StatedLadder> stated_ladders(const Convention& convention, const LoweredFor& given) {
  std::vector<StatedLadder> stated;
  const auto read = [&]<class Family>(const Family& family) {
    if constexpr (requires { lowering::spans(family, given); }) {
      for (const Span& span : lowering::spans(family, given)) {
        stated.push_back({ladder_of(run_fields(family), stated.size()), span});
      }
    }
  };
  std::visit(read, convention);
  return stated;
}

numerics::Real unit_of_angles(const Ladder& ladder) {
  return std::visit([](const auto& each) { return radians(each.unit); }, ladder);
}

namespace {

std::string unit_text(AngleUnit unit) {
  switch (unit) {
    case AngleUnit::quarter_turns: return " pi/2";
    case AngleUnit::half_turns: return " pi";
    case AngleUnit::turns: return " 2 pi";
    default: return "";
  }
}

// 500000, where the shortest text is 5e+05.
std::string plain_text(double value) {
  constexpr double most = 1e15;
  const auto whole = static_cast<std::int64_t>(value > -most && value < most ? value : 0);
  return static_cast<double>(whole) == value ? std::to_string(whole) : to_text(value);
}

std::string rule(const Geometric& ladder, const Span& span, std::size_t k) {
  const Exponent e = *exponent(ladder.spacing, span);
  return (ladder.first == 1 ? "" : plain_text(ladder.first) + " ") + plain_text(ladder.base) + "^(" +
         (ladder.slope == LadderSlope::falling ? "-" : "") + std::to_string(k * e.numerator) + "/" +
         std::to_string(e.denominator) + ")" + unit_text(ladder.unit) +
         (std::holds_alternative<Nothing>(ladder.scaling) ? "" : ", scaled,");
}
std::string rule(const LinearLadder& ladder, const Span& span, std::size_t k) {
  return "number " + std::to_string(k) + " of " + std::to_string(span.count) + " evenly from " +
         plain_text(ladder.from) + " to " + plain_text(ladder.to) + unit_text(ladder.unit);
}
std::string rule(const RunawayLadder& ladder, const Span& span, std::size_t k) {
  const Exponent e = *exponent(ladder.spacing, span);
  return "-r e^" + std::to_string(k) + unit_text(ladder.unit) + ", r = " + std::to_string(e.numerator) + "/" +
         std::to_string(e.denominator) + " ln " + plain_text(ladder.base) + ",";
}
std::string rule(const Listed& ladder, const Span&, std::size_t k) {
  return "number " + std::to_string(k) + " of the list" + unit_text(ladder.unit);
}

}  // namespace

std::string rule_of(const Ladder& ladder, const Span& span, std::size_t k) {
  return std::visit([&](const auto& each) { return rule(each, span, k); }, ladder);
}

std::optional<PlainPowers> plain_powers(const Ladder& ladder, const Span& span) {
  const auto* geometric = std::get_if<Geometric>(&ladder);
  if (geometric == nullptr || !std::holds_alternative<Nothing>(geometric->scaling)) return std::nullopt;
  return PlainPowers{geometric->base, *exponent(geometric->spacing, span), geometric->slope};
}

}  // namespace posenc
