// SPDX-License-Identifier: Apache-2.0
// Rotations made and compared: of the rows that were picked, then of every entry.
#include "src/referee/turn_match.h"

#include <posenc/rotary.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "src/base/elements.h"
#include "src/encodings/positions.h"
#include "src/encodings/rotation.h"
#include "src/numerics/evaluate.h"
#include "src/referee/bound.h"
#include "src/referee/distances.h"
#include "src/referee/reading.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

// ---- the rotation of a suspect -------------------------------------------------------------------

// A rotation made ready, of a convention and a recipe that RotaryRows::check admits.
struct Ready {
  Ready(const TurnSuspect& suspect, const Recipe& recipe) : exact(recipe.exact()) {
    const LoweredFor given = {.width = suspect.width, .context = suspect.context};
    const plan::PairPlan pairs = pairs_under(recipe, suspect.convention, given);
    axes = pairs.axes.size(), decays = pairs.decay.has_value();
    rotation = Rotation(pairs, recipe, ladders_under(recipe, pairs, suspect.convention, given));
  }
  Rotation rotation;
  std::size_t axes = 0;
  bool exact, decays = false;
};

// Turns rows [heads, places, width] of type T in place; false where posenc has no such rotation of this type.
template <class T>
bool turn_rows(const TurnSuspect& suspect, const Ready& ready, const Positions& places, std::int64_t heads,
               std::int64_t width, std::vector<T>& rows, const Executor& executor) {
  const std::int64_t count = places.count_;
  View from = view(rows.data() + suspect.first, {heads, count, width - suspect.first});
  from.strides = view(rows.data(), {heads, count, width}).strides;
  if constexpr (std::is_same_v<T, double>) {
    if (ready.decays || !ready.exact) return false;
  }
  const std::vector<Positions> coordinates(ready.axes, places);
  const Rotated one[] = {{from, suspect.side, TokenAxis::before_columns}};
  return ready.rotation.rotate(coordinates, one, suspect.direction, executor);
}

// Radians per position of the faster angle of a pair; sums of axes turn by 1 at most.
double fastest(const plan::PairPlan& pairs, const plan::Pair& pair) {
  double w = 0;
  for (const plan::Angle& angle : pair.angles) {
    if (angle.axis == plan::no_axis) continue;
    const bool of_one = angle.axis < pairs.ladders.size();
    w = std::max(
        w, of_one ? std::abs(numerics::rounded<double>(pairs.ladders[angle.axis][angle.frequency]).value_or(1)) : 1);
  }
  return w;
}

// Columns that no pair writes are as they were.
bool keeps_others(const TurnSuspect& suspect, const plan::PairPlan& pairs, const TurnedRows& rows) {
  std::vector<char> kept(static_cast<std::size_t>(rows.width), 1);
  for (const plan::Pair& pair : pairs.pairs) {
    for (const std::uint32_t column : pair.written) kept[static_cast<std::size_t>(suspect.first + column)] = 0;
  }
  for (std::size_t i = 0; i < rows.before.size(); ++i) {
    const double x = rows.before[i];
    const bool stays = std::abs(x - rows.after[i]) <= rows.noise * std::abs(x);
    if (kept[i % kept.size()] != 0 && !stays) return false;
  }
  return true;
}

}  // namespace

double noise_of(DType storage) {
  return rotation_error(storage) / 2;  // of one of the two numbers of a pair
}

bool near(const TurnSuspect& suspect, const TurnedRows& rows) {
  const LoweredFor given = {.width = suspect.width, .context = suspect.context};
  if (RotaryRows::check(suspect.convention, suspect.width, {.context = suspect.context})) return false;
  const Ready ready(suspect, exact());
  const std::int64_t count = rows.places.count();
  const plan::PairPlan pairs = lower_pairs(suspect.convention, given);
  if (!keeps_others(suspect, pairs, rows)) return false;
  std::vector<double> known = rows.before;
  if (pairs.decay) {  // of which there are none in f64
    std::vector<float> narrow;
    for (const double x : rows.before) narrow.push_back(static_cast<float>(x));
    if (!turn_rows(suspect, ready, rows.places.part(0, count), rows.heads, rows.width, narrow, serial)) return false;
    std::ranges::copy(narrow, known.begin());
  } else if (!turn_rows(suspect, ready, rows.places.part(0, count), rows.heads, rows.width, known, serial)) {
    return false;
  }
  for (const plan::Pair& pair : pairs.pairs) {
    const double w = fastest(pairs, pair);
    for (std::int64_t head = 0; head < rows.heads; ++head) {
      for (std::int64_t place = 0; place < count; ++place) {
        double square = 0, made = 0, off = 0;
        for (std::size_t i = 0; i < 2; ++i) {
          const double u = rows.at(rows.before, head, place, suspect.first + pair.read[i]);
          square += u * u;
          const std::int64_t to = suspect.first + pair.written[i];
          const double v = rows.at(known, head, place, to);
          made += v * v;
          off = std::max(off, std::abs(v - rows.at(rows.after, head, place, to)));
        }
        // A decay is a power with an exponent of its own.
        const double angle = w * std::abs(rows.places.real[static_cast<std::size_t>(place)]) + (pairs.decay ? 1 : 0);
        const double length = std::sqrt(std::max(square, made));
        if (!(off <= length * (2 * rows.noise + rotation_angle_error * angle))) return false;
      }
    }
  }
  return true;
}

// ---- every entry -----------------------------------------------------------------------------------

namespace {

template <class T>
T element(double value) {
  if constexpr (std::is_same_v<T, double>) return value;
  if constexpr (!std::is_same_v<T, double>) return T(static_cast<float>(value));
}
template <class T>
double widened(T value) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<double>(value);
  if constexpr (!std::is_floating_point_v<T>) return static_cast<double>(static_cast<float>(value));
}

// Which places have an entry that lies farther from the known one than arithmetic explains, by the largest number of
// its row.
class Bounds {
 public:
  Bounds(const TurnSuspect& suspect, const TurnTask& task) : task_(task) {
    const plan::PairPlan pairs = lower_pairs(suspect.convention, {.width = suspect.width, .context = suspect.context});
    for (const plan::Pair& pair : pairs.pairs) fastest_ = std::max(fastest_, fastest(pairs, pair));
    decays_ = pairs.decay.has_value();
  }
  /// Of a row of columns that were, are and should be.
  void row(std::int64_t place, double largest, double off) {
    const double angle = fastest_ * std::abs(task_.places.real[static_cast<std::size_t>(place)]) + (decays_ ? 1 : 0);
    if (!(off <= 1.5 * largest * (rotation_error(task_.storage) + rotation_angle_error * angle))) wrong_.insert(place);
  }
  const std::set<std::int64_t>& wrong() const { return wrong_; }

 private:
  const TurnTask& task_;
  double fastest_ = 0;
  bool decays_ = false;
  std::set<std::int64_t> wrong_;
};

}  // namespace

std::optional<TurnMatch> match(const TurnSuspect& suspect, const Recipe& recipe, const TurnTask& task,
                               const TurnLimits& limits) {
  if (RotaryRows::check(suspect.convention, suspect.width, {.recipe = recipe, .context = suspect.context}))
    return std::nullopt;
  const Ready ready(suspect, recipe);
  const std::int64_t heads = head_count(task.before), width = task.before.size(-1), length = task.places.count();
  const std::int64_t row = heads * width, chunk = std::clamp<std::int64_t>((std::int64_t{1} << 18) / row, 1, 512);
  const std::int64_t rows =
      limits.entries < 0 ? length : std::min(length, std::max<std::int64_t>(limits.entries / row, 2));
  double scale = 0;
  for_turned(task.after, 0, std::min(rows, chunk),
             [&](auto, auto, auto, std::int64_t at) { scale = std::max(scale, std::abs(real_at(task.after, at))); });
  Tally tally(scale, task.storage);
  std::optional<Bounds> bounds;
  if (recipe.exact()) bounds.emplace(suspect, task);
  bool made = true;
  with_real(task.computing, [&](auto t) {
    using T = decltype(t);
    std::vector<T> known;
    for (std::int64_t from = 0; from < rows && made; from += chunk) {
      const std::int64_t count = std::min(chunk, rows - from);
      known.clear();
      for_turned(task.before, from, count,
                 [&](auto, auto, auto, std::int64_t at) { known.push_back(element<T>(real_at(task.before, at))); });
      made = turn_rows(suspect, ready, task.places.part(from, count), heads, width, known, task.options.executor);
      if (!made) break;
      const T* next = known.data();
      double largest = 0, off = 0;
      for_turned(task.after, from, count, [&](auto, std::int64_t place, std::int64_t c, std::int64_t at) {
        const double got = real_at(task.after, at), right = stored(widened(*next++), task.storage);
        tally.add({from + place, c}, got, right);
        largest = std::max(largest, std::abs(right));
        const double apart = got == right ? 0 : std::abs(got - right);
        off = std::max(off, std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart);
        if (c + 1 < width || !bounds) return;
        bounds->row(from + place, largest, off);
        largest = off = 0;
      });
      made = !bounds || std::ssize(bounds->wrong()) <= limits.wrong_places;
    }
  });
  if (!made) return std::nullopt;
  TurnMatch matched = {tally.result(), {}};
  if (bounds) matched.wrong_places.assign(bounds->wrong().begin(), bounds->wrong().end());
  return matched;
}

}  // namespace posenc::referee
