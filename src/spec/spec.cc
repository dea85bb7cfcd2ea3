// SPDX-License-Identifier: Apache-2.0
// Conventions to JSON, and documents that are one convention.
#include <posenc/spec.h>

#include "src/base/problem_of.h"
#include "src/conventions/short_form.h"
#include "src/spec/json/convention_node.h"
#include "src/spec/write_fields.h"

namespace posenc::io {
namespace {

constexpr JsonSource reading = {"convention_from_json"};

template <int version, class S>
std::string document(const S& stated) {
  return "{\"posenc_convention\": " + std::to_string(version) +
         ", \"family\": " + json_string(schema::of<S, version>.name) + ", " + written_fields<version>(stated) + "}";
}

}  // namespace

std::string to_json(const Convention& convention) {
  require(check_convention(convention));
  return visit_stated(
      convention, []<class S, int version>(const S& stated, Version<version>) { return document<version>(stated); });
}

std::string to_json_2(const Convention& convention) {
  require(check_convention(convention));
  return std::visit([](const auto& family) { return document<2>(family); }, convention);
}

Convention convention_from_json(std::string_view text) {
  const JsonTree document = parse_json(text, reading);
  Convention convention = convention_of({document, "", reading});
  require(check_convention(convention));
  return convention;
}

std::optional<Problem> check_convention_json(std::string_view text) {
  return problem_of([&] { convention_from_json(text); });
}

}  // namespace posenc::io
