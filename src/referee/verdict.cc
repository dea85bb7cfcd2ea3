// SPDX-License-Identifier: Apache-2.0
// Verdicts: rows of the exact table in f32, chunk by chunk, beside those of the tensor; memory is that of a chunk.
#include "src/referee/verdict.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/referee/bound.h"
#include "src/referee/known_rows.h"

namespace posenc::referee {
namespace {

constexpr double most_moved = 0.125;     // radians
constexpr std::size_t most_rows = 4096;  // of which is said which are wrong

// ---- holding -------------------------------------------------------------------------------------

bool makes(const Signal& signal, const Recipe& recipe) {
  const bool angles = signal.form != table_form && signal.plan->columns.front().kind == plan::Kind::angle;
  return recipe.exact() || (!angles && has_arithmetic(signal, recipe));
}

// How exactly angles are asked for: as any f32 arithmetic makes them, or to the last bit of a recipe's.
enum class AnglesAsked : std::uint8_t { any = 1, own };
// Whether the first wrong entry ends it.
enum class HoldUntil : std::uint8_t { end = 1, first_wrong };

// Counts of a row.
struct RowCounts {
  std::int64_t wrong = 0, unsure = 0;
};

class Holding {
 public:
  Holding(const Reading& reading, const Hypothesis& hypothesis, DType storage, AnglesAsked angles)
      : reading_(reading),
        signal_(hypothesis.signal),
        bounds_(reading, hypothesis),
        angles_(angles),
        most_(most_moved * std::abs(signal_.scale) + bounds_.fixed()) {
    unit_ = half_unit_of(storage);
    if (std::abs(signal_.scale) != 1) unit_.relative *= 2;  // rounded before and after it was scaled
    for (std::int64_t c = 0; c < reading.width; ++c) {
      offsets_.push_back(reading.column_offset(c));
      const plan::Kind kind = signal_.plan->columns[static_cast<std::size_t>(c)].kind;
      raw_.push_back(kind == plan::Kind::coordinate || kind == plan::Kind::angle);
    }
    any_raw_ = std::ranges::find(raw_, true) != raw_.end();
  }

  // The places of a block beside the known rows.
  void hold(const PlaceBlock& block, const float* known, const std::vector<std::vector<double>>& lists,
            Beyond& beyond) const {
    std::vector<double> coordinates(lists.size()), off(offsets_.size(), bounds_.fixed());
    for (std::int64_t i = 0; i < block.count; ++i, known += reading_.width) {
      for (std::size_t a = 0; a < lists.size(); ++a) coordinates[a] = lists[a][static_cast<std::size_t>(i)];
      row(block.place(i), known, coordinates, off, beyond);
    }
  }

 private:
  void row(std::int64_t place, const float* known, std::span<const double> coordinates, std::vector<double>& off,
           Beyond& beyond) const {
    beyond.entries += reading_.width;
    const std::int64_t start = reading_.place_offset(place);
    if (is_known(start, known) && (angles_ == AnglesAsked::own || bounds_.most(coordinates) <= most_)) return;
    if (angles_ == AnglesAsked::any) bounds_.at(coordinates, off);
    if (beyond.of_columns.empty()) beyond.of_columns.resize(offsets_.size());
    RowCounts counts;
    with_real(reading_.tensor.dtype, [&]<class Element>(Element) {
      counts = any_raw_ ? mixed<Element>(start, known, off, beyond) : waves<Element>(start, known, off, beyond);
    });
    beyond.unsure += counts.unsure;
    if (counts.wrong == 0) return;
    if (beyond.first.empty()) beyond.first = {place, first_wrong(start, known, off)};
    beyond.wrong += counts.wrong, ++beyond.wrong_rows;
    if (beyond.rows.size() < most_rows) beyond.rows.push_back(place);
  }

  // Is the row the known one to the bit?
  bool is_known(std::int64_t start, const float* known) const {
    if (reading_.tensor.dtype != DType::f32 || reading_.inner != 1 || reading_.outer_step != 1 || any_raw_)
      return false;
    const auto* row = static_cast<const std::byte*>(reading_.tensor.data) + start * 4;
    return std::memcmp(row, known, offsets_.size() * sizeof(float)) == 0;
  }
  double allowed(double off, double right) const { return off + unit_.relative * std::abs(right) + unit_.least; }

  template <class Element>
  RowCounts waves(std::int64_t start, const float* known, const std::vector<double>& off, Beyond& beyond) const {
    RowCounts counts;
    for (std::size_t c = 0; c < off.size(); ++c) {
      const double right = static_cast<double>(known[c]);
      const double got = real_as<Element>(reading_.tensor, start + offsets_[c]);
      const bool unsure = off[c] > most_, wrong = !unsure & !(std::abs(got - right) <= allowed(off[c], right));
      counts.unsure += unsure, counts.wrong += wrong, beyond.of_columns[c] += wrong;
    }
    return counts;
  }
  // Where some columns are no waves.
  template <class Element>
  RowCounts mixed(std::int64_t start, const float* known, const std::vector<double>& off, Beyond& beyond) const {
    RowCounts counts;
    for (std::size_t c = 0; c < off.size(); ++c) {
      if (!raw_[c] && off[c] > most_) {
        ++counts.unsure;
      } else if (is_wrong(real_as<Element>(reading_.tensor, start + offsets_[c]), known[c], c, off[c])) {
        ++counts.wrong, ++beyond.of_columns[c];
      }
    }
    return counts;
  }
  bool is_wrong(double got, float known, std::size_t c, double off) const {
    const double right = static_cast<double>(known);
    const double raw = (unit_.relative + wave_error) * std::abs(right) + unit_.least + bounds_.raw();
    return !(std::abs(got - right) <= (raw_[c] ? raw : allowed(off, right)));
  }
  // Of a row that has one.
  std::int64_t first_wrong(std::int64_t start, const float* known, const std::vector<double>& off) const {
    std::size_t c = 0;
    while ((!raw_[c] && off[c] > most_) ||
           !is_wrong(real_at(reading_.tensor, start + offsets_[c]), known[c], c, off[c])) {
      ++c;
    }
    return static_cast<std::int64_t>(c);
  }

  const Reading& reading_;
  const Signal& signal_;
  EntryBounds bounds_;
  AnglesAsked angles_;
  double most_;  // beyond it an entry tells nothing
  HalfUnit unit_ = {};
  std::vector<std::int64_t> offsets_;
  std::vector<bool> raw_;
  bool any_raw_ = false;
};

// With those of the places behind.
void add(Beyond& all, const Beyond& next) {
  all.entries += next.entries, all.wrong += next.wrong, all.unsure += next.unsure, all.wrong_rows += next.wrong_rows;
  if (all.first.empty()) all.first = next.first;
  const std::size_t more = std::min(next.rows.size(), most_rows - all.rows.size());
  all.rows.insert(all.rows.end(), next.rows.begin(), next.rows.begin() + static_cast<std::ptrdiff_t>(more));
  for (std::size_t c = 0; c < next.of_columns.size(); ++c) all.of_columns[c] += next.of_columns[c];
}

// Of all places, or of `some`; nothing where an entry is not settled.
std::optional<Beyond> held_against(const Reading& reading, const Hypothesis& hypothesis, const Recipe& recipe,
                                   DType storage, AnglesAsked angles, HoldUntil until,
                                   std::span<const std::int64_t> some, const Executor& executor) {
  struct Part {
    bool decided = false;
    Beyond beyond = {};
  };
  const KnownRows known(reading, hypothesis, recipe);
  const Holding holding(reading, hypothesis, storage, angles);
  Beyond all;
  all.of_columns.resize(static_cast<std::size_t>(reading.width));
  bool decided = true;
  in_rounds<Part>(
      some.empty() ? PlaceBlocks(reading, Sampling{}) : PlaceBlocks(reading, some), executor,
      [&](const PlaceBlock& block, Part& part) {
        const Scratch<float> rows(static_cast<std::size_t>(block.count * reading.width));
        const auto coordinates = known.coordinates(block);
        part.decided = known.write(block, coordinates, rows.data());
        if (part.decided) holding.hold(block, rows.data(), coordinates, part.beyond);
      },
      [&](const Part& part) {
        decided &= part.decided;
        add(all, part.beyond);
        return decided && !(until == HoldUntil::first_wrong && all.wrong > 0);
      });
  return decided ? std::optional(std::move(all)) : std::nullopt;
}

// The arithmetic whose very angles the entries have.
std::optional<std::string> own_recipe(const Reading& reading, const Hypothesis& hypothesis, DType storage,
                                      const Executor& executor) {
  const std::vector<std::int64_t> few = spread(reading.places(), 6), some = spread(reading.places(), 64);
  const auto has = [&](const Recipe& recipe, std::span<const std::int64_t> places) {
    const auto beyond =
        held_against(reading, hypothesis, recipe, storage, AnglesAsked::own, HoldUntil::first_wrong, places, executor);
    return beyond && beyond->wrong == 0;
  };
  for (const Recipe& recipe : recipes()) {
    if (!makes(hypothesis.signal, recipe) || !has(recipe, few)) continue;
    if (has(recipe, some) && has(recipe, {})) return recipe.name;
  }
  return std::nullopt;
}

}  // namespace

EntryBounds::EntryBounds(const Reading& reading, const Hypothesis& hypothesis) {
  const Signal& signal = hypothesis.signal;
  // The greatest coordinate of an axis that has fractions; 0 of one of whole numbers.
  const auto greatest_of = [&](std::size_t axis) {
    double greatest = 0;
    bool fractions = false;
    for (std::int64_t i = 0; i < reading.extents[hypothesis.extent_of[axis]]; ++i) {
      const double x = hypothesis.coordinates[axis].at(i);
      greatest = std::max(greatest, std::abs(x)), fractions |= std::rint(x) != x;
    }
    return fractions ? greatest : 0;
  };
  const double scale = std::abs(signal.scale);
  fixed_ = wave_error * scale;
  std::vector<std::vector<double>> of_frequency;
  for (const std::vector<double>& frequencies : signal.frequencies) {
    std::vector<double>& drift = of_frequency.emplace_back();
    for (const double w : frequencies) drift.push_back(scale * std::abs(w) * frequency_error(w));
  }
  for (std::size_t a = 0; a < signal.axes(); ++a) {
    std::vector<double>& drift = drift_.emplace_back();
    for (const plan::Column& column : signal.plan->columns) {
      const bool has = column.kind == plan::Kind::wave && (column.axis == a || column.axis == plan::every_axis);
      drift.push_back(has ? of_frequency[a][column.frequency] : 0);
    }
    most_drift_.push_back(drift.empty() ? 0 : std::ranges::max(drift));
    axes_.push_back({coordinate_of(signal.plan->axes[a]), greatest_of(a)});
    raw_ = std::max(raw_, 4 * half_unit_of_f32 * scale * axes_.back().least);
  }
  for (const plan::Column& column : signal.plan->columns) {
    const double phase = column.kind == plan::Kind::wave ? std::abs(signal.phase(column.frequency)) : 0;
    phase_.push_back(fixed_ + scale * phase * wave_error);
    most_phase_ = std::max(most_phase_, phase_.back());
  }
}

double EntryBounds::far(std::size_t axis, double coordinate) const {
  constexpr double greatest_logarithm = 64;  // of a coordinate up to 2^53, with its roundings
  const auto& [of, least] = axes_[axis];
  const double size = std::max(std::abs(coordinate), least);
  return of.logarithm ? greatest_logarithm : std::abs(of.step) * size + std::abs(of.start);
}

void EntryBounds::at(std::span<const double> coordinates, std::vector<double>& off) const {
  off = phase_;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const double far = this->far(a, coordinates[a]);
    const std::vector<double>& drift = drift_[a];
    for (std::size_t c = 0; c < off.size(); ++c) off[c] += drift[c] * far;
  }
}

double EntryBounds::most(std::span<const double> coordinates) const {
  double most = most_phase_;
  for (std::size_t a = 0; a < axes_.size(); ++a) most += most_drift_[a] * far(a, coordinates[a]);
  return most;
}

double sampled_share(const Reading& reading, const Hypothesis& hypothesis, DType storage, const Executor& executor) {
  const auto beyond = held_against(reading, hypothesis, exact(), storage, AnglesAsked::any, HoldUntil::end,
                                   spread(reading.places(), 64), executor);
  return beyond ? beyond->share() : 0;
}

double sampled_likeness(const Reading& reading, const Hypothesis& hypothesis) {
  const std::vector<std::int64_t> places = spread(reading.places(), 64);
  const std::vector<double> known = known_rows(reading, hypothesis, places);
  double both = 0, of_known = 0, of_got = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / reading.width,
               column = static_cast<std::int64_t>(i) % reading.width;
    const double got = reading.at(places[static_cast<std::size_t>(row)], column);
    if (!std::isfinite(got)) continue;
    both += got * known[i], of_known += known[i] * known[i], of_got += got * got;
  }
  return of_known > 0 && of_got > 0 ? std::abs(both) / std::sqrt(of_known * of_got) : 0;
}

Verdict verdict(const Reading& reading, const Hypothesis& hypothesis, std::span<const DType> storages,
                const Executor& executor) {
  Verdict verdict = {false, storages.back(), "exact", {}};
  for (const DType storage : storages) {
    const HoldUntil until = storage == storages.back() ? HoldUntil::end : HoldUntil::first_wrong;
    auto beyond = held_against(reading, hypothesis, exact(), storage, AnglesAsked::any, until, {}, executor);
    if (!beyond) return verdict;
    verdict.right = beyond->wrong == 0 && beyond->unsure == 0;
    verdict.beyond = std::move(*beyond), verdict.storage = storage;
    if (verdict.right) return verdict;
    if (verdict.beyond.wrong == 0) break;  // in this type, but for what is unsure
  }
  if (auto recipe = own_recipe(reading, hypothesis, verdict.storage, executor)) {
    verdict.right = true, verdict.recipe = std::move(*recipe);
  }
  return verdict;
}

}  // namespace posenc::referee
