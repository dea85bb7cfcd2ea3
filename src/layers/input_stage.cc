// SPDX-License-Identifier: Apache-2.0
// The input stage: one signal row a position, added to the scaled embedding row of every sequence, then dropout.
#include <posenc/input_stage.h>

#include <algorithm>
#include <cmath>

#include "src/encodings/rows.h"
#include "src/encodings/steps.h"
#include "src/encodings/text.h"
#include "src/engine/blocks.h"
#include "src/engine/elements.h"
#include "src/layers/ids.h"
#include "src/layers/masks.h"

namespace posenc {
namespace {

constexpr std::string_view operation = "input_stage";

Problem problem(std::string rule, std::string value) {
  return {std::string(operation), std::move(rule), std::move(value)};
}

// The factor before it is rounded, and after.
double unrounded(const Scale& scale, std::int64_t width) {
  if (scale.kind == Scale::Kind::none) return 1;
  return scale.kind == Scale::Kind::sqrt_dim ? std::sqrt(static_cast<double>(width)) : scale.number;
}

double factor_of(const Scale& scale, const ConstView& rows) {
  const engine::DefaultEnvironment environment;
  const double factor = unrounded(scale, rows.size(-1));
  return rounded(rows.dtype == DType::f64 ? DType::f64 : DType::f32,
                 scale.rounding ? rounded(*scale.rounding, factor) : factor);
}

std::optional<Problem> check_options(const ConstView& rows, const StageOptions& options) {
  if (auto problem = check_embedding(operation, {rows, options.padding_id})) return problem;
  if (auto problem = check_dropout_probability(operation, options.dropout)) return problem;
  const Scale& scale = options.scale;
  if (scale.kind != Scale::Kind::none && scale.kind != Scale::Kind::sqrt_dim && scale.kind != Scale::Kind::number) {
    return problem("scale must be stated", "none");
  }
  if (scale.rounding && !is_real(*scale.rounding)) {
    return problem("scale must be rounded to f32, f64, f16 or bf16", std::string(to_string(*scale.rounding)));
  }
  const double number = unrounded(scale, rows.size(-1));
  if (!std::isfinite(number) || !std::isfinite(factor_of(scale, rows))) {
    return problem("scale must be finite, also once rounded", to_text(number));
  }
  return std::nullopt;
}

// Positions of a table are numbers of its rows.
std::optional<Problem> check_rows_of(const ConstView& table, const Positions& positions, std::int64_t sequences) {
  for (std::int64_t b = 0; b < sequences; ++b) {
    for (std::int64_t t = 0; t < positions.count_; ++t) {
      const std::optional<std::int64_t> p = integer_at(positions, b, t);
      if (p && *p >= 0 && *p < table.size(0)) continue;
      Problem found =
          problem("positions must be rows of the table, integers in [0, " + std::to_string(table.size(0)) + ")",
                  p ? std::to_string(*p) : to_text(numerics::round<double>(position_at(positions, b, t))));
      found.index = rank(positions) == 2 ? std::vector{b, t} : std::vector{t};
      return found;
    }
  }
  return std::nullopt;
}

// One batch axis in front of ids or outputs that have none.
template <class V>
V batched(const V& view, int rank) {
  return view.rank == rank ? view : view.repeated(1);
}

}  // namespace

// ---- checks -------------------------------------------------------------------------------------

std::optional<Problem> InputStage::check(const ConstView& rows, const Convention& convention,
                                         const StageOptions& options) {
  if (auto problem = check_options(rows, options)) return problem;
  if (auto problem = SinusoidRows::check(convention, rows.size(-1), options.recipe)) return problem;
  if (columns(convention, rows.size(-1)) != rows.size(-1)) {
    return problem("the convention must give as many columns as rows have", shape_text(rows));
  }
  return std::nullopt;
}

std::optional<Problem> InputStage::check(const ConstView& rows, const ConstView& table, const StageOptions& options) {
  if (auto problem = check_options(rows, options)) return problem;
  if (auto problem = check_view(operation, "table", table)) return problem;
  if (table.dtype != rows.dtype || table.rank != 2 || table.size(-1) != rows.size(-1)) {
    return problem("table must have shape [n, " + std::to_string(rows.size(-1)) + "] and the type of rows, " +
                       std::string(to_string(rows.dtype)),
                   shape_text(table) + " " + std::string(to_string(table.dtype)));
  }
  return std::nullopt;
}

std::optional<Problem> InputStage::check_encode(const ConstView& ids, const Positions& positions, const View& out,
                                                const EncodeOptions& options) const {
  const engine::DefaultEnvironment environment;  // the one in which positions are read again
  if (auto problem = check_view(operation, "ids", ids)) return problem;
  if (ids.rank != 1 && ids.rank != 2) return problem("ids must have shape [L] or [B, L]", shape_text(ids));
  if (auto problem = check_ids(operation, embedding_, ids, out)) return problem;
  if (auto problem = check_positions(operation, positions)) return problem;
  const std::int64_t sequences = ids.rank == 2 ? ids.size(0) : 1;
  const bool own = rank(positions) == 2;
  if (positions.count_ != ids.size(-1) || (own && positions.list_.size(0) != sequences)) {
    return problem("positions must be [L] or [B, L] for ids " + shape_text(ids),
                   own ? shape_text(positions.list_) : "[" + std::to_string(positions.count_) + "]");
  }
  if (options.mode != Mode::evaluate && options.mode != Mode::train) return problem("mode must be stated", "none");
  if (!signal_) {
    if (auto problem = check_rows_of(table_, positions, own ? sequences : std::min<std::int64_t>(sequences, 1)))
      return problem;
  }
  if (options.mode == Mode::evaluate || options_.dropout == 0) return std::nullopt;
  return check_mask_indices(operation, options.first, out);
}

// ---- work ---------------------------------------------------------------------------------------

InputStage::InputStage(const ConstView& rows, const Convention& convention, const StageOptions& options, Checked)
    : embedding_{rows, options.padding_id},
      signal_(SinusoidRows(convention, rows.size(-1), options.recipe)),
      options_(options) {}

InputStage::InputStage(const ConstView& rows, const ConstView& table, const StageOptions& options, Checked)
    : embedding_{rows, options.padding_id}, table_(table), options_(options) {}

double InputStage::factor() const { return factor_of(options_.scale, embedding_.rows); }

void InputStage::encode_checked(const ConstView& ids_in, const Positions& positions, const View& out_in,
                                const EncodeOptions& options) const {
  if (out_in.count() == 0) return;
  const ConstView ids = batched(ids_in, 2);
  const View out = batched(out_in, 3);
  const std::int64_t sequences = ids.size(0), length = ids.size(1), d = width();
  const bool shared = rank(positions) == 1;
  const bool drops = options.mode == Mode::train && options_.dropout > 0;
  const Masks masks(options_.dropout, {options_.seed, options.call, options.first});
  const double scale = factor();

  engine::with_real(out.dtype, [&]<class T>(T) {
    using C = engine::Computing<T>;
    const C s = static_cast<C>(scale);

    const auto signal_row = [&](std::int64_t b, std::int64_t t, T* row) {
      if (signal_) return signal_->ready().write_row(position_at(positions, b, t), row);
      const engine::Row<const T> stored = engine::row<const T>(table_, {*integer_at(positions, b, t)});
      for (std::int64_t c = 0; c < d; ++c) row[c] = stored[c];
    };
    // out = RN(RN(row x s) + RN(signal)), then RN(out x keep)
    const auto write = [&](std::int64_t b, std::int64_t t, const T* signal) {
      const std::int64_t id = id_at(ids, b * ids.stride(0) + t * ids.stride(1));
      const engine::Row<const T> from = engine::row<const T>(embedding_.rows, {id});
      const engine::Row<T> to = engine::row<T>(out, {b, t});
      const bool padding = id == embedding_.padding_id;
      for (std::int64_t c = 0; c < d; ++c) {
        const T token = T((padding ? C(0) : static_cast<C>(from[c])) * s);
        to[c] = T(static_cast<C>(token) + static_cast<C>(signal[c]));
      }
      if (drops) masks.apply(to, d, b, t);
    };

    constexpr std::int64_t tokens_per_block = 64;
    engine::for_blocks(options.executor, shared ? length : length * sequences, tokens_per_block,
                       [&](std::int64_t i, std::int64_t end) {
                         std::vector<T> signal(static_cast<std::size_t>(d));
                         for (; i < end; ++i) {
                           const std::int64_t t = shared ? i : i % length, first = shared ? 0 : i / length;
                           signal_row(first, t, signal.data());
                           const std::int64_t last = shared ? sequences : first + 1;
                           for (std::int64_t b = first; b < last; ++b) write(b, t, signal.data());
                         }
                       });
  });
}

}  // namespace posenc
