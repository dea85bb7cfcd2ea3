// SPDX-License-Identifier: Apache-2.0
// Objects and lists of JSON as text on one line, and values that several documents have.
#pragma once

#include <posenc/scale.h>

#include "src/base/json_write.h"
#include "src/spec/write_fields.h"

namespace posenc::io {

class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view value) {
    text_ += (text_.empty() ? "" : ", ") + json_string(key) + ": " + std::string(value);
    return *this;
  }
  std::string text() const { return "{" + text_ + "}"; }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

template <class Range, class Name>
std::string json_list(const Range& range, const Name& name) {
  return "[" + listed(range, name) + "]";
}

inline std::string scale_json(const Scale& scale) {
  const bool by_dim = scale.kind == Scale::Kind::sqrt_dim;
  JsonObject object;
  object.add("by", by_dim ? "\"sqrt_dim\"" : "\"number\"");
  object.add("number", by_dim ? "null" : number_text(scale.kind == Scale::Kind::none ? 1 : scale.number));
  object.add("rounding", scale.rounding ? json_string(to_string(*scale.rounding)) : "null");
  return object.text();
}

}  // namespace posenc::io
