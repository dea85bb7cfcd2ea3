// SPDX-License-Identifier: Apache-2.0
// The public call of rotations: what it accepts, and the object.
#include <posenc/rotary.h>

#include <algorithm>

#include "src/base/blocks.h"
#include "src/base/scratch.h"
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

constexpr std::string_view heads_are_stated = "tokens of [.., L, H, d] are stated by before_heads";

View heads_first(const View& out) { return out.transposed(out.rank - 3, out.rank - 2); }

std::optional<Problem> check_before_heads(std::string_view operation, const Positions& positions, const View& out) {
  if (out.rank < 3) return Problem{std::string(operation), "out must have shape [.., L, H, d]", shape_text(out)};
  if (has_rows(positions, heads_first(out))) return std::nullopt;
  return Problem{std::string(operation),
                 "out must have " + std::to_string(positions.count_) +
                     " tokens before its heads, and a sequence for each list of positions",
                 shape_text(out)};
}

// The problem of an axis before the columns that has another size. A caller whose tokens stand before the heads learns
// here how that is stated: other languages state this axis unless told so.
[[gnu::cold]] Problem other_tokens(std::string_view operation, const Positions& positions, const View& out) {
  Problem problem = other_rows(operation, positions, out, "[B, .., L, d]");
  if (out.rank > 2 && has_rows(positions, heads_first(out))) {
    problem.rule += " on the axis before its columns; " + std::string(heads_are_stated);
  }
  return problem;
}

// Check the axis of tokens of an output that is valid otherwise.
std::optional<Problem> check_tokens(std::string_view operation, const Positions& positions, const View& out,
                                    TokenAxis tokens) {
  if (tokens == TokenAxis::before_heads) return check_before_heads(operation, positions, out);
  if (tokens != TokenAxis::before_columns && (tokens != TokenAxis{} || out.rank > 2)) {
    return Problem{std::string(operation), "the axis of tokens must be stated, before_columns or before_heads",
                   "none for " + shape_text(out)};
  }
  if (has_rows(positions, out)) return std::nullopt;
  return other_tokens(operation, positions, out);
}

// [.., L, H, d] as [.., H, L, d].
Rotated by_rows(Rotated tensor) {
  if (tensor.tokens != TokenAxis::before_heads) return tensor;
  const int heads = tensor.out.rank - 2;
  return {tensor.in.transposed(heads - 1, heads), tensor.out.transposed(heads - 1, heads), tensor.side,
          TokenAxis::before_columns};
}

// A view of one tensor of a call; one that is turned in place has its output alone.
struct Piece {
  Extent extent;
  std::size_t tensor;
  bool written;
};

[[gnu::cold]] std::optional<Problem> compare(std::span<const Rotated> tensors, const Piece& a, const Piece& b) {
  const auto name = [](const Piece& piece) {
    return (piece.written ? "out of tensor " : "in of tensor ") + std::to_string(piece.tensor);
  };
  const auto seen = [&](const Piece& piece) {
    const Rotated& tensor = tensors[piece.tensor];
    return piece.written ? ConstView(tensor.out) : tensor.in;
  };
  const bool in_order = b.written && (!a.written || a.tensor < b.tensor);
  const Piece &in = in_order ? a : b, &out = in_order ? b : a;
  return check_overlap("rotary", name(in), seen(in), name(out), seen(out), Sharing::none);
}

// The usual two, queries and keys, without more ado.
bool lie_apart(const Rotated& a, const Rotated& b) {
  const Extent first = extent_of(a.out), second = extent_of(b.out);
  return apart(first, second) && (a.in.data == a.out.data || apart(extent_of(a.in), second)) &&
         (b.in.data == b.out.data || apart(first, extent_of(b.in)));
}

// No tensor has an element of what another one's result goes to. Of tensors that were checked one by one. Sorted, since
// a call may turn the keys of all layers.
[[gnu::noinline]] std::optional<Problem> check_each_pair(std::span<const Rotated> tensors) {
  LocalScratch<Piece> scratch;
  Piece* const pieces = scratch.take(2 * tensors.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [in, out, side, tokens] = tensors[i];
    pieces[count++] = {extent_of(out), i, true};
    if (in.data != out.data) pieces[count++] = {extent_of(in), i, false};
  }
  std::sort(pieces, pieces + count, [](const Piece& a, const Piece& b) { return a.extent.begin < b.extent.begin; });
  for (const Piece *a = pieces, *end = pieces + count; a != end; ++a) {
    for (const Piece* b = a + 1; b != end && b->extent.begin < a->extent.end; ++b) {
      if (a->tensor == b->tensor || !(a->written || b->written)) continue;
      if (auto problem = compare(tensors, *a, *b)) return problem;
    }
  }
  return std::nullopt;
}

std::optional<Problem> check_one_another(std::span<const Rotated> tensors) {
  if (tensors.size() < 2 || (tensors.size() == 2 && lie_apart(tensors[0], tensors[1]))) return std::nullopt;
  return check_each_pair(tensors);
}

}  // namespace

std::optional<Problem> check_rotated(std::string_view operation, std::span<const Positions> coordinates,
                                     const Rotated& tensor) {
  const ConstView& in = tensor.in;
  const View& out = tensor.out;
  if (!is_plain(out)) {  // asked here, since a call of check_output takes as long as its answer
    if (auto problem = check_output(operation, "out", out)) return problem;
  }
  if (!is_real(out.dtype)) {
    return Problem{std::string(operation), "out must be f32, f64, f16 or bf16", std::string(to_string(out.dtype))};
  }
  if (out.rank < 2) return Problem{std::string(operation), "out must have shape [.., L, d]", shape_text(out)};
  if (auto problem = check_tokens(operation, widest(coordinates), out, tensor.tokens)) return problem;
  const bool alike = in.dtype == out.dtype && same_shape(in, out);
  if (!alike || in.data != out.data || !same_strides(in, out)) {  // else in place
    if (auto problem = check_view(operation, "in", in)) return problem;
    if (!alike) return unlike(operation, in, out);
    if (auto problem = check_apart(operation, "in", in, "out", out, Sharing::same_view)) return problem;
  }
  return check_lists(operation, coordinates, out);
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

std::optional<Problem> RotaryRows::check(const Convention& convention, std::int64_t rotated, const Options& options) {
  if (auto problem = check_made("rotary", ConventionUse::rotations, convention, rotated, options)) return problem;
  if (options.recipe.exact()) return std::nullopt;
  return check_step_pairs("rotary", convention, {.width = rotated, .context = options.context}, options.recipe);
}

std::optional<Problem> RotaryRows::check_rotate(std::span<const Positions> coordinates,
                                                std::span<const Rotated> tensors, Direction direction) const {
  if (auto problem = check_direction(direction)) return problem;
  if (coordinates.size() != 1 || ready_->axes.size() != 1 || !is_one_integer(coordinates[0])) {
    if (auto problem = check_coordinates("rotary", ready_->axes, coordinates)) return problem;
  }
  const std::int64_t columns = ready_->rotation.columns();
  for (const Rotated& tensor : tensors) {
    if (auto problem = check_rotated("rotary", coordinates, tensor)) return problem;
    if (ready_->has_sides && tensor.side != RotatedSide::query && tensor.side != RotatedSide::key) {
      return Problem{"rotary", "a tensor must be stated to hold queries or keys: the convention has a decay",
                     "neither"};
    }
    if (ready_->has_sides && tensor.out.dtype == DType::f64) return no_wide_decay("rotary");
    if (tensor.out.size(-1) < columns) {
      return Problem{"rotary", "out must have " + std::to_string(columns) + " columns or more", shape_text(tensor.out)};
    }
  }
  return check_one_another(tensors);
}

std::optional<Problem> check_rotary(const Convention& convention, const Positions& positions, const Rotated& tensor,
                                    Direction direction, const Options& options) {
  if (auto problem = check_direction(direction)) return problem;
  if (auto problem = check_positions("rotary", positions)) return problem;
  if (auto problem = check_rotated("rotary", std::span(&positions, 1), tensor)) return problem;
  if (auto problem = RotaryRows::check(convention, tensor.out.size(-1), options)) return problem;
  return check_list_count("rotary", axes_of(convention), std::span(&positions, 1));
}

// ---- the object ---------------------------------------------------------------------------------

RotaryRows::RotaryRows(const Convention& convention, std::int64_t rotated, const Options& options, Checked) {
  const DefaultEnvironment environment;
  const LoweredFor given = {.width = rotated, .context = options.context};
  const Recipe& recipe = options.recipe;
  const plan::PairPlan pairs = pairs_under(recipe, convention, given);
  Ready ready = {2 * std::ssize(pairs.pairs), axes_of(convention), pairs.decay.has_value(),
                 Rotation(pairs, recipe, ladders_under(recipe, pairs, convention, given))};
  ready_ = detail::Shared(std::move(ready));
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
