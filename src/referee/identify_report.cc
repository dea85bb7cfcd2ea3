// SPDX-License-Identifier: Apache-2.0
// An identification in words.
#include <posenc/referee/identify.h>

#include <algorithm>

#include "src/base/environment.h"
#include "src/base/to_text.h"

namespace posenc {
namespace {

// 22.6274, 1e-06: enough to recognise a number.
std::string short_number(double value) {
  constexpr double most_whole = 1e15;
  if (!(value > -most_whole && value < most_whole)) return to_text(value);
  if (value == std::int64_t(value)) return std::to_string(std::int64_t(value));
  constexpr double six_digits = 1e6;
  double scale = 1;
  for (double size = value < 0 ? -value : value; size * scale < six_digits / 10 && scale < 1e18;) scale *= 10;
  return to_text(static_cast<double>(std::int64_t(value * scale + (value < 0 ? -0.5 : 0.5))) / scale);
}

std::string percent(double share) {
  const auto thousandths = std::int64_t(share * 1e5);  // never rounded up to all
  std::string digits = std::to_string(thousandths % 1000);
  digits.insert(0, 3 - digits.size(), '0');
  return std::to_string(thousandths / 1000) + "." + digits + " %";
}

// "96.1 %"
std::string tenths(double share) {
  const auto count = std::int64_t(share * 1000 + 0.5);
  return std::to_string(count / 10) + "." + std::to_string(count % 10) + " %";
}

std::string names(const std::vector<std::string>& all) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) text += (i == 0 ? "" : ", ") + all[i];
  return all.size() > most ? text + " and " + std::to_string(all.size() - most) + " more" : text;
}

std::string extents(const Candidate& candidate) {
  std::string text;
  for (const std::int64_t extent : candidate.extents) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

void add_line(std::string& text, std::string_view name, const std::string& value) {
  constexpr std::size_t column = 12;
  text += "  " + std::string(name) + std::string(name.size() < column ? column - name.size() : 1, ' ') + value + "\n";
}

// Lists of divisors differ in every number.
void add_differences(std::string& text, const std::vector<std::string>& differences) {
  constexpr std::size_t most = 8;
  const std::size_t told = std::min(most, differences.size());
  for (std::size_t i = 0; i < told; ++i) add_line(text, "but for", differences[i]);
  if (told < differences.size()) add_line(text, "", std::to_string(differences.size() - told) + " more");
}

void add(std::string& text, const Candidate& candidate) {
  text += names(candidate.presets) + "\n";
  add_differences(text, candidate.differences);
  add_line(text, "form", candidate.form);
  if (!candidate.reading.empty()) add_line(text, "axes", candidate.reading + ", " + extents(candidate) + " places");
  if (candidate.copies > 1) add_line(text, "copies", std::to_string(candidate.copies) + ", equal to the bit");
  if (candidate.extra > 0) {
    add_line(text, "in front",
             std::to_string(candidate.extra) + (candidate.extra == 1 ? " row" : " rows") + " of no place");
  }
  if (candidate.width > 0) add_line(text, "width", std::to_string(candidate.width));
  for (const AxisPlaces& places : candidate.places) {
    const std::string along = places.step ? " in steps of " + short_number(*places.step) : " on, as they were listed";
    add_line(text, places.axis, "from " + short_number(places.first) + along);
  }
  for (const Fitted& number : candidate.fitted) {
    add_line(text, "fitted",
             number.name + " " + short_number(number.value) + ", from " + to_text(number.low) + " to " +
                 to_text(number.high) + (number.simple.empty() ? ": no simple number" : ": " + number.simple));
  }
  add_line(text, "storage", std::string(to_string(candidate.storage)));
  add_line(text, "exact", to_string(candidate.exact));
  if (candidate.recipe != "exact") {
    const bool measured = candidate.known_share > 0 && candidate.by_recipe.equal < candidate.by_recipe.entries;
    add_line(text, candidate.recipe,
             to_string(candidate.by_recipe) +
                 (measured ? "; originals reach " + tenths(candidate.known_share) + " on the average" : ""));
  }
}

// "whisper: rows 0 to 3 cannot tell it, row 4, column 5 does, by 0.0123".
std::string words_of(const RuledOut& ruled_out) {
  std::string text = ruled_out.preset + ": ";
  const std::int64_t telling = ruled_out.place[0], first = telling - ruled_out.equal_places;
  if (ruled_out.equal_places == 1) text += "row " + std::to_string(first) + " cannot tell it, ";
  if (ruled_out.equal_places > 1) {
    text += "rows " + std::to_string(first) + " to " + std::to_string(telling - 1) + " cannot tell it, ";
  }
  text += "row " + std::to_string(ruled_out.place[0]) + ", column " + std::to_string(ruled_out.place[1]) + " does";
  if (ruled_out.equal_places == 0) text.replace(text.size() - 4, 4, "tells it");
  return text + ", by " + short_number(ruled_out.difference);
}

}  // namespace

std::string to_string(const Agreement& agreement) {
  const DefaultEnvironment environment;
  if (agreement.equal == agreement.entries) return "all " + std::to_string(agreement.entries) + " entries equal";
  constexpr double most_units = 1e6;  // beyond, no rounding is meant
  std::string text =
      percent(agreement.share()) + " of " + std::to_string(agreement.entries) +
      " entries equal to the bit, others off by up to " +
      (agreement.largest <= most_units ? short_number(agreement.largest) + " units in the last place, " : "") +
      short_number(agreement.difference) + (agreement.largest <= most_units ? " at most" : "");
  if (agreement.first.size() == 2) {
    text += "; first at row " + std::to_string(agreement.first[0]) + ", column " + std::to_string(agreement.first[1]);
  }
  return text;
}

std::string to_string(const Identification& identification) {
  const DefaultEnvironment environment;
  std::string text;
  if (identification.candidates.empty()) {
    text = "not identified" + (identification.kind.empty() ? "" : ": " + identification.kind) + "\n";
    if (!identification.nearest) return text;
    add(text += "nearest: ", *identification.nearest);
    add_line(text, "distance",
             "half of the entries within " + short_number(identification.nearest->exact.median) +
                 " units in the last place");
    return text;
  }
  if (identification.candidates.size() > 1) {
    text = std::to_string(identification.candidates.size()) + " conventions that these entries do not tell apart\n\n";
  }
  for (std::size_t i = 0; i < identification.candidates.size(); ++i) {
    if (i > 0) text += "\n";
    add(text, identification.candidates[i]);
  }
  if (identification.sampled) text += "recipes were held against some entries only\n";
  if (!identification.ruled_out.empty()) text += "ruled out\n";
  for (const RuledOut& each : identification.ruled_out) {
    text += "  " + words_of(each) + "\n";
    for (const std::string& difference : each.differences) text += "    " + difference + "\n";
  }
  return text;
}

}  // namespace posenc
