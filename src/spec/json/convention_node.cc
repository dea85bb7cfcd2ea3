// SPDX-License-Identifier: Apache-2.0
// The convention that a part of a JSON document states: its version and family, then its fields.
#include "src/spec/json/convention_node.h"

#include "src/base/json_write.h"
#include "src/conventions/short_fields.h"
#include "src/spec/json/read_fields.h"

namespace posenc::io {
namespace {

std::uint64_t version_of(const JsonNode& document) {
  const JsonNode version = document.member("posenc_convention");
  if (!version.value.is_integer()) version.refuse_type("the integer 1 or 2");
  const auto* number = version.value.as<std::uint64_t>();
  if (number == nullptr || *number < 1 || *number > 2) {
    version.refuse("1 or 2, the versions that are supported", json_text(version.value));
  }
  return *number;
}

// The one of those families whose name stands under "family".
template <int version, class Families>
Convention family_of(const JsonNode& document) {
  const JsonNode name = document.member("family");
  std::optional<Convention> found;
  std::string names;
  schema::for_kinds<Families, version>([&]<class F>(schema::Tag<F>) {
    names += (names.empty() ? "" : ", ") + std::string(schema::of<F, version>.name);
    if (found || name.text() != schema::of<F, version>.name) return;
    const auto keys = keys_of<version, F>({"posenc_convention", "family"});
    found = read_struct<version, F>(document, keys);
  });
  if (!found) name.refuse_name(names);
  return *std::move(found);
}

}  // namespace

Convention convention_of(const JsonNode& document) {
  document.require_object();
  return version_of(document) == 1 ? family_of<1, ShortForm>(document) : family_of<2, Convention>(document);
}

}  // namespace posenc::io
