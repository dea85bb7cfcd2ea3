// SPDX-License-Identifier: Apache-2.0
// What the tests of rotations share: conventions, random elements, and rows rotated by plain loops.
#pragma once

#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>

#include <map>
#include <random>

#include "tests/reference/rotation.h"

namespace posenc::test {

inline const Convention half_pairs = preset("rope-half").convention, adjacent_pairs = preset("rope-pair").convention;

inline constexpr Direction directions[] = {Direction::forward, Direction::inverse};

inline reference::Pairing pairing_of(const Convention& convention) {
  return std::get<Rotary>(convention).pairing == Pairing::adjacent ? reference::Pairing::adjacent
                                                                   : reference::Pairing::split_half;
}
template <class T>
constexpr reference::Storage storage_of() {
  return std::is_same_v<T, half> ? reference::f16 : std::is_same_v<T, bfloat16> ? reference::bf16 : reference::f32;
}

template <class T>
std::vector<T> random_elements(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> elements;
  while (elements.size() < count) {
    elements.push_back(T(static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-29f));
  }
  return elements;
}

// Cosines and sines of single positions, of tables that are proven elsewhere (exact_test.cc).
struct Angles {
  std::vector<float> cosine, sine;
};
class AngleTable {
 public:
  AngleTable(const Convention& convention, std::int64_t rotated, const Recipe& recipe = exact())
      : rows_(Sinusoid{std::get<Rotary>(convention).ladders.front(), Layout::cosine_first, OddWidth::refused}, rotated,
              {.recipe = recipe}) {}
  const Angles& at(std::int64_t position) {
    const auto [found, is_new] = known_.try_emplace(position);
    if (is_new) {
      std::vector<float> values(static_cast<std::size_t>(rows_.width()));
      rows_.write(Positions::at(position), view(values.data(), {1, rows_.width()}));
      const auto middle = values.begin() + rows_.width() / 2;
      found->second = {{values.begin(), middle}, {middle, values.end()}};
    }
    return found->second;
  }

 private:
  Rows rows_;
  std::map<std::int64_t, Angles> known_;
};

// A row of elements rotated by plain loops.
template <class T>
std::vector<T> plain(const std::vector<T>& row, Angles angles, const Convention& convention,
                     Direction direction = Direction::forward) {
  for (float& s : angles.sine) s = direction == Direction::inverse ? -s : s;
  const std::vector<float> wide(row.begin(), row.end());
  std::vector<T> out;
  for (const float x : reference::rotated(wide, angles.cosine, angles.sine, pairing_of(convention), storage_of<T>())) {
    out.push_back(T(x));
  }
  return out;
}

// Rows of row-major elements, each rotated by plain loops at its position.
template <class T, class PositionOf>
std::vector<T> plain_rows(const std::vector<T>& elements, std::int64_t width, std::int64_t rotated,
                          const Convention& convention, Direction direction, const PositionOf& position_of) {
  std::vector<T> out;
  AngleTable table(convention, rotated);
  const auto d = static_cast<std::size_t>(width);
  for (std::size_t r = 0; r * d < elements.size(); ++r) {
    const std::vector<T> row(elements.begin() + static_cast<std::ptrdiff_t>(r * d),
                             elements.begin() + static_cast<std::ptrdiff_t>((r + 1) * d));
    const Angles& angles = table.at(position_of(static_cast<std::int64_t>(r)));
    for (const T x : plain(row, angles, convention, direction)) out.push_back(x);
  }
  return out;
}

}  // namespace posenc::test
