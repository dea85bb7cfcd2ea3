// SPDX-License-Identifier: Apache-2.0
// The input stage: one signal row a position, added to the scaled embedding row of every sequence, then dropout.
#include <posenc/input_stage.h>

#include <algorithm>
#include <cmath>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/conventions/arithmetic.h"
#include "src/engine/stage/stage.h"
#include "src/input/block.h"
#include "src/input/cut.h"
#include "src/input/ids.h"
#include "src/input/masks.h"
#include "src/input/signal.h"

namespace posenc {
namespace {

// The factor before it is rounded, and after.
double unrounded(const Scale& scale, std::int64_t width) {
  if (scale.kind == Scale::Kind::none) return 1;
  return scale.kind == Scale::Kind::sqrt_dim ? std::sqrt(static_cast<double>(width)) : scale.number;
}

double factor_of(const Scale& scale, const ConstView& rows) {
  const DefaultEnvironment environment;
  const double factor = unrounded(scale, rows.size(-1));
  return rounded(rows.dtype == DType::f64 ? DType::f64 : DType::f32,
                 scale.rounding ? rounded(*scale.rounding, factor) : factor);
}

// The rules of rows, [vocabulary, d], and of what is done with them.
void state_options(Match& m, const ConstView& rows, const StageOptions& options) {
  state_embedding(m, rows, options.padding_id);
  m.also([&] { return check_dropout_probability("input_stage", options.dropout); });
  const Scale& scale = options.scale;
  m.stated("scale", scale.kind, {Scale::Kind::none, Scale::Kind::sqrt_dim, Scale::Kind::number});
  const DType rounding = scale.rounding.value_or(DType::f32);
  m.must(is_real(rounding), {"scale must be rounded to f32, f64, f16 or bf16"}, {to_string(rounding)});
  if (!m.ok()) return;
  const double number = unrounded(scale, m["d"]);
  m.must(std::isfinite(number) && std::isfinite(factor_of(scale, rows)), {"scale must be finite, also once rounded"},
         {number});
}

const void* row_of(const ConstView& table, std::int64_t i) {
  return static_cast<const char*>(table.data) + i * table.stride(0) * static_cast<std::int64_t>(size_of(table.dtype));
}
bool has_row(const ConstView& table, std::int64_t p) { return p >= 0 && p < table.size(0); }

// Does a view hold one element along each of its first axes, at an address that it may have?
template <class Pointer>
bool one_along(const BasicView<Pointer>& view, int axes) {
  for (int axis = 0; axis < axes; ++axis) {
    if (view.size(axis) != 1) return false;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(view.data);
  return address != 0 && (address & (size_of(view.dtype) - 1)) == 0;
}

// One token at an integer position, written to a row of contiguous columns: a decoding step. Where these numbers say so
// it keeps the rules of ids, positions and out, and asking for the rules of any call would take half as long as the
// step itself.
bool is_step(const ConstView& rows, const ConstView& ids, const Positions& positions, const View& out) {
  return positions.kind_ == Positions::Kind::integers && positions.count_ == 1 && (ids.rank == 1 || ids.rank == 2) &&
         out.rank == ids.rank + 1 && is_integer(ids.dtype) && out.dtype == rows.dtype &&
         out.size(-1) == rows.size(-1) && out.stride(-1) == 1 && one_along(ids, ids.rank) && one_along(out, ids.rank) &&
         has_row(rows, id_at(ids, 0));
}

// Does what such a step writes lie apart from what it reads?
bool lies_apart(const ConstView& ids, const View& out, const Extent& rows, const Extent& table) {
  const std::int64_t id = address_of(ids), first = address_of(out), row = out.size(-1);
  const Extent of_id = {id, saturated_sum(id, static_cast<std::int64_t>(size_of(ids.dtype)))};
  const Extent written = {first, saturated_sum(first, row * static_cast<std::int64_t>(size_of(out.dtype)))};
  return apart(written, rows) && apart(written, table) && apart(written, of_id);
}

// Positions of a table are numbers of its rows.
std::optional<Problem> check_rows_of(const ConstView& table, const Positions& positions, std::int64_t sequences) {
  const auto is_row = [&](std::int64_t p) { return has_row(table, p); };
  const std::int64_t last = positions.count_ - 1;
  if (positions.kind_ == Positions::Kind::integers &&
      (last < 0 || (is_row(positions.start_) && is_row(integer_of_range(positions, last))))) {
    return std::nullopt;
  }
  const DefaultEnvironment environment;  // the one in which positions are read again
  for (std::int64_t b = 0; b < sequences; ++b) {
    for (std::int64_t t = 0; t < positions.count_; ++t) {
      const std::optional<std::int64_t> p = integer_at(positions, b, t);
      if (p && is_row(*p)) continue;
      return Problem{"input_stage",
                     "positions must be rows of the table, integers in [0, " + std::to_string(table.size(0)) + ")",
                     p ? std::to_string(*p) : to_text(numerics::round<double>(position_at(positions, b, t))),
                     rank(positions) == 2 ? std::vector{b, t} : std::vector{t}};
    }
  }
  return std::nullopt;
}

}  // namespace

// ---- checks -------------------------------------------------------------------------------------

std::optional<Problem> InputStage::check(const ConstView& rows, const Convention& convention,
                                         const StageOptions& options) {
  Match m("input_stage");
  state_options(m, rows, options);
  m.also([&] { return check_use("sinusoid", ConventionUse::rows, convention); });
  m.also([&] { return Rows::check(convention, m["d"], {.recipe = options.recipe, .context = options.context}); });
  m.must(m.ok() && columns(convention, m["d"]) == m["d"], {"the convention must give as many columns as rows have"},
         {sizes(rows)});
  return m.problem();
}

std::optional<Problem> InputStage::check(const ConstView& rows, const Rows& signal, const StageOptions& options) {
  Match m("input_stage");
  state_options(m, rows, options);
  m.must(signal.axes().size() == 1, {"the signal must have one axis"}, {std::ssize(signal.axes())});
  m.must(m.ok() && signal.width() == m["d"], {"the signal must have as many columns as rows have"}, {signal.width()});
  return m.problem();
}

std::optional<Problem> InputStage::check(const ConstView& rows, const ConstView& table, const StageOptions& options) {
  Match m("input_stage");
  state_options(m, rows, options);
  m.tensor("table", table, Types::of("rows", rows.dtype), "[n, d]");
  return m.problem();
}

// What a valid output must lie apart from, but for the ids.
std::optional<Problem> InputStage::check_read(const Positions& positions, const View& out) const {
  const Extent written = extent_of(out);
  if (!apart(written, rows_extent_)) {
    if (auto problem = check_apart("input_stage", "rows", embedding_.rows, "out", out)) return problem;
  }
  if (!apart(written, table_extent_)) {
    if (auto problem = check_apart("input_stage", "table", table_, "out", out)) return problem;
  }
  return check_lists("input_stage", positions, out);
}

std::optional<Problem> InputStage::check_encode(const ConstView& ids, const Positions& positions, const View& out,
                                                const EncodeOptions& options) const {
  if (is_step(embedding_.rows, ids, positions, out) && (signal_ || has_row(table_, positions.start_)) &&
      options.mode == StageMode::evaluate && is_stated(options.reading) &&
      lies_apart(ids, out, rows_extent_, table_extent_)) {
    return std::nullopt;
  }
  if (auto problem = check_reading("input_stage", options.reading)) return problem;
  Match m("input_stage");
  m.bind("d", width());
  m.tensor("ids", ids, Types::integer, "[L] or [B, L]");
  m.tensor("out", out, Types::of("rows", embedding_.rows.dtype), "[L, d] or [B, L, d]");
  m.also([&] { return check_inside("input_stage", embedding_.rows.size(0), ids); });
  m.also([&] { return check_positions("input_stage", positions); });
  if (!m.ok()) return m.problem();
  const bool own = rank(positions) == 2;
  m.must(positions.count_ == m["L"] && (!own || positions.list_.size(0) == m["B"]),
         {"positions must be [L] or [B, L] for ids ", sizes(ids)},
         {own ? sizes(positions.list_) : std::span(&positions.count_, 1)});
  m.stated("mode", options.mode, {StageMode::evaluate, StageMode::train});
  if (!signal_) {
    m.also([&] { return check_rows_of(table_, positions, own ? m["B"] : std::min<std::int64_t>(m["B"], 1)); });
  }
  if (options.mode == StageMode::train && options_.dropout > 0) {
    m.also([&] { return check_mask_indices("input_stage", options.first, out); });
  }
  m.also([&] { return check_read(positions, out); });
  return m.problem();
}

// ---- work ---------------------------------------------------------------------------------------

InputStage::InputStage(const ConstView& rows, const Convention& convention, const StageOptions& options, Checked)
    : InputStage(rows, Rows(convention, rows.size(-1), {.recipe = options.recipe, .context = options.context}), options,
                 Checked{}) {}

InputStage::InputStage(const ConstView& rows, const Rows& signal, const StageOptions& options, Checked)
    : embedding_{rows, options.padding_id},
      signal_(signal),
      rows_extent_(extent_of(rows)),
      options_(options),
      factor_(factor_of(options.scale, rows)) {}

InputStage::InputStage(const ConstView& rows, const ConstView& table, const StageOptions& options, Checked)
    : embedding_{rows, options.padding_id},
      table_(table),
      rows_extent_(extent_of(rows)),
      table_extent_(extent_of(table)),
      options_(options),
      factor_(factor_of(options.scale, rows)) {}

// Signal rows that several blocks share are made first, by all threads, and then looked up.
bool InputStage::encode_shared(const ConstView& ids, const Positions& positions, const View& out,
                               const EncodeOptions& options) const {
  const std::int64_t row_bytes = width() * static_cast<std::int64_t>(size_of(out.dtype));
  return in_runs(
      *signal_, std::max<std::int64_t>(64, signal_bytes / row_bytes), ids, positions, out, options,
      [&](const ConstView& table, const ConstView& run_ids, const View& run_out, const EncodeOptions& run_options) {
        // A table settles nothing.
        static_cast<void>(InputStage(embedding_.rows, table, options_, Checked{})
                              .encode_checked(run_ids, Positions::range(0, table.size(0)), run_out, run_options));
      });
}

// A token that is no padding: nothing to cut, nobody to share it with.
bool InputStage::encode_step(std::int64_t id, const Positions& positions, const View& out) const {
  const DefaultEnvironment environment;
  engine::Token token = {.type = out.dtype,
                         .row = row_of(embedding_.rows, id),
                         .signal = nullptr,
                         .out = out.data,
                         .width = width(),
                         .scale = factor_};
  if (stands(signal_, table_, positions)) {  // neither scratch nor a look at the type: an eighth of the step
    token.signal = row_of(table_, positions.start_);
    engine::write_token(token);
    return true;
  }
  bool decided = true;
  with_real(out.dtype, [&]<class T>(T) {
    LocalScratch<T> scratch;
    token.signal = signal_rows<T>(signal_, table_, positions, {0, 0, 1}, token.width, scratch, decided).data;
    engine::write_token(token);
  });
  return decided;
}

std::optional<Problem> InputStage::encode_checked(const ConstView& ids, const Positions& positions, const View& out,
                                                  const EncodeOptions& options) const {
  const std::int64_t sequences = ids.rank == 2 ? ids.size(0) : 1, length = ids.size(-1), d = width();
  const bool contiguous = (embedding_.rows.stride(1) == 1 && out.stride(-1) == 1) || d == 1;
  const bool drops = options.mode == StageMode::train && options_.dropout > 0;
  if (sequences == 1 && length == 1 && d > 0 && contiguous && !drops && options.reading != Reading::later) {
    const std::int64_t id = id_at(ids, 0);
    if (id != embedding_.padding_id.value_or(-1)) {
      return undecided_unless(encode_step(id, positions, out), "input_stage");
    }
  }
  const std::int64_t elements = out.count();
  if (elements == 0) return std::nullopt;
  const auto size = static_cast<std::int64_t>(size_of(out.dtype));
  const Stores stores = stores_for(elements * size, options.reading);
  const SignalFrom from = signal_ ? SignalFrom::engine : SignalFrom::table;
  const Cut cut(from, rank(positions) == 1, sequences, length, d * size);
  if (signal_ && cut.down > 1) return undecided_unless(encode_shared(ids, positions, out, options), "input_stage");

  Decided decided;
  with_real(out.dtype, [&]<class T>(T) {
    for_blocks(options.executor, cut.lists * cut.down * cut.across, 1, [&](std::int64_t part, std::int64_t) {
      const auto [list, b, first] = cut.start(part);
      const RowRange range = {list, first, std::min(cut.tokens, length - first)};
      LocalScratch<T> scratch;
      bool settled = true;
      const SignalRows<T> signal = signal_rows<T>(signal_, table_, positions, range, d, scratch, settled);
      decided.also(settled);
      engine::StageBlock<T> block = whole_block<T>(embedding_, factor_, ids, out, stores);
      block.ids = static_cast<const char*>(block.ids) + (b * block.id_sequence_stride + first * block.id_token_stride) *
                                                            static_cast<std::int64_t>(size_of(ids.dtype));
      block.signal = signal.data;
      block.signal_stride = signal.stride;
      block.out += b * block.out_sequence_stride + first * block.out_token_stride;
      block.sequences = std::min(cut.sequences, sequences - b);
      block.tokens = range.count;
      engine::RowMask mask = {};
      if (drops) mask = Masks(options_.dropout, {options_.seed, options.call, options.first}).row(b, first);
      if (contiguous) {
        engine::write_stage(block, drops ? &mask : nullptr);
      } else {
        write_apart(block, embedding_.rows, out, b, first, drops ? &mask : nullptr);
      }
    });
  });
  return undecided_unless(decided.all(), "input_stage");
}

}  // namespace posenc
