// SPDX-License-Identifier: Apache-2.0
// posenc explain: one entry step by step, and where two conventions part.
#include <fmt/format.h>
#include <posenc/operation.h>
#include <posenc/referee/referee.h>
#include <posenc/spec/spec.h>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/notes.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/places.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// Positions of a parting that are looked through.
constexpr std::int64_t searched = std::int64_t{1} << 16;

bool of_pairs(const Choice& choice) { return operation_of(choice.convention).reads == OperationReads::pairs; }
bool has_columns(const Choice& choice) { return operation_of(choice.convention).dim != DimCounts::nothing; }

// One position an axis; of a query and a key one each.
Places read_place(const Arguments& arguments, const Choice& choice) {
  Places places = read_places(arguments, "--position", choice.convention);
  if (places.count() != 1) {
    refuse(arguments.operation, "--position must be one position on every axis", std::to_string(places.count()));
  }
  if (!of_pairs(choice)) {
    if (arguments.has("--key")) {
      refuse(arguments.operation, "--key must come with slopes or buckets", quote(choice.name));
    }
    return places;
  }
  places.kept.push_back(parse_positions(arguments.operation, "--key", arguments.get("--key")));
  places.lists.push_back(places.kept.back().positions);
  return places;
}

std::array<double, 2> read_values(const Arguments& arguments, const Choice& choice) {
  const std::optional<std::string> words = arguments.find("--values");
  if (!words) return {1, 0};
  if (operation_of(choice.convention).use != ConventionUse::rotations)
    refuse(arguments.operation, "--values must come with a rotation", quote(choice.name));
  const std::size_t comma = words->find(',');
  if (comma == words->npos) refuse(arguments.operation, "--values must be U,V", quote(*words));
  return {parse_real(arguments.operation, "--values", words->substr(0, comma)),
          parse_real(arguments.operation, "--values", words->substr(comma + 1))};
}

RotatedSide side_of(const Arguments& arguments) {
  const std::string side = arguments.find("--side").value_or("query");
  if (side == "query") return RotatedSide::query;
  if (side == "key") return RotatedSide::key;
  refuse(arguments.operation, "--side must be query or key", quote(side));
}

EntryAsked read_asked(const Arguments& arguments, const Choice& choice, const Places& places) {
  EntryAsked asked = {.at = places.lists};
  if (has_columns(choice)) {
    asked.dim = read_dim(arguments, choice);
    asked.column = parse_integer(arguments.operation, "--column", arguments.get("--column"), 0);
  }
  asked.before = read_values(arguments, choice);
  asked.side = side_of(arguments);
  return asked;
}

Context read_explained_context(const Arguments& arguments) {
  Context context = read_context(arguments);
  if (const auto width = arguments.find("--head-dim")) {
    context.head = parse_integer(arguments.operation, "--head-dim", *width, 1);
  }
  return context;
}

// A preset's name, or a document.
Choice read_other(const Arguments& arguments, const std::string& words) {
  Arguments other = {arguments.operation, {}, {}};
  other.values[words.ends_with(".json") ? "--spec" : "--preset"] = {words};
  return read_choice(other);
}

Said said_of(const Arguments& arguments, const Choice& choice) {
  const Places places = read_place(arguments, choice);
  const EntryAsked asked = read_asked(arguments, choice, places);
  const Context context = read_explained_context(arguments);
  const Options options = {.recipe = choice.recipe, .context = context};
  require(check_explain(choice.convention, asked, options));
  std::optional<Choice> other;
  if (const auto words = arguments.find("--against")) {
    other = read_other(arguments, *words);
    require(check_parting(choice.convention, other->convention, asked.dim, searched, {.context = context}));
  }
  const Explanation told = explain(choice.convention, asked, options);
  std::optional<Parting> parted;
  if (other) parted = parting(choice.convention, other->convention, asked.dim, searched, {.context = context});
  if (arguments.has("--json")) {
    Json json =
        report(arguments.operation, {{"name", choice.name}, {"convention", json_document(to_json(choice.convention))}},
               to_json(told));
    if (!other) return {one_line(json)};
    const Json against =
        json_object({{"name", other->name}, {"parting", parted ? json_document(to_json(*parted)) : Json(nullptr)}});
    return {one_line(merged({json, json_object({{"against", against}})}))};
  }
  std::string text = choice.name + ", " + to_string(told);
  if (!other) return {text};
  if (!parted) return {text + fmt::format("{} is the same real number in every column\n", other->name)};
  return {text + fmt::format("against {} as b, {}", other->name, to_string(*parted))};
}

Said run_explain(const Arguments& arguments) {
  const Choice choice = read_choice_for(arguments, std::nullopt, {"--position"}, [&](const Choice& named) {
    std::vector<std::string> all;
    if (has_columns(named)) all = missing(arguments, {"--dim", "--column"});
    if (named.dim) std::erase(all, "--dim");
    if (of_pairs(named)) std::ranges::move(missing(arguments, {"--key"}), std::back_inserter(all));
    return all;
  });
  Said said = said_of(arguments, choice);
  said.notes = notes_of_stated(arguments, choice);
  return said;
}

constexpr Option explain_options[] = {
    preset_option,
    spec_option,
    config_option,
    set_option,
    {"--dim", "D", "columns of a row or of a head; of slopes the number of heads (needed where there are columns)"},
    {"--column", "C", "the column; of slopes the head (needed where there are columns)"},
    {"--position", "[AXIS=]P",
     "the position, of several axes AXIS= once each; of slopes and buckets the query's (needed)", Takes::many},
    {"--key", "P", "the position of the key: slopes and buckets ask for it"},
    recipe_option,
    {"--values", "U,V", "what stands in the two columns of a rotation: 1,0 unless said"},
    {"--side", "query|key", "what a rotation with a decay turns: the query unless said"},
    {"--against", "NAME|FILE.json", "another convention: the first column and position at which they part", Takes::one,
     preset_choices},
    {"--head-dim", "D", "columns of a head, where the scale of slopes depends on them"},
    length_option,
    centre_option,
    learned_option};

}  // namespace

constinit const Verb explain_verb = {
    "explain",
    "one entry step by step: digits, roundings, what each lost",
    "NAME [NAME]",
    "is a preset, in the place of --preset; another one stands in the place of --against.",
    "posenc explain transformer --dim 512 --position 1000000 --column 37 --recipe f32-exp",
    Operands::preset_and_other,
    explain_options,
    run_explain,
    preset_choices,
};

}  // namespace posenc::tool
