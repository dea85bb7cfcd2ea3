// SPDX-License-Identifier: Apache-2.0
// The parser's events, sorted into vocabulary, merges and tree, with every limit checked on the way.
#include "src/text/bpe/tokenizer_document.h"

#include "src/base/quote.h"
#include "src/spec/json/json_events.h"
#include "src/spec/json/json_words.h"

#include <algorithm>
#include <set>

namespace posenc::io {
namespace {

constexpr std::size_t tree_value_limit = std::size_t{1} << 20;

// What the items of an open array or object become. skipped: they are not looked at.
enum class Kind : std::uint8_t { tree, vocab, merges, pair, skipped };

struct Open {
  Kind kind;
  bool is_array;
  JsonTree* node;  // of a tree
  std::size_t items = 0;
  std::string key = {};  // of the value that is being read
  std::set<std::string> keys = {};
};

// Takes the parser's events.
class Events {
 public:
  explicit Events(const TokenizerSource& source) : source_(source) {}
  TokenizerDocument take() { return std::move(document_); }

  void receive(JsonEvent&& event) {
    using Event = JsonEvent::Kind;
    switch (event.kind) {
      case Event::null: return take_value({nullptr}, "null");
      case Event::boolean: return take_value({event.flag}, event.flag ? "true" : "false");
      case Event::integer: return take_value({event.integer}, std::to_string(event.integer));
      case Event::whole: return take_value({event.whole}, std::to_string(event.whole));
      case Event::real: return take_value({event.real}, event.text);
      case Event::string: return take_value({std::move(event.text)}, "a string");
      case Event::key: return key(std::move(event.text));
      case Event::begin_object: return open({JsonTree::Object()});
      case Event::begin_array: return open({JsonTree::List()});
      case Event::end_object:
      case Event::end_array: return close();
    }
  }

  void key(std::string name) {
    Open& object = open_.back();
    if (object.kind != Kind::vocab && object.kind != Kind::skipped && !object.keys.insert(name).second) {
      refuse("a key must stand only once", quote(pointer() + pointer_step(name), Keep::tail) + " twice");
    }
    object.key = std::move(name);
    if (object.kind == Kind::vocab) add_token(object.key);
  }

  [[noreturn]] void refuse(const JsonFault& fault) const {
    const bool ended = fault.at == source_.bytes.size();
    source_.refuse("must be JSON: " + parser_words(fault.what),
                   ended ? "the end of the text" : quote(source_.bytes.substr(fault.at, 1)),
                   {static_cast<std::int64_t>(fault.at)});
  }

 private:
  [[noreturn]] void refuse(std::string rule, std::string value) const {
    source_.refuse(std::move(rule), std::move(value));
  }

  std::string pointer() const {
    std::string text;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) text += step_of(open_[i]);
    return text;
  }
  std::string place() const { return open_.empty() ? "the document" : pointer() + step_of(open_.back()); }
  static std::string step_of(const Open& node) {
    return pointer_step(node.is_array ? std::to_string(node.items - 1) : node.key);
  }
  bool is_at(std::string_view second) const {
    return open_.size() == 2 && !open_[0].is_array && !open_[1].is_array && open_[0].key == "model" &&
           open_[1].key == second;
  }

  void count() {
    if (open_.empty()) return;
    Open& parent = open_.back();
    ++parent.items;
    const bool listed = parent.kind == Kind::vocab || parent.kind == Kind::merges;
    if (listed && parent.items > tokenizer_json_entry_limit) {
      refuse(pointer() + " must have at most " + std::to_string(tokenizer_json_entry_limit) + " entries", "more");
    }
    if (parent.kind == Kind::tree && ++tree_values_ > tree_value_limit) {
      refuse("must have at most " + std::to_string(tree_value_limit) + " values besides tokens and merges", "more");
    }
  }

  // Where a value of the tree is kept.
  JsonTree* put(JsonTree value) {
    if (open_.empty()) return &(document_.tree = std::move(value));
    Open& parent = open_.back();
    if (parent.is_array) return &std::get<JsonTree::List>(parent.node->value).emplace_back(std::move(value));
    auto& members = std::get<JsonTree::Object>(parent.node->value);
    return &members.emplace_back(parent.key, std::move(value)).value;
  }

  void take_value(JsonTree value, std::string_view shown) {
    count();
    switch (open_.empty() ? Kind::tree : open_.back().kind) {
      case Kind::tree: put(std::move(value)); break;
      case Kind::vocab: add_id(value, shown); break;
      case Kind::merges: add_merge(value, shown); break;
      case Kind::pair: add_half(value, shown); break;
      case Kind::skipped: break;
    }
  }

  void open(JsonTree value) {
    count();
    if (open_.size() == tokenizer_json_depth_limit) {
      refuse("must be nested at most " + std::to_string(tokenizer_json_depth_limit) + " deep", "more");
    }
    const bool is_array = value.is_array();
    Kind kind = open_.empty() ? Kind::tree : open_.back().kind;
    JsonTree* node = nullptr;
    if (kind == Kind::vocab) refuse_id(is_array ? "an array" : "an object");
    if (kind == Kind::pair || (kind == Kind::merges && !is_array)) refuse_merge(is_array ? "an array" : "an object");
    if (kind == Kind::merges) kind = Kind::pair;
    if (kind == Kind::tree) {
      if (is_at("vocab") && !is_array) {
        kind = Kind::vocab;
        document_.has_vocab = true;
      } else if (is_at("merges") && is_array) {
        kind = Kind::merges;
        document_.has_merges = true;
      } else {
        node = put(std::move(value));
        if (is_at("vocab")) kind = Kind::skipped;
      }
    }
    open_.push_back({kind, is_array, node});
  }

  void close() {
    if (open_.back().kind == Kind::pair && open_.back().items != 2) {
      const std::string size = std::to_string(open_.back().items);
      open_.pop_back();
      refuse_merge("an array of " + size);
    }
    open_.pop_back();
  }

  void add_token(const std::string& token) {
    if (token.size() > tokenizer_json_token_limit) {
      refuse("a token must have at most " + std::to_string(tokenizer_json_token_limit) + " bytes",
             std::to_string(token.size()));
    }
    if (!document_.tokens.add(token).is_new) refuse("a token must stand only once", quote(token) + " twice");
  }

  [[noreturn]] void refuse_id(std::string_view shown) const {
    refuse("the id of token " + quote(open_.back().key) + " must be an integer of 0 to " +
               std::to_string(tokenizer_json_entry_limit - 1),
           std::string(shown));
  }
  void add_id(const JsonTree& value, std::string_view shown) {
    const auto* id = value.as<std::uint64_t>();
    if (id == nullptr || *id >= tokenizer_json_entry_limit) refuse_id(shown.substr(0, 40));
    document_.ids.push_back(static_cast<std::int32_t>(*id));
  }

  [[noreturn]] void refuse_merge(std::string_view shown) const {
    const bool in_pair = open_.back().kind == Kind::pair;
    refuse((in_pair ? pointer() : place()) + " must be two tokens, as \"a b\" or as [\"a\", \"b\"]",
           std::string(shown));
  }
  void add_merge(const JsonTree& value, std::string_view shown) {
    if (!value.is_string()) refuse_merge(shown.substr(0, 40));
    const std::string_view text = value.text();
    if (text.starts_with("#version")) return;  // the first line of the merges' own file format
    const std::size_t space = text.find(' ');
    if (space == text.npos) refuse_merge("one part, " + quote(text));
    if (text.find(' ', space + 1) != text.npos) refuse_merge("more than two parts, " + quote(text));
    if (space == 0 || space + 1 == text.size()) refuse_merge("an empty part in " + quote(text));
    document_.merges.add(text.substr(0, space));
    document_.merges.add(text.substr(space + 1));
  }
  void add_half(const JsonTree& value, std::string_view shown) {
    if (open_.back().items > 2) refuse_merge("more than two parts");
    if (!value.is_string()) refuse_merge(shown.substr(0, 40));
    if (value.text().empty()) refuse_merge("an empty part");
    document_.merges.add(value.text());
  }

  const TokenizerSource& source_;
  TokenizerDocument document_ = {};
  std::vector<Open> open_ = {};
  std::size_t tree_values_ = 0;
};

}  // namespace

void TokenizerSource::refuse(std::string rule, std::string value, std::vector<std::int64_t> index) const {
  value += " in " + quote(name, Keep::tail);
  throw Error({"tokenizer_json", std::move(rule), std::move(value), std::move(index)});
}

TokenizerDocument read_tokenizer_document(const TokenizerSource& source) {
  if (const std::size_t nul = source.bytes.find('\0'); nul != source.bytes.npos) {  // the parser takes it for the end
    source.refuse("the text must have no control character NUL", "\\x00", {static_cast<std::int64_t>(nul)});
  }
  Events events(source);
  const auto fault = parse_json_events(source.bytes, [&](JsonEvent&& event) { events.receive(std::move(event)); });
  if (fault) events.refuse(*fault);
  return events.take();
}

}  // namespace posenc::io
