// SPDX-License-Identifier: Apache-2.0
// The public call of rotations: what it accepts, and the object.
#include <posenc/rotary.h>

#include <algorithm>

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

namespace {

// The axes before the columns that have as many places as there are positions, of which one counts tokens. Not the
// first where it has a list for each sequence; none where one position turns every place alike.
std::optional<Problem> check_one_axis(std::string_view operation, const Positions& positions, const View& out) {
  if (positions.count_ < 2) return std::nullopt;
  int found = 0;
  std::string axes;
  for (int axis = rank(positions) == 1 ? 0 : 1; axis < out.rank - 1; ++axis) {
    if (out.size(axis) != positions.count_) continue;
    ++found;
    if (axis < out.rank - 2) axes += std::to_string(axis) + " and ";
  }
  if (found < 2) return std::nullopt;
  return Problem{std::string(operation),
                 "the axis of tokens must be stated: axes " + axes + std::to_string(out.rank - 2) +
                     " of out have the " + std::to_string(positions.count_) + " positions",
                 shape_text(out)};
}

std::optional<Problem> check_before_heads(std::string_view operation, const Positions& positions, const View& out) {
  if (out.rank < 3) return Problem{std::string(operation), "out must have shape [.., L, H, d]", shape_text(out)};
  if (has_rows(positions, out.transposed(out.rank - 3, out.rank - 2))) return std::nullopt;
  return Problem{std::string(operation),
                 "out must have " + std::to_string(positions.count_) +
                     " tokens before its heads, and a sequence for each list of positions",
                 shape_text(out)};
}

// Of a valid output: its tokens stand on the axis stated, or on the only one that has their number.
std::optional<Problem> check_tokens(std::string_view operation, const Positions& positions, const View& out,
                                    TokenAxis tokens) {
  if (tokens == TokenAxis::before_heads) return check_before_heads(operation, positions, out);
  if (tokens != TokenAxis{} && tokens != TokenAxis::before_columns) {
    return Problem{std::string(operation), "the axis of tokens must be before_columns or before_heads", "none"};
  }
  if (!has_rows(positions, out)) return other_rows(operation, positions, out, "[B, .., L, d]");
  return tokens == TokenAxis{} ? check_one_axis(operation, positions, out) : std::nullopt;
}

// [.., L, H, d] as [.., H, L, d].
Rotated by_rows(Rotated tensor) {
  if (tensor.tokens != TokenAxis::before_heads) return tensor;
  const int heads = tensor.out.rank - 2;
  return {tensor.in.transposed(heads - 1, heads), tensor.out.transposed(heads - 1, heads), tensor.side,
          TokenAxis::before_columns};
}

}  // namespace

std::optional<Problem> check_rotated(std::string_view operation, const Positions& positions, const Rotated& tensor) {
  const ConstView& in = tensor.in;
  const View& out = tensor.out;
  if (!is_plain(out)) {  // asked here, since a call of check_output takes as long as its answer
    if (auto problem = check_output(operation, "out", out)) return problem;
  }
  if (!is_real(out.dtype)) {
    return Problem{std::string(operation), "out must be f32, f64, f16 or bf16", std::string(to_string(out.dtype))};
  }
  if (out.rank < 2) return Problem{std::string(operation), "out must have shape [.., L, d]", shape_text(out)};
  if (auto problem = check_tokens(operation, positions, out, tensor.tokens)) return problem;
  const bool alike = in.dtype == out.dtype && same_shape(in, out);
  if (alike && in.data == out.data && same_strides(in, out)) return std::nullopt;  // in place
  if (auto problem = check_view(operation, "in", in)) return problem;
  if (alike) return std::nullopt;
  return unlike(operation, in, out);
}

std::span<const Rotated> by_rows(std::span<const Rotated> tensors, std::vector<Rotated>& storage) {
  const auto is_other = [](const Rotated& tensor) { return tensor.tokens == TokenAxis::before_heads; };
  if (std::ranges::none_of(tensors, is_other)) return tensors;
  for (const Rotated& tensor : tensors) storage.push_back(by_rows(tensor));
  return storage;
}

std::optional<Problem> check_direction(Direction direction) {
  if (direction == Direction::forward || direction == Direction::inverse) return std::nullopt;
  return Problem{"rotary", "direction must be forward or inverse", "none"};
}

std::optional<Problem> RotaryRows::check(const Convention& convention, std::int64_t rotated, const Recipe& recipe,
                                         const Context& context) {
  if (auto problem = check_made("rotary", Use::rotations, convention, rotated, recipe, context)) return problem;
  if (recipe.exact()) return std::nullopt;
  return check_step_pairs("rotary", convention, {.width = rotated, .context = context}, recipe);
}

std::optional<Problem> RotaryRows::check_rotate(std::span<const Positions> coordinates,
                                                std::span<const Rotated> tensors, Direction direction) const {
  if (auto problem = check_direction(direction)) return problem;
  if (coordinates.size() != 1 || ready_->axes.size() != 1 || !is_one_integer(coordinates[0])) {
    if (auto problem = check_coordinates("rotary", ready_->axes, coordinates)) return problem;
  }
  const std::int64_t columns = ready_->rotation.columns();
  for (const Rotated& tensor : tensors) {
    if (auto problem = check_rotated("rotary", widest(coordinates), tensor)) return problem;
    if (ready_->has_sides && tensor.side != Side::query && tensor.side != Side::key) {
      return Problem{"rotary", "a tensor must be stated to hold queries or keys: the convention has a decay",
                     "neither"};
    }
    if (ready_->has_sides && tensor.out.dtype == DType::f64) return no_wide_decay("rotary");
    if (tensor.out.size(-1) < columns) {
      return Problem{"rotary", "out must have " + std::to_string(columns) + " columns or more", shape_text(tensor.out)};
    }
  }
  return std::nullopt;
}

std::optional<Problem> check_rotary(const Convention& convention, const Positions& positions, const Rotated& tensor,
                                    const Recipe& recipe, Direction direction) {
  if (auto problem = check_direction(direction)) return problem;
  if (auto problem = check_positions("rotary", positions)) return problem;
  if (auto problem = check_rotated("rotary", positions, tensor)) return problem;
  if (auto problem = RotaryRows::check(convention, tensor.out.size(-1), recipe)) return problem;
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
  std::vector<Rotated> transposed;
  const std::span<const Rotated> rows = by_rows(tensors, transposed);
  return undecided_unless(ready_->rotation.rotate(coordinates, rows, direction, executor), "rotary");
}

}  // namespace posenc
