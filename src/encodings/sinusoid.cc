// SPDX-License-Identifier: Apache-2.0
// Sinusoidal tables: rows from the engine or from a recipe, stored or added.
#include <posenc/sinusoid.h>

#include <algorithm>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/base/shapes.h"
#include "src/encodings/rows.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"

namespace posenc {

// ---- checks -------------------------------------------------------------------------------------

namespace {

std::optional<Problem> check_out(const Positions& positions, const View& out, std::int64_t width) {
  if (auto problem = check_real("sinusoid", out, 2, 3, "[L, d] or [B, L, d]")) return problem;
  if (auto problem = check_width("sinusoid", width, out)) return problem;
  if (auto problem = check_positions("sinusoid", positions)) return problem;
  if (has_rows(positions, out)) return check_lists("sinusoid", positions, out);
  return other_rows("sinusoid", positions, out, "[B, L, d]");
}

std::optional<Problem> check_addend(const ConstView& in, const View& out) {
  if (auto problem = check_view("sinusoid", "in", in)) return problem;
  if (in.dtype != out.dtype || !same_shape(in, out)) return unlike("sinusoid", in, out);
  return check_apart("sinusoid", "in", in, "out", out, Sharing::same_view);
}

}  // namespace

std::optional<Problem> SinusoidRows::check(const Convention& convention, std::int64_t dim, const Recipe& recipe,
                                           const Context& context) {
  return check_made("sinusoid", ConventionUse::rows, convention, dim, recipe, context);
}

std::optional<Problem> SinusoidRows::check_write(const Positions& positions, const View& out, Reading reading) const {
  if (auto problem = check_reading("sinusoid", reading)) return problem;
  return check_out(positions, out, width());
}

std::optional<Problem> SinusoidRows::check_add(const Positions& positions, const ConstView& in, const View& out) const {
  if (auto problem = check_write(positions, out)) return problem;
  return check_addend(in, out);
}

std::optional<Problem> check_sinusoid(const Convention& convention, const Positions& positions, const View& out,
                                      const Recipe& recipe, Reading reading) {
  if (auto problem = check_reading("sinusoid", reading)) return problem;
  if (auto problem = check_output("sinusoid", "out", out)) return problem;
  if (out.rank == 0) return Problem{"sinusoid", "out must have shape [L, d] or [B, L, d]", "[]"};
  if (auto problem = SinusoidRows::check(convention, out.size(-1), recipe)) return problem;
  return check_out(positions, out, columns(convention, out.size(-1)));
}

std::optional<Problem> check_add_sinusoid(const Convention& convention, const Positions& positions, const ConstView& in,
                                          const View& out, const Recipe& recipe) {
  if (auto problem = check_sinusoid(convention, positions, out, recipe)) return problem;
  return check_addend(in, out);
}

// ---- tables -------------------------------------------------------------------------------------

SinusoidRows::SinusoidRows(const Convention& convention, std::int64_t dim, const Recipe& recipe, const Context& context,
                           Checked) {
  const DefaultEnvironment environment;
  const LoweredFor given = {.width = dim, .context = context};
  ready_ = detail::Shared(ready_rows(lower_rows(convention, given), convention, given, recipe));
}

std::int64_t SinusoidRows::width() const { return ready_->width; }

std::vector<double> SinusoidRows::frequencies(const Executor& executor) const {
  const DefaultEnvironment environment;
  if (!ready_->recipe.exact()) return posenc::frequencies(ready_->step_ladder, *ready_->recipe.steps);
  const plan::Ladder& ladder = ready_->ladder();
  std::vector<double> w(ladder.size());
  for_blocks(executor, std::ssize(w), frequencies_of_a_block, [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      w[k] = nearest_frequency(ladder[k]);
    }
  });
  return w;
}

namespace {

// sink(b, t, row) for every row of the tensor, computed once where one list of positions serves every sequence. False
// where an entry was not settled.
template <class T, class Sink>
bool for_rows(const SinusoidRows::Ready& ready, const Positions& positions, const View& out, const Executor& executor,
              const Sink& sink) {
  const std::int64_t length = out.size(-2), sequences = out.rank == 3 ? out.size(0) : 1;
  const bool shared = rank(positions) == 1;
  constexpr std::int64_t rows_per_block = 64;
  const std::int64_t lists = shared ? 1 : sequences, blocks = (length + rows_per_block - 1) / rows_per_block;
  Decided decided;
  for_blocks(executor, blocks * lists, 1, [&](std::int64_t i, std::int64_t) {
    const std::int64_t b = i / blocks, start = i % blocks * rows_per_block;
    const RowRange range = {b, start, std::min(rows_per_block, length - start)};
    const Scratch<T> rows(static_cast<std::size_t>(range.count * ready.width));
    decided.also(ready.write_rows(positions, range, rows.data(), ready.width));
    for (std::int64_t to = b; to < (shared ? sequences : b + 1); ++to) {
      for (std::int64_t t = 0; t < range.count; ++t) sink(to, start + t, rows.data() + t * ready.width);
    }
  });
  return decided.all();
}

}  // namespace

std::optional<Problem> SinusoidRows::write_checked(const Positions& positions, const View& out,
                                                   const Executor& executor, Reading reading) const {
  if (out.count() == 0) return std::nullopt;  // without sequences there may still be any number of positions
  bool decided = false;
  with_real(out.dtype, [&]<class T>(T) {
    if ((out.rank == 2 || out.size(0) == 1) && (out.stride(-1) == 1 || out.size(-1) == 1)) {
      const Stores stores = stores_for(out.count() * static_cast<std::int64_t>(sizeof(T)), reading);
      decided = ready_->write_table(positions, {0, 0, out.size(-2)}, row_at<T>(out, 0, 0).data, out.stride(-2), stores,
                                    executor);
      return;
    }
    decided = for_rows<T>(*ready_, positions, out, executor, [&](std::int64_t b, std::int64_t t, const T* row) {
      const StridedRow<T> to = row_at<T>(out, b, t);
      for (std::int64_t c = 0; c < ready_->width; ++c) to[c] = row[c];
    });
  });
  return undecided_unless(decided, "sinusoid");
}

std::optional<Problem> SinusoidRows::add_checked(const Positions& positions, const ConstView& in, const View& out,
                                                 const Executor& executor) const {
  if (out.count() == 0) return std::nullopt;
  bool decided = false;
  with_real(out.dtype, [&]<class T>(T) {
    using C = Computing<T>;
    decided = for_rows<T>(*ready_, positions, out, executor, [&](std::int64_t b, std::int64_t t, const T* row) {
      const StridedRow<const T> from = row_at<const T>(in, b, t);
      const StridedRow<T> to = row_at<T>(out, b, t);
      for (std::int64_t c = 0; c < ready_->width; ++c) to[c] = T(static_cast<C>(from[c]) + static_cast<C>(row[c]));
    });
  });
  return undecided_unless(decided, "sinusoid");
}

}  // namespace posenc
