// SPDX-License-Identifier: Apache-2.0
// Conventions: their names, their text, their rules and their differences, all of it from the field tables.
#include <posenc/convention.h>

#include "src/base/blocks.h"
#include "src/conventions/check.h"
#include "src/conventions/compare.h"
#include "src/conventions/short_form.h"

namespace posenc {

std::string_view to_string(Layout layout) { return schema::text_of_word(layout); }
std::string_view to_string(OddWidth rule) { return schema::text_of_word(rule); }
std::string_view to_string(AxisOrder order) { return schema::text_of_word(order); }
std::string_view to_string(Pairing pairing) { return schema::text_of_word(pairing); }

std::string_view family(const Convention& convention) {
  return visit_stated(convention,
                      []<class S, int version>(const S&, Version<version>) { return schema::of<S, version>.name; });
}

std::string to_string(const Convention& convention) {
  return visit_stated(convention, []<class S, int version>(const S& stated, Version<version>) {
    return std::string(schema::of<S, version>.name) + ": " + schema::fields_text<version>(stated);
  });
}

std::optional<Problem> check_convention(const Convention& convention) {
  const DefaultEnvironment environment;  // subnormal numbers are not zero
  return visit_stated(convention, []<class S, int version>(const S& stated, Version<version>) {
    return schema::check<version>(stated);
  });
}

std::vector<std::string> differences(const Convention& a, const Convention& b) {
  if (a.index() != b.index()) {
    return {"family: " + std::string(family(a)) + ", not " + std::string(family(b))};
  }
  std::vector<std::string> all;
  std::visit(
      [&]<class S>(const S& one) {
        schema::differences(one, std::get<S>(b), {}, [&](const auto& at, const auto& ours, const auto& theirs) {
          all.push_back(at.text() + ": " + ours + ", not " + theirs);
        });
      },
      a);
  return all;
}

std::vector<FieldText> fields_of(const Convention& convention) {
  std::vector<FieldText> all;
  std::visit(
      [&]<class S>(const S& stated) {
        schema::for_fields<S, 2>([&](const auto& field) {
          all.push_back({field.name, schema::text_of<2>(stated.*field.member), field.doc});
        });
      },
      convention);
  return all;
}

std::vector<std::string> axes_of(const Convention& convention) {
  return std::visit(
      []<class Family>(const Family& family) {
        if constexpr (requires { family.axes; }) return family.axes;
        return std::vector<std::string>{};
      },
      convention);
}

}  // namespace posenc
