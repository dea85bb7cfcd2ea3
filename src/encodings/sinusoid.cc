// SPDX-License-Identifier: Apache-2.0
// Sinusoidal tables: rows from the engine or from a recipe, stored or added.
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cmath>

#include "src/encodings/ladder.h"
#include "src/encodings/rows.h"
#include "src/encodings/steps.h"
#include "src/encodings/text.h"
#include "src/engine/blocks.h"
#include "src/engine/elements.h"
#include "src/engine/sincos.h"

namespace posenc {

// ---- one row ------------------------------------------------------------------------------------

SinusoidRows::Ready::Ready(const Sinusoid& convention, std::int64_t dim, const Recipe& arithmetic)
    : row(convention), width(columns(convention, dim)), recipe(arithmetic) {
  const engine::DefaultEnvironment environment;
  sines = static_cast<std::size_t>(frequency_count(row, dim));
  cosines = static_cast<std::size_t>(dim / 2);
  if (recipe.exact()) {
    rungs = posenc::rungs(row, dim);
  } else {
    step_ladder = posenc::step_ladder(row, dim, *recipe.steps);
  }
}

namespace {

constexpr std::size_t chunk = 128;  // frequencies at a time

// Puts sines and cosines k .. k + count of a row in their places.
template <class T>
void place(const SinusoidRows::Ready& ready, std::size_t k, std::size_t count, const T* sine, const T* cosine, T* out) {
  const std::size_t cosine_count = std::min(count, ready.cosines - std::min(k, ready.cosines));
  switch (ready.row.layout) {
    case Layout::interleaved:
      for (std::size_t i = 0; i < count; ++i) out[2 * (k + i)] = sine[i];
      for (std::size_t i = 0; i < cosine_count; ++i) out[2 * (k + i) + 1] = cosine[i];
      break;
    case Layout::sine_first:
      std::copy(sine, sine + count, out + k);
      std::copy(cosine, cosine + cosine_count, out + ready.sines + k);
      break;
    case Layout::cosine_first:
      std::copy(cosine, cosine + cosine_count, out + k);
      std::copy(sine, sine + count, out + ready.cosines + k);
      break;
  }
}

// RN of a recipe's value; its NaN stays one.
template <class T>
T stored(double value) {
  if (std::isnan(value)) return T(std::numeric_limits<float>::quiet_NaN());
  return numerics::round<T>(numerics::dyadic(value));
}

template <class T>
void sine_cosine(const SinusoidRows::Ready& ready, const numerics::Dyadic& p, std::size_t k, std::size_t count, T* sine,
                 T* cosine) {
  if (ready.recipe.exact()) return engine::sine_cosine(ready.rungs, p, k, count, sine, cosine);
  for (std::size_t i = 0; i < count; ++i) {
    const numerics::Pair<double> pair = step_sine_cosine(*ready.recipe.steps, p, ready.step_ladder[k + i]);
    sine[i] = stored<T>(pair.sine);
    cosine[i] = stored<T>(pair.cosine);
  }
}

}  // namespace

template <class T>
void SinusoidRows::Ready::write_row(const numerics::Dyadic& p, T* out) const {
  T sine[chunk], cosine[chunk];
  for (std::size_t k = 0; k < sines; k += chunk) {
    const std::size_t count = std::min(chunk, sines - k);
    sine_cosine(*this, p, k, count, sine, cosine);
    place(*this, k, count, sine, cosine, out);
  }
  std::fill(out + sines + cosines, out + width, T(0.0f));
}

template void SinusoidRows::Ready::write_row(const numerics::Dyadic&, float*) const;
template void SinusoidRows::Ready::write_row(const numerics::Dyadic&, double*) const;
template void SinusoidRows::Ready::write_row(const numerics::Dyadic&, half*) const;
template void SinusoidRows::Ready::write_row(const numerics::Dyadic&, bfloat16*) const;

// ---- checks -------------------------------------------------------------------------------------

namespace {

Problem problem(std::string rule, std::string value) { return {"sinusoid", std::move(rule), std::move(value)}; }

// A tensor of rows: [L, width] or [B, L, width], real.
std::optional<Problem> check_rows(const std::string& name, const ConstView& view, std::int64_t width) {
  if (!is_real(view.dtype)) return problem(name + " must be f32, f64, f16 or bf16", std::string(to_string(view.dtype)));
  if (view.rank != 2 && view.rank != 3) return problem(name + " must have shape [L, d] or [B, L, d]", shape_text(view));
  if (view.size(-1) != width) {
    return problem(name + " must have " + std::to_string(width) + " columns", shape_text(view));
  }
  return std::nullopt;
}

std::optional<Problem> check_lengths(const Positions& positions, const View& out) {
  if (auto problem = check_positions("sinusoid", positions)) return problem;
  if (positions.count_ != out.size(-2)) {
    return problem("out must have a row for each of " + std::to_string(positions.count_) + " positions",
                   shape_text(out));
  }
  if (rank(positions) == 2 && (out.rank != 3 || out.size(0) != positions.list_.size(0))) {
    return problem("out must have shape [B, L, d] for positions " + shape_text(positions.list_), shape_text(out));
  }
  return std::nullopt;
}

std::optional<Problem> check_addend(const ConstView& in, const View& out) {
  if (auto problem = check_view("sinusoid", "in", in)) return problem;
  if (in.dtype != out.dtype || in.rank != out.rank ||
      !std::equal(in.shape.begin(), in.shape.begin() + in.rank, out.shape.begin())) {
    return problem("in must have type and shape of out, " + std::string(to_string(out.dtype)) + " " + shape_text(out),
                   std::string(to_string(in.dtype)) + " " + shape_text(in));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> SinusoidRows::check(const Convention& convention, std::int64_t dim, const Recipe& recipe) {
  if (!std::holds_alternative<Sinusoid>(convention)) {
    return problem("the convention must be of family sinusoid", std::string(family(convention)));
  }
  if (auto problem = check_width(convention, dim)) return problem;
  return check_recipe(recipe);
}

std::optional<Problem> SinusoidRows::check_write(const Positions& positions, const View& out) const {
  if (auto problem = check_output("sinusoid", "out", out)) return problem;
  if (auto problem = check_rows("out", out, width())) return problem;
  return check_lengths(positions, out);
}

std::optional<Problem> SinusoidRows::check_add(const Positions& positions, const ConstView& in, const View& out) const {
  if (auto problem = check_write(positions, out)) return problem;
  return check_addend(in, out);
}

std::optional<Problem> check_sinusoid(const Convention& convention, const Positions& positions, const View& out,
                                      const Recipe& recipe) {
  if (auto problem = check_output("sinusoid", "out", out)) return problem;
  if (out.rank == 0) return problem("out must have shape [L, d] or [B, L, d]", shape_text(out));
  if (auto problem = SinusoidRows::check(convention, out.size(-1), recipe)) return problem;
  if (auto problem = check_rows("out", out, columns(convention, out.size(-1)))) return problem;
  return check_lengths(positions, out);
}

std::optional<Problem> check_add_sinusoid(const Convention& convention, const Positions& positions, const ConstView& in,
                                          const View& out, const Recipe& recipe) {
  if (auto problem = check_sinusoid(convention, positions, out, recipe)) return problem;
  return check_addend(in, out);
}

// ---- tables -------------------------------------------------------------------------------------

SinusoidRows::SinusoidRows(const Convention& convention, std::int64_t dim, const Recipe& recipe, Checked)
    : ready_(std::make_shared<const Ready>(std::get<Sinusoid>(convention), dim, recipe)) {}

std::int64_t SinusoidRows::width() const { return ready_->width; }

std::vector<double> SinusoidRows::frequencies() const {
  const engine::DefaultEnvironment environment;
  if (ready_->recipe.exact()) {
    std::vector<double> w;
    for (const numerics::Frequency& f : ready_->rungs.frequencies) w.push_back(numerics::frequency_rounded<double>(f));
    return w;
  }
  std::vector<double> w = ready_->step_ladder;
  if (ready_->recipe.steps->ladder == LadderBy::divide) {
    for (double& entry : w) entry = 1 / entry;
  }
  return w;
}

namespace {

constexpr std::int64_t rows_per_block = 64;

// sink(b, t, row) for every row of the tensor, computed once where one list of positions serves every sequence.
template <class T, class Sink>
void for_rows(const SinusoidRows::Ready& ready, const Positions& positions, const View& out, const Executor& executor,
              const Sink& sink) {
  if (out.count() == 0) return;  // without sequences there may still be any number of positions
  const std::int64_t length = out.size(-2), sequences = out.rank == 3 ? out.size(0) : 1;
  const bool shared = rank(positions) == 1;
  engine::for_blocks(executor, shared ? length : length * sequences, rows_per_block,
                     [&](std::int64_t i, std::int64_t end) {
                       std::vector<T> row(static_cast<std::size_t>(ready.width));
                       for (; i < end; ++i) {
                         const std::int64_t t = shared ? i : i % length, first = shared ? 0 : i / length;
                         ready.write_row(position_at(positions, first, t), row.data());
                         for (std::int64_t b = first; b < (shared ? sequences : first + 1); ++b) sink(b, t, row.data());
                       }
                     });
}

template <class T, class Pointer>
engine::Row<T> row_at(const BasicView<Pointer>& view, std::int64_t b, std::int64_t t) {
  return view.rank == 3 ? engine::row<T>(view, {b, t}) : engine::row<T>(view, {t});
}

}  // namespace

void SinusoidRows::write_checked(const Positions& positions, const View& out, const Executor& executor) const {
  engine::with_real(out.dtype, [&]<class T>(T) {
    for_rows<T>(*ready_, positions, out, executor, [&](std::int64_t b, std::int64_t t, const T* row) {
      const engine::Row<T> to = row_at<T>(out, b, t);
      for (std::int64_t c = 0; c < ready_->width; ++c) to[c] = row[c];
    });
  });
}

void SinusoidRows::add_checked(const Positions& positions, const ConstView& in, const View& out,
                               const Executor& executor) const {
  engine::with_real(out.dtype, [&]<class T>(T) {
    using C = engine::Computing<T>;
    for_rows<T>(*ready_, positions, out, executor, [&](std::int64_t b, std::int64_t t, const T* row) {
      const engine::Row<const T> from = row_at<const T>(in, b, t);
      const engine::Row<T> to = row_at<T>(out, b, t);
      for (std::int64_t c = 0; c < ready_->width; ++c) to[c] = T(static_cast<C>(from[c]) + static_cast<C>(row[c]));
    });
  });
}

}  // namespace posenc
