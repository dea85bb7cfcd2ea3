// SPDX-License-Identifier: Apache-2.0
// A JSON text as a run of events. The one source behind it is the only one that sees the parser's library.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace posenc::io {

struct JsonEvent {
  enum class Kind : std::uint8_t {
    null = 1,
    boolean,
    integer,  ///< with a minus sign, -0 too
    whole,    ///< without
    real,     ///< `text` is how it is written
    string,   ///< `text`
    key,      ///< `text`
    begin_object,
    end_object,
    begin_array,
    end_array,
  };
  Kind kind;
  bool flag = false;
  std::int64_t integer = 0;
  std::uint64_t whole = 0;
  double real = 0;
  std::string text = {};  ///< for the receiver to keep
};

/// Where the text is no JSON.
struct JsonFault {
  std::size_t at;     ///< the offending byte, or the size of the text
  std::string what;   ///< the parser's own words
  std::string token;  ///< what was read last
  bool is_range;      ///< a number beyond the range of double
};

/// Sends every event to `receive`, which may throw. Text after the document is a fault.
std::optional<JsonFault> parse_json_events(std::string_view text, const std::function<void(JsonEvent&&)>& receive);

}  // namespace posenc::io
