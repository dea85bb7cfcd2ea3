// SPDX-License-Identifier: Apache-2.0
// Conventions to and from JSON, one field after another.
#include <posenc/spec.h>

#include <charconv>
#include <cmath>
#include <functional>

#include "src/formats/convention_node.h"

namespace posenc::io {
namespace {

constexpr JsonSource reading = {"convention_from_json"};

// ---- in -----------------------------------------------------------------------------------------

template <class T>
T enumerator(const JsonNode& node, std::initializer_list<T> all) {
  return node.one_of(all, [](T each) { return to_string(each); });
}

Ladder ladder_of(const JsonNode& node) {
  node.require_object();
  if (node.value.contains("frequencies")) {
    node.require_only({"frequencies"});
    const JsonNode list = node.member("frequencies");
    list.require_array();
    Listed listed;
    for (std::size_t i = 0; i < list.value.size(); ++i) {
      listed.frequencies.push_back(list.item(i).number());
    }
    return listed;
  }
  node.require_only({"base", "first", "spacing", "frequencies"});
  const JsonNode spacing = node.member("spacing");
  return Geometric{node.member("base").number(), node.member("first").number(),
                   enumerator(spacing, {Spacing::over_width, Spacing::over_gaps, Spacing::over_gaps_or_one})};
}

Layout layout_of(const JsonNode& node) {
  return enumerator(node, {Layout::interleaved, Layout::sine_first, Layout::cosine_first});
}

void check_version(const JsonNode& document) {
  const JsonNode version = document.member("posenc_convention");
  if (!version.value.is_number_integer()) version.refuse_type("the integer 1");
  if (version.value != 1) version.refuse("1, the version that is supported", version.value.dump());
}

Convention sinusoid_of(const JsonNode& document) {
  document.require_only({"posenc_convention", "family", "ladder", "layout", "odd_width"});
  return Sinusoid{ladder_of(document.member("ladder")), layout_of(document.member("layout")),
                  enumerator(document.member("odd_width"),
                             {OddWidth::refused, OddWidth::zero_column, OddWidth::short_row, OddWidth::lone_sine})};
}

Convention grid_of(const JsonNode& document) {
  document.require_only({"posenc_convention", "family", "ladder", "layout", "axis_order"});
  return Grid{ladder_of(document.member("ladder")), layout_of(document.member("layout")),
              enumerator(document.member("axis_order"), {AxisOrder::column_first, AxisOrder::row_first})};
}

Convention timestep_of(const JsonNode& document) {
  document.require_only({"posenc_convention", "family", "max_period", "shift", "scale", "layout"});
  return Timestep{document.member("max_period").number(), document.member("shift").number(),
                  document.member("scale").number(), layout_of(document.member("layout"))};
}

Convention rotary_of(const JsonNode& document) {
  document.require_only({"posenc_convention", "family", "ladder", "pairing"});
  return Rotary{ladder_of(document.member("ladder")),
                enumerator(document.member("pairing"), {Pairing::adjacent, Pairing::split_half})};
}

Convention bias_of(const JsonNode& document) {
  document.require_only({"posenc_convention", "family", "octaves"});
  return Bias{document.member("octaves").number()};
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

Convention convention_of(const JsonNode& document) {
  document.require_object();
  check_version(document);
  const auto kind = document.member("family").one_of<std::string_view>(
      {"sinusoid", "grid", "timestep", "rotary", "bias"}, std::identity{});
  if (kind == "grid") return grid_of(document);
  if (kind == "timestep") return timestep_of(document);
  if (kind == "bias") return bias_of(document);
  return kind == "rotary" ? rotary_of(document) : sinusoid_of(document);
}

std::string to_json(const Convention& convention) {
  require(check_convention(convention));
  return "{\"posenc_convention\": 1" + named("family", family(convention)) +
         std::visit([](const auto& each) { return fields_of(each); }, convention) + "}";
}

Convention convention_from_json(std::string_view text) {
  const nlohmann::json document = parse_json(text, reading);
  Convention convention = convention_of({document, "", reading});
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
