// SPDX-License-Identifier: Apache-2.0
// Other rows of presets, beside the convention that was found: a few rows tell which are near, a search which entry
// tells them apart.
#include "src/referee/ruled_out.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/referee/near_rows.h"
#include "src/referee/verdict.h"

namespace posenc::referee {
namespace {

constexpr std::size_t most_told = 3;

// An entry of a row that tells two hypotheses apart.
struct Telling {
  std::int64_t column;
  double difference;
};

// The rows of what was found, beside those of another hypothesis of the same reading.
class RowsBeside {
 public:
  explicit RowsBeside(const Judged& found)
      : reading_(found.reading),
        hypothesis_(found.held.hypothesis),
        tolerance_(tolerance_of(found.candidate.storage)),
        bounds_(found.reading, found.held.hypothesis) {}

  // Of each place the entry that differs by the most, where one can be told apart, and the mean difference of all.
  struct Rows {
    std::vector<std::optional<Telling>> telling;
    double mean = 0;
  };
  std::optional<Rows> rows(const Hypothesis& other, std::span<const std::int64_t> places) const {
    return rows(near_rows(reading_, hypothesis_, places), other, places);
  }
  // `own`: those of what was found.
  std::optional<Rows> rows(std::span<const float> own, const Hypothesis& other,
                           std::span<const std::int64_t> places) const {
    const std::vector<float> others = near_rows(reading_, other, places);
    if (own.empty() || others.size() != own.size()) return std::nullopt;
    // A scale that was fitted is that of the tensor, whatever it holds.
    const double factor = hypothesis_.signal.scale / other.signal.scale;
    Rows rows;
    std::vector<double> coordinates(hypothesis_.signal.axes()), off;
    for (std::size_t i = 0; i < places.size(); ++i) {
      may_be_off(places[i], coordinates, off);
      std::optional<Telling>& telling = rows.telling.emplace_back();
      for (std::int64_t c = 0; c < reading_.width; ++c) {
        const std::size_t at = i * static_cast<std::size_t>(reading_.width) + static_cast<std::size_t>(c);
        const double right = static_cast<double>(own[at]), others_at = factor * static_cast<double>(others[at]);
        const double difference = std::abs(right - others_at);
        if (std::isnan(difference)) continue;
        rows.mean += difference / static_cast<double>(own.size());
        const bool tells = difference > 2 * (off[static_cast<std::size_t>(c)] + tolerance_.noise * std::abs(right));
        if (tells && (!telling || difference > telling->difference)) telling = Telling{c, difference};
      }
    }
    return rows;
  }

  const Reading& reading() const { return reading_; }
  const Hypothesis& hypothesis() const { return hypothesis_; }

 private:
  void may_be_off(std::int64_t place, std::vector<double>& coordinates, std::vector<double>& off) const {
    const Signal& signal = hypothesis_.signal;
    const std::vector<std::int64_t> index = reading_.index(place);
    for (std::size_t a = 0; a < coordinates.size(); ++a) {
      coordinates[a] = hypothesis_.coordinates[a].at(index[hypothesis_.extent_of[a]]);
    }
    bounds_.at(coordinates, off);
    for (std::size_t c = 0; c < off.size(); ++c) {
      const plan::Column& column = signal.plan->columns[c];
      if (column.kind == plan::Kind::coordinate) off[c] += bounds_.raw();
      if (column.kind != plan::Kind::angle) continue;
      const double angle = signal.frequencies[column.axis][column.frequency] * coordinates[column.axis];
      off[c] = frequency_off(angle, tolerance_);
    }
  }

  const Reading& reading_;
  const Hypothesis& hypothesis_;
  Tolerance tolerance_;
  EntryBounds bounds_;
};

struct NearRow {
  std::string preset;
  std::vector<std::string> differences;
  Hypothesis hypothesis;
  std::int64_t equal_places;
  double mean;
};

std::vector<std::int64_t> places_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), first);
  return places;
}

std::int64_t equal_in_front(const RowsBeside::Rows& rows) {
  return std::ranges::find_if(rows.telling, [](const auto& each) { return each.has_value(); }) - rows.telling.begin();
}

// The first place that tells, chunk by chunk; nothing where none of many does.
std::optional<RuledOut> told_apart(const RowsBeside& beside, const NearRow& near) {
  constexpr std::int64_t most_entries = std::int64_t{1} << 20;
  const std::int64_t width = std::max<std::int64_t>(beside.reading().width, 1);
  const std::int64_t places = std::min(beside.reading().places(), std::max<std::int64_t>(most_entries / width, 1));
  std::int64_t chunk = 16;
  for (std::int64_t first = 0; first < places; first += chunk, chunk = std::min<std::int64_t>(2 * chunk, 512)) {
    const std::int64_t count = std::min(chunk, places - first);
    const auto rows = beside.rows(near.hypothesis, places_from(first, count));
    if (!rows) return std::nullopt;
    const std::int64_t equal = equal_in_front(*rows);
    if (equal == count) continue;
    const Telling& telling = *rows->telling[static_cast<std::size_t>(equal)];
    return RuledOut{near.preset,
                    first + equal,
                    {beside.reading().row(first + equal), telling.column},
                    telling.difference,
                    near.differences};
  }
  return std::nullopt;
}

bool is_found(std::span<const Judged> found, const Named& named) {
  return std::ranges::any_of(found, [&](const Judged& each) {
    return each.held.hypothesis.signal.form == named.signal.form && each.candidate.differences.empty() &&
           std::ranges::any_of(named.members, [&](const Named::Member& member) {
             return std::ranges::find(each.candidate.presets, member.preset->name) != each.candidate.presets.end();
           });
  });
}

// What was found along each extent, for the axes of another signal, whose first one may run along another extent.
std::vector<Coordinates> along(const Hypothesis& own, const std::vector<std::size_t>& extent_of) {
  if (own.extent_of == extent_of) return own.coordinates;
  std::vector<Coordinates> all;
  for (const std::size_t extent : extent_of) {
    const auto axis = std::ranges::find(own.extent_of, extent) - own.extent_of.begin();
    all.push_back(own.coordinates[static_cast<std::size_t>(axis)]);
  }
  return all;
}

// The other signal where the tensor's rows are: where its row of presets has them, else where they were found.
std::optional<Hypothesis> placed(const Judged& found, const Signal& signal) {
  const Hypothesis& own = found.held.hypothesis;
  if (signal.form != own.signal.form || signal.axes() != own.signal.axes()) return std::nullopt;
  const auto extent_of = extents_of(found.reading, signal);
  if (!extent_of) return std::nullopt;
  if (signal.scale == 0) return std::nullopt;
  const bool fitted = !found.candidate.fitted.empty();
  auto stated = fitted ? std::nullopt : stated_places(found.reading, signal, *extent_of);
  return Hypothesis{signal, *extent_of, stated ? std::move(*stated) : along(own, *extent_of)};
}

}  // namespace

std::vector<RuledOut> ruled_out(std::span<const Judged> found, std::span<const Named> signals,
                                const IdentifyOptions& options) {
  std::vector<RuledOut> all;
  if (found.empty()) return all;
  const Judged& first = found.front();
  const RowsBeside beside(first);
  constexpr std::int64_t entries = std::int64_t{1} << 12, fewest = 4, most = 16;
  const std::int64_t rows = std::clamp(entries / std::max<std::int64_t>(first.reading.width, 1), fewest, most);
  const std::vector<std::int64_t> places = places_from(0, std::min(rows, first.reading.places()));
  constexpr double step_of_mean = 0x1p-22;  // entries are no better known
  const std::vector<float> own = near_rows(first.reading, first.held.hypothesis, places);
  std::vector<NearRow> near;
  for (const Named& named : signals) {
    if (is_found(found, named)) continue;
    auto hypothesis = placed(first, named.signal);
    if (!hypothesis) continue;
    if (!options.positions.empty()) hypothesis->coordinates = beside.hypothesis().coordinates;
    const auto seen = beside.rows(own, *hypothesis, places);
    if (!seen || !std::isfinite(seen->mean)) continue;
    const Preset& preset = *named.members.front().preset;
    const double mean = std::rint(seen->mean / step_of_mean) * step_of_mean;
    near.push_back({std::string(preset.name), differences(first.candidate.convention, preset.convention),
                    std::move(*hypothesis), equal_in_front(*seen), mean});
  }
  std::ranges::stable_sort(near, {}, [](const NearRow& each) { return each.differences.size(); });
  std::ranges::stable_sort(near, {}, [](const NearRow& each) { return std::pair(-each.equal_places, each.mean); });
  // Rows that differ in a scale alone are one row here: that of the fewest differences stands for them.
  constexpr double same = 1e-6;
  const auto repeated = std::ranges::unique(near, [](const NearRow& a, const NearRow& b) {
    return a.equal_places == b.equal_places && std::abs(a.mean - b.mean) <= same * (a.mean + b.mean);
  });
  near.erase(repeated.begin(), repeated.end());
  constexpr std::size_t finalists = 2 * most_told;
  if (near.size() > finalists) near.resize(finalists);
  for (NearRow& each : near) {
    complete(each.hypothesis.signal);
    if (all.size() == most_told) break;
    if (auto told = told_apart(beside, each)) all.push_back(std::move(*told));
  }
  std::ranges::stable_sort(all, {}, [](const RuledOut& each) { return -each.equal_places; });
  return all;
}

}  // namespace posenc::referee
