// SPDX-License-Identifier: Apache-2.0
// JSON of the tool, as text and as plain values: json.cc alone sees the parser's library, whose header costs every
// source that includes it 5 s of compiling.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apps/posenc/cli/target.h"
#include "apps/posenc/encode/meter.h"

namespace posenc::tool {

/// The text of one JSON value, without spaces between its parts.
class Json {
 public:
  Json(std::nullptr_t) : text_("null") {}
  template <std::same_as<bool> Flag>
  Json(Flag value) : text_(value ? "true" : "false") {}
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  Json(Integer value) : text_(std::to_string(value)) {}
  /// Infinities and NaN become null.
  Json(double value);
  /// Bytes that are no UTF-8 (a path may have some) become U+FFFD.
  Json(std::string_view value);
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  /// A list.
  template <std::ranges::input_range Range>
    requires(!std::convertible_to<const Range&, std::string_view>)
  Json(const Range& items) : text_("[") {
    for (const auto& item : items) text_ += (text_.size() == 1 ? "" : ",") + Json(item).text();
    text_ += "]";
  }

  /// Text that is JSON already.
  static Json written(std::string text) {
    Json json = nullptr;
    json.text_ = std::move(text);
    return json;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct JsonMember {
  std::string key;
  Json value;
};

/// An object with its members in that order; no key stands in it twice.
Json json_object(std::span<const JsonMember> members);
inline Json json_object(std::initializer_list<JsonMember> members) {
  return json_object(std::span(members.begin(), members.size()));
}
inline Json json_list(std::initializer_list<Json> items) { return std::span(items.begin(), items.size()); }
/// A number as its words say; of words that are none (-inf) a text.
Json json_number(const std::string& words);
/// A document that the library wrote, as the tool writes its own. Exceptions: std::exception for text that is no JSON.
Json json_document(std::string_view text);

/// A value of a document that was read; a list or an object in it is text, for read_list and read_object.
using JsonValue = std::variant<std::nullptr_t, bool, std::uint64_t, std::int64_t, double, std::string, Json>;
struct JsonEntry {
  std::string key;
  JsonValue value;
};
/// Members in the order of the document, of a key that stands there twice the last value; nothing for text that is no
/// JSON object.
std::optional<std::vector<JsonEntry>> read_object(std::string_view text);
std::optional<std::vector<JsonValue>> read_list(std::string_view text);
/// The value of a key, or nullptr.
const JsonValue* find_value(std::span<const JsonEntry> object, std::string_view key);
/// The text that stands under a key, or nullptr where there is none or something else.
const std::string* find_text(std::span<const JsonEntry> object, std::string_view key);
/// A value that was read, to be written again.
inline Json again(const JsonValue& json) {
  return std::visit([](const auto& each) { return Json(each); }, json);
}

/// "3.11.2": of the library behind it.
std::string json_library_version();

/// A report of --json: keys in the order written, one line.
inline std::string one_line(const Json& json) { return json.text() + "\n"; }
inline std::string one_line(std::initializer_list<JsonMember> members) { return one_line(json_object(members)); }

/// Objects as one: of a key that several have, the last value stands in the first place. Exceptions: as json_document.
Json merged(std::initializer_list<Json> objects);

/// What the library states as an object, behind the operation and what the call was given.
inline Json report(std::string_view operation, std::initializer_list<JsonMember> given, std::string_view found) {
  return merged({json_object({{"operation", operation}}), json_object(given), json_document(found)});
}

inline Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }
inline Json or_null(const std::optional<Out>& out) { return out ? Json(out->path) : Json(nullptr); }

inline Json json_of(const Norms& norms) {
  return json_object(
      {{"token", norms.token}, {"scaled", norms.scaled}, {"signal", norms.signal}, {"output", norms.output}});
}

}  // namespace posenc::tool
