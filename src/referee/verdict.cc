// SPDX-License-Identifier: Apache-2.0
// Verdicts: rows of the exact table in f32, chunk by chunk, beside those of the tensor; memory is that of a chunk.
#include "src/referee/verdict.h"

#include <algorithm>
#include <cmath>

#include "src/base/blocks.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/rules.h"
#include "src/encodings/turns.h"
#include "src/numerics/evaluate.h"
#include "src/referee/logarithm.h"

namespace posenc::referee {
namespace {

constexpr double most_moved = 0.125;  // radians
constexpr double sine_error = 0x1p-21;

// Half a unit in the last place of an entry, relative to it, and the least that is.
struct HalfUnit {
  double relative, least;
};
HalfUnit half_unit(DType storage) {
  switch (storage) {
    case DType::bf16: return {0x1p-8, 0};
    case DType::f16: return {0x1p-11, 0x1p-25};
    default: return {0x1p-24, 0};
  }
}

// ---- rows ----------------------------------------------------------------------------------------

bool makes(const Signal& signal, const Recipe& recipe) {
  if (recipe.exact()) return true;
  if (check_steps(signal.convention, recipe)) return false;
  if (signal.form == table_form) return true;
  if (signal.plan.columns.front().kind == plan::Kind::angle) return false;
  return !check_step_pairs("diagnose", signal.convention, signal.given, recipe);
}
std::vector<StepLadder> step_ladders(const Signal& signal, const Recipe& recipe) {
  if (recipe.exact()) return {};
  if (signal.form == table_form) return lower_steps(signal.convention, signal.given, *recipe.steps);
  return ladders_under(recipe, lower_step_pairs(signal.convention, signal.given), signal.convention, signal.given);
}

// The coordinates of places in row-major order, and rows there.
class MadeRows {
 public:
  MadeRows(const Reading& reading, const Hypothesis& hypothesis, const Recipe& recipe)
      : reading_(reading),
        hypothesis_(hypothesis),
        cells_(hypothesis.signal.plan, recipe, step_ladders(hypothesis.signal, recipe)),
        lists_(hypothesis.signal.axes()) {}

  // Of `count` places that place(i) numbers, for i from 0 on; nothing where an entry is not settled.
  template <class Place>
  bool make(std::int64_t count, const Place& place, const Executor& executor) {
    const DefaultEnvironment environment;
    for (auto& list : lists_) list.resize(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::vector<std::int64_t> index = reading_.index(place(i));
      for (std::size_t a = 0; a < lists_.size(); ++a) {
        lists_[a][static_cast<std::size_t>(i)] = hypothesis_.coordinates[a].at(index[hypothesis_.extent_of[a]]);
      }
    }
    std::vector<Positions> positions;
    for (const auto& list : lists_) positions.push_back(Positions::list(view(list.data(), {count})));
    rows_.resize(static_cast<std::size_t>(count * reading_.width));
    return write_all_places(cells_, positions, view(rows_.data(), {count, reading_.width}), executor);
  }
  const float* row(std::int64_t i) const { return rows_.data() + i * reading_.width; }
  double coordinate(std::size_t axis, std::int64_t i) const { return lists_[axis][static_cast<std::size_t>(i)]; }

 private:
  const Reading& reading_;
  const Hypothesis& hypothesis_;
  CellRows cells_;
  std::vector<std::vector<double>> lists_;  // of each axis
  std::vector<float> rows_;
};

// ---- holding -------------------------------------------------------------------------------------

// How exactly angles are asked for: as any f32 arithmetic makes them, or to the last bit of a recipe's.
enum class AnglesAsked : std::uint8_t { any = 1, own };
// Whether the first wrong entry ends it.
enum class HoldUntil : std::uint8_t { end = 1, first_wrong };

class Holding {
 public:
  Holding(const Reading& reading, const Hypothesis& hypothesis, DType storage, AnglesAsked angles)
      : reading_(reading),
        signal_(hypothesis.signal),
        bounds_(reading, hypothesis),
        angles_(angles),
        scale_(std::abs(signal_.scale)),
        offsets_(static_cast<std::size_t>(reading.width)) {
    unit_ = half_unit(storage);
    if (scale_ != 1) unit_.relative *= 2;  // rounded before and after it was scaled
    beyond_.of_columns.resize(static_cast<std::size_t>(reading.width));
    for (std::int64_t c = 0; c < reading.width; ++c) {
      offsets_[static_cast<std::size_t>(c)] = reading.column_offset(c);
      raw_.push_back(signal_.plan.columns[static_cast<std::size_t>(c)].kind == plan::Kind::coordinate ||
                     signal_.plan.columns[static_cast<std::size_t>(c)].kind == plan::Kind::angle);
    }
    any_raw_ = std::ranges::find(raw_, true) != raw_.end();
  }

  void row(std::int64_t place, const float* known, std::span<const double> coordinates) {
    if (angles_ == AnglesAsked::any) {
      bounds_.at(coordinates, off_);
    } else {
      off_.assign(offsets_.size(), bounds_.fixed());
    }
    const std::int64_t start = reading_.place_offset(place), wrong_before = beyond_.wrong;
    const bool plain =
        reading_.tensor.dtype == DType::f32 && reading_.inner == 1 && reading_.outer_step == 1 && !any_raw_;
    if (!plain || !quick(static_cast<const float*>(reading_.tensor.data) + start, known)) slow(place, start, known);
    beyond_.entries += reading_.width;
    if (beyond_.wrong == wrong_before) return;
    ++beyond_.wrong_rows;
    constexpr std::size_t most_rows = 4096;
    if (beyond_.rows.size() < most_rows) beyond_.rows.push_back(place);
  }
  const Beyond& beyond() const { return beyond_; }

 private:
  // All entries are within, and none is unsure.
  bool quick(const float* got, const float* known) const {
    bool good = true;
    for (std::size_t c = 0; c < off_.size(); ++c) {
      const double right = static_cast<double>(known[c]);
      const bool within =
          std::abs(static_cast<double>(got[c]) - right) <= off_[c] + unit_.relative * std::abs(right) + unit_.least;
      good &= within & (off_[c] <= most_moved * scale_ + bounds_.fixed());
    }
    return good;
  }
  void slow(std::int64_t place, std::int64_t start, const float* known) {
    for (std::size_t c = 0; c < off_.size(); ++c) {
      const double right = static_cast<double>(known[c]);
      const double got = real_at(reading_.tensor, start + offsets_[c]);
      double off = off_[c] + unit_.relative * std::abs(right) + unit_.least;
      if (raw_[c]) {
        off = (unit_.relative + sine_error) * std::abs(right) + unit_.least + bounds_.raw();
      } else if (off_[c] > most_moved * scale_ + bounds_.fixed()) {
        ++beyond_.unsure;
        continue;
      }
      if (std::abs(got - right) <= off) continue;
      if (beyond_.first.empty()) beyond_.first = {place, static_cast<std::int64_t>(c)};
      ++beyond_.wrong, ++beyond_.of_columns[c];
    }
  }

  const Reading& reading_;
  const Signal& signal_;
  EntryBounds bounds_;
  AnglesAsked angles_;
  double scale_;
  HalfUnit unit_ = {};
  std::vector<std::int64_t> offsets_;
  std::vector<bool> raw_;
  bool any_raw_;
  std::vector<double> off_;
  Beyond beyond_;
};

// Of all places, or of `some`; nothing where an entry is not settled.
std::optional<Beyond> held_against(const Reading& reading, const Hypothesis& hypothesis, const Recipe& recipe,
                                   DType storage, AnglesAsked angles, HoldUntil until,
                                   std::span<const std::int64_t> some, const Executor& executor) {
  MadeRows made(reading, hypothesis, recipe);
  Holding holding(reading, hypothesis, storage, angles);
  std::vector<double> coordinates(hypothesis.signal.axes());
  const std::int64_t places = some.empty() ? reading.places() : std::ssize(some);
  const std::int64_t chunk =
      std::clamp<std::int64_t>((std::int64_t{1} << 17) / std::max<std::int64_t>(reading.width, 1), 1, 512);
  for (std::int64_t first = 0; first < places; first += chunk) {
    const std::int64_t count = std::min(chunk, places - first);
    const auto place = [&](std::int64_t i) {
      return some.empty() ? first + i : some[static_cast<std::size_t>(first + i)];
    };
    if (!made.make(count, place, executor)) return std::nullopt;
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::size_t a = 0; a < coordinates.size(); ++a) coordinates[a] = made.coordinate(a, i);
      holding.row(place(i), made.row(i), coordinates);
    }
    if (until == HoldUntil::first_wrong && holding.beyond().wrong > 0) break;
  }
  return holding.beyond();
}

// Evenly spread, the last among them.
std::vector<std::int64_t> spread_places(const Reading& reading, std::int64_t number) {
  const std::int64_t places = reading.places(), most = std::min(places, number);
  std::vector<std::int64_t> some;
  for (std::int64_t i = 0; i < most; ++i) some.push_back(most == 1 ? 0 : i * (places - 1) / (most - 1));
  return some;
}

// The arithmetic whose very angles the entries have.
std::optional<std::string> own_recipe(const Reading& reading, const Hypothesis& hypothesis, DType storage,
                                      const Executor& executor) {
  const std::vector<std::int64_t> few = spread_places(reading, 6), some = spread_places(reading, 64);
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
  fixed_ = sine_error * scale;
  constexpr double roundings_of_exponent = 3, further = 8;
  const auto relative = [&](double w) {
    return 0x1p-24 * (roundings_of_exponent * std::abs(log_of(std::abs(w))) + further);
  };
  std::vector<std::vector<double>> of_frequency;
  for (const std::vector<double>& frequencies : signal.frequencies) {
    std::vector<double>& drift = of_frequency.emplace_back();
    for (const double w : frequencies) drift.push_back(scale * std::abs(w) * relative(w));
  }
  for (std::size_t a = 0; a < signal.axes(); ++a) {
    std::vector<double>& drift = drift_.emplace_back();
    for (const plan::Column& column : signal.plan.columns) {
      const bool has = column.kind == plan::Kind::wave && (column.axis == a || column.axis == plan::every_axis);
      drift.push_back(has ? of_frequency[a][column.frequency] : 0);
    }
    const plan::Axis& axis = signal.plan.axes[a];
    const auto number = [](const numerics::Rational& x) {
      return numerics::rounded<double>(numerics::Real(x)).value_or(0);
    };
    axes_.push_back({number(axis.step), number(axis.start), axis.of == plan::Axis::Of::logarithm, greatest_of(a)});
    raw_ = std::max(raw_, 0x1p-22 * scale * axes_.back().least);
  }
  for (const plan::Column& column : signal.plan.columns) {
    const double phase = column.kind == plan::Kind::wave ? std::abs(signal.phase(column.frequency)) : 0;
    phase_.push_back(fixed_ + scale * phase * further * 0x1p-24);
  }
}

void EntryBounds::at(std::span<const double> coordinates, std::vector<double>& off) const {
  off = phase_;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    constexpr double greatest_logarithm = 64;  // of a coordinate up to 2^53, with its roundings
    const auto& [step, start, logarithm, least] = axes_[a];
    const double size = std::max(std::abs(coordinates[a]), least);
    const double far = logarithm ? greatest_logarithm : std::abs(step) * size + std::abs(start);
    const std::vector<double>& drift = drift_[a];
    for (std::size_t c = 0; c < off.size(); ++c) off[c] += drift[c] * far;
  }
}

double sampled_share(const Reading& reading, const Hypothesis& hypothesis, DType storage, const Executor& executor) {
  const auto beyond = held_against(reading, hypothesis, exact(), storage, AnglesAsked::any, HoldUntil::end,
                                   spread_places(reading, 64), executor);
  return beyond ? beyond->share() : 0;
}

double sampled_likeness(const Reading& reading, const Hypothesis& hypothesis) {
  const std::vector<std::int64_t> places = spread_places(reading, 64);
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
