// SPDX-License-Identifier: Apache-2.0
// An object of a configuration, and which of its keys were read.
#pragma once

#include <set>

#include "src/spec/json/json_node.h"

namespace posenc::config {

using io::JsonNode;
using Names = std::span<const std::string_view>;

/// A value with where it came from: a JSON pointer, "default of llama", or "rule: ..".
template <class T>
struct Stated {
  T value;
  std::string from;
};

class Keys {
 public:
  explicit Keys(JsonNode object) : node_(std::move(object)) { node_.require_object(); }

  const JsonNode& node() const { return node_; }
  /// The value of the one of those keys that is there and not null; several that differ are refused.
  std::optional<JsonNode> find(Names names);
  std::optional<JsonNode> find(std::string_view name) { return find(std::span(&name, 1)); }
  /// The first that is there and not null, whatever the others say.
  std::optional<JsonNode> first(Names names);
  /// The same, but null is the caller's to refuse.
  std::optional<JsonNode> find_or_null(std::string_view name);
  /// It is there; null too.
  JsonNode need(std::string_view name);
  JsonNode need(Names names);
  /// Those keys are read over.
  void pass(Names names);

  /// A key of an object in it, "attn_config.alibi", is read elsewhere.
  void pass_inner(std::string_view path) { read_.emplace(path); }

  bool was_read(std::string_view name) const { return read_.contains(name); }
  std::string pointer(std::string_view name) const;

 private:
  JsonNode node_;
  std::set<std::string, std::less<>> read_;
};

/// The same document but for the order of keys; numbers by their value.
bool same(const JsonTree& a, const JsonTree& b);

// ---- values in range, or refused by their pointer ----------------------------------------------------

/// An integer from 1 to `most`.
std::int64_t count_of(const JsonNode& node, std::int64_t most);
/// A number above 0.
double positive_of(const JsonNode& node);
/// A number of at least 1.
double factor_of(const JsonNode& node);
/// A share: above 0, at most 1.
double share_of(const JsonNode& node);
bool flag_of(const JsonNode& node);
/// A name that may stand in a pointer: 1 to 64 letters, digits, _, - and dots.
void check_name(const JsonNode& node, std::string_view name);

inline constexpr std::int64_t most_columns = std::int64_t{1} << 11;
inline constexpr std::int64_t most_layers = std::int64_t{1} << 14;
inline constexpr std::int64_t most_width = std::int64_t{1} << 30;
inline constexpr std::int64_t most_positions = std::int64_t{1} << 53;

}  // namespace posenc::config
