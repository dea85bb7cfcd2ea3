// SPDX-License-Identifier: Apache-2.0
// 128 bits of each entry first, of a rule from the entry before; then as many as a rounding asks for.
#include "src/plan/rounded_ladder.h"

#include <algorithm>

#include "src/numerics/exponential.h"
#include "src/numerics/phase.h"
#include "src/plan/enclosed_ladder.h"

namespace posenc::plan {
namespace {

using numerics::Approximation;

// Entries that follow from one in closed form, which takes some 30 us.
constexpr std::size_t chunk = 4096;

bool leading_bits(const Rule& rule, const Ladder& ladder, std::size_t first, std::span<Approximation> to) {
  return numerics::geometric_sequence(ladder[first], ratio(rule), to);
}

bool leading_bits(const Values& list, const Ladder&, std::size_t first, std::span<Approximation> to) {
  const std::optional<Approximation> unit = numerics::approximation(list.unit);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const double value = list.values[first + i];
    if (!unit || value == 0) return false;
    to[i] = numerics::multiply(numerics::approximation(value), *unit);
  }
  return true;
}

bool leading_bits(const Scaled&, const Ladder&, std::size_t, std::span<Approximation>) { return false; }
bool leading_bits(const std::vector<numerics::Real>&, const Ladder&, std::size_t, std::span<Approximation>) {
  return false;
}

// All entries of a scaled ladder, or of a part of one.
template <class T>
bool append_enclosed(const Ladder& ladder, std::vector<T>& to) {
  bool decided = true;
  const std::vector<numerics::Enclosure> all = enclosed(ladder, 1);
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::optional<T> value = numerics::settle<T>(all[k]);
    if (!value) value = numerics::rounded<T>(ladder[k]);
    decided &= value.has_value();
    to.push_back(value.value_or(T(0.0f)));
  }
  return decided;
}

}  // namespace

template <class T>
bool append_rounded(const Ladder& ladder, std::vector<T>& to) {
  if (std::holds_alternative<Scaled>(ladder.form) || !ladder.picked.empty()) return append_enclosed(ladder, to);
  const std::size_t size = ladder.size();
  std::vector<Approximation> leading(std::min(chunk, size));
  bool decided = true;
  to.reserve(to.size() + size);
  for (std::size_t first = 0; first < size; first += chunk) {
    const std::span<Approximation> part = std::span(leading).first(std::min(chunk, size - first));
    const bool known =
        std::visit([&](const auto& form) { return leading_bits(form, ladder, first, part); }, ladder.form);
    for (std::size_t i = 0; i < part.size(); ++i) {
      std::optional<T> value = known ? numerics::settle<T>(part[i]) : std::nullopt;
      if (!value) value = numerics::rounded<T>(ladder[first + i]);
      decided &= value.has_value();
      to.push_back(value.value_or(T(0.0f)));
    }
  }
  return decided;
}

template bool append_rounded(const Ladder&, std::vector<float>&);
template bool append_rounded(const Ladder&, std::vector<double>&);
template bool append_rounded(const Ladder&, std::vector<bfloat16>&);

}  // namespace posenc::plan
