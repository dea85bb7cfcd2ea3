// SPDX-License-Identifier: Apache-2.0
// Rotary encodings: cosines and sines of a block of positions, used for every head and sequence of that block.
#include <posenc/rotary.h>

#include <algorithm>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/base/shapes.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/line_batch.h"
#include "src/encodings/rules.h"
#include "src/encodings/turns.h"
#include "src/encodings/undecided.h"

namespace posenc {

struct RotaryRows::Ready {
  std::int64_t width;    // columns that turn
  std::int64_t columns;  // of a tensor, at least
  std::vector<std::string> axes;
  bool has_sides;  // queries and keys do not turn alike
  engine::Pairs pairs;
  Direction backward;                  // of a convention that turns forward: inverse
  std::int64_t least_rows, most_rows;  // of a block
  std::optional<CellRows> angles;      // a row: the cosines of every pair, then the sines
  std::unique_ptr<const Turns> turns;  // where no kernel turns such pairs
};

// ---- checks -------------------------------------------------------------------------------------

std::optional<Problem> check_rotated(std::string_view operation, const Positions& positions, const ConstView& in,
                                     const View& out) {
  if (!is_plain(out)) {  // asked here, since a call of check_output takes as long as its answer
    if (auto problem = check_output(operation, "out", out)) return problem;
  }
  if (!is_real(out.dtype) || out.dtype == DType::f64) {
    return Problem{std::string(operation), "out must be f32, f16 or bf16", std::string(to_string(out.dtype))};
  }
  if (out.rank < 2) return Problem{std::string(operation), "out must have shape [.., L, d]", shape_text(out)};
  if (!has_rows(positions, out)) return other_rows(operation, positions, out, "[B, .., L, d]");
  const bool alike = in.dtype == out.dtype && same_shape(in, out);
  if (alike && in.data == out.data && same_strides(in, out)) return std::nullopt;  // in place
  if (auto problem = check_view(operation, "in", in)) return problem;
  if (alike) return std::nullopt;
  return unlike(operation, in, out);
}

std::optional<Problem> check_direction(Direction direction) {
  if (direction == Direction::forward || direction == Direction::inverse) return std::nullopt;
  return Problem{"rotary", "direction must be forward or inverse", "none"};
}

std::optional<Problem> RotaryRows::check(const Convention& convention, std::int64_t rotated, const Recipe& recipe,
                                         const Context& context) {
  if (auto problem = check_made("rotary", Use::rotations, convention, rotated, recipe, context)) return problem;
  if (recipe.exact() || steps_serve(lower_step_pairs(convention, {.width = rotated, .context = context}))) {
    return std::nullopt;
  }
  return Problem{"rotary", "the recipe must be exact for such pairs", recipe.name};
}

std::optional<Problem> RotaryRows::check_rotate(std::span<const Positions> coordinates,
                                                std::span<const Rotated> tensors, Direction direction) const {
  if (auto problem = check_direction(direction)) return problem;
  if (coordinates.size() != 1 || ready_->axes.size() != 1 || !is_one_integer(coordinates[0])) {
    if (auto problem = check_coordinates("rotary", ready_->axes, coordinates)) return problem;
  }
  const std::int64_t columns = ready_->columns;
  for (const Rotated& tensor : tensors) {
    if (auto problem = check_rotated("rotary", widest(coordinates), tensor.in, tensor.out)) return problem;
    if (ready_->has_sides && tensor.side != Side::query && tensor.side != Side::key) {
      return Problem{"rotary", "a tensor must be stated to hold queries or keys: the convention has a decay",
                     "neither"};
    }
    if (tensor.out.size(-1) < columns) {
      return Problem{"rotary", "out must have " + std::to_string(columns) + " columns or more", shape_text(tensor.out)};
    }
  }
  return std::nullopt;
}

std::optional<Problem> check_rotary(const Convention& convention, const Positions& positions, const ConstView& in,
                                    const View& out, const Recipe& recipe, Direction direction) {
  if (auto problem = check_direction(direction)) return problem;
  if (auto problem = check_positions("rotary", positions)) return problem;
  if (auto problem = check_rotated("rotary", positions, in, out)) return problem;
  if (auto problem = RotaryRows::check(convention, out.size(-1), recipe)) return problem;
  return check_list_count("rotary", axes_of(convention), std::span(&positions, 1));
}

namespace {

// ---- rotating -----------------------------------------------------------------------------------

// A part of the lines of all tensors, counted from the first one of the tensors that are left.
struct Part {
  std::int64_t first, rest;
};

template <class T>
void rotate_tensors(const engine::Angles& angles, engine::Pairs pairs, std::span<const Rotated> tensors, bool shared,
                    const RowRange& rows, Part& part) {
  LineBatch<T> batch(angles, pairs);
  for (const Rotated& views : tensors) {
    const std::int64_t all = line_count(views.out, shared);
    const std::int64_t count = std::clamp<std::int64_t>(all - part.first, 0, part.rest);
    if (count > 0) batch.add(TensorLines(views, shared), rows, part.first, part.first + count);
    part.first = std::max<std::int64_t>(part.first - all, 0);
    part.rest -= count;
  }
  batch.rotate();
}

// How many tensors from the first one on have its type.
std::size_t alike(std::span<const Rotated> tensors) {
  std::size_t count = 1;
  while (count < tensors.size() && tensors[count].out.dtype == tensors[0].out.dtype) ++count;
  return count;
}

// ---- angles -------------------------------------------------------------------------------------

// Cosines, then sines of every place of a block, and what the kernel may read behind them.
const float* angle_rows(const CellRows& row, std::span<const Positions> coordinates, const RowRange& rows,
                        Direction direction, LocalScratch<float>& scratch, bool& decided) {
  float* angles = scratch.take(static_cast<std::size_t>(rows.count * row.width + engine::Angles::slack));
  decided = write_places(row, coordinates, rows, angles, row.width);
  for (std::int64_t t = 0; direction == Direction::inverse && t < rows.count; ++t) {
    float* sines = angles + t * row.width + row.width / 2;
    std::transform(sines, sines + row.width / 2, sines, negated<float>);
  }
  return angles;
}

// Positions whose cosines and sines are made at once: 32 KiB of them for heads of usual widths, and never so few that
// a range is no faster than single positions. Up to 128 KiB where that leaves 32 blocks to share: memory answers faster
// along a head than from head to head.
std::int64_t least_rows(std::int64_t pairs) { return std::clamp<std::int64_t>(4096 / pairs, 32, 128); }
std::int64_t most_rows(std::int64_t pairs) { return std::clamp<std::int64_t>(16384 / pairs, 32, 512); }
constexpr std::int64_t blocks_to_share = 32;

// Lines that share angles: enough that making them is a small part of the work.
constexpr std::int64_t lines_per_block = 128;

// Where a block begins: a list of positions, one of them, a line of all tensors'. The first block is most calls' only
// one, and four divisions take a tenth of its step.
struct Start {
  std::int64_t list, row, line;

  Start(std::int64_t block, std::int64_t down, std::int64_t across, std::int64_t rows_per_block)
      : list(0), row(0), line(0) {
    if (block == 0) return;
    list = block / across / down;
    row = block / across % down * rows_per_block;
    line = block % across * lines_per_block;
  }
};

}  // namespace

std::optional<Problem> RotaryRows::rotate_checked(std::span<const Positions> coordinates,
                                                  std::span<const Rotated> tensors, Direction direction,
                                                  const Executor& executor) const {
  if (auto problem = check_direction(direction)) return problem;  // any other would turn forward
  const Positions& positions = widest(coordinates);
  const bool shared = rank(positions) == 1;
  std::int64_t lines = 0;
  for (const Rotated& tensor : tensors) lines += line_count(tensor.out, shared);
  if (positions.count_ == 0 || lines == 0) return std::nullopt;
  if (ready_->turns) {
    return undecided_unless(ready_->turns->rotate(coordinates, tensors, direction, executor), "rotary");
  }
  const std::int64_t lists = shared ? 1 : positions.list_.size(0), pairs = ready_->angles->width / 2;
  if (ready_->backward == Direction::inverse) {
    direction = direction == Direction::inverse ? Direction::forward : Direction::inverse;
  }
  Decided decided;

  const std::int64_t across = blocks(lines, lines_per_block);
  const std::int64_t size =
      std::clamp(positions.count_ * lists * across / blocks_to_share, ready_->least_rows, ready_->most_rows);
  const std::int64_t down = blocks(positions.count_, size);
  // Numbers by value: those of the one block of a step stay in registers.
  for_blocks(executor, lists * down * across, 1, [=, &positions, &decided, this](std::int64_t block, std::int64_t) {
    const Start at(block, down, across, size);
    const RowRange rows = {at.list, at.row, std::min(size, positions.count_ - at.row)};
    LocalScratch<float> scratch;
    bool settled = true;
    const float* made = angle_rows(*ready_->angles, coordinates, rows, direction, scratch, settled);
    decided.also(settled);
    const engine::Angles angles = {made, made + pairs, 2 * pairs, rows.count, pairs};
    Part part = {at.line, std::min(lines_per_block, lines - at.line)};
    for (std::span<const Rotated> left = tensors; !left.empty();) {
      const std::size_t count = alike(left);
      with_real(left[0].out.dtype, [&]<class T>(T) {
        if constexpr (!std::is_same_v<T, double>) {
          rotate_tensors<T>(angles, ready_->pairs, left.first(count), shared, rows, part);
        }
      });
      left = left.subspan(count);
    }
  });
  return undecided_unless(decided.all(), "rotary");
}

// ---- the object ---------------------------------------------------------------------------------

namespace {

// The cosines of every pair, then the sines; a pair without an axis stands.
plan::RowPlan angle_plan(const plan::PairPlan& pairs) {
  plan::RowPlan angles;
  angles.axes = pairs.axes;
  angles.ladders = pairs.ladders;
  for (const std::uint8_t quarter : {std::uint8_t{1}, std::uint8_t{0}}) {
    for (const plan::Pair& pair : pairs.pairs) {
      const auto [axis, frequency] = pair.angles[0];
      const bool stands = axis == plan::no_axis;
      angles.columns.push_back(stands ? plan::Column{plan::Kind::constant, quarter, 0, 0}
                                      : plan::Column{plan::Kind::wave, quarter, axis, frequency});
    }
  }
  return angles;
}

// Under exact m cos is rounded once; under a recipe it is RN(RN(m) RN(cos)).
CellRows angle_cells(const plan::PairPlan& pairs, const Convention& convention, const LoweredFor& given,
                     const Recipe& recipe) {
  plan::RowPlan plan = angle_plan(pairs);
  if (recipe.exact()) plan.scale = pairs.magnitude;
  return {plan, recipe, ladders_under(recipe, pairs, convention, given)};
}

}  // namespace

RotaryRows::RotaryRows(const Convention& convention, std::int64_t rotated, const Recipe& recipe, const Context& context,
                       Checked) {
  const DefaultEnvironment environment;
  const LoweredFor given = {.width = rotated, .context = context};
  const plan::PairPlan pairs = pairs_under(recipe, convention, given);
  const std::optional<plan::Pairs> plain = plan::plain_pairs(pairs);
  const auto n = static_cast<std::int64_t>(pairs.pairs.size());
  Ready ready = {};
  ready.width = ready.columns = 2 * n;
  ready.axes = axes_of(convention);
  ready.has_sides = pairs.decay.has_value();
  if (plain) {
    ready.pairs = *plain == plan::Pairs::adjacent ? engine::Pairs::adjacent : engine::Pairs::split_half;
    ready.backward = pairs.turning == plan::Turning::backward ? Direction::inverse : Direction::forward;
    ready.least_rows = least_rows(n), ready.most_rows = most_rows(n);
    ready.angles = angle_cells(pairs, convention, given, recipe);
  } else {
    ready.columns = pairs.width;
    ready.turns = recipe.exact() ? std::make_unique<const Turns>(pairs)
                                 : std::make_unique<const Turns>(pairs, *recipe.steps,
                                                                 lower_steps(convention, given, *recipe.steps));
  }
  ready_ = std::make_shared<const Ready>(std::move(ready));
}

const std::vector<std::string>& RotaryRows::axes() const { return ready_->axes; }
std::int64_t RotaryRows::width() const { return ready_->width; }

}  // namespace posenc
