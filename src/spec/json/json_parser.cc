// SPDX-License-Identifier: Apache-2.0
// The parser's library behind json_events.h: nlohmann-json, seen by this source alone.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/base/environment.h"
#include "src/spec/json/json_events.h"
#include "src/spec/json/json_words.h"

namespace posenc::io {
namespace {

// Its functions have the names and types that nlohmann::json::sax_parse asks for.
struct Sax {
  using Kind = JsonEvent::Kind;
  const std::function<void(JsonEvent&&)>& receive;
  std::size_t size;
  std::optional<JsonFault> fault = {};

  bool send(JsonEvent&& event) const { return receive(std::move(event)), true; }
  bool null() const { return send({Kind::null}); }
  bool boolean(bool value) const { return send({.kind = Kind::boolean, .flag = value}); }
  bool number_integer(std::int64_t value) const { return send({.kind = Kind::integer, .integer = value}); }
  bool number_unsigned(std::uint64_t value) const { return send({.kind = Kind::whole, .whole = value}); }
  bool number_float(double value, const std::string& text) const {
    return send({.kind = Kind::real, .real = value, .text = text});
  }
  bool string(std::string& value) const { return send({.kind = Kind::string, .text = std::move(value)}); }
  bool key(std::string& value) const { return send({.kind = Kind::key, .text = std::move(value)}); }
  bool binary(nlohmann::json::binary_t&) const { return false; }  // JSON has none
  bool start_object(std::size_t) const { return send({Kind::begin_object}); }
  bool end_object() const { return send({Kind::end_object}); }
  bool start_array(std::size_t) const { return send({Kind::begin_array}); }
  bool end_array() const { return send({Kind::end_array}); }

  // The parser counts bytes from 1 and has read the offending one.
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error) {
    constexpr int number_out_of_range = 406;
    fault = {std::min(position == 0 ? 0 : position - 1, size), error.what(), token, error.id == number_out_of_range};
    return false;
  }
};

}  // namespace

std::optional<JsonFault> parse_json_events(std::string_view text, const std::function<void(JsonEvent&&)>& receive) {
  const DefaultTextEnvironment environment;
  Sax sax = {receive, text.size()};
  nlohmann::json::sax_parse(text.begin(), text.end(), &sax);
  return std::move(sax.fault);
}

}  // namespace posenc::io
