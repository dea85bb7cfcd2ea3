// SPDX-License-Identifier: Apache-2.0
// Keys and values of a GGUF file.
#include <set>

#include "src/base/quote.h"
#include "src/io/gguf/gguf_header.h"

namespace posenc::io {
namespace {

// In the order of their numbers in files.
constexpr std::string_view value_types[] = {"u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                            "bool", "string", "array", "u64", "i64", "f64"};

std::string_view read_value_type(GgufCursor& cursor, std::string_view field) {
  const std::uint64_t before = cursor.at();
  const auto type = cursor.number<std::uint32_t>(field);
  if (type < std::size(value_types)) return value_types[type];
  cursor.refuse(std::string(field) + " must be a number below " + std::to_string(std::size(value_types)),
                std::to_string(type), before);
}

bool read_bool(GgufCursor& cursor) {
  const std::uint64_t before = cursor.at();
  const auto value = cursor.number<std::uint8_t>("a boolean");
  if (value > 1) cursor.refuse("a boolean must be 0 or 1", std::to_string(value), before);
  return value == 1;
}

/// A value of a type that is no array.
GgufScalar read_scalar(GgufCursor& cursor, std::string_view type) {
  constexpr std::string_view field = "a value";
  if (type == "u8") return std::uint64_t{cursor.number<std::uint8_t>(field)};
  if (type == "i8") return std::int64_t{cursor.number<std::int8_t>(field)};
  if (type == "u16") return std::uint64_t{cursor.number<std::uint16_t>(field)};
  if (type == "i16") return std::int64_t{cursor.number<std::int16_t>(field)};
  if (type == "u32") return std::uint64_t{cursor.number<std::uint32_t>(field)};
  if (type == "i32") return std::int64_t{cursor.number<std::int32_t>(field)};
  if (type == "u64") return cursor.number<std::uint64_t>(field);
  if (type == "i64") return cursor.number<std::int64_t>(field);
  if (type == "f32") return double{cursor.number<float>(field)};
  if (type == "f64") return cursor.number<double>(field);
  if (type == "bool") return read_bool(cursor);
  return cursor.text("a string", gguf_string_limit);
}

GgufArray read_array(GgufCursor& cursor) {
  GgufArray array;
  array.type = read_value_type(cursor, "the type of the items");
  if (array.type == "array") cursor.refuse("an array must have no arrays in it", "one", cursor.at() - 4);
  const std::uint64_t before = cursor.at();
  array.count = cursor.number<std::uint64_t>("the number of items");
  if (array.count > gguf_array_limit) {
    cursor.refuse("an array must have at most " + std::to_string(gguf_array_limit) + " items",
                  std::to_string(array.count), before);
  }
  for (std::uint64_t i = 0; i < array.count; ++i) {
    GgufScalar item = read_scalar(cursor, array.type);
    if (i < gguf_kept_items) array.items.push_back(std::move(item));
  }
  return array;
}

std::string read_key(GgufCursor& cursor) {
  const std::uint64_t before = cursor.at();
  cursor.set_subject({});
  std::string key = cursor.text("a key", gguf_key_size_limit);
  if (key.empty()) cursor.refuse("a key must not be empty", "''", before);
  for (const char c : key) {
    if (c < ' ' || c > '~') cursor.refuse("a key must be printable ASCII", quote(key, Keep::head, 40), before);
  }
  return key;
}

}  // namespace

std::vector<GgufEntry> read_gguf_metadata(GgufCursor& cursor, std::uint64_t keys) {
  std::vector<GgufEntry> entries;
  std::set<std::string, std::less<>> seen;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::uint64_t before = cursor.at();
    GgufEntry entry = {read_key(cursor), {}, {}};
    const std::string subject = "key " + quote(entry.key, Keep::head, 40);
    if (!seen.insert(entry.key).second) cursor.refuse("a key must stand only once", subject, before);
    cursor.set_subject(subject);
    entry.type = read_value_type(cursor, "the type of a value");
    if (entry.type == "array") {
      entry.value = read_array(cursor);
    } else {
      entry.value = read_scalar(cursor, entry.type);
    }
    entries.push_back(std::move(entry));
  }
  cursor.set_subject({});
  return entries;
}

}  // namespace posenc::io
