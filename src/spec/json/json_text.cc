// SPDX-License-Identifier: Apache-2.0
// JSON to a tree: limits and duplicates while the text is read, and where in it something is wrong.
#include "src/spec/json/json_text.h"

#include <posenc/spec/spec.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include "src/base/quote.h"
#include "src/spec/json/json_events.h"
#include "src/spec/json/json_words.h"

namespace posenc::io {
namespace {

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
    source.refuse("the text must have no byte order mark", "the bytes EF BB BF at its start");
  const std::string_view start = text.substr(0, 4);
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF") || start.find('\0') != start.npos) {
    source.refuse("the text must be UTF-8, not UTF-16 or UTF-32", quote(start));
  }
  if (const std::size_t nul = text.find('\0'); nul != text.npos) {  // the parser takes it for the end of the text
    source.refuse("the text must have no control character NUL", "\\x00" + place(text, nul));
  }
  if (const std::size_t at = find_not_utf8(text); at != text.npos) {
    source.refuse("the text must be UTF-8", quote(text.substr(at, 1)) + " at offset " + std::to_string(at));
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

/// A number that JSON has not, and how many numbers stand before it.
struct EndlessNumber {
  std::size_t before;
  double value;
};

std::optional<double> endless_number(std::string_view word) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (word == "Infinity") return infinity;
  if (word == "-Infinity") return -infinity;
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

/// Writes 0 and blanks over each, so that the parser meets a number there and all else stays where it is.
std::vector<EndlessNumber> take_endless_numbers(std::string& text) {
  constexpr std::string_view of_words = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._";
  std::vector<EndlessNumber> found;
  std::size_t numbers = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of(of_words, at), text.size());
    if (end == at) {
      ++at;
      continue;
    }
    const auto value = endless_number(std::string_view(text).substr(at, end - at));
    if (value) {
      found.push_back({numbers, *value});
      text.replace(at, end - at, "0" + std::string(end - at - 1, ' '));
    }
    if (std::string_view("-0123456789").find(text[at]) != std::string_view::npos) ++numbers;
    at = end;
  }
  return found;
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

[[noreturn]] void refuse_fault(std::string_view text, const JsonSource& source, const JsonFault& fault, bool complete) {
  if (fault.is_range) source.refuse("a number must be in the range of double", quote(fault.token));
  const std::size_t at = fault.at;
  const std::string got = at == text.size() ? "the end of the text" : quote(text.substr(at, 1));
  if (complete) source.refuse("nothing may follow the document", got + place(text, at));
  source.refuse("must be JSON: " + parser_words(fault.what) + std::string(hint(text, at)), got + place(text, at));
}

// ---- what the parser meets -----------------------------------------------------------------------------------

/// Makes the tree of the parser's events, and watches depth, number of values and keys that come twice.
class Builder {
 public:
  /// `endless` are numbers in whose place the parser meets 0, in their order.
  Builder(const JsonSource& source, std::span<const EndlessNumber> endless) : source_(source), endless_(endless) {}

  void receive(JsonEvent&& event) {
    using Kind = JsonEvent::Kind;
    switch (event.kind) {
      case Kind::null: return (void)put({nullptr});
      case Kind::boolean: return (void)put({event.flag});
      case Kind::integer:
      case Kind::whole:
      case Kind::real: return put_number(event);
      case Kind::string: return (void)put({std::move(event.text)});
      case Kind::key: return enter_key(std::move(event.text));
      case Kind::begin_object: return open({JsonTree::Object()});
      case Kind::begin_array: return open({JsonTree::List()});
      case Kind::end_object:
      case Kind::end_array: open_.pop_back();
    }
  }

  /// Whether the outermost value has been read.
  bool complete() const { return values_ > 0 && open_.empty(); }
  JsonTree take() { return std::move(document_); }

 private:
  struct Open {
    JsonTree* node;
    std::string key;  // of the value that is being read
    std::set<std::string> keys;
  };

  JsonTree* put(JsonTree value) {
    if (++values_ > json_value_limit)
      source_.refuse("must have at most " + std::to_string(json_value_limit) + " values", "more");
    if (open_.empty()) return &(document_ = std::move(value));
    Open& parent = open_.back();
    if (auto* list = std::get_if<JsonTree::List>(&parent.node->value)) {
      return &list->emplace_back(std::move(value));
    }
    auto& members = std::get<JsonTree::Object>(parent.node->value);
    return &members.emplace_back(parent.key, std::move(value)).value;
  }

  void put_number(const JsonEvent& event) {
    const bool is_endless = !endless_.empty() && endless_.front().before == numbers_++;
    if (is_endless) {
      put({endless_.front().value});
      endless_ = endless_.subspan(1);
    } else if (event.kind == JsonEvent::Kind::real) {
      put_real(event);
    } else {
      event.kind == JsonEvent::Kind::integer ? put({event.integer}) : put({event.whole});
    }
  }

  // The parser takes 1e-999 for 0; only digits that are all 0 are.
  void put_real(const JsonEvent& event) {
    const std::string_view digits = std::string_view(event.text).substr(0, event.text.find_first_of("eE"));
    if (event.real == 0 && digits.find_first_of("123456789") != digits.npos) {
      source_.refuse("a number must be in the range of double", quote(event.text));
    }
    put({event.real});
  }

  void open(JsonTree value) {
    JsonTree* node = put(std::move(value));
    if (open_.size() == json_depth_limit)
      source_.refuse("must be nested at most " + std::to_string(json_depth_limit) + " deep", "more");
    open_.push_back({node, {}, {}});
  }

  void enter_key(std::string name) {
    open_.back().key = name;
    if (open_.back().keys.insert(std::move(name)).second) return;
    std::string pointer;
    for (const Open& open : open_) {
      const auto* list = open.node->as<JsonTree::List>();
      pointer += pointer_step(list == nullptr ? open.key : std::to_string(list->size() - 1));
    }
    source_.refuse("a key must stand only once", quote(pointer, Keep::tail) + " twice");
  }

  const JsonSource& source_;
  JsonTree document_;
  std::vector<Open> open_;
  std::int64_t values_ = 0;
  std::span<const EndlessNumber> endless_;
  std::size_t numbers_ = 0;
};

}  // namespace

void JsonSource::refuse(std::string rule, std::string value) const {
  if (!name.empty()) value += " in " + quote(name, Keep::tail);
  throw Error({std::string(operation), std::move(rule), std::move(value)});
}

JsonTree parse_json(std::string_view text, const JsonSource& source, NonFinite non_finite) {
  check_bytes(text, source);
  check_numbers(text, source);
  std::string plain;
  std::vector<EndlessNumber> endless;
  const bool may_have = text.find("Infinity") != text.npos || text.find("NaN") != text.npos;
  if (non_finite == NonFinite::read && may_have) {
    plain = text;
    endless = take_endless_numbers(plain);
  }
  Builder builder(source, endless);
  const auto fault =
      parse_json_events(endless.empty() ? text : plain, [&](JsonEvent&& event) { builder.receive(std::move(event)); });
  if (fault) refuse_fault(text, source, *fault, builder.complete());
  return builder.take();
}

}  // namespace posenc::io
