// SPDX-License-Identifier: Apache-2.0
// The JSON of a shard index: events of the parser, each allowed in one place only.
#include <posenc/io/shard_index.h>

#include <algorithm>

#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/spec/json/json_events.h"
#include "src/spec/json/json_words.h"

namespace posenc::io {
namespace {

constexpr std::string_view index_reading = "read_shard_index";

/// Takes the parser's events.
class IndexEvents {
 public:
  IndexEvents(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  void receive(JsonEvent&& event) {
    using Kind = JsonEvent::Kind;
    const bool opens = event.kind == Kind::begin_object || event.kind == Kind::begin_array;
    const bool closes = event.kind == Kind::end_object || event.kind == Kind::end_array;
    if (place_ == Place::other) {  // a value of no interest, up to its end
      depth_ += opens ? 1 : closes ? -1 : 0;
      if (depth_ == 0) place_ = Place::keys;
    } else if (place_ == Place::document) {
      if (event.kind != Kind::begin_object) refuse("the index must be an object", "another value");
      place_ = Place::keys;
    } else if (place_ == Place::keys) {
      if (closes) return close();
      place_ = event.text == "weight_map" ? Place::weight_map : Place::other;
      if (place_ == Place::weight_map && std::exchange(seen_, true)) {
        refuse("a key must stand only once", quote(event.text));
      }
    } else if (place_ == Place::weight_map) {
      if (event.kind != Kind::begin_object) refuse("weight_map must be an object of names of files", "another value");
      place_ = Place::tensors;
    } else if (place_ == Place::tensors) {
      place_ = closes ? Place::keys : Place::shard;
      if (!closes) enter(std::move(event.text));
    } else {
      if (event.kind != Kind::string) refuse("a file must be named by a string", "another value", tensor_);
      name_file(std::move(event.text));
      place_ = Place::tensors;
    }
  }

  [[noreturn]] void refuse(const JsonFault& fault) const {
    const std::string got = fault.at == text_.size() ? "its end" : quote(text_.substr(fault.at, 1));
    refuse("the index must be JSON: " + parser_words(fault.what, 90), got + " at offset " + std::to_string(fault.at));
  }

  ShardIndex take() {
    index_.shards.reserve(shards_.size());
    std::vector<std::size_t> place(shards_.size());
    for (const auto& [shard, order] : shards_) {
      place[order] = index_.shards.size();
      index_.shards.push_back(shard);
    }
    for (auto& [tensor, shard] : index_.shard_of) shard = place[shard];
    return std::move(index_);
  }

 private:
  enum class Place { document, keys, other, weight_map, tensors, shard };

  [[noreturn]] void refuse(std::string_view rule, std::string value, std::string_view tensor = {}) const {
    constexpr std::size_t shown = 40;  // so that the message stays below 300 bytes
    if (!tensor.empty()) value += " for tensor " + quote(tensor, Keep::head, shown);
    throw Error({std::string(index_reading), std::string(rule), value + " of " + quote(name_, Keep::tail)});
  }

  void close() {
    if (!seen_) refuse("the index must have the key weight_map", "none");
    if (index_.shard_of.empty()) refuse("weight_map must name a tensor", "none");
  }

  void enter(std::string tensor) {
    if (tensor.empty()) refuse("a tensor must have a name", "an empty one");
    if (index_.shard_of.size() == shard_tensor_limit) {
      refuse("an index must have at most " + std::to_string(shard_tensor_limit) + " tensors", "more");
    }
    if (!index_.shard_of.emplace(tensor, 0).second) refuse("a tensor must stand only once", quote(tensor));
    tensor_ = std::move(tensor);
  }

  void name_file(std::string shard) {
    constexpr std::size_t longest = 255;  // of one name in a folder, on Linux and elsewhere
    if (shard.size() > longest) {
      refuse("the name of a file must have at most " + std::to_string(longest) + " bytes", std::to_string(shard.size()),
             tensor_);
    }
    const bool plain = !shard.empty() && shard != "." && shard != ".." &&
                       shard.find_first_of(std::string_view("/\\\0", 3)) == shard.npos;
    if (!plain) refuse("a file must stand beside the index, named without separators", quote(shard), tensor_);
    const auto found = shards_.try_emplace(std::move(shard), shards_.size()).first;
    if (shards_.size() > shard_limit) {
      refuse("an index must have at most " + std::to_string(shard_limit) + " files", "more");
    }
    index_.shard_of.find(tensor_)->second = found->second;
  }

  std::string_view text_;
  std::string_view name_;
  ShardIndex index_;
  std::map<std::string, std::size_t, std::less<>> shards_;  // in which order they came
  Place place_ = Place::document;
  bool seen_ = false;   // weight_map
  int depth_ = 0;       // of a value of no interest
  std::string tensor_;  // whose file comes next
};

}  // namespace

ShardIndex parse_shard_index(std::span<const std::byte> bytes, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto refuse = [&](std::string_view rule, std::string value) {
    throw Error({std::string(index_reading), std::string(rule), value + " of " + quote(name, Keep::tail)});
  };
  if (text.size() > shard_index_limit) {
    refuse("the index must have at most " + std::to_string(shard_index_limit) + " bytes", std::to_string(text.size()));
  }
  // The parser takes NUL for the end.
  if (const std::size_t at = std::min(find_not_utf8(text), text.find('\0')); at != text.npos) {
    refuse("the index must be UTF-8 without NUL", quote(text.substr(at, 1)) + " at offset " + std::to_string(at));
  }
  IndexEvents events(text, name);
  const auto fault = parse_json_events(text, [&](JsonEvent&& event) { events.receive(std::move(event)); });
  if (fault) events.refuse(*fault);
  return events.take();
}

std::optional<Problem> check_shard_index(std::span<const std::byte> bytes, std::string_view name) {
  return problem_of([&] { parse_shard_index(bytes, name); });
}

}  // namespace posenc::io
