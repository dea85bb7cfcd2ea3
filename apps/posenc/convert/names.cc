// SPDX-License-Identifier: Apache-2.0
// Names of projections as code bases give them, and patterns.
#include "apps/posenc/convert/names.h"

#include <algorithm>
#include <vector>

namespace posenc::tool {
namespace {

struct Row {
  std::string_view name;
  Module module;
};
// transformers' and Meta's names; q_b_proj and wq_b, kv_a_proj_with_mqa and wkv_a are DeepSeek's; W_pack is Baichuan's,
// Wqkv of Phi and ModernBERT, c_attn Qwen's. wqkv stands by groups in InternLM2 and in parts in gpt-fast.
constexpr Row module_rows[] = {
    {"q_proj", Module::query},
    {"wq", Module::query},
    {"query", Module::query},
    {"q_b_proj", Module::query},
    {"wq_b", Module::query},
    {"k_proj", Module::key},
    {"wk", Module::key},
    {"key", Module::key},
    {"kv_a_proj_with_mqa", Module::latent_key},
    {"wkv_a", Module::latent_key},
    {"q_norm", Module::query_norm},
    {"q_layernorm", Module::query_norm},
    {"query_layernorm", Module::query_norm},
    {"k_norm", Module::key_norm},
    {"k_layernorm", Module::key_norm},
    {"key_layernorm", Module::key_norm},
    {"query_key_value", Module::by_groups},
    {"wqkv", Module::unknown},
    {"qkv_proj", Module::in_parts},
    {"W_pack", Module::in_parts},
    {"Wqkv", Module::in_parts},
    {"c_attn", Module::in_parts},
};

// Modules and tensors without columns of queries and keys: values and what is made of them, the ranks that DeepSeek
// compresses to, gpt-oss's scores of no key.
constexpr std::string_view names_apart[] = {"v_proj",    "wv",     "value",         "v_bias",         "v_norm",
                                            "kv_b_proj", "wkv_b",  "o_proj",        "out_proj",       "wo",
                                            "Wo",        "dense",  "c_proj",        "proj",           "output",
                                            "out",       "to_out", "attn_sub_norm", "inner_attn_ln",  "o_norm",
                                            "q_a_proj",  "wq_a",   "q_a_layernorm", "kv_a_layernorm", "kv_norm",
                                            "sinks"};

std::vector<std::string_view> split(std::string_view name, std::string_view at_any_of) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find_first_of(at_any_of, at), name.size());
    parts.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// What follows the name of the module.
Part part_of(std::string_view rest) {
  constexpr std::string_view plain[] = {"", "weight", "bias", "base_layer.weight", "base_layer.bias"};
  if (std::ranges::find(plain, rest) != std::end(plain)) return Part::rows;
  if (rest.starts_with("lora_A.") && rest.ends_with("weight")) return Part::inputs;
  if (rest.starts_with("lora_B.") && rest.ends_with("weight")) return Part::rows;
  return Part::other;
}

// qkv_proj stands in self_attn with three parts, and in attn of CodeGen with four times three.
Module told_apart(Module module, std::string_view name, std::string_view before) {
  if (name != "qkv_proj" || before == "self_attn") return module;
  return before == "attn" ? Module::in_quarters : Module::unknown;
}

}  // namespace

std::optional<ModuleName> module_of(std::string_view tensor) {
  const std::vector<std::string_view> parts = split(tensor, ".");
  ModuleName found = {{}, "", "", Part::other};
  std::size_t length = 0;  // of what has been read, with its points
  for (std::size_t i = 0; i < parts.size(); ++i) {
    length += parts[i].size() + 1;
    const auto* const row = std::ranges::find(module_rows, parts[i], &Row::name);
    if (row == std::end(module_rows)) {
      const std::string_view point = i == 0 ? "" : ".";
      found.layer.append(point).append(parts[i]);
      found.stack.append(point).append(is_number(parts[i]) ? "#" : parts[i]);
      continue;
    }
    found.module = told_apart(row->module, row->name, i > 0 ? parts[i - 1] : "");
    found.part = part_of(length > tensor.size() ? "" : tensor.substr(length));
    return found;
  }
  return std::nullopt;
}

Beside beside_projections(std::string_view rest) {
  if (std::ranges::find(names_apart, rest.substr(0, rest.find('.'))) != std::end(names_apart)) return Beside::apart;
  constexpr std::string_view rows[] = {"q",  "k",  "qk",    "query", "key",   "queries", "keys",
                                       "wq", "wk", "qnorm", "knorm", "qbias", "kbias"};
  const std::vector<std::string_view> words = split(rest, "._");
  const bool of_rows = std::ranges::find_first_of(words, rows) != words.end();
  return of_rows ? Beside::of_rows : Beside::unknown;
}

bool fits_pattern(std::string_view name, std::string_view pattern) {
  std::size_t n = 0, p = 0, star = pattern.npos, resumed = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, resumed = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++n, ++p;
    } else if (star != pattern.npos) {
      p = star + 1, n = ++resumed;  // the last * takes one character more
    } else {
      return false;
    }
  }
  return std::ranges::all_of(pattern.substr(p), [](char c) { return c == '*'; });
}

}  // namespace posenc::tool
