// SPDX-License-Identifier: Apache-2.0
// Rows of a hypothesis, chunk by chunk, beside those of the tensor.
#include "src/referee/hypothesis.h"

#include <posenc/rotary_cache.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "src/base/blocks.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/rules.h"
#include "src/encodings/turns.h"
#include "src/numerics/rounding.h"
#include "src/referee/distances.h"

namespace posenc::referee {
namespace {

// ---- rows ----------------------------------------------------------------------------------------

bool whole(double x) { return std::floor(x) == x && std::abs(x) < 0x1p53; }

bool is_rotary(const Signal& signal) { return !check_use("identify", Use::rotations, signal.convention); }

bool has_arithmetic(const Signal& signal, const Recipe& recipe) {
  if (recipe.exact()) return true;
  const auto& [convention, given] = std::tie(signal.convention, signal.given);
  if (check_steps(convention, recipe)) return false;
  if (!is_rotary(signal)) return true;
  const bool angles = signal.form != frequency_form && signal.plan.columns.front().kind == plan::Kind::angle;
  return !angles && !check_step_pairs("identify", convention, given, recipe);
}

std::vector<StepLadder> ladders_of(const Signal& signal, const Recipe& recipe) {
  if (recipe.exact()) return {};
  if (!is_rotary(signal)) return lower_steps(signal.convention, signal.given, *recipe.steps);
  const plan::PairPlan pairs = lower_step_pairs(signal.convention, signal.given);
  return ladders_under(recipe, pairs, signal.convention, signal.given);
}

// Writes rows of places in row-major order.
class KnownRows {
 public:
  KnownRows(const Reading& reading, const Hypothesis& hypothesis, const Recipe& recipe)
      : reading_(reading),
        hypothesis_(hypothesis),
        cells_(hypothesis.signal.plan, recipe, ladders_of(hypothesis.signal, recipe)),
        memory_(hypothesis.coordinates.size()) {}

  template <class T>
  bool write(std::int64_t first, std::int64_t count, T* out, const Executor& executor) {
    return write_at(
        [&](std::size_t axis) {
          const Coordinates& along = hypothesis_.coordinates[axis];
          if (reading_.extents.size() == 1) return along.positions(first, count, memory_[axis]);
          return listed(axis, count, [&](std::int64_t i) { return first + i; });
        },
        count, out, executor);
  }
  template <class T>
  bool write(std::span<const std::int64_t> places, T* out, const Executor& executor) {
    const std::int64_t count = std::ssize(places);
    return write_at(
        [&](std::size_t axis) {
          return listed(axis, count, [&](std::int64_t i) { return places[static_cast<std::size_t>(i)]; });
        },
        count, out, executor);
  }

 private:
  template <class Place>
  Positions listed(std::size_t axis, std::int64_t count, const Place& place) {
    std::vector<double>& list = memory_[axis];
    list.resize(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::vector<std::int64_t> index = reading_.index(place(i));
      list[static_cast<std::size_t>(i)] = hypothesis_.coordinates[axis].at(index[hypothesis_.extent_of[axis]]);
    }
    return Positions::list(view(std::as_const(list).data(), {count}));
  }
  template <class PositionsOf, class T>
  bool write_at(const PositionsOf& positions_of, std::int64_t count, T* out, const Executor& executor) {
    const DefaultEnvironment environment;
    std::vector<Positions> lists;
    for (std::size_t axis = 0; axis < hypothesis_.coordinates.size(); ++axis) lists.push_back(positions_of(axis));
    return write_all_places(cells_, lists, view(out, {count, cells_.width}), executor);
  }

  const Reading& reading_;
  const Hypothesis& hypothesis_;
  CellRows cells_;
  std::vector<std::vector<double>> memory_;
};

// ---- distances -----------------------------------------------------------------------------------

template <class T>
double number(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

template <class T>
class Comparison {
 public:
  Comparison(const Reading& reading, double scale, DType storage)
      : reading_(reading), storage_(storage), least_(std::abs(scale) * 0x1p-8) {}

  // The known row of a place.
  void row(std::int64_t place, const T* known) {
    const std::int64_t start = reading_.place_offset(place);
    const bool plain = reading_.tensor.dtype == dtype_of<T> && reading_.inner == 1 && reading_.outer_step == 1;
    match_.entries += reading_.width;
    if (plain) {
      const T* row = static_cast<const T*>(reading_.tensor.data) + start;
      std::int64_t equal = 0;
      for (std::int64_t c = 0; c < reading_.width; ++c) equal += number(row[c]) == number(known[c]);
      match_.equal += equal;
      if (equal == reading_.width) return;
    }
    for (std::int64_t c = 0; c < reading_.width; ++c) {
      const double got = real_at(reading_.tensor, start + reading_.column_offset(c)), right = number(known[c]);
      if (got == right) {
        match_.equal += plain ? 0 : 1;
        continue;
      }
      entry(place, c, got, right);
    }
  }
  Agreement result() const {
    Agreement match = match_;
    match.median = distances_.median(match.equal, match.entries);
    match.largest = distances_.largest();
    return match;
  }

 private:
  void entry(std::int64_t place, std::int64_t c, double got, double right) {
    if (match_.first.empty()) match_.first = {place, c};
    const double off = std::abs(got - right);
    if (!(off < std::numeric_limits<double>::infinity())) {
      distances_.add(std::numeric_limits<double>::infinity());
      match_.difference = std::numeric_limits<double>::infinity();
      return;
    }
    distances_.add(off / unit_at(std::max(std::abs(right), least_), storage_));
    match_.difference = std::max(match_.difference, off);
  }

  const Reading& reading_;
  DType storage_;
  double least_;
  Agreement match_;
  Distances distances_;
};

// Rows in stretches: all of them, or some that are spread evenly.
template <class Each>
bool in_stretches(const Reading& reading, const Sampling& sampling, const Each& each) {
  const std::int64_t places = reading.places(), width = std::max<std::int64_t>(reading.width, 1);
  const std::int64_t chunk = std::clamp<std::int64_t>((std::int64_t{1} << 17) / width, 1, 512);
  const std::int64_t most = sampling.most < 0 ? places : std::max<std::int64_t>(sampling.most / width, 1);
  if (most >= places) {
    for (std::int64_t first = 0; first < places; first += chunk) {
      if (!each(first, std::min(chunk, places - first))) return false;
    }
    return true;
  }
  const std::int64_t stretch = std::min<std::int64_t>(chunk, std::max<std::int64_t>(most / 8, 1));
  const std::int64_t count = std::max<std::int64_t>(most / stretch, 1);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = count == 1 ? 0 : (places - stretch) / (count - 1) * i;
    if (!each(first, stretch)) return false;
  }
  return true;
}

// The list of a recipe; empty where a rounding was not settled.
template <class T>
std::vector<T> listed_frequencies(const Signal& signal, const Recipe& recipe) {
  const std::vector<StepLadder> ladders = ladders_of(signal, recipe);
  if (ladders.size() != 1 || !ladders[0].decided) return {};
  const std::vector<double> all = frequencies(ladders[0], *recipe.steps);
  std::vector<T> list;
  for (const plan::Column& column : signal.plan.columns) {
    const double value = column.kind == plan::Kind::angle ? all[column.frequency] : 0;
    if constexpr (std::is_floating_point_v<T>) {
      list.push_back(static_cast<T>(value));
    } else {
      list.push_back(static_cast<T>(static_cast<float>(value)));  // as programs do, which have it in f32
    }
  }
  return list;
}

template <class T>
std::optional<Agreement> match_in(const Reading& reading, const Hypothesis& hypothesis, const Recipe& recipe,
                                  DType storage, const Sampling& sampling, const Executor& executor) {
  Comparison<T> comparison(reading, hypothesis.signal.scale, storage);
  std::vector<T> rows;
  if (hypothesis.signal.form == frequency_form && !recipe.exact()) {
    rows = listed_frequencies<T>(hypothesis.signal, recipe);
    if (rows.empty()) return std::nullopt;
    comparison.row(0, rows.data());
    return comparison.result();
  }
  KnownRows known(reading, hypothesis, recipe);
  const bool decided = in_stretches(reading, sampling, [&](std::int64_t first, std::int64_t count) {
    rows.resize(static_cast<std::size_t>(count * reading.width));
    if (!known.write(first, count, rows.data(), executor)) return false;
    for (std::int64_t i = 0; i < count; ++i) comparison.row(first + i, rows.data() + i * reading.width);
    return true;
  });
  return decided ? std::optional(comparison.result()) : std::nullopt;
}

}  // namespace

Positions Coordinates::positions(std::int64_t from, std::int64_t count, std::vector<double>& memory) const {
  if (list.empty() && whole(first) && whole(step)) {
    const auto start = static_cast<std::int64_t>(first), by = static_cast<std::int64_t>(step);
    return Positions::range(start + from * by, count, by);
  }
  memory.resize(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) memory[static_cast<std::size_t>(i)] = at(from + i);
  return Positions::list(view(std::as_const(memory).data(), {count}));
}

std::optional<Agreement> match(const Reading& reading, const Hypothesis& hypothesis, const Recipe& recipe,
                               DType storage, const Sampling& sampling, const Executor& executor) {
  if (!has_arithmetic(hypothesis.signal, recipe)) return std::nullopt;
  std::optional<Agreement> result;
  with_real(storage, [&](auto type) {
    result = match_in<decltype(type)>(reading, hypothesis, recipe, storage, sampling, executor);
  });
  return result;
}

std::vector<double> known_rows(const Reading& reading, const Hypothesis& hypothesis,
                               std::span<const std::int64_t> places) {
  std::vector<double> rows(places.size() * static_cast<std::size_t>(hypothesis.signal.width()));
  if (!KnownRows(reading, hypothesis, exact()).write(places, rows.data(), serial)) rows.clear();
  return rows;
}

std::vector<float> known_rows_f32(const Reading& reading, const Hypothesis& hypothesis,
                                  std::span<const std::int64_t> places) {
  std::vector<float> rows(places.size() * static_cast<std::size_t>(hypothesis.signal.width()));
  if (!KnownRows(reading, hypothesis, exact()).write(places, rows.data(), serial)) rows.clear();
  return rows;
}

std::optional<Parting> parting(const Reading& reading, const Hypothesis& a, const Hypothesis& b, DType storage,
                               const Executor& executor) {
  std::optional<Parting> found;
  with_real(storage, [&](auto type) {
    using T = decltype(type);
    KnownRows of_a(reading, a, exact()), of_b(reading, b, exact());
    std::vector<T> rows_a, rows_b;
    in_stretches(reading, {}, [&](std::int64_t first, std::int64_t count) {
      rows_a.resize(static_cast<std::size_t>(count * reading.width));
      rows_b.resize(rows_a.size());
      if (!of_a.write(first, count, rows_a.data(), executor)) return false;
      if (!of_b.write(first, count, rows_b.data(), executor)) return false;
      for (std::size_t i = 0; i < rows_a.size(); ++i) {
        const double x = number(rows_a[i]), y = number(rows_b[i]);
        if (x == y) continue;
        const auto at = static_cast<std::int64_t>(i);
        found = Parting{first + at / reading.width, at % reading.width, std::abs(x - y)};
        return false;
      }
      return true;
    });
  });
  return found;
}

}  // namespace posenc::referee
