// SPDX-License-Identifier: Apache-2.0
// Conventions to and from JSON: limits and duplicates while the text is read, then one field after another.
#include <posenc/spec.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "src/formats/json_words.h"
#include "src/formats/quote.h"

namespace posenc::io {
namespace {

using nlohmann::json;

constexpr std::string_view reading = "convention_from_json";

[[noreturn]] void refuse(std::string rule, std::string value) {
  throw Error({std::string(reading), std::move(rule), std::move(value)});
}

// ---- the text -----------------------------------------------------------------------------------

std::string place(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  return " at line " + std::to_string(line) + ", column " + std::to_string(at - start + 1);
}

/// What a UTF-8 decoder would stumble over, and what the parser would let pass.
void check_bytes(std::string_view text) {
  if (text.size() > json_byte_limit) {
    refuse("the text must have at most " + std::to_string(json_byte_limit) + " bytes", std::to_string(text.size()));
  }
  if (text.find_first_not_of(" \t\r\n") == text.npos) refuse("must be a JSON object", "an empty document");
  if (text.starts_with("\xEF\xBB\xBF")) refuse("the text must have no byte order mark", quote(text.substr(0, 3)));
  const std::string_view start = text.substr(0, 4);
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF") || start.find('\0') != start.npos) {
    refuse("the text must be UTF-8, not UTF-16 or UTF-32", quote(start));
  }
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {  // the parser takes it for the end of the text
    refuse("the text must have no control character NUL", "\\x00" + place(text, nul));
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) refuse("the text must be UTF-8", quote(text.substr(at, 1)) + " at offset " + std::to_string(at));
    at += length;
  }
}

/// The parser keeps no text of a number, so its length is limited here. Quotes and backslashes are ASCII.
void check_numbers(std::string_view text) {
  bool in_string = false;
  std::size_t run = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++at;
    run = !in_string && std::string_view("0123456789+-.eE").find(c) != std::string_view::npos ? run + 1 : 0;
    if (run > json_number_limit) {
      refuse("a number must have at most " + std::to_string(json_number_limit) + " characters",
             "a longer one" + place(text, at - json_number_limit));
    }
  }
}

/// What people write who come from JavaScript, Python or C; `at` is the offending byte.
std::string_view hint(std::string_view text, std::size_t at) {
  const char c = at < text.size() ? text[at] : '\0';
  const std::size_t last = at == 0 ? text.npos : text.find_last_not_of(" \t\r\n", at - 1);
  const char before = last == text.npos ? '\0' : text[last];
  if (c == '/') return "; JSON has no comments";
  if (c == '\'') return "; JSON takes double quotes only";
  if (c >= '0' && c <= '9' && before == '0' && last + 1 == at) return "; a number has no leading zero";
  if ((c == '}' || c == ']') && before == ',') return "; no trailing comma";
  return "";
}

[[noreturn]] void refuse_syntax(std::string_view text, const json::parse_error& error, bool complete) {
  // The parser counts bytes from 1 and has read the offending one.
  const std::size_t at = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
  const std::string got = at == text.size() ? "the end of the text" : quote(text.substr(at, 1));
  if (complete) refuse("nothing may follow the document", got + place(text, at));
  refuse("must be JSON: " + parser_words(error.what()) + std::string(hint(text, at)), got + place(text, at));
}

// ---- the tree -----------------------------------------------------------------------------------

/// Watches the parser: depth, number of values, keys that come twice.
class Watch {
 public:
  bool operator()(json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    if (event == Event::key) return enter_key(parsed.get_ref<const std::string&>());
    if (event == Event::object_end || event == Event::array_end) {
      open_.pop_back();
      return true;
    }
    if (++values_ > json_value_limit)
      refuse("must have at most " + std::to_string(json_value_limit) + " values", "more");
    if (!open_.empty() && open_.back().is_array) open_.back().last = std::to_string(open_.back().items++);
    if (event == Event::object_start || event == Event::array_start) {
      if (open_.size() == json_depth_limit)
        refuse("must be nested at most " + std::to_string(json_depth_limit) + " deep", "more");
      open_.push_back({event == Event::array_start, 0, {}, {}});
    }
    return true;
  }

  /// Whether the outermost value has been read.
  bool complete() const { return values_ > 0 && open_.empty(); }

 private:
  struct Open {
    bool is_array;
    std::int64_t items;
    std::string last;  // key or index of the value that is being read
    std::set<std::string> keys;
  };

  bool enter_key(const std::string& name) {
    open_.back().last = name;
    if (open_.back().keys.insert(name).second) return true;
    std::string pointer;
    for (const Open& open : open_) pointer += pointer_step(open.last);
    refuse("a key must stand only once", quote(pointer, Keep::tail) + " twice");
  }

  std::vector<Open> open_;
  std::int64_t values_ = 0;
};

json parse(std::string_view text) {
  check_bytes(text);
  check_numbers(text);
  Watch watch;
  try {
    return json::parse(text.begin(), text.end(),
                       [&](int, json::parse_event_t event, json& parsed) { return watch(event, parsed); });
  } catch (const json::parse_error& error) {
    refuse_syntax(text, error, watch.complete());
  } catch (const json::out_of_range& error) {
    std::string_view number = error.what();  // ... 'NUMBER'
    number = number.substr(number.find('\'') + 1);
    refuse("a number must be in the range of double", quote(number.substr(0, number.rfind('\''))));
  }
}

// ---- the fields ---------------------------------------------------------------------------------

/// A value and where it stands.
struct Node {
  const json& value;
  std::string pointer;

  std::string shown() const { return pointer.empty() ? "the document" : pointer; }
};

std::string_view type_of(const json& value) {
  if (value.is_boolean()) return "a boolean";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return "a string";
  return value.is_null() ? "null" : "a number";
}

[[noreturn]] void refuse_type(const Node& node, std::string_view wanted) {
  refuse(node.shown() + " must be " + std::string(wanted), std::string(type_of(node.value)));
}

Node member(const Node& object, const std::string& key) {
  const auto found = object.value.find(key);
  if (found == object.value.end()) refuse(object.pointer + pointer_step(key) + " must be stated", "no such key");
  return {*found, object.pointer + pointer_step(key)};
}

/// `object` has no other keys than those.
void require_only(const Node& object, std::initializer_list<std::string_view> keys) {
  for (const auto& [key, value] : object.value.items()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    std::string list;
    for (const std::string_view known : keys) list += (list.empty() ? "" : ", ") + std::string(known);
    refuse("the keys of " + object.shown() + " must be " + list, quote(object.pointer + pointer_step(key), Keep::tail));
  }
}

void require_object(const Node& node) {
  if (!node.value.is_object()) refuse_type(node, "an object");
}

double number(const Node& node) {
  if (!node.value.is_number()) refuse_type(node, "a number");
  return node.value.get<double>();
}

/// The name among those of `all` that the node holds.
template <class T, class Name>
T one_of(const Node& node, std::initializer_list<T> all, Name name) {
  if (!node.value.is_string()) refuse_type(node, "a string");
  const std::string& got = node.value.get_ref<const std::string&>();
  std::string list;
  for (const T& each : all) {
    if (name(each) == got) return each;
    list += (list.empty() ? "" : ", ") + std::string(name(each));
  }
  refuse(node.shown() + " must be one of " + list, quote(got));
}

template <class T>
T enumerator(const Node& node, std::initializer_list<T> all) {
  return one_of(node, all, [](T each) { return to_string(each); });
}

Ladder ladder_of(const Node& node) {
  require_object(node);
  if (node.value.contains("frequencies")) {
    require_only(node, {"frequencies"});
    const Node list = member(node, "frequencies");
    if (!list.value.is_array()) refuse_type(list, "an array");
    Listed listed;
    for (std::size_t i = 0; i < list.value.size(); ++i) {
      listed.frequencies.push_back(number({list.value[i], list.pointer + pointer_step(std::to_string(i))}));
    }
    return listed;
  }
  require_only(node, {"base", "first", "spacing", "frequencies"});
  const Node spacing = member(node, "spacing");
  return Geometric{number(member(node, "base")), number(member(node, "first")),
                   enumerator(spacing, {Spacing::over_width, Spacing::over_gaps, Spacing::over_gaps_or_one})};
}

Layout layout_of(const Node& node) {
  return enumerator(node, {Layout::interleaved, Layout::sine_first, Layout::cosine_first});
}

void check_version(const Node& document) {
  const Node version = member(document, "posenc_convention");
  if (!version.value.is_number_integer()) refuse_type(version, "the integer 1");
  if (version.value != 1) refuse("/posenc_convention must be 1, the version that is supported", version.value.dump());
}

Convention sinusoid_of(const Node& document) {
  require_only(document, {"posenc_convention", "family", "ladder", "layout", "odd_width"});
  return Sinusoid{ladder_of(member(document, "ladder")), layout_of(member(document, "layout")),
                  enumerator(member(document, "odd_width"),
                             {OddWidth::refused, OddWidth::zero_column, OddWidth::short_row, OddWidth::lone_sine})};
}

Convention grid_of(const Node& document) {
  require_only(document, {"posenc_convention", "family", "ladder", "layout", "axis_order"});
  return Grid{ladder_of(member(document, "ladder")), layout_of(member(document, "layout")),
              enumerator(member(document, "axis_order"), {AxisOrder::column_first, AxisOrder::row_first})};
}

Convention timestep_of(const Node& document) {
  require_only(document, {"posenc_convention", "family", "max_period", "shift", "scale", "layout"});
  return Timestep{number(member(document, "max_period")), number(member(document, "shift")),
                  number(member(document, "scale")), layout_of(member(document, "layout"))};
}

Convention rotary_of(const Node& document) {
  require_only(document, {"posenc_convention", "family", "ladder", "pairing"});
  return Rotary{ladder_of(member(document, "ladder")),
                enumerator(member(document, "pairing"), {Pairing::adjacent, Pairing::split_half})};
}

Convention bias_of(const Node& document) {
  require_only(document, {"posenc_convention", "family", "octaves"});
  return Bias{number(member(document, "octaves"))};
}

Convention convention_of(const json& value) {
  const Node document = {value, ""};
  require_object(document);
  check_version(document);
  const auto kind = one_of<std::string_view>(member(document, "family"),
                                             {"sinusoid", "grid", "timestep", "rotary", "bias"}, std::identity{});
  if (kind == "grid") return grid_of(document);
  if (kind == "timestep") return timestep_of(document);
  if (kind == "bias") return bias_of(document);
  return kind == "rotary" ? rotary_of(document) : sinusoid_of(document);
}

// ---- out ----------------------------------------------------------------------------------------

/// Whole numbers without an exponent as far as every one of them is a double; -0 keeps its sign by the point.
std::string number_text(double value) {
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";
  char text[32];
  const bool whole = std::abs(value) < 0x1p53 && std::trunc(value) == value;
  const auto result = whole ? std::to_chars(text, text + sizeof text, value, std::chars_format::fixed)
                            : std::to_chars(text, text + sizeof text, value);
  return {text, result.ptr};
}

std::string text_of(const Ladder& ladder) {
  if (const auto* geometric = std::get_if<Geometric>(&ladder)) {
    return "{\"base\": " + number_text(geometric->base) + ", \"first\": " + number_text(geometric->first) +
           ", \"spacing\": \"" + std::string(to_string(geometric->spacing)) + "\"}";
  }
  std::string list;
  for (const double frequency : std::get<Listed>(ladder).frequencies) {
    list += (list.empty() ? "" : ", ") + number_text(frequency);
  }
  return "{\"frequencies\": [" + list + "]}";
}

// , "key": value
std::string field(std::string_view key, std::string_view value) {
  return ", \"" + std::string(key) + "\": " + std::string(value);
}

std::string named(std::string_view key, std::string_view name) { return field(key, "\"" + std::string(name) + "\""); }

std::string fields_of(const Sinusoid& row) {
  return field("ladder", text_of(row.ladder)) + named("layout", to_string(row.layout)) +
         named("odd_width", to_string(row.odd_width));
}

std::string fields_of(const Grid& cells) {
  return field("ladder", text_of(cells.ladder)) + named("layout", to_string(cells.layout)) +
         named("axis_order", to_string(cells.axis_order));
}

std::string fields_of(const Timestep& step) {
  return field("max_period", number_text(step.max_period)) + field("shift", number_text(step.shift)) +
         field("scale", number_text(step.scale)) + named("layout", to_string(step.layout));
}

std::string fields_of(const Rotary& rotary) {
  return field("ladder", text_of(rotary.ladder)) + named("pairing", to_string(rotary.pairing));
}

std::string fields_of(const Bias& bias) { return field("octaves", number_text(bias.octaves)); }

}  // namespace

std::string to_json(const Convention& convention) {
  require(check_convention(convention));
  return "{\"posenc_convention\": 1" + named("family", family(convention)) +
         std::visit([](const auto& each) { return fields_of(each); }, convention) + "}";
}

Convention convention_from_json(std::string_view text) {
  const json document = parse(text);
  Convention convention = convention_of(document);
  require(check_convention(convention));
  return convention;
}

std::optional<Problem> check_convention_json(std::string_view text) {
  try {
    convention_from_json(text);
    return std::nullopt;
  } catch (const Error& error) {
    return error.problem();
  }
}

}  // namespace posenc::io
