// SPDX-License-Identifier: Apache-2.0
// Conventions to JSON, and documents that are one convention.
#include <posenc/spec/spec.h>

#include "src/base/environment.h"
#include "src/base/problem_of.h"
#include "src/conventions/family_fields.h"
#include "src/spec/json/convention_node.h"
#include "src/spec/write_fields.h"

namespace posenc::io {
namespace {

constexpr JsonSource reading = {"convention_from_json"};

std::string document_of(const Convention& convention) {
  return std::visit(
      []<class S>(const S& family) {
        return "{\"posenc_convention\": 2, \"family\": " + json_string(schema::of<S, 2>.name) + ", " +
               written_fields<2>(family) + "}";
      },
      convention);
}

}  // namespace

Convention convention_from_json(std::string_view text) {
  const DefaultEnvironment environment;
  const JsonTree document = parse_json(text, reading);
  Convention convention = convention_of({document, "", reading});
  require(check_convention(convention));
  return convention;
}

std::optional<Problem> check_convention_json(std::string_view text) {
  const DefaultEnvironment environment;
  return problem_of([&] { convention_from_json(text); });
}

}  // namespace posenc::io

std::string posenc::to_json(const Convention& convention) {
  const DefaultEnvironment environment;
  require(check_convention(convention));
  return io::document_of(convention);
}
