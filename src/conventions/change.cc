// SPDX-License-Identifier: Apache-2.0
// Changing a convention field by field.
#include "src/conventions/change.h"

#include "src/base/blocks.h"

namespace posenc {
namespace {

std::optional<Problem> apply(Convention& convention, std::span<const FieldChange> changes) {
  const DefaultEnvironment environment;  // subnormal numbers are not zero
  for (const FieldChange& each : changes) {
    if (each.path.ends_with('.')) {
      return broken("the path must end with a field, not with a dot", quote(each.path));
    }
    auto problem = std::visit(
        [&](auto& family) { return schema::change_field(family, each.path, each.value, schema::Path{}); }, convention);
    if (problem) return problem;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> check_changes(const Convention& convention, std::span<const FieldChange> changes) {
  Convention changed = convention;
  if (auto problem = apply(changed, changes)) return problem;
  const auto stated = [](const auto& family) { return schema::check_stated(family, schema::Path{}); };
  if (auto problem = std::visit(stated, changed)) return problem;
  return check_convention(changed);
}

namespace detail {

Convention changed(Convention convention, std::span<const FieldChange> changes) {
  (void)apply(convention, changes);  // the caller has checked them
  return convention;
}

}  // namespace detail
}  // namespace posenc
