// SPDX-License-Identifier: Apache-2.0
// Readings, forms, widths and places in which a convention may stand in a tensor.
#include "src/referee/diagnose_asked.h"

#include <posenc/cell_places.h>

#include <algorithm>
#include <cmath>

#include "src/referee/compared_places.h"
#include "src/referee/identify_table.h"

namespace posenc::referee {

const Preset& row_of(const Convention& convention) {
  const Preset* like = nullptr;
  for (const Preset& each : presets()) {
    if (each.convention == convention) return each;
    const bool rotations = gives(ConventionUse::rotations, each.convention);
    if (like == nullptr && !each.places && rotations == gives(ConventionUse::rotations, convention)) like = &each;
  }
  return *like;
}

namespace {

// Are columns that stand twice alike, each less its mean over a few places? Damage and noise take equal copies from a
// form, not that.
bool copies_are_alike(const Reading& reading, const std::vector<plan::Column>& columns) {
  constexpr std::int64_t few = 32;
  constexpr double least = 0.5;
  const std::int64_t count = std::min(reading.places(), few);
  double both = 0, of_one = 0, of_other = 0;
  for (const auto& [one, other] : standing_twice(columns)) {
    double sum_a = 0, sum_b = 0, products = 0, squares_a = 0, squares_b = 0, n = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t place = i * reading.places() / count;
      const double a = reading.at(place, static_cast<std::int64_t>(one));
      const double b = reading.at(place, static_cast<std::int64_t>(other));
      if (!std::isfinite(a) || !std::isfinite(b)) continue;
      sum_a += a, sum_b += b, products += a * b, squares_a += a * a, squares_b += b * b, n += 1;
    }
    if (n == 0) continue;
    const double sign = columns[one].quarter / 2 == columns[other].quarter / 2 ? 1 : -1;
    both += sign * (products - sum_a * sum_b / n);
    of_one += squares_a - sum_a * sum_a / n, of_other += squares_b - sum_b * sum_b / n;
  }
  return both > 0 && both >= least * std::sqrt(of_one * of_other);
}

// Are most pairs of a cosine and a sine that stand once of one length? Damage takes that from a few of them.
bool lengths_are_alike(const Reading& reading, const std::vector<plan::Column>& columns) {
  constexpr std::int64_t few = 32;
  constexpr double near = 0x1p-6;
  const std::int64_t count = std::min(reading.places(), few);
  std::vector<double> lengths;
  for (const WaveColumns& wave : waves_of(columns)) {
    if (!wave.pair()) continue;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t place = i * reading.places() / count;
      const double s = reading.at(place, wave.sine), c = reading.at(place, wave.cosine),
                   length = std::sqrt(s * s + c * c);
      if (std::isfinite(length) && length > 0) lengths.push_back(length);  // rows that were not filled say nothing
    }
  }
  if (lengths.empty()) return false;
  std::ranges::sort(lengths);
  const double median = lengths[lengths.size() / 2];
  const auto alike = std::ranges::count_if(lengths, [&](double x) { return std::abs(x - median) <= near * median; });
  return 2 * alike > std::ssize(lengths);
}

// Tells whether the sampled rows hold no finite entry: columns cannot be compared then.
bool says_nothing(const Reading& reading) {
  return std::ranges::none_of(probes(reading.places()), [&](std::int64_t place) {
    for (std::int64_t c = 0; c < reading.width; ++c) {
      if (std::isfinite(reading.at(place, c))) return true;
    }
    return false;
  });
}

// The forms that a reading may have, by what is equal in it; all of them where damage leaves none of rows.
std::vector<const Form*> forms_of(const Reading& reading) {
  const std::span<const Form> forms = rotation_forms();
  std::vector<const Form*> all, admitted;
  for (const Form& form : forms) {
    if (reading.width % form.per_pair != 0) continue;
    all.push_back(&form);
    std::vector<plan::Angle> pairs;
    for (std::int64_t k = 0; k < reading.width / form.per_pair; ++k)
      pairs.push_back({0, static_cast<std::uint32_t>(k)});
    const std::vector<plan::Column> columns = form.columns(pairs);
    if (may_have(reading, columns, tolerance_of(DType::bf16)) || copies_are_alike(reading, columns) ||
        (standing_twice(columns).empty() && lengths_are_alike(reading, columns))) {
      admitted.push_back(&form);
    }
  }
  return usual(reading) && (admitted.empty() || says_nothing(reading)) ? all : admitted;
}

std::vector<Signal> signals_of(const Convention& convention, const Reading& reading, const DiagnoseOptions& options) {
  const std::int64_t width = reading.width, places = reading.places();
  const Preset& row = row_of(convention);
  LoweredFor given = {.context = options.context};
  if (given.context.length == 0) given.context.length = std::max<std::int64_t>(places, 1);
  if (!given.context.learned) given.context.learned = 1;
  std::vector<Signal> all;
  const auto add = [&](std::int64_t dim, std::string_view form) {
    given.width = dim;
    auto signal = signal_of(row, convention, given, form);
    if (signal && signal->width() == width) all.push_back(std::move(*signal));
  };
  if (gives(ConventionUse::coordinates, convention)) {
    if (options.dim != 0) add(options.dim, table_form);
    for (const std::int64_t dim : {width, width + 1, 2 * width, 2 * width + 1}) {
      if (options.dim == 0) add(dim, table_form);
    }
    return all;
  }
  for (const Form* form : forms_of(reading)) {
    const std::int64_t rotated = 2 * (width / form->per_pair);
    if (options.dim != 0) {
      add(options.dim, form->name);
    } else if (const auto head = head_of(convention, rotated)) {
      add(*head, form->name);
    }
  }
  return all;
}

std::vector<Reading> readings_of(const ConstView& tensor, const Convention& convention) {
  if (tensor.rank < 2) return {};
  const bool cells = axes_of(convention).size() > 1;
  std::vector<Reading> all = readings(tensor, cells ? Grids::factored : Grids::stated, tolerance_of(DType::bf16).noise);
  // Rows of zeros in front may be those of position 0, whose sines and angles are zero.
  std::ranges::stable_sort(all, {}, &Reading::extra);
  return all;
}

// The length of the sequence is that of the tensor, and a learned scale is 1.
std::vector<Assumed> assumed_context(const Signal& signal, const DiagnoseOptions& options) {
  std::vector<Assumed> all;
  if (options.context.length == 0 && depends_on_length(signal.convention)) {
    all.push_back({"length", std::to_string(signal.given.context.length)});
  }
  LoweredFor unlearned = signal.given;
  unlearned.context.learned.reset();
  if (!options.context.learned && check_lower(signal.convention, unlearned)) all.push_back({"learned", "1"});
  return all;
}

std::optional<std::vector<Coordinates>> numbered_places(const std::optional<PlaceNumbering>& places,
                                                        const Reading& reading,
                                                        const std::vector<std::size_t>& extent_of) {
  if (!places) return std::vector<Coordinates>(extent_of.size());
  std::vector<Coordinates> all;
  for (const std::size_t extent : extent_of) {
    std::vector<double> list(static_cast<std::size_t>(reading.extents[extent]));
    const View out = view(list.data(), {std::ssize(list)});
    if (check_place_coordinates(*places, reading.extents, extent, out)) return std::nullopt;
    place_coordinates(*places, reading.extents, extent, out);
    all.push_back({list[0], list.size() > 1 ? list[1] - list[0] : 1, std::move(list)});
  }
  return all;
}
bool has_places(const Reading& reading, const Hypothesis& hypothesis) {
  if (hypothesis.coordinates.size() != hypothesis.signal.axes()) return false;
  for (std::size_t a = 0; a < hypothesis.coordinates.size(); ++a) {
    const std::vector<double>& list = hypothesis.coordinates[a].list;
    if (!list.empty() && std::ssize(list) != reading.extents[hypothesis.extent_of[a]]) return false;
  }
  return true;
}

}  // namespace

std::vector<Coordinates> listed_places(const DiagnoseOptions& options) {
  std::vector<Coordinates> all;
  for (const Positions& positions : options.identify.positions) {
    Coordinates& along = all.emplace_back();
    if (positions.count_ == 0) continue;
    for (std::int64_t i = 0; i < positions.count_; ++i) along.list.push_back(number_at(positions, i));
    along.first = along.list[0], along.step = along.list.size() > 1 ? along.list[1] - along.list[0] : 1;
  }
  return all;
}

std::vector<std::optional<PlaceNumbering>> numberings_of(const Convention& convention, const DiagnoseOptions& options) {
  if (options.places) return {numbers_cells(options) ? options.places : std::nullopt};
  std::vector<std::optional<PlaceNumbering>> all;
  for (const Preset* each : presets_of(convention)) {
    if (std::ranges::find(all, each->places) == all.end()) all.push_back(each->places);
  }
  if (all.empty()) all.push_back(std::nullopt);
  return all;
}

std::vector<Asked> all_asked(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options,
                             Ways ways) {
  std::vector<Asked> all;
  const std::vector<Coordinates> listed = listed_places(options);
  const auto numberings = numberings_of(convention, options);
  for (const Reading& reading : readings_of(tensor, convention)) {
    if (ways == Ways::usual && (!usual(reading) || reading.extra > 0)) continue;
    for (const Signal& signal : signals_of(convention, reading, options)) {
      const auto extent_of = extents_of(reading, signal);
      if (!extent_of) continue;
      const std::vector<Assumed> assumed = assumed_context(signal, options);
      const auto add = [&](std::vector<Coordinates> coordinates) {
        Hypothesis hypothesis = {signal, *extent_of, std::move(coordinates)};
        if (has_places(reading, hypothesis)) all.push_back({reading, std::move(hypothesis), assumed});
      };
      if (!listed.empty()) {
        add(listed.size() == 1 ? std::vector<Coordinates>(signal.axes(), listed[0]) : listed);
        continue;
      }
      for (const auto& places : numberings) {
        const std::size_t count = all.size();
        if (auto coordinates = numbered_places(places, reading, *extent_of)) add(std::move(*coordinates));
        if (numberings.size() == 1 || all.size() == count) continue;
        all.back().assumed.push_back({"places", to_string(places.value_or(whole_places))});
      }
    }
  }
  return all;
}

std::optional<Candidate> judge(const Reading& reading, Held held, const Convention& convention,
                               std::span<const DType> storages, const DiagnoseOptions& options) {
  const Preset& row = row_of(convention);
  std::vector<std::string> names;
  if (row.convention == convention) names.emplace_back(row.name);
  auto kept = judged({{reading, std::move(held), names, {}}}, storages, options.identify);
  if (kept.empty()) return std::nullopt;
  return std::move(kept.front().candidate);
}

}  // namespace posenc::referee
