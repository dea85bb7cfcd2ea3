// SPDX-License-Identifier: Apache-2.0
// The words and the picture of posenc order.
#include <fmt/format.h>

#include <algorithm>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/order/order.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t told_tokens = 12, told_places = 3;
constexpr std::string_view text_names[] = {"A", "B"};

// The first ones, and how many more there are.
template <class T, class Words>
std::string listed(const std::vector<T>& items, std::int64_t most, std::string_view between, Words words) {
  std::string text;
  const std::int64_t count = std::min(std::ssize(items), most);
  for (std::int64_t i = 0; i < count; ++i) {
    text += (i > 0 ? std::string(between) : "") + words(items[static_cast<std::size_t>(i)]);
  }
  return std::ssize(items) > count ? text + fmt::format("{}... {} more", between, std::ssize(items) - count) : text;
}

std::string quoted_label(const std::string& label) { return "'" + label + "'"; }

// The label of an id, by one of its places.
const std::string& label_of(const OrderFindings& findings, int side, std::int32_t id) {
  const auto& ids = findings.ids[side];
  return findings.labels[side][static_cast<std::size_t>(std::ranges::find(ids, id) - ids.begin())];
}

std::string texts_part(const OrderRequest& request, const OrderFindings& findings) {
  std::string text;
  for (const int side : {0, 1}) {
    const std::size_t count = findings.labels[side].size();
    text += fmt::format("  {}  {}    {} token{}: {}\n", text_names[side],
                        quote(request.texts[static_cast<std::size_t>(side)]), count, count == 1 ? "" : "s",
                        listed(findings.labels[side], told_tokens, " ", quoted_label));
  }
  return text;
}

// What is compared where the texts are not the same tokens.
std::string others_part(const OrderFindings& findings) {
  const Comparison& comparison = findings.comparison;
  if (comparison.permuted) return "  B is A's tokens in another order.\n";
  std::string text = "  B is not A's tokens in another order:";
  for (const int side : {0, 1}) {
    if (comparison.only[side].empty()) continue;
    text += fmt::format(" {} has more of {}{}", text_names[side],
                        listed(comparison.only[side], told_tokens / 2, " ",
                               [&](std::int32_t id) { return quoted_label(label_of(findings, side, id)); }),
                        side == 0 && !comparison.only[1].empty() ? ";" : "");
  }
  return text + ".\n  Only the tokens that both have are compared.\n";
}

std::string number(double value) { return value == 0 ? "0" : fmt::format("{:.2g}", value); }

// What the rounding of f32 explains: rows this far apart, of the largest element, and with positions this many times
// as far as without.
constexpr double largest_rounding = 1e-3, rounding_factor = 10;

// How many times as far apart the rows are with positions.
std::string factor_words(const Comparison& comparison) {
  if (comparison.with == comparison.without) return "the same";
  if (comparison.without == 0) return "";
  return fmt::format("{:.3g} times", comparison.with / comparison.without);
}

std::string table_part(const OrderFindings& findings) {
  const Comparison& comparison = findings.comparison;
  constexpr std::string_view line = "  {:<14} {:<20} {:<20} {:>17} {:>17}\n";
  std::string text = fmt::format("How far the {} of a token in A is from its {} in B (largest element: {})\n\n",
                                 findings.rows, findings.rows, number(comparison.size));
  text += fmt::format(fmt::runtime(line), "token", "places in A", "places in B", "without positions", "with positions");
  const auto places = [](const std::vector<std::int64_t>& at) {
    return listed(at, told_places, ",", [](std::int64_t place) { return fmt::format("{}", place); });
  };
  const std::int64_t count = std::min(std::ssize(comparison.shared), told_tokens);
  for (std::int64_t i = 0; i < count; ++i) {
    const SharedToken& token = comparison.shared[static_cast<std::size_t>(i)];
    text += fmt::format(fmt::runtime(line), quoted_label(label_of(findings, 0, token.id)), places(token.places[0]),
                        places(token.places[1]), number(token.without), number(token.with));
  }
  if (std::ssize(comparison.shared) > count) {
    text += fmt::format("  ... {} more tokens\n", std::ssize(comparison.shared) - count);
  }
  return text + fmt::format(fmt::runtime("  {:<56} {:>17} {:>17}  {}\n"), "largest", number(comparison.without),
                            number(comparison.with), factor_words(comparison));
}

// What the numbers say of texts of the same tokens.
std::string conclusion_of_order(const OrderFindings& findings) {
  const Comparison& comparison = findings.comparison;
  const std::string_view without =
      comparison.without <= largest_rounding * comparison.size
          ? "Without positions both texts give the same {}s in another order, up to the rounding of the sums: attention"
            "\nsees a bag of words."
          : "Without positions the {}s are as far apart as above, although attention sees a bag of words: this model\n"
            "magnifies the rounding of the sums.";
  const std::string_view with = comparison.with > rounding_factor * comparison.without
                                    ? " With positions the rows differ: they say where a token stands.\n"
                                    : " With positions the rows differ no more: they do not tell these texts apart.\n";
  return fmt::format(fmt::runtime(without), findings.rows) + std::string(with);
}

// And of others, whose rows attention makes of other tokens.
std::string conclusion_of_others(const Comparison& comparison) {
  if (comparison.without <= largest_rounding * comparison.size) {
    return "Without positions the rows of the shared tokens are the same, up to the rounding of the sums, although\n"
           "other tokens are in the texts. A word after a space is another token than without one.\n";
  }
  return "Without positions the rows differ only because other tokens are in the text, not because of the order: give\n"
         "the same words in another order to see that. A word after a space is another token than without one.\n";
}

std::string outputs_part(const OrderOutputs& outputs) {
  const auto pair = [](std::string_view name, const std::string(&texts)[2]) {
    return fmt::format("  {:<18} A  {}\n  {:<18} B  {}{}\n", name, printable(texts[0]), "", printable(texts[1]),
                       texts[0] == texts[1] ? "   (the same)" : "");
  };
  return "\nWhat the model writes\n\n" + pair("without positions", outputs.without) +
         pair("with positions", outputs.with);
}

Json json_of(const OrderOutputs& outputs) {
  const auto pair = [](const std::string(&texts)[2], const std::vector<std::int64_t>(&ids)[2]) {
    return json_list(
        {json_object({{"text", texts[0]}, {"ids", ids[0]}}), json_object({{"text", texts[1]}, {"ids", ids[1]}})});
  };
  return json_object(
      {{"without", pair(outputs.without, outputs.ids_without)}, {"with", pair(outputs.with, outputs.ids_with)}});
}

}  // namespace

std::string order_screen(const OrderRequest& request, const OrderFindings& findings) {
  std::string text = fmt::format("What attention sees of two texts: {}\n\n", findings.subject);
  text += texts_part(request, findings) + others_part(findings) + "\n";
  text += findings.explanation + "\n" + table_part(findings) + "\n";
  text += findings.comparison.permuted ? conclusion_of_order(findings) : conclusion_of_others(findings.comparison);
  return findings.outputs ? text + outputs_part(*findings.outputs) : text;
}

std::string order_json(const OrderRequest& request, const OrderFindings& findings) {
  const Comparison& comparison = findings.comparison;
  std::vector<Json> texts, shared;
  for (const int side : {0, 1}) {
    texts.push_back(json_object({{"text", request.texts[static_cast<std::size_t>(side)]},
                                 {"ids", findings.ids[side]},
                                 {"tokens", findings.labels[side]}}));
  }
  for (const SharedToken& token : comparison.shared) {
    shared.push_back(json_object({{"token", label_of(findings, 0, token.id)},
                                  {"id", token.id},
                                  {"places", json_list({token.places[0], token.places[1]})},
                                  {"without", token.without},
                                  {"with", token.with}}));
  }
  const Json factor = comparison.without > 0 ? Json(comparison.with / comparison.without) : Json(nullptr);
  const Json outputs = findings.outputs ? json_of(*findings.outputs) : Json(nullptr);
  return one_line({{"operation", order_verb.name},
                   {"subject", findings.subject},
                   {"model", or_null(request.model)},
                   {"texts", texts},
                   {"permuted", comparison.permuted},
                   {"shared", shared},
                   {"largest_element", comparison.size},
                   {"without", comparison.without},
                   {"with", comparison.with},
                   {"factor", factor},
                   {"outputs", outputs},
                   {"plot", or_null(request.plot)}});
}

std::string order_picture(const OrderRequest& request, const OrderFindings& findings) {
  std::vector<std::string> captions = {
      findings.map_words + ": " + findings.subject, "A row says how much its token reads of each token; it sums to 1",
      fmt::format("B's tokens stand in A's order; outlined: a weight that differs from A's by more than {}",
                  least_difference)};
  const std::string title =
      fmt::format("What attention reads: A {}, B {}", quote(request.texts[0]), quote(request.texts[1]));
  return draw(AttentionPicture{title, captions, "token that reads", "token that is read", findings.maps},
              picture_format("order", *request.plot));
}

}  // namespace posenc::tool
