// SPDX-License-Identifier: Apache-2.0
// Rows of a hypothesis beside those of the tensor, block by block.
#include "src/referee/hypothesis.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "src/numerics/rounding.h"
#include "src/referee/distances.h"
#include "src/referee/known_rows.h"

namespace posenc::referee {
namespace {

// ---- entries -------------------------------------------------------------------------------------

template <class T>
double number(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

template <class Element>
Element element_at(const std::byte* row, std::int64_t i) {
  Element element;
  std::memcpy(&element, row + i * static_cast<std::int64_t>(sizeof element), sizeof element);
  return element;
}

// A row that stands side by side. A few entries at once: loops of known length become vectors.
template <class Element, class T>
void add_plain_row(const std::byte* row, const T* known, std::int64_t width, std::int64_t place, Tally& tally) {
  if constexpr (std::is_same_v<Element, T>) {
    if (std::memcmp(row, known, static_cast<std::size_t>(width) * sizeof(T)) == 0) return tally.add_equal(width);
  }
  constexpr std::int64_t few = 16;
  for (std::int64_t c = 0; c < width; c += few) {
    const std::int64_t count = std::min(few, width - c);
    if (count == few) {
      int equal = 0;
      for (std::int64_t i = c; i < c + few; ++i) equal += number(element_at<Element>(row, i)) == number(known[i]);
      if (equal == few) {
        tally.add_equal(few);
        continue;
      }
    }
    for (std::int64_t i = c; i < c + count; ++i) {
      tally.add({place, i}, number(element_at<Element>(row, i)), number(known[i]));
    }
  }
}

// The known row of a place beside the tensor's.
template <class T>
void add_row(const Reading& reading, std::int64_t place, const T* known, Tally& tally) {
  const std::int64_t start = reading.place_offset(place);
  if (reading.inner != 1 || reading.outer_step != 1) {
    for (std::int64_t c = 0; c < reading.width; ++c) {
      tally.add({reading.row(place), c}, real_at(reading.tensor, start + reading.column_offset(c)), number(known[c]));
    }
    return;
  }
  with_real(reading.tensor.dtype, [&]<class Element>(Element) {
    const auto* row = static_cast<const std::byte*>(reading.tensor.data);
    row += start * static_cast<std::int64_t>(sizeof(Element));
    add_plain_row<Element>(row, known, reading.width, reading.row(place), tally);
  });
}

// The list of a recipe; empty where a rounding was not settled.
template <class T>
std::vector<T> listed_frequencies(const Signal& signal, const Recipe& recipe) {
  const std::vector<StepLadder> ladders = ladders_of(signal, recipe);
  if (ladders.size() != 1 || !ladders[0].decided) return {};
  const std::vector<double> all = frequencies(ladders[0], *recipe.steps);
  std::vector<T> list;
  for (const plan::Column& column : signal.plan->columns) {
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
  Tally all(hypothesis.signal.scale, storage);
  if (hypothesis.signal.form == frequency_form && recipe.steps) {
    const std::vector<T> row = listed_frequencies<T>(hypothesis.signal, recipe);
    if (row.empty()) return std::nullopt;
    add_row(reading, 0, row.data(), all);
    return all.result();
  }
  struct Part {
    bool decided = false;
    std::optional<Tally> tally = {};
  };
  const KnownRows known(reading, hypothesis, recipe);
  bool decided = true;
  in_rounds<Part>(
      PlaceBlocks(reading, sampling), executor,
      [&](const PlaceBlock& block, Part& part) {
        const Scratch<T> rows(static_cast<std::size_t>(block.count * reading.width));
        part.decided = known.write(block, rows.data());
        part.tally.emplace(hypothesis.signal.scale, storage);
        for (std::int64_t i = 0; part.decided && i < block.count; ++i) {
          add_row(reading, block.place(i), rows.data() + i * reading.width, *part.tally);
        }
      },
      [&](const Part& part) {
        decided &= part.decided;
        all.add(*part.tally);
        return decided;
      });
  return decided ? std::optional(all.result()) : std::nullopt;
}

// The first entry of a block in which two hypotheses differ.
template <class T>
std::optional<Parting> parting_in(const PlaceBlock& block, const T* a, const T* b, std::int64_t width) {
  const std::int64_t count = block.count * width;
  if (std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(T)) == 0) return std::nullopt;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = number(a[i]), y = number(b[i]);
    if (x != y) return Parting{block.place(i / width), i % width, std::abs(x - y)};
  }
  return std::nullopt;
}

}  // namespace

AxisPlaces places_along(std::string axis, const Coordinates& along) {
  double largest = 0;
  for (const double x : along.list) largest = std::max(largest, std::abs(x));
  // A coordinate that went through f32 is off by 2^-24 of the largest, the step, which is the difference of two, by
  // 2^-23: 2^-22 of the largest leaves both room. 2^-20 of a step is what a caller's own sums of f32 steps add, far
  // below the half a step by which a position that is another one differs.
  const double off = 0x1p-20 * std::abs(along.step) + 0x1p-22 * largest;
  for (std::size_t i = 0; i < along.list.size(); ++i) {
    const double spaced = along.first + static_cast<double>(i) * along.step;
    // The step itself is off by what two coordinates are, and is taken i times.
    if (!(std::abs(along.list[i] - spaced) <= off * static_cast<double>(i + 1))) {
      return {std::move(axis), along.list[0], std::nullopt};
    }
  }
  return {std::move(axis), along.first, along.step};
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
  const std::int64_t width = hypothesis.signal.width();
  std::vector<double> rows(places.size() * static_cast<std::size_t>(width));
  const KnownRows known(reading, hypothesis, exact());
  const PlaceBlocks blocks(reading, places);
  for (std::int64_t i = 0; i < blocks.count(); ++i) {
    const PlaceBlock block = blocks.at(i);
    if (!known.write(block, rows.data() + block.first * width)) return {};
  }
  return rows;
}

std::optional<Parting> parting(const Reading& reading, const Hypothesis& a, const Hypothesis& b, DType storage,
                               const Executor& executor) {
  std::optional<Parting> found;
  with_real(storage, [&]<class T>(T) {
    struct Part {
      bool decided = false;
      std::optional<Parting> parting = {};
    };
    const KnownRows of_a(reading, a, exact()), of_b(reading, b, exact());
    in_rounds<Part>(
        PlaceBlocks(reading, Sampling{}), executor,
        [&](const PlaceBlock& block, Part& part) {
          const std::int64_t count = block.count * reading.width;
          const Scratch<T> rows(static_cast<std::size_t>(2 * count));
          T *const rows_a = rows.data(), *const rows_b = rows_a + count;
          part.decided = of_a.write(block, rows_a) && of_b.write(block, rows_b);
          if (part.decided) part.parting = parting_in(block, rows_a, rows_b, reading.width);
        },
        [&](const Part& part) {
          found = part.parting;
          return part.decided && !found;
        });
  });
  return found;
}

}  // namespace posenc::referee
