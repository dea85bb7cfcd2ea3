// SPDX-License-Identifier: Apache-2.0
// Blocks of positions and lines.
#include "src/encodings/rotation.h"

#include <algorithm>
#include <functional>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/line_batch.h"
#include "src/encodings/undecided.h"

namespace posenc {
namespace {

// ---- lines ---------------------------------------------------------------------------------------

// A part of the lines of all tensors, counted from the first one of the tensors that are left.
struct Part {
  std::int64_t first, rest;
};

template <class T, class Turns>
void turn_tensors(const Turns& turns, std::span<const Rotated> tensors, bool shared, const RowRange& rows, Part& part) {
  LineBatch<T, Turns> batch(turns);
  for (const Rotated& views : tensors) {
    const std::int64_t all = line_count(views.out, shared);
    const std::int64_t count = std::clamp<std::int64_t>(all - part.first, 0, part.rest);
    if (count > 0) batch.add(TensorLines(views, shared), rows, part.first, part.first + count);
    part.first = std::max<std::int64_t>(part.first - all, 0);
    part.rest -= count;
  }
  batch.turn();
}

// How many tensors from the first one on have its type.
std::size_t alike(std::span<const Rotated> tensors) {
  std::size_t count = 1;
  while (count < tensors.size() && tensors[count].out.dtype == tensors[0].out.dtype) ++count;
  return count;
}

template <class Has>
std::vector<Rotated> those(std::span<const Rotated> tensors, const Has& has) {
  std::vector<Rotated> own;
  std::ranges::copy_if(tensors, std::back_inserter(own), has);
  return own;
}

// ---- blocks --------------------------------------------------------------------------------------

// Positions whose coefficients are made at once: 32 KiB of them for heads of usual widths, and never so few that a
// range is no faster than single positions. Up to 128 KiB where that leaves 32 blocks to share: memory answers faster
// along a head than from head to head.
std::int64_t least_rows(std::int64_t pairs) { return std::clamp<std::int64_t>(4096 / pairs, 32, 128); }
std::int64_t most_rows(std::int64_t pairs) { return std::clamp<std::int64_t>(16384 / pairs, 32, 512); }
constexpr std::int64_t blocks_to_share = 32;

// Lines that share coefficients: enough that making them is a small part of the work.
constexpr std::int64_t lines_to_share = 128;

// Where a block begins: a list of positions, one of them, a line of all tensors'. The first block is most calls' only
// one, and four divisions take a tenth of its step.
struct Start {
  std::int64_t list, row, line;

  Start(std::int64_t block, std::int64_t down, std::int64_t across, std::int64_t rows_per_block,
        std::int64_t lines_per_block)
      : list(0), row(0), line(0) {
    if (block == 0) return;
    list = block / across / down;
    row = block / across % down * rows_per_block;
    line = block % across * lines_per_block;
  }
};

}  // namespace

// What is turned by the same rows of coefficients.
struct Rotation::Block {
  std::span<const Rotated> tensors;
  bool shared;  // positions
  RowRange rows;
  Part part;

  template <class Turns>
  void turn(const Turns& turns) const {
    Part rest = part;
    for (std::span<const Rotated> left = tensors; !left.empty();) {
      const std::size_t count = alike(left);
      with_real(left[0].out.dtype, [&]<class T>(T) {
        if constexpr (!std::is_same_v<T, double>) turn_tensors<T>(turns, left.first(count), shared, rows, rest);
      });
      left = left.subspan(count);
    }
  }
};

bool Rotation::make_rows(std::span<const Positions> coordinates, const RowRange& rows, RotatedSide side,
                         Direction direction, float* out) const {
  const bool decided = decaying_        ? decaying_->write_rows(coordinates, rows, side, out, width_)
                       : step_decaying_ ? step_decaying_->write_rows(coordinates[0], rows, side, out, width_)
                                        : write_places(*cells_, coordinates, rows, out, width_);
  direct(rows, direction, out);
  return decided;
}

template <class T>
void Rotation::direct(const RowRange& rows, Direction direction, T* made) const {
  if ((direction == Direction::inverse) == backward_) return;
  const std::int64_t sines = width_ == 2 * pairs_ ? pairs_ : 2 * pairs_;
  for (std::int64_t t = 0; t < rows.count; ++t) {
    T* const first = made + t * width_ + pairs_;
    std::transform(first, first + sines, first, negated<T>);
  }
}
template void Rotation::direct(const RowRange&, Direction, double*) const;

void Rotation::turn(const float* made, Direction direction, const Block& block) const {
  const std::int64_t n = pairs_;
  if (plain_) {
    const engine::Pairs pairs = *plain_ == plan::Pairs::adjacent ? engine::Pairs::adjacent : engine::Pairs::split_half;
    return block.turn(PlainTurns{{made, made + n, width_, block.rows.count, n}, pairs});
  }
  const bool two_angles = width_ > 2 * n, back = direction == Direction::inverse;
  const float *s0 = made + n, *s1 = two_angles ? made + 2 * n : s0, *c1 = two_angles ? made + 3 * n : made;
  if (back) std::swap(s0, s1);
  block.turn(PlacedTurns{{made, s0, s1, c1, width_, block.rows.count}, back ? inverse_ : forward_});
}

bool Rotation::rotate_side(std::span<const Positions> coordinates, std::span<const Rotated> tensors, RotatedSide side,
                           Direction direction, const Executor& executor) const {
  const Positions& positions = widest(coordinates);
  const bool shared = rank(positions) == 1;
  std::int64_t lines = 0;
  for (const Rotated& tensor : tensors) lines += line_count(tensor.out, shared);
  if (positions.count_ == 0 || lines == 0) return true;
  const std::int64_t lists = shared ? 1 : positions.list_.size(0);
  Decided decided;

  const std::int64_t across = blocks(lines, lines_per_block_);
  const std::int64_t size = std::clamp(positions.count_ * lists * across / blocks_to_share, least_rows_, most_rows_);
  const std::int64_t down = blocks(positions.count_, size);
  // Numbers by value: those of the one block of a step stay in registers.
  const auto turn_block = [coordinates, tensors, side, direction, shared, lines, across, size, down, &positions,
                           &decided, this](std::int64_t block, std::int64_t) {
    const Start at(block, down, across, size, lines_per_block_);
    const RowRange rows = {at.list, at.row, std::min(size, positions.count_ - at.row)};
    LocalScratch<float> scratch;
    float* made = scratch.take(static_cast<std::size_t>(rows.count * width_ + engine::Angles::slack));
    decided.also(make_rows(coordinates, rows, side, direction, made));
    turn(made, direction, {tensors, shared, rows, {at.line, std::min(lines_per_block_, lines - at.line)}});
  };
  for_blocks(executor, lists * down * across, 1, turn_block);
  return decided.all();
}

bool Rotation::rotate(std::span<const Positions> coordinates, std::span<const Rotated> tensors, Direction direction,
                      const Executor& executor) const {
  const auto is_wide = [](const Rotated& each) { return each.out.dtype == DType::f64; };
  if (std::ranges::any_of(tensors, is_wide)) {
    bool decided = rotate_wide(coordinates, those(tensors, is_wide), direction, executor);
    const std::vector<Rotated> others = those(tensors, std::not_fn(is_wide));
    if (!others.empty()) decided &= rotate(coordinates, others, direction, executor);
    return decided;
  }
  if (!has_sides()) return rotate_side(coordinates, tensors, RotatedSide::query, direction, executor);
  bool decided = true;
  for (const RotatedSide side : {RotatedSide::query, RotatedSide::key}) {
    const std::vector<Rotated> own = those(tensors, [&](const Rotated& each) { return each.side == side; });
    decided &= rotate_side(coordinates, own, side, direction, executor);
  }
  return decided;
}

// ---- the object ----------------------------------------------------------------------------------

namespace {

// The cosines or sines of one angle of every pair; a pair without an axis stands.
void append(plan::RowPlan& row, const plan::PairPlan& pairs, std::size_t member, std::uint8_t quarter) {
  for (const plan::Pair& pair : pairs.pairs) {
    const auto [axis, frequency] = pair.angles[member];
    const bool stands = axis == plan::no_axis;
    row.columns.push_back(stands ? plan::Column{plan::Kind::constant, quarter, 0, 0}
                                 : plan::Column{plan::Kind::wave, quarter, axis, frequency});
  }
}

}  // namespace

plan::RowPlan coefficient_rows(const plan::PairPlan& pairs) {
  constexpr std::uint8_t sine = 0, cosine = 1;
  plan::RowPlan row;
  row.axes = pairs.axes;
  row.ladders = pairs.ladders;
  row.scale = pairs.magnitude;
  append(row, pairs, 0, cosine);
  append(row, pairs, 0, sine);
  if (plan::turns_by_one_angle(pairs)) return row;
  append(row, pairs, 1, sine);
  append(row, pairs, 1, cosine);
  return row;
}

Rotation::Rotation(const plan::PairPlan& plan, const Recipe& recipe, const std::vector<StepLadder>& ladders)
    : columns_(plan.width), pairs_(std::ssize(plan.pairs)), plain_(plan::plain_pairs(plan)) {
  const std::int64_t angles = plan::turns_by_one_angle(plan) ? 1 : 2;
  width_ = 2 * angles * pairs_;
  least_rows_ = least_rows(angles * pairs_), most_rows_ = most_rows(angles * pairs_);
  lines_per_block_ = lines_to_share;
  forward_ = plan::placement(plan.pairs);
  inverse_ = plan::placement(plan::transposed(plan.pairs));
  if (plain_) columns_ = 2 * pairs_;
  if (plan.decay && recipe.exact()) {
    decaying_ = std::make_unique<const Turns>(plan);
  } else if (plan.decay) {
    step_decaying_.emplace(plan, *recipe.steps, ladders.front());
  } else {
    plan::RowPlan row = coefficient_rows(plan);
    if (recipe.steps) row.scale = 1;  // their ladders have the magnitude
    cells_.emplace(row, recipe, ladders);
    backward_ = plan.turning == plan::Turning::backward;
  }
  if (has_sides() || cells_->one_by_one())
    least_rows_ = 1, lines_per_block_ = INT64_MAX;  // slower than turning by them
}

}  // namespace posenc
