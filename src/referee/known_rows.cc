// SPDX-License-Identifier: Apache-2.0
// Which places a block has, and their coordinates.
#include "src/referee/known_rows.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "src/encodings/rules.h"
#include "src/encodings/turns.h"

namespace posenc::referee {
namespace {

bool whole(double x) { return std::floor(x) == x && std::abs(x) < 0x1p53; }

bool is_rotary(const Signal& signal) { return !check_use("identify", ConventionUse::rotations, signal.convention); }

}  // namespace

bool has_arithmetic(const Signal& signal, const Recipe& recipe) {
  if (recipe.exact()) return true;
  const auto& [convention, given] = std::tie(signal.convention, signal.given);
  if (check_steps(convention, recipe)) return false;
  if (!recipe.steps && signal.form == frequency_form) return false;  // its frequencies are whole numbers of turns
  if (!is_rotary(signal)) return true;
  const bool angles = signal.form != frequency_form && signal.plan->columns.front().kind == plan::Kind::angle;
  return !angles && !check_step_pairs("identify", convention, given, recipe);
}

std::vector<StepLadder> ladders_of(const Signal& signal, const Recipe& recipe) {
  if (!recipe.steps) return {};
  if (!is_rotary(signal)) return lower_steps(signal.convention, signal.given, *recipe.steps);
  const plan::PairPlan pairs = lower_step_pairs(signal.convention, signal.given);
  return ladders_under(recipe, pairs, signal.convention, signal.given);
}

// ---- blocks --------------------------------------------------------------------------------------

PlaceBlocks::PlaceBlocks(const Reading& reading, const Sampling& sampling) : places_(reading.places()) {
  const std::int64_t width = std::max<std::int64_t>(reading.width, 1);
  const std::int64_t most = sampling.most < 0 ? places_ : std::max<std::int64_t>(sampling.most / width, 1);
  if (most >= places_) {
    cut(width, places_);
    return;
  }
  const std::int64_t longest = std::clamp<std::int64_t>((std::int64_t{1} << 17) / width, 1, 512);
  const std::int64_t length = std::min<std::int64_t>(longest, std::max<std::int64_t>(most / 8, 1));
  stretches_ = std::max<std::int64_t>(most / length, 1);
  cut(width, length);
}

PlaceBlocks::PlaceBlocks(const Reading& reading, std::span<const std::int64_t> listed)
    : places_(std::ssize(listed)), listed_(listed) {
  cut(std::max<std::int64_t>(reading.width, 1), places_);
}

// Rows of 128 KiB of f32 stay in the cache of a core; a range of fewer than 8 costs as much as single ones.
void PlaceBlocks::cut(std::int64_t width, std::int64_t length) {
  constexpr std::int64_t entries = std::int64_t{1} << 15, all_entries = std::int64_t{1} << 21;
  length_ = length;
  size_ = std::clamp<std::int64_t>(entries / width, 8, 512);
  per_stretch_ = (length + size_ - 1) / size_;
  at_once_ = std::clamp<std::int64_t>(all_entries / (size_ * width), 4, 64);
}

PlaceBlock PlaceBlocks::at(std::int64_t i) const {
  const std::int64_t stretch = i / per_stretch_, within = i % per_stretch_ * size_;
  const std::int64_t start = stretches_ == 1 ? 0 : (places_ - length_) / (stretches_ - 1) * stretch;
  return {start + within, std::min(size_, length_ - within), listed_};
}

// ---- rows ----------------------------------------------------------------------------------------

KnownRows::KnownRows(const Reading& reading, const Hypothesis& hypothesis, const Recipe& recipe)
    : reading_(reading),
      hypothesis_(hypothesis),
      cells_(*hypothesis.signal.plan, recipe, ladders_of(hypothesis.signal, recipe)) {}

std::vector<std::vector<double>> KnownRows::coordinates(const PlaceBlock& block) const {
  std::vector<std::vector<double>> lists(hypothesis_.coordinates.size());
  for (std::vector<double>& list : lists) list.reserve(static_cast<std::size_t>(block.count));
  for (std::int64_t i = 0; i < block.count; ++i) {
    const std::int64_t place = block.place(i);
    if (reading_.extents.size() == 1) {
      for (std::size_t a = 0; a < lists.size(); ++a) lists[a].push_back(hypothesis_.coordinates[a].at(place));
      continue;
    }
    const std::vector<std::int64_t> index = reading_.index(place);
    for (std::size_t a = 0; a < lists.size(); ++a) {
      lists[a].push_back(hypothesis_.coordinates[a].at(index[hypothesis_.extent_of[a]]));
    }
  }
  return lists;
}

// Of one axis of whole numbers a range: its rows are made faster than those of a list.
Positions KnownRows::positions(const PlaceBlock& block, std::size_t axis, const std::vector<double>& list) const {
  const Coordinates& along = hypothesis_.coordinates[axis];
  const bool even = reading_.extents.size() == 1 && block.listed.empty() && along.list.empty();
  const bool range = even && whole(along.first) && whole(along.step) && std::abs(list.back()) < 0x1p62;
  if (!range) return Positions::list(view(list.data(), {block.count}));
  const auto start = static_cast<std::int64_t>(along.first), by = static_cast<std::int64_t>(along.step);
  return Positions::range(start + block.first * by, block.count, by);
}

}  // namespace posenc::referee
