// SPDX-License-Identifier: Apache-2.0
// Findings, each as the cure says it.
#include "src/referee/diagnose_words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "src/base/to_text.h"
#include "src/conventions/lower.h"
#include "src/numerics/evaluate.h"
#include "src/referee/short_text.h"

namespace posenc::referee {
namespace {

std::string fitted_words(const Fitted& number) {
  const std::string value = to_text(number.value);
  return value + (number.simple.empty() || number.simple == value ? "" : " = " + number.simple);
}

// 500000, where the shortest text is 5e+05.
std::string digits(const std::string& number) {
  double value = 0;
  const auto end = std::from_chars(number.data(), number.data() + number.size(), value);
  constexpr double longest = 1e15;
  const bool whole = end.ec == std::errc{} && end.ptr == number.data() + number.size() && std::abs(value) < longest &&
                     std::rint(value) == value;
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : number;
}

bool ends_with_field(std::string_view path, std::string_view field) {
  return path == field || path.ends_with("." + std::string(field));
}

std::string in_words(std::string_view layout) {
  if (layout == "sine_first" || layout == "cosine_first") return "in halves (" + std::string(layout) + ")";
  return std::string(layout);
}

// "path: is, not asked" as the cure says it.
std::string words_of_field(const std::string& difference) {
  const std::size_t colon = difference.find(": "), comma = difference.rfind(", not ");
  if (colon == difference.npos || comma == difference.npos) return difference;
  const std::string path = difference.substr(0, colon), is = difference.substr(colon + 2, comma - colon - 2),
                    asked = difference.substr(comma + 6);
  if (ends_with_field(path, "base")) return "base is " + digits(is) + ", not " + digits(asked);
  if (path == "layout") {
    const std::string first =
        is == "cosine_first" || asked == "cosine_first" ? ": sines and cosines change places" : "";
    return "columns are " + in_words(is) + ", " + in_words(asked) + " asked" + first +
           ": permute with posenc convert --layout " + is + ":" + asked;
  }
  if (path == "pairing") {
    return "pairs are " + is + ", " + asked + " asked: permute with posenc convert --pairing " + is + ":" + asked;
  }
  if (path == "magnitude") {
    return "magnitude is " + is + ", " + asked + " asked";
  }
  if (path == "turn") return "turned " + is + ", " + asked + " asked: negate the sines";
  if (path.find("spacing") != path.npos && ends_with_field(path, "shift")) {
    return "ladder includes its end point by shift " + is + ", " + asked + " asked";
  }
  if (path == "slope_rounding" && is == "bf16") return "slopes were rounded to bf16";
  if (path == "slope_rounding" && asked == "bf16") return "slopes are not rounded to bf16, as the convention's are";
  if (path == "scope") {
    return "a block of sines or of cosines spans a " + is + ", a " + asked + " asked";
  }
  if (ends_with_field(path, "spacing.over")) {
    return "frequencies are spaced over the " + is + ", the " + asked + " asked (" + path + ")";
  }
  if (const std::size_t scaling = path.find("scaling."); scaling != path.npos) {
    return "scaling: " + path.substr(scaling + 8) + " is " + digits(is) + ", " + digits(asked) + " asked";
  }
  if (path.find("scaling") != path.npos) return "scaling is " + is + ", " + asked + " asked (" + path + ")";
  return path + " is " + is + ", " + asked + " asked";
}

// By which cosines and sines are multiplied; nothing where that depends on what is not stated.
std::optional<double> magnitude_of(const Convention& rotation) {
  constexpr std::int64_t usual_width = 64;
  const LoweredFor given = {.width = usual_width, .context = {.length = 1, .centre = 0}};
  if (check_use("diagnose", ConventionUse::rotations, rotation) || check_lower(rotation, given)) return std::nullopt;
  return numerics::rounded<double>(lower_pairs(rotation, given).magnitude);
}
std::string magnitude_cure(const Convention& is, const Convention& asked) {
  const auto there = magnitude_of(is), wanted = magnitude_of(asked);
  if (!there || !wanted || *there == *wanted) return "";
  const std::string number = short_text(*wanted == 1 ? *there : *wanted / *there, 9);
  return (*wanted == 1 ? ": divide cosines and sines by " : ": multiply cosines and sines by ") + number;
}

// a - b, or 0 where they are as near as coordinates that are measured.
double apart(double a, double b) {
  constexpr double near = 1e-6;
  return std::abs(a - b) <= near * std::max(std::abs(a), std::abs(b)) ? 0 : a - b;
}

// The shift of a ladder, and whether over n or d / 2, are one thing to a reader: its end point.
bool end_point(const std::vector<std::string>& differences, std::string_view shift) {
  return std::ranges::any_of(differences, [&](const std::string& each) {
    return each.find("spacing.shift: " + std::string(shift)) != each.npos;
  });
}

// "ladders.0.scaling.short_factors.17: 2, not 1": the numbers of a list are one difference where they are many.
std::vector<std::string> in_short(std::vector<std::string> differing) {
  constexpr std::ptrdiff_t few = 3;
  const auto list_of = [](const std::string& each) {
    const std::string path = each.substr(0, each.find(": "));
    const std::size_t dot = path.rfind('.');
    const bool is_number = dot != path.npos && path.find_first_not_of("0123456789", dot + 1) == path.npos;
    return is_number ? path.substr(0, dot) : std::string();
  };
  std::vector<std::string> all;
  for (const std::string& each : differing) {
    const std::string list = list_of(each);
    const auto in_list = [&](const std::string& other) { return list_of(other) == list; };
    const std::ptrdiff_t count = list.empty() ? 1 : std::ranges::count_if(differing, in_list);
    if (count <= few) {
      all.push_back(each);
    } else if (each == *std::ranges::find_if(differing, in_list)) {
      all.push_back(each + ", the first of " + std::to_string(count) + " that differ");
    }
  }
  return all;
}

// Counts the rows at the candidate's first position: copies, or positions in steps of 0.
std::int64_t rows_at_one_position(const Candidate& candidate) {
  if (candidate.extents.size() != 1) return 1;
  const auto stands = [](const AxisPlaces& place) { return place.step == 0; };
  const bool all_stand = !candidate.places.empty() && std::ranges::all_of(candidate.places, stands);
  return candidate.extents[0] == 1 ? candidate.copies : all_stand ? candidate.extents[0] : 1;
}

// The offset of the positions from those asked, if rows count from the tensor's first row.
double offset_from_first(const Candidate& candidate, const AxisPlaces& place, const Coordinates& asked) {
  return apart(place.first, asked.at(0) + static_cast<double>(candidate.extra) * asked.step);
}

// Tells whether positions continue behind the rows in front as if these were rows of the table.
bool is_counted_from_first(const Candidate& candidate, const AxisPlaces& place, const Coordinates& asked) {
  return candidate.extra > 0 && candidate.extents.size() == 1 && place.step == asked.step &&
         offset_from_first(candidate, place, asked) == 0;
}

// The offset of the positions from those asked. Rows count from behind the rows in front if the positions begin there,
// else from the tensor's first row.
double offset_of(const Candidate& candidate, const AxisPlaces& place, const Coordinates& asked) {
  const double behind = apart(place.first, asked.at(0));
  if (behind == 0 || candidate.extra == 0 || candidate.extents.size() != 1) return behind;
  return offset_from_first(candidate, place, asked);
}

std::string words_of_rows_in_front(const Candidate& candidate, const std::vector<Coordinates>& asked) {
  bool counted_from_first = !candidate.places.empty();
  for (std::size_t a = 0; a < candidate.places.size() && a < asked.size(); ++a) {
    counted_from_first &= is_counted_from_first(candidate, candidate.places[a], asked[a]);
  }
  if (!counted_from_first) {
    return candidate.extra == 1 ? "1 row in front belongs to no position"
                                : std::to_string(candidate.extra) + " rows in front belong to no position";
  }
  std::vector<std::int64_t> rows(static_cast<std::size_t>(candidate.extra));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return counted("row", rows) + "zero: padding";
}

// Describes permuted or different axes. The name of a single axis does not affect entries.
std::optional<std::string> words_of_axes(const Convention& is, const Convention& asked) {
  const std::vector<std::string> own = axes_of(is), wanted = axes_of(asked);
  if (own == wanted || (own.size() == 1 && wanted.size() == 1)) return std::nullopt;
  const auto names = [](const std::vector<std::string>& axes) {
    return "[" + listed(axes, [](const std::string& name) { return name; }) + "]";
  };
  const std::string words = " (axes: " + names(own) + ", not " + names(wanted) + ")";
  std::vector<std::string> moved;
  for (std::size_t a = 0; a < std::min(own.size(), wanted.size()); ++a) {
    if (own[a] != wanted[a]) moved.push_back(own[a]);
  }
  std::ranges::sort(moved);
  if (std::ranges::is_permutation(own, wanted) && moved.size() == 2) {
    return moved[0] + " and " + moved[1] + " swapped" + words;
  }
  return "axes are " + names(own) + ", " + names(wanted) + " asked";
}

}  // namespace

std::vector<std::string> words_of_places(const Candidate& candidate, const std::vector<Coordinates>& asked) {
  std::vector<std::string> all;
  const std::int64_t equal_rows = rows_at_one_position(candidate);
  for (std::size_t a = 0; a < candidate.places.size() && a < asked.size(); ++a) {
    const AxisPlaces& place = candidate.places[a];
    if (!place.step) continue;  // where the call lists them
    const std::string axis = candidate.places.size() == 1 ? "" : "along " + place.axis + " ";
    if (equal_rows > 1) {
      all.push_back(axis + words_of_one_position(candidate.extra, equal_rows, place.first));
      continue;
    }
    const double is = *place.step;
    const double first = offset_of(candidate, place, asked[a]), step = apart(is, asked[a].step) + asked[a].step;
    const std::string listed_or_spaced =
        places_along(place.axis, asked[a]).step
            ? ", not from " + to_text(asked[a].at(0)) + " in steps of " + to_text(asked[a].step)
            : ", not those listed, from " + to_text(asked[a].at(0)) + " on";
    if (is == -asked[a].step && first == 0 && place.first == 0) {
      all.push_back(axis + "row p holds position -p, as pairs that turn backward do: negate the sines");
    } else if (step != asked[a].step) {
      all.push_back(axis + "positions are from " + to_text(place.first) + " in steps of " + to_text(is) +
                    listed_or_spaced);
    } else if (first != 0 && asked[a].at(0) != 0) {
      all.push_back(axis + "positions begin at " + to_text(place.first) + ", not at " + to_text(asked[a].at(0)));
    } else if (first != 0) {
      all.push_back(axis + "row p holds position p " + (first < 0 ? "- " : "+ ") + to_text(std::abs(first)));
    }
  }
  return all;
}

std::vector<std::string> words_of_reading(const Candidate& candidate, ColumnAxis columns,
                                          const std::vector<Coordinates>& asked) {
  std::vector<std::string> all;
  if (columns == ColumnAxis::first) all.push_back("the tensor is transposed: its axes are " + candidate.reading);
  if (candidate.extra > 0) all.push_back(words_of_rows_in_front(candidate, asked));
  for (const Fitted& number : candidate.fitted) {
    if (number.name == "scale" && number.value != 1)
      all.push_back("scaled by " + fitted_words(number) + ": divide by it");
  }
  return all;
}

std::vector<std::string> words_of_fields(const Convention& is, const Convention& asked, std::string_view form) {
  std::vector<std::string> differing = differences(is, asked);
  const bool shows_pairs = form.empty() || form.find("a a") != form.npos;
  if (form == "frequencies") {
    // A list says nothing of columns, nor of axes.
    constexpr std::string_view shown[] = {"family", "ladder", "angle_factor", "part"};
    std::erase_if(differing, [&](const std::string& each) {
      return std::ranges::none_of(shown, [&](std::string_view field) { return each.starts_with(field); });
    });
  }
  if (!shows_pairs) std::erase_if(differing, [](const std::string& each) { return each.starts_with("pairing: "); });
  std::vector<std::string> all;
  if (end_point(differing, "1, not 0")) all.emplace_back("ladder includes its end point (k / (n - 1)), 2k / d asked");
  if (end_point(differing, "0, not 1")) all.emplace_back("ladder leaves out its end point (2k / d), k / (n - 1) asked");
  const bool says_spacing = !all.empty();
  const bool other_family = !differing.empty() && differing.front().starts_with("family");
  const bool shows_axes = form != "frequencies" && !other_family;
  if (auto words = shows_axes ? words_of_axes(is, asked) : std::nullopt) all.push_back(std::move(*words));
  for (const std::string& each : in_short(std::move(differing))) {
    if (says_spacing && each.find("spacing") != each.npos) continue;
    if (each.starts_with("axes")) continue;
    all.push_back(words_of_field(each));
    if (each.starts_with("magnitude: ")) all.back() += magnitude_cure(is, asked);
  }
  return all;
}

}  // namespace posenc::referee
