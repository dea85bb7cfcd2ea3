// SPDX-License-Identifier: Apache-2.0
// Sub-layers with their norm and residual.
#include "src/transformer/stack.h"

#include "src/transformer/rows.h"

#include <cmath>

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

std::optional<Problem> check_style(std::string_view operation, const LayerStyle& style) {
  const std::string of(operation);
  if (style.norm != NormPlace::before && style.norm != NormPlace::after) {
    return Problem{of, "norm must be stated", "none"};
  }
  if (to_string(style.activation) == "no activation") return Problem{of, "activation must be stated", "none"};
  if (style.score != Score::dot && style.score != Score::scaled_dot) {
    return Problem{of, "score must be stated", "none"};
  }
  for (std::size_t h = 0; h < style.slopes.size(); ++h) {
    if (std::isfinite(style.slopes[h])) continue;
    return Problem{of, "slopes must be finite", to_text(style.slopes[h]), {static_cast<std::int64_t>(h)}};
  }
  return std::nullopt;
}

std::optional<Problem> check_style_of(std::string_view operation, std::string_view name, const LayerStyle& style,
                                      const MultiHead& attention) {
  const std::int64_t heads = attention.heads, width = rows_of(attention.query.weight) / heads;
  if (!style.slopes.empty() && static_cast<std::int64_t>(style.slopes.size()) != heads) {
    return Problem{std::string(operation),
                   "slopes must be as many as " + part_of(name, "heads") + ", " + std::to_string(heads),
                   std::to_string(style.slopes.size())};
  }
  if (style.rotary && style.rotary->width() > width) {
    return Problem{
        std::string(operation),
        "rotary must turn at most the columns of a head of " + std::string(name) + ", " + std::to_string(width),
        std::to_string(style.rotary->width())};
  }
  return std::nullopt;
}

std::optional<Problem> check_sequences(std::string_view operation, std::string_view name, const ConstView& rows) {
  if (auto problem = check_rows(operation, name, rows)) return problem;
  if (rows.rank == 3) return std::nullopt;
  return Problem{std::string(operation), std::string(name) + " must have shape [B, L, d]", shape_text(rows)};
}

std::optional<Problem> check_heads_out(std::string_view operation, const View& out, std::vector<std::int64_t> shape) {
  if (auto problem = check_output(operation, "out", out)) return problem;
  if (auto problem = check_rows(operation, "out", out)) return problem;
  if (out.rank == 4 && std::equal(shape.begin(), shape.end(), out.shape.begin())) return std::nullopt;
  return Problem{std::string(operation), "out must have shape " + to_text(shape), shape_text(out)};
}

std::optional<Problem> check_layer(std::string_view operation, std::int64_t layer, std::size_t layers) {
  if (layer >= 0 && layer < static_cast<std::int64_t>(layers)) return std::nullopt;
  return Problem{std::string(operation), "layer must be in [0, " + std::to_string(layers) + ")", std::to_string(layer)};
}

}  // namespace posenc
