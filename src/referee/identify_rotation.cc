// SPDX-License-Identifier: Apache-2.0
// Rotations seen from outside: every row of presets is turned and held beside what came out.
#include <posenc/identify.h>
#include <posenc/rotary.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/elements.h"
#include "src/base/shapes.h"
#include "src/base/to_text.h"
#include "src/encodings/positions.h"
#include "src/encodings/rotation.h"
#include "src/numerics/evaluate.h"
#include "src/referee/distances.h"
#include "src/referee/reading.h"
#include "src/referee/storage.h"
#include "src/referee/turn_fit.h"
#include "src/referee/turned.h"

namespace posenc {
namespace referee {
namespace {

constexpr std::int64_t most_turned = std::int64_t{1} << 20;

constexpr double turn_drift = 0x1p-17;  // of the angles of a ladder that is a product of 64 factors in f32

// Products of cosines and sines are rounded, then their sum: in half precision each to that type.
double noise_of(DType storage) {
  switch (storage) {
    case DType::bf16: return 0x1p-7;
    case DType::f16: return 0x1p-10;
    default: return 0x1p-22;
  }
}

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

// Do the rows that were picked lie as near as known arithmetic explains?
bool near(const TurnSuspect& suspect, const TurnedRows& rows) {
  const LoweredFor given = {.width = suspect.width, .context = suspect.context};
  if (RotaryRows::check(suspect.convention, suspect.width, exact(), suspect.context)) return false;
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
        if (!(off <= length * (2 * rows.noise + turn_drift * angle))) return false;
      }
    }
  }
  return true;
}

// ---- every entry -----------------------------------------------------------------------------------

struct Task {
  const ConstView &before, &after;
  const TurnPlaces& places;
  DType computing;  // the wider of both
  DType storage;
  const IdentifyOptions& options;
};

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

std::int64_t head_count(const ConstView& tensor) { return tensor.count() / (tensor.size(-1) * tensor.size(-2)); }

// Calls each(head, place in the chunk, column, offset in the tensor).
template <class Each>
void for_chunk(const ConstView& tensor, std::int64_t from, std::int64_t count, const Each& each) {
  const std::int64_t heads = head_count(tensor);
  for (std::int64_t head = 0; head < heads; ++head) {
    std::int64_t at = from * tensor.stride(-2), rest = head;
    for (int axis = tensor.rank - 3; axis >= 0; rest /= tensor.size(axis), --axis) {
      at += rest % tensor.size(axis) * tensor.stride(axis);
    }
    for (std::int64_t place = 0; place < count; ++place) {
      for (std::int64_t c = 0; c < tensor.size(-1); ++c) {
        each(head, place, c, at + place * tensor.stride(-2) + c * tensor.stride(-1));
      }
    }
  }
}

// Whether entries lie as near to known ones as arithmetic explains, row by row, by the largest number of a row.
class Bounds {
 public:
  Bounds(const TurnSuspect& suspect, const Task& task) : task_(task) {
    const plan::PairPlan pairs = lower_pairs(suspect.convention, {.width = suspect.width, .context = suspect.context});
    for (const plan::Pair& pair : pairs.pairs) fastest_ = std::max(fastest_, fastest(pairs, pair));
    decays_ = pairs.decay.has_value();
  }
  /// Of a row of columns that were, are and should be.
  void row(std::int64_t place, double largest, double off) {
    const double angle = fastest_ * std::abs(task_.places.real[static_cast<std::size_t>(place)]) + (decays_ ? 1 : 0);
    kept_ &= off <= 1.5 * largest * (2 * noise_of(task_.storage) + turn_drift * angle);
  }
  bool kept() const { return kept_; }

 private:
  const Task& task_;
  double fastest_ = 0;
  bool decays_ = false, kept_ = true;
};

// The tensor after beside that before, turned under a recipe; `most`: rows in front that hold so many entries; -1: all.
// Nothing where an entry of the exact rotation lies farther than arithmetic explains.
std::optional<Agreement> match(const TurnSuspect& suspect, const Recipe& recipe, const Task& task, std::int64_t most) {
  if (RotaryRows::check(suspect.convention, suspect.width, recipe, suspect.context)) return std::nullopt;
  const Ready ready(suspect, recipe);
  const std::int64_t heads = head_count(task.before), width = task.before.size(-1), length = task.places.count();
  const std::int64_t row = heads * width, chunk = std::clamp<std::int64_t>((std::int64_t{1} << 18) / row, 1, 512);
  const std::int64_t rows = most < 0 ? length : std::min(length, std::max<std::int64_t>(most / row, 2));
  double scale = 0;
  for_chunk(task.after, 0, std::min(rows, chunk),
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
      for_chunk(task.before, from, count,
                [&](auto, auto, auto, std::int64_t at) { known.push_back(element<T>(real_at(task.before, at))); });
      made = turn_rows(suspect, ready, task.places.part(from, count), heads, width, known, task.options.executor);
      if (!made) break;
      const T* next = known.data();
      double largest = 0, off = 0;
      for_chunk(task.after, from, count, [&](auto, std::int64_t place, std::int64_t c, std::int64_t at) {
        const double got = real_at(task.after, at), right = stored(widened(*next++), task.storage);
        tally.add({from + place, c}, got, right);
        largest = std::max(largest, std::abs(right));
        const double apart = got == right ? 0 : std::abs(got - right);
        off = std::max(off, std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart);
        if (c + 1 < width || !bounds) return;
        bounds->row(from + place, largest, off);
        largest = off = 0;
      });
      made = !bounds || bounds->kept();
    }
  });
  return made ? std::optional(tally.result()) : std::nullopt;
}

void find_recipe(const TurnSuspect& suspect, const Task& task, Candidate& candidate) {
  if (candidate.exact.equal == candidate.exact.entries) return;
  struct Tried {
    const Recipe* recipe;
    double share;
  };
  std::vector<Tried> tried;
  constexpr std::int64_t few = 1 << 12;
  for (const Recipe& recipe : recipes()) {
    if (const auto of = match(suspect, recipe, task, few)) tried.push_back({&recipe, of->share()});
  }
  std::ranges::stable_sort(tried, {}, [](const Tried& each) { return -each.share; });
  constexpr std::size_t finalists = 2;
  if (tried.size() > finalists) tried.resize(finalists);
  for (const Tried& each : tried) {
    const auto of = match(suspect, *each.recipe, task, task.options.depth == Depth::full ? -1 : most_turned);
    if (!of || of->share() <= candidate.by_recipe.share()) continue;
    candidate.recipe = each.recipe->name, candidate.by_recipe = *of;
  }
}

Candidate candidate_of(const TurnSuspect& suspect, const Task& task, const Agreement& match) {
  Candidate candidate;
  candidate.presets = suspect.presets;
  candidate.differences = suspect.differences;
  candidate.convention = suspect.convention;
  candidate.form = suspect.direction == Direction::forward ? "rotation" : "rotation backward";
  if (suspect.context.centre) candidate.form += suspect.side == Side::query ? " of queries" : " of keys";
  const std::int64_t width = task.before.size(-1);
  candidate.reading = "[.., L, d]";
  if (suspect.first > 0 || suspect.width < width) {
    candidate.reading +=
        ", columns " + std::to_string(suspect.first) + " to " + std::to_string(suspect.first + suspect.width - 1);
  }
  candidate.extents = {task.places.count()};
  candidate.width = suspect.width;
  candidate.context = suspect.context;
  const std::vector<double>& places = task.places.real;
  for (const std::string& axis : axes_of(suspect.convention)) {
    candidate.places.push_back({axis, places[0], places.size() > 1 ? places[1] - places[0] : 1});
  }
  candidate.fitted = suspect.fitted;
  candidate.storage = task.storage;
  candidate.exact = candidate.by_recipe = match;
  return candidate;
}

std::vector<Candidate> judged_turns(const std::vector<TurnSuspect>& suspects, const Task& task) {
  struct Judged {
    const TurnSuspect* suspect;
    Candidate candidate;
  };
  std::vector<Judged> all;
  for (const TurnSuspect& suspect : suspects) {
    if (const auto exactly = match(suspect, exact(), task, -1)) {
      all.push_back({&suspect, candidate_of(suspect, task, *exactly)});
    }
  }
  std::vector<Candidate> kept;
  if (all.empty()) return kept;
  std::ranges::stable_sort(all, {}, [](const Judged& each) { return -each.candidate.exact.share(); });
  const Agreement best = all.front().candidate.exact;
  std::erase_if(all, [&](const Judged& each) {
    const Agreement& of = each.candidate.exact;
    return of.equal != of.entries && (best.equal == best.entries || of.difference > 4 * best.difference);
  });
  for (Judged& each : all) find_recipe(*each.suspect, task, each.candidate);
  std::ranges::stable_sort(all, {}, [](const Judged& each) { return -each.candidate.by_recipe.share(); });
  // Beyond chance, a right recipe has more entries than a wrong convention.
  constexpr double margin = 0.02;
  const double most = all.front().candidate.by_recipe.share();
  for (Judged& each : all) {
    if (each.candidate.by_recipe.share() >= most - margin) kept.push_back(std::move(each.candidate));
  }
  return kept;
}

// ---- entries that say nothing ----------------------------------------------------------------------

bool equal_entries(const ConstView& before, const ConstView& after) {
  constexpr std::int64_t chunk = 64;
  const std::int64_t length = before.size(-2);
  std::vector<double> from;
  bool equal = true;
  for (std::int64_t place = 0; place < length && equal; place += chunk) {
    const std::int64_t count = std::min(chunk, length - place);
    from.clear();
    for_chunk(before, place, count, [&](auto, auto, auto, std::int64_t at) { from.push_back(real_at(before, at)); });
    const double* next = from.data();
    for_chunk(after, place, count, [&](auto, auto, auto, std::int64_t at) { equal &= *next++ == real_at(after, at); });
  }
  return equal;
}

DType wider(DType a, DType b) {
  if (a == b) return a;
  return a == DType::f64 || b == DType::f64 ? DType::f64 : DType::f32;
}

TurnSuspects suspects_at(const TurnedRows& rows, const TurnPlaces& places) {
  return turn_suspects(rows, places, [&](const TurnSuspect& suspect) { return near(suspect, rows); });
}

// Rows that were turned as those of other places, which the pairs show.
std::vector<Candidate> turned_elsewhere(const TurnedRows& rows, const Task& task,
                                        const std::vector<std::int64_t>& further_on) {
  for (const std::int64_t by : further_on) {
    TurnedRows moved = rows;
    moved.places = rows.places.moved(by);
    const TurnPlaces places = task.places.moved(by);
    const Task there = {task.before, task.after, places, task.computing, task.storage, task.options};
    std::vector<Candidate> found = judged_turns(suspects_at(moved, places).suspects, there);
    const auto number = static_cast<double>(by);
    for (Candidate& each : found) each.fitted.push_back({"offset", number, number, number, std::to_string(by)});
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

Identification identify_turn(const ConstView& before, const ConstView& after, const Positions& positions,
                             const IdentifyOptions& options) {
  Identification identification;
  if (equal_entries(before, after)) {
    identification.kind = "no entry turns";
    return identification;
  }
  const TurnPlaces places = turn_places(positions);
  const DType storage = storages_of(after).back();
  const Task task = {before, after, places, wider(before.dtype, after.dtype), storage, options};
  const TurnedRows rows = sampled_rows(before, after, places, noise_of(storage));
  const TurnSuspects found = suspects_at(rows, places);
  identification.candidates = judged_turns(found.suspects, task);
  if (identification.candidates.empty()) identification.candidates = turned_elsewhere(rows, task, found.further_on);
  if (identification.candidates.empty()) {
    identification.kind = found.keeps_lengths ? "pairs turn by other angles" : "no pairing keeps lengths";
  }
  return identification;
}

}  // namespace referee

namespace {

std::optional<Problem> check_turned(std::string_view name, const ConstView& tensor) {
  if (auto problem = check_view("identify_rotation", name, tensor)) return problem;
  if (tensor.rank < 2 || tensor.count() == 0) {
    return Problem{"identify_rotation", std::string(name) + " must be [.., L, d] with tokens and columns",
                   shape_text(tensor)};
  }
  if (!is_integer(tensor.dtype)) return std::nullopt;
  return Problem{"identify_rotation", std::string(name) + " must be of real numbers",
                 std::string(to_string(tensor.dtype))};
}

}  // namespace

std::optional<Problem> check_identify_rotation(const ConstView& before, const ConstView& after,
                                               const Positions& positions, const IdentifyOptions&) {
  if (auto problem = check_turned("before", before)) return problem;
  if (auto problem = check_turned("after", after)) return problem;
  if (!same_shape(before, after)) {
    return Problem{"identify_rotation", "before and after must have one shape, got " + shape_text(before),
                   shape_text(after)};
  }
  if (auto problem = check_positions("identify_rotation", positions)) return problem;
  if (rank(positions) != 1 || positions.count_ != before.size(-2)) {
    return Problem{"identify_rotation",
                   "positions must be one for each of " + std::to_string(before.size(-2)) + " tokens",
                   std::to_string(positions.count_)};
  }
  return std::nullopt;
}

Identification detail::identify_rotation(const ConstView& before, const ConstView& after, const Positions& positions,
                                         const IdentifyOptions& options) {
  return referee::identify_turn(before, after, positions, options);
}

}  // namespace posenc
