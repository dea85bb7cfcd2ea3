// SPDX-License-Identifier: Apache-2.0
// How well frequencies are known, and changes that a convention admits.
#include "src/referee/scalings.h"

#include <algorithm>
#include <cmath>

namespace posenc::referee {

double Scalings::relative_off(std::size_t k) const { return all[k].off / std::abs(all[k].value); }

bool Scalings::known(std::size_t k) const { return all[k].value > 0 && relative_off(k) < 0.05; }

void Scalings::add(std::span<const FieldChange> changes, std::vector<Fitted> fitted,
                   std::optional<std::int64_t> length) {
  auto fit = changed_fit(like, changes, std::move(fitted));
  if (!fit) return;
  fit->length = length;
  found.push_back(std::move(*fit));
}

void Scalings::add_with_magnitude(std::span<const FieldChange> changes, double factor,
                                  const std::vector<Fitted>& fitted) {
  const std::size_t before = found.size();
  std::vector<FieldChange> both(changes.begin(), changes.end());
  both.emplace_back("magnitude.factor", factor);
  add(both, fitted);
  if (found.size() == before) add(changes, fitted);
}

std::vector<Fitted> bases_at_start(const Scalings& scalings) {
  constexpr std::size_t most = 3;
  std::vector<Fitted> all;
  for (std::size_t count = scalings.all.size() - 1; count >= 2 && all.size() < most; --count) {
    const auto line = line_through(scalings.logarithms, count);
    if (!line || std::abs(line->at_zero) > line->at_zero_off + 0x1p-20) continue;
    Fitted base = line_base(*line, scalings.exponent);
    const auto has = [&](const Fitted& each) { return each.value == base.value; };
    if (!base.simple.empty() && std::ranges::none_of(all, has)) all.push_back(std::move(base));
  }
  return all;
}

}  // namespace posenc::referee
