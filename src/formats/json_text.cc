// SPDX-License-Identifier: Apache-2.0
// JSON to a tree: limits and duplicates while the text is read, and where in it something is wrong.
#include "src/formats/json_text.h"

#include "src/formats/json_words.h"
#include "src/formats/quote.h"

#include <posenc/spec.h>

#include <algorithm>
#include <set>

namespace posenc::io {
namespace {

using nlohmann::json;

// ---- the text -----------------------------------------------------------------------------------

std::string place(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  return " at line " + std::to_string(line) + ", column " + std::to_string(at - start + 1);
}

/// What a UTF-8 decoder would stumble over, and what the parser would let pass.
void check_bytes(std::string_view text, const JsonSource& source) {
  if (text.size() > json_byte_limit) {
    source.refuse("the text must have at most " + std::to_string(json_byte_limit) + " bytes",
                  std::to_string(text.size()));
  }
  if (text.find_first_not_of(" \t\r\n") == text.npos) source.refuse("must be a JSON object", "an empty document");
  if (text.starts_with("\xEF\xBB\xBF"))
    source.refuse("the text must have no byte order mark", quote(text.substr(0, 3)));
  const std::string_view start = text.substr(0, 4);
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF") || start.find('\0') != start.npos) {
    source.refuse("the text must be UTF-8, not UTF-16 or UTF-32", quote(start));
  }
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {  // the parser takes it for the end of the text
    source.refuse("the text must have no control character NUL", "\\x00" + place(text, nul));
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0)
      source.refuse("the text must be UTF-8", quote(text.substr(at, 1)) + " at offset " + std::to_string(at));
    at += length;
  }
}

/// The parser keeps no text of a number, so its length is limited here. Quotes and backslashes are ASCII.
void check_numbers(std::string_view text, const JsonSource& source) {
  bool in_string = false;
  std::size_t run = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++at;
    run = !in_string && std::string_view("0123456789+-.eE").find(c) != std::string_view::npos ? run + 1 : 0;
    if (run > json_number_limit) {
      source.refuse("a number must have at most " + std::to_string(json_number_limit) + " characters",
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

[[noreturn]] void refuse_syntax(std::string_view text, const JsonSource& source, const json::parse_error& error,
                                bool complete) {
  // The parser counts bytes from 1 and has read the offending one.
  const std::size_t at = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
  const std::string got = at == text.size() ? "the end of the text" : quote(text.substr(at, 1));
  if (complete) source.refuse("nothing may follow the document", got + place(text, at));
  source.refuse("must be JSON: " + parser_words(error.what()) + std::string(hint(text, at)), got + place(text, at));
}

// ---- what the parser meets -----------------------------------------------------------------------------------

/// Watches the parser: depth, number of values, keys that come twice.
class Watch {
 public:
  explicit Watch(const JsonSource& source) : source_(source) {}

  bool operator()(json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    if (event == Event::key) return enter_key(parsed.get_ref<const std::string&>());
    if (event == Event::object_end || event == Event::array_end) {
      open_.pop_back();
      return true;
    }
    if (++values_ > json_value_limit)
      source_.refuse("must have at most " + std::to_string(json_value_limit) + " values", "more");
    if (!open_.empty() && open_.back().is_array) open_.back().last = std::to_string(open_.back().items++);
    if (event == Event::object_start || event == Event::array_start) {
      if (open_.size() == json_depth_limit)
        source_.refuse("must be nested at most " + std::to_string(json_depth_limit) + " deep", "more");
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
    source_.refuse("a key must stand only once", quote(pointer, Keep::tail) + " twice");
  }

  const JsonSource& source_;
  std::vector<Open> open_;
  std::int64_t values_ = 0;
};

}  // namespace

void JsonSource::refuse(std::string rule, std::string value) const {
  if (!name.empty()) value += " in " + quote(name, Keep::tail);
  throw Error({std::string(operation), std::move(rule), std::move(value)});
}

json parse_json(std::string_view text, const JsonSource& source) {
  check_bytes(text, source);
  check_numbers(text, source);
  Watch watch(source);
  try {
    return json::parse(text.begin(), text.end(),
                       [&](int, json::parse_event_t event, json& parsed) { return watch(event, parsed); });
  } catch (const json::parse_error& error) {
    refuse_syntax(text, source, error, watch.complete());
  } catch (const json::out_of_range& error) {
    std::string_view number = error.what();  // ... 'NUMBER'
    number = number.substr(number.find('\'') + 1);
    source.refuse("a number must be in the range of double", quote(number.substr(0, number.rfind('\''))));
  }
}

}  // namespace posenc::io
