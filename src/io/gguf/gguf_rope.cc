// SPDX-License-Identifier: Apache-2.0
// What the metadata of a GGUF file say about positions, checked by the meaning of their keys.
#include <posenc/io/gguf.h>

#include <algorithm>
#include <cmath>

#include "src/base/environment.h"
#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/io/gguf/gguf_cursor.h"

namespace posenc::io {
namespace {

constexpr std::int64_t largest_count = 0x7FFFFFFF;

/// The metadata under one architecture.
struct Keys {
  const GgufHeader& header;
  std::string_view file;
  std::string before;  // the architecture and a dot

  [[noreturn]] void refuse(const std::string& key, std::string_view rule, const std::string& value) const {
    throw Error({std::string(gguf_reading), quote(before + key, Keep::tail, 64) + " " + std::string(rule),
                 value + " of " + quote(file, Keep::tail)});
  }

  const GgufEntry* find(const std::string& key) const { return header.find(before + key); }

  std::int64_t count_of(const std::string& key, std::string_view type, const GgufScalar& value) const {
    const auto* whole = std::get_if<std::uint64_t>(&value);
    const auto* sign = std::get_if<std::int64_t>(&value);
    if (whole == nullptr && sign == nullptr) refuse(key, "must be a whole number", std::string(type));
    const bool fits = whole != nullptr ? *whole <= largest_count : *sign >= 0 && *sign <= largest_count;
    const std::string text = whole != nullptr ? std::to_string(*whole) : std::to_string(*sign);
    if (!fits) refuse(key, "must be at most 2^31 - 1 and not negative", text);
    return whole != nullptr ? static_cast<std::int64_t>(*whole) : *sign;
  }

  /// At least 1. An array, which says it layer by layer, is nothing.
  std::optional<std::int64_t> count(const std::string& key) const {
    const GgufEntry* entry = find(key);
    const auto* value = entry != nullptr ? std::get_if<GgufScalar>(&entry->value) : nullptr;
    if (value == nullptr) return std::nullopt;
    const std::int64_t found = count_of(key, entry->type, *value);
    if (found < 1) refuse(key, "must be at least 1", std::to_string(found));
    return found;
  }

  std::optional<double> real(const std::string& key) const {
    const GgufEntry* entry = find(key);
    if (entry == nullptr) return std::nullopt;
    const auto* scalar = std::get_if<GgufScalar>(&entry->value);
    const auto* value = scalar != nullptr ? std::get_if<double>(scalar) : nullptr;
    if (value == nullptr) refuse(key, "must be of type f32 or f64", std::string(entry->type));
    return *value;
  }

  std::optional<double> positive(const std::string& key) const {
    const std::optional<double> value = real(key);
    if (value && (!(*value > 0) || *value > std::numeric_limits<double>::max())) {
      refuse(key, "must be positive and finite", std::to_string(*value));
    }
    return value;
  }

  std::optional<double> not_negative(const std::string& key) const {
    const std::optional<double> value = real(key);
    if (value && (!(*value >= 0) || *value > std::numeric_limits<double>::max())) {
      refuse(key, "must be finite and not negative", std::to_string(*value));
    }
    return value;
  }

  std::string text(const std::string& key) const {
    const GgufEntry* entry = find(key);
    if (entry == nullptr) return {};
    const auto* scalar = std::get_if<GgufScalar>(&entry->value);
    const auto* value = scalar != nullptr ? std::get_if<std::string>(scalar) : nullptr;
    if (value == nullptr) refuse(key, "must be a string", std::string(entry->type));
    return *value;
  }

  std::vector<std::int64_t> counts(const std::string& key) const {
    const GgufEntry* entry = find(key);
    if (entry == nullptr) return {};
    const auto* array = std::get_if<GgufArray>(&entry->value);
    if (array == nullptr) refuse(key, "must be an array", std::string(entry->type));
    std::vector<std::int64_t> found;
    for (const GgufScalar& item : array->items) found.push_back(count_of(key, array->type, item));
    return found;
  }
};

std::optional<std::int64_t> head_of(const Keys& keys) {
  const auto width = keys.count("embedding_length"), heads = keys.count("attention.head_count");
  if (const auto head = keys.count("attention.key_length")) return head;
  if (!width || !heads || *width % *heads != 0) return std::nullopt;
  return *width / *heads;
}

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// llama.cpp reads YaRN keys for these architectures among those whose rotation is told, with a default of its own for
// the fast one; for the others it takes 32 and 1, whatever they state. Source: llama_hparams, and the loader's part for
// each architecture.
struct YarnReader {
  std::string_view architecture;
  double fast;
  bool reads_gain;  // over which YaRN's factor of attention stands: mscale_all_dim of transformers
};
constexpr double usual_fast = 32, usual_slow = 1;
constexpr YarnReader yarn_readers[] = {{"grok", 8, false}, {"mistral3", usual_fast, true}};

void read_yarn(const Keys& keys, GgufRope& rope) {
  const auto* reader = std::ranges::find(yarn_readers, rope.architecture, &YarnReader::architecture);
  if (reader == std::end(yarn_readers)) return;
  rope.fast = keys.positive("rope.scaling.yarn_beta_fast").value_or(reader->fast);
  rope.slow = keys.positive("rope.scaling.yarn_beta_slow").value_or(usual_slow);
  if (reader->reads_gain) rope.gain_all = keys.not_negative("rope.scaling.yarn_log_multiplier").value_or(0);
}

// Architectures whose windowed layers have a base of their own (default 10000) and no scaling.
constexpr std::string_view with_sliding_base[] = {"gemma3", "gemma3n", "gemma-embedding"};

void read_sliding(const Keys& keys, GgufRope& rope) {
  const bool slides = rope.architecture != "gemma3" || keys.find("attention.sliding_window") != nullptr;
  if (!is_one_of(with_sliding_base, rope.architecture) || !slides) return;
  rope.sliding_base = keys.positive("rope.freq_base_swa").value_or(10000);
}

// A key that states what llama.cpp takes without it.
bool says_nothing(const Keys& keys, const std::string& key) {
  constexpr std::pair<std::string_view, double> usual[] = {{"rope.scaling.yarn_beta_fast", usual_fast},
                                                           {"rope.scaling.yarn_beta_slow", usual_slow},
                                                           {"rope.scaling.yarn_attn_factor", 1}};
  const auto* scalar = std::get_if<GgufScalar>(&keys.find(key)->value);
  const auto* number = scalar != nullptr ? std::get_if<double>(scalar) : nullptr;
  return number != nullptr &&
         std::ranges::any_of(usual, [&](const auto& each) { return each.first == key && each.second == *number; });
}

void list_unread(const Keys& keys, GgufRope& rope) {
  constexpr std::string_view read[] = {"rope.dimension_count",     "rope.dimension_sections",
                                       "rope.freq_base",           "rope.scale_linear",
                                       "rope.scaling.type",        "rope.scaling.factor",
                                       "rope.scaling.attn_factor", "rope.scaling.original_context_length",
                                       "rope.scaling.finetuned"};
  constexpr std::string_view yarn[] = {"rope.scaling.yarn_beta_fast", "rope.scaling.yarn_beta_slow"};
  for (const GgufEntry& each : keys.header.metadata) {
    if (!each.key.starts_with(keys.before + "rope.")) continue;
    const std::string own = each.key.substr(keys.before.size());
    const bool is_read = is_one_of(read, own) || (rope.fast && is_one_of(yarn, own)) ||
                         (rope.gain_all && own == "rope.scaling.yarn_log_multiplier") ||
                         (rope.sliding_base && own == "rope.freq_base_swa");
    if (!is_read && !says_nothing(keys, own)) rope.unread.push_back(each.key);
  }
}

}  // namespace

GgufRope rope_of(const GgufHeader& header, std::string_view name) {
  const DefaultEnvironment environment;
  const Keys general = {header, name, ""};
  GgufRope rope;
  rope.architecture = general.text("general.architecture");
  if (rope.architecture.empty()) general.refuse("general.architecture", "must be there and not empty", "none");
  const Keys keys = {header, name, rope.architecture + "."};
  rope.context_length = keys.count("context_length");
  rope.head = head_of(keys);
  rope.dimension_count = keys.count("rope.dimension_count");
  rope.sections = keys.counts("rope.dimension_sections");
  rope.freq_base = keys.positive("rope.freq_base");
  rope.scaling = keys.text("rope.scaling.type");
  rope.factor = keys.positive("rope.scaling.factor");
  if (!rope.factor) rope.factor = keys.positive("rope.scale_linear");
  rope.attn_factor = keys.positive("rope.scaling.attn_factor");
  rope.original_context_length = keys.count("rope.scaling.original_context_length");
  read_yarn(keys, rope);
  read_sliding(keys, rope);
  list_unread(keys, rope);

  const std::string dimensions = "rope.dimension_count";
  if (rope.dimension_count && *rope.dimension_count % 2 != 0) {
    keys.refuse(dimensions, "must be even", std::to_string(*rope.dimension_count));
  }
  if (rope.dimension_count && rope.head && *rope.dimension_count > *rope.head) {
    keys.refuse(dimensions, "must be at most the " + std::to_string(*rope.head) + " columns of a head",
                std::to_string(*rope.dimension_count));
  }
  constexpr std::string_view scalings[] = {"", "none", "linear", "yarn", "longrope"};
  if (std::ranges::count(scalings, rope.scaling) == 0) {
    keys.refuse("rope.scaling.type", "must be none, linear, yarn or longrope", quote(rope.scaling, Keep::head, 40));
  }
  return rope;
}

std::optional<Problem> check_rope_of(const GgufHeader& header, std::string_view name) {
  const DefaultEnvironment environment;
  return problem_of([&] { rope_of(header, name); });
}

}  // namespace posenc::io
