// SPDX-License-Identifier: Apache-2.0
// Sub-layers with their norm and residual.
#include "src/transformer/stack.h"

#include "src/transformer/rules.h"

namespace posenc {
void copy_rows(const ConstView& from, const View& to) {
  if (to.count() == 0 || (from.data == to.data && from.strides == to.strides)) return;
  const RowGroups groups(from, to);
  const std::int64_t width = to.size(-1);
  for (std::int64_t group = 0; group < groups.groups; ++group) {
    const RowGroups::Offsets start = groups.start(group);
    for (std::int64_t row = 0; row < groups.rows; ++row) {
      std::copy_n(static_cast<const float*>(from.data) + start.in + row * groups.in_step, width,
                  static_cast<float*>(to.data) + start.out + row * groups.out_step);
    }
  }
}

Stack::Stack(const LayerStyle& style, const View& rows, const Executor& executor)
    : style_(style),
      rows_(rows),
      executor_(executor),
      memory_(static_cast<std::size_t>(rows.count())),
      read_(view(memory_.data(), {rows.size(0), rows.size(1), rows.size(2)})) {}

ConstView Stack::read(const Norm& norm) const {
  if (style_.norm == NormPlace::after) return rows_;
  detail::normalize(norm, rows_, read_, executor_);
  return read_;
}

AttentionOptions Stack::options(Sight sight, const std::optional<ConstView>& lengths, std::int64_t first) const {
  return {.score = style_.score,
          .sight = sight,
          .first = first,
          .lengths = lengths,
          .slopes = style_.slopes,
          .executor = executor_};
}

AttentionOptions Stack::memory_options(const ConstView& lengths) const {
  return {.score = style_.score, .sight = Sight::all, .lengths = lengths, .executor = executor_};
}

void Stack::attend(const MultiHead& weights, const Norm& norm, const ConstView& in, const KeyValues& cache,
                   const AttentionOptions& options) const {
  multi_head_into(Into::sum, weights, in, cache, rows_, options, rotary());
  normalize_after(norm);
}

void Stack::attend_memory(const MultiHead& weights, const Norm& norm, const ConstView& in, const KeyValues& memory,
                          const ConstView& lengths) const {
  const std::int64_t batch = memory.batch();
  const auto shared = [&](auto rows) {  // k sequences become rows of one: all of them look at the same keys
    if (rows.size(0) == batch) return rows;
    const std::int64_t each = rows.size(0) / batch * rows.size(1), width = rows.size(2);
    rows.shape = {batch, each, width};
    rows.strides = {each * width, width, 1};
    return rows;
  };
  multi_head_into(Into::sum, weights, shared(in), memory, shared(rows_), memory_options(lengths), nullptr);
  normalize_after(norm);
}

void Stack::feed_forward(const FeedForward& weights, const Norm& norm) const {
  if (style_.norm == NormPlace::before) {
    detail::normalize(norm, rows_, read_, executor_);
  } else {
    copy_rows(rows_, read_);  // a sum may not read what it writes
  }
  feed_forward_into(Into::sum, weights, style_.activation, read_, rows_, executor_);
  normalize_after(norm);
}

void Stack::finish(const std::optional<Norm>& norm) const {
  if (norm) detail::normalize(*norm, rows_, rows_, executor_);
}

void Stack::normalize_after(const Norm& norm) const {
  if (style_.norm == NormPlace::after) detail::normalize(norm, rows_, rows_, executor_);
}

void state_style(Match& m, const LayerStyle& style) {
  m.stated("norm", style.norm, {NormPlace::before, NormPlace::after});
  state_activation(m, style.activation);
  state_score(m, style.score);
  m.finite("slopes", style.slopes);
}

void state_style_of(Match& m, const LayerStyle& style, const MultiHead& attention) {
  const std::int64_t slopes = std::ssize(style.slopes), heads = attention.heads;
  m.must(slopes == 0 || slopes == heads, {"slopes must be as many as heads, ", heads}, {slopes});
  state_rotary(m, style.rotary ? &*style.rotary : nullptr, head_width(attention));
}

}  // namespace posenc
