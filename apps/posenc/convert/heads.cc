// SPDX-License-Identifier: Apache-2.0
// Numbers of heads, read.
#include "apps/posenc/convert/heads.h"

#include <fmt/format.h>
#include <posenc/io/file.h>
#include <posenc/preset.h>
#include <posenc/spec/spec.h>

#include <algorithm>
#include <filesystem>

#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/words.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t most_heads = 1 << 16, widest_head = 1 << 16;

// ---- --fused ------------------------------------------------------------------------------------------------------

[[noreturn]] void refuse_fused(std::string_view operation, const std::string& words) {
  refuse(operation, "--fused must be GROUPS*RUNS, each run q, k or v and a number of heads, as 8*q4k1v1", quote(words));
}

std::int64_t heads_in(std::string_view operation, const std::string& words, std::string_view digits) {
  if (digits.size() > 5 || number_form(digits) != NumberForm::integer) refuse_fused(operation, words);
  return parse_integer(operation, "--fused", digits, 1, most_heads);
}

Projection parse_fused(std::string_view operation, const std::string& words) {
  constexpr std::string_view letters = "qkv";
  const std::size_t star = words.find('*');
  if (star == words.npos) refuse_fused(operation, words);
  Projection fused = {heads_in(operation, words, std::string_view(words).substr(0, star)), {}};
  for (std::size_t at = star + 1; at < words.size();) {
    const std::size_t letter = letters.find(words[at]),
                      end = std::min(words.find_first_of(letters, at + 1), words.size());
    if (letter == letters.npos) refuse_fused(operation, words);
    fused.runs.push_back({static_cast<Holds>(letter + 1),
                          heads_in(operation, words, std::string_view(words).substr(at + 1, end - at - 1))});
    at = end;
  }
  if (fused.runs.empty()) refuse_fused(operation, words);
  return fused;
}

std::int64_t heads_of(const Projection& projection, Holds holds) {
  std::int64_t heads = 0;
  for (const HeadRun& run : projection.runs) heads += run.holds == holds ? run.heads : 0;
  return heads * projection.groups;
}

void check_fused(std::string_view operation, const HeadNumbers& numbers) {
  if (!numbers.fused) return;
  const std::int64_t queries = heads_of(*numbers.fused, Holds::query), keys = heads_of(*numbers.fused, Holds::key);
  if (queries == numbers.heads && keys == numbers.key_heads) return;
  refuse(operation, fmt::format("--fused must have {} query and {} key heads", numbers.heads, numbers.key_heads),
         fmt::format("{} and {}", queries, keys));
}

// ---- --config ------------------------------------------------------------------------------------------------------

constexpr std::string_view head_keys[] = {"num_attention_heads", "n_head", "n_heads", "num_heads"};
constexpr std::string_view key_head_keys[] = {"num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads",
                                              "multi_query_group_num"};

std::optional<std::int64_t> first_number(std::span<const JsonEntry> config, std::span<const std::string_view> keys) {
  for (const std::string_view key : keys) {
    const auto* found = std::get_if<std::uint64_t>(find_value(config, key));
    if (found != nullptr) return static_cast<std::int64_t>(*found);
  }
  return std::nullopt;
}

bool says(std::span<const JsonEntry> config, std::string_view key) {
  const bool* found = std::get_if<bool>(find_value(config, key));
  return found != nullptr && *found;
}

// The part of a configuration that has the role, "text.rotary": text_config; else itself, or the text of it.
std::vector<JsonEntry> config_with(std::vector<JsonEntry> config, const std::string& role) {
  const std::size_t point = role.find('.');
  const std::string names[] = {role.substr(0, point == role.npos ? 0 : point) + "_config", "text_config"};
  for (const std::string& name : names) {
    const Json* found = std::get_if<Json>(find_value(config, name));
    auto part = found == nullptr ? std::nullopt : read_object(found->text());
    if (part && (name == names[0] || !first_number(config, head_keys))) return *std::move(part);
  }
  return config;
}

// Falcon's old models have one key head, whatever the numbers say; ChatGLM says whether its number counts.
std::int64_t key_heads_of(std::span<const JsonEntry> config, std::string_view type, std::int64_t heads) {
  const bool one = says(config, "multi_query");
  if (type == "falcon" && !says(config, "new_decoder_architecture")) return one ? 1 : heads;
  if (find_value(config, "multi_query_attention") != nullptr && !says(config, "multi_query_attention")) return heads;
  return first_number(config, key_head_keys).value_or(one ? 1 : heads);
}

HeadNumbers of_config(const Arguments& arguments, const std::string& words) {
  const NamedRole named = parse_role(words);
  if (named.file == "-") refuse(arguments.operation, "--config must be a file or a folder", "'-'");
  const PositionRole role = read_role(arguments.operation, words);
  require(check_use(arguments.operation, ConventionUse::rotations, *role.convention));
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(named.file, ignored);
  const std::string text = io::read_file(folder ? named.file + "/config.json" : named.file, io::json_byte_limit);
  const std::vector<JsonEntry> config = config_with(read_object(text).value(), in_lower_case(named.role));
  const std::optional<std::int64_t> heads = first_number(config, head_keys);
  if (!heads || *heads < 1 || *heads > most_heads) {
    refuse(arguments.operation, "--config must state the number of heads", heads ? std::to_string(*heads) : "none");
  }
  HeadNumbers numbers;
  numbers.heads = *heads;
  numbers.head = role.head;
  numbers.convention = role.convention;
  if (const std::string* type = find_text(config, "model_type")) numbers.model_type = *type;
  numbers.key_heads = key_heads_of(config, numbers.model_type, *heads);
  if (numbers.key_heads < 1 || numbers.key_heads > *heads || *heads % numbers.key_heads != 0) {
    refuse(arguments.operation, fmt::format("the key heads of --config must divide its {} heads", *heads),
           std::to_string(numbers.key_heads));
  }
  if (!role.head) refuse(arguments.operation, "the role of --config must have the columns of a head", "none");
  return numbers;
}

// ---- options --------------------------------------------------------------------------------------------------------

HeadNumbers of_options(const Arguments& arguments) {
  const auto number = [&](std::string_view option, std::int64_t most) -> std::optional<std::int64_t> {
    const auto words = arguments.find(option);
    if (!words) return std::nullopt;
    return parse_integer(arguments.operation, option, *words, 1, most);
  };
  if (!arguments.has("--heads")) refuse(arguments.operation, "--heads or --config must be given", "none");
  HeadNumbers numbers;
  numbers.heads = *number("--heads", most_heads);
  numbers.key_heads = number("--kv-heads", most_heads).value_or(numbers.heads);
  if (numbers.heads % numbers.key_heads != 0) {
    refuse(arguments.operation, fmt::format("--kv-heads must divide the {} heads", numbers.heads),
           std::to_string(numbers.key_heads));
  }
  numbers.head = number("--head", widest_head);
  numbers.rotated = number("--rotated", widest_head);
  if (numbers.rotated && *numbers.rotated % 2 != 0) {
    refuse(arguments.operation, "--rotated must be even", std::to_string(*numbers.rotated));
  }
  numbers.end = arguments.find("--rotated-end").value_or("first");
  if (numbers.end != "first" && numbers.end != "last") {
    refuse(arguments.operation, "--rotated-end must be first or last", quote(numbers.end));
  }
  return numbers;
}

}  // namespace

HeadNumbers read_heads(const Arguments& arguments) {
  const auto config = arguments.find("--config");
  if (config) {
    for (const std::string_view option : {"--heads", "--kv-heads", "--head", "--rotated", "--rotated-end"}) {
      const auto also = arguments.find(option);
      if (also) refuse(arguments.operation, fmt::format("one of --config and {} must be given", option), quote(*also));
    }
  }
  HeadNumbers numbers = config ? of_config(arguments, *config) : of_options(arguments);
  if (const auto fused = arguments.find("--fused"))
    numbers.fused = parse_fused(arguments.operation, in_lower_case(*fused));
  check_fused(arguments.operation, numbers);
  return numbers;
}

Pairings pairings_of(const Arguments& arguments, const HeadNumbers& numbers, std::string_view from,
                     std::string_view to) {
  // The order of columns depends on no frequency, so any length and centre will do for a configuration's own.
  const Context context = {.length = 1, .centre = 0};
  Convention plain = preset("rope-pair").convention;
  if (numbers.convention) {
    plain = *numbers.convention;
  } else {
    const std::int64_t rotated = numbers.rotated.value_or(*numbers.head);
    if (rotated > *numbers.head) {
      refuse(arguments.operation, fmt::format("--rotated must be at most the {} columns of a head", *numbers.head),
             std::to_string(rotated));
    }
    if (rotated % 2 != 0) {
      refuse(arguments.operation, "--rotated must be given where a head has an odd number of columns",
             std::to_string(*numbers.head));
    }
    plain = with_fields(plain, {{"part", rotated}, {"where", numbers.end}});
  }
  return {with_field(plain, "pairing", from), with_field(plain, "pairing", to), context};
}

}  // namespace posenc::tool
