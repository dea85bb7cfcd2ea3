// SPDX-License-Identifier: Apache-2.0
// Families of pairs and queries: the rules that join their fields.
#include <posenc/relative_families.h>

#include "src/conventions/family_fields.h"

namespace posenc::schema {

template <>
std::optional<Broken> whole<LogBuckets, 2>(const LogBuckets& log) {
  const bool both = log.sides == DistanceSides::both;
  if (both && log.count < 4) return Broken{"count", "4 or more on both sides", std::to_string(log.count)};
  const std::int64_t one_side = both ? log.count / 2 : log.count, exact = one_side / 2;
  if (log.reach > exact) return std::nullopt;
  return Broken{"reach", "more than the " + std::to_string(exact) + " distances that have a class each",
                std::to_string(log.reach)};
}

template <>
std::optional<Broken> whole<SignedLogBuckets, 2>(const SignedLogBuckets& log) {
  if (log.count < 4) return Broken{"count", "4 or more", std::to_string(log.count)};
  const std::int64_t least = log.count / 2 + 1;  // ln((reach - 1) / e) is more than 0
  if (log.reach > least) return std::nullopt;
  return Broken{"reach", "more than half of count and one, " + std::to_string(least), std::to_string(log.reach)};
}

template <>
std::optional<Broken> whole<NormalisedLogarithm, 2>(const NormalisedLogarithm& normalised) {
  const auto* sides = std::get_if<std::vector<std::int64_t>>(&normalised.pretrained);
  if (sides == nullptr || sides->size() == 2) return std::nullopt;
  return Broken{"pretrained", "a height and a width", std::to_string(sides->size())};
}

}  // namespace posenc::schema
