// SPDX-License-Identifier: Apache-2.0
// The public call of rotations: what it accepts, and the object.
#include <posenc/rotary.h>

#include "src/base/blocks.h"
#include "src/base/shapes.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/rotation.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"

namespace posenc {

struct RotaryRows::Ready {
  std::int64_t width;  // columns that turn
  std::vector<std::string> axes;
  bool has_sides;  // queries and keys do not turn alike
  Rotation rotation;
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
  if (recipe.exact()) return std::nullopt;
  const plan::PairPlan pairs = lower_step_pairs(convention, {.width = rotated, .context = context});
  if (steps_serve(pairs, *recipe.steps)) return std::nullopt;
  return Problem{"rotary", "the recipe must be exact for such pairs", recipe.name};
}

std::optional<Problem> RotaryRows::check_rotate(std::span<const Positions> coordinates,
                                                std::span<const Rotated> tensors, Direction direction) const {
  if (auto problem = check_direction(direction)) return problem;
  if (coordinates.size() != 1 || ready_->axes.size() != 1 || !is_one_integer(coordinates[0])) {
    if (auto problem = check_coordinates("rotary", ready_->axes, coordinates)) return problem;
  }
  const std::int64_t columns = ready_->rotation.columns();
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

// ---- the object ---------------------------------------------------------------------------------

RotaryRows::RotaryRows(const Convention& convention, std::int64_t rotated, const Recipe& recipe, const Context& context,
                       Checked) {
  const DefaultEnvironment environment;
  const LoweredFor given = {.width = rotated, .context = context};
  const plan::PairPlan pairs = pairs_under(recipe, convention, given);
  Ready ready = {2 * std::ssize(pairs.pairs), axes_of(convention), pairs.decay.has_value(),
                 Rotation(pairs, recipe, ladders_under(recipe, pairs, convention, given))};
  ready_ = std::make_shared<const Ready>(std::move(ready));
}

const std::vector<std::string>& RotaryRows::axes() const { return ready_->axes; }
std::int64_t RotaryRows::width() const { return ready_->width; }

std::optional<Problem> RotaryRows::rotate_checked(std::span<const Positions> coordinates,
                                                  std::span<const Rotated> tensors, Direction direction,
                                                  const Executor& executor) const {
  if (auto problem = check_direction(direction)) return problem;  // any other would turn forward
  return undecided_unless(ready_->rotation.rotate(coordinates, tensors, direction, executor), "rotary");
}

}  // namespace posenc
