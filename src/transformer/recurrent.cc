// SPDX-License-Identifier: Apache-2.0
// The recurrent network with self attention: inputs are projected for many steps at once, contexts for the sequences of
// a block, and each sequence attends to its own past.
#include <posenc/transformer/recurrent.h>

#include "src/base/blocks.h"
#include "src/transformer/kernels/activations.h"
#include "src/transformer/kernels/tanh.h"
#include "src/transformer/matrices.h"
#include "src/transformer/rules.h"

#include <limits>

namespace posenc {
namespace {

// Sequences of a job, whose contexts are projected together, and steps whose inputs are. Few sequences, because the
// first job of a call is the caller's alone where others sleep (pool.h). A row of a product of 2 to 8 rows takes 5.4
// to 5.8 us with 256 x 1024 weights, of 16 rows 7.3 (oneDNN 2.6, Zen 4).
constexpr std::int64_t most_sequences = 4, most_steps = 32;

// The scores of one query and what a sequence remembers. Additive ones keep its rows projected, a column each.
class Past {
 public:
  Past(const Recurrent& weights, std::int64_t steps, std::int64_t width)
      : stride_(whole_vectors(steps)), width_(width), rows_(floats(steps * width)) {
    if (const auto* score = std::get_if<Score>(&weights.score)) {
      scale_ = scale_of(*score, width);
      return;
    }
    additive_ = &std::get<Additive>(weights.score);
    between_ = additive_->direction.size(0);
    projected_ = floats(between_ * stride_);
    std::fill_n(projected_.data(), between_ * stride_, 0.0f);  // whole vectors of columns are read
    query_ = floats(between_);
  }

  void append(const float* row) {
    std::copy_n(row, width_, rows_.data() + count_ * width_);
    if (additive_ != nullptr) {
      project(additive_->key, row);
      for (std::int64_t c = 0; c < between_; ++c) projected_.data()[c * stride_ + count_] = query_.data()[c];
    }
    ++count_;
  }

  /// context = the mean of the rows, weighted by the softmax of their scores with `query`; the weights stay in
  /// `scores`.
  void attend(const float* query, float* scores, float* context) {
    const kernels::Matrix rows = {rows_.data(), count_, width_, width_};
    if (additive_ == nullptr) {
      kernels::product({query, 1, width_, width_}, rows, kernels::Right::transposed, scale_, 0, scores, stride_);
    } else {
      project(additive_->query, query);
      kernels::tanh_scores({query_.data(), 1, between_, static_cast<const float*>(additive_->direction.data),
                            projected_.data(), stride_, count_, scores, stride_});
    }
    float maximum = -std::numeric_limits<float>::infinity(), sum = 0, factor = 0;
    kernels::softmax_step({scores, stride_, 1, count_, count_, 0, nullptr, 0, 0, 0, 0}, &maximum, &sum, &factor);
    kernels::divide_row(scores, sum, count_, scores);
    kernels::product({scores, 1, count_, stride_}, rows, kernels::Right::as_it_is, 1, 0, context, width_);
  }

  std::int64_t count() const { return count_; }

 private:
  void project(const Linear& map, const float* row) {
    kernels::product({row, 1, width_, width_}, matrix(map.weight), kernels::Right::transposed, 1, 0, query_.data(),
                     between_);
    kernels::finish_rows(kernels::Curve::none, bias_of(map), 1, between_, query_.data(), between_);
  }

  const Additive* additive_ = nullptr;
  float scale_ = 1;
  std::int64_t count_ = 0, between_ = 0, stride_, width_;
  Floats rows_, projected_, query_;
};

// A step's row of a view [B, T, n].
float* row_at(const View& view, std::int64_t b, std::int64_t t) {
  return static_cast<float*>(view.data) + b * view.stride(0) + t * view.stride(1);
}

// The steps [begin, end) of a sequence, zeros in every output.
void clear_steps(const RecurrentSteps& out, std::int64_t b, std::int64_t begin, std::int64_t end) {
  for (std::int64_t t = begin; t < end; ++t) {
    std::fill_n(row_at(out.states, b, t), out.states.size(2), 0.0f);
    std::fill_n(row_at(out.contexts, b, t), out.contexts.size(2), 0.0f);
    if (out.weights) std::fill_n(row_at(*out.weights, b, t), out.weights->size(2), 0.0f);
  }
}

// Sequences [first, first + count) from their first step to their last.
class Sequences {
 public:
  Sequences(const Recurrent& weights, const ConstView& in, const RecurrentSteps& out, const RecurrentOptions& options,
            std::int64_t first, std::int64_t count)
      : weights_(weights), in_(in), out_(out), options_(options), first_(first), count_(count) {
    for (std::int64_t s = 0; s < count; ++s) {
      const std::int64_t b = first + s;
      lengths_.push_back(length_of(options.lengths, b, in.size(1)));
      longest_ = std::max(longest_, lengths_.back());
      pasts_.emplace_back(weights, lengths_.back(), width_);
      clear_steps(out, b, lengths_.back(), in.size(1));
    }
    scores_ = floats(whole_vectors(longest_));
    std::fill_n(contexts_.data(), count * width_, 0.0f);
    std::fill_n(memories_.data(), count * padded_, 0.0f);
  }

  void run() {
    for (std::int64_t begin = 0; begin < longest_; begin += most_steps) {
      const std::int64_t steps = std::min(most_steps, longest_ - begin);
      project_inputs(begin, steps);
      for (std::int64_t t = begin; t < begin + steps; ++t) {
        add_contexts(t - begin);
        for (std::int64_t s = 0; s < count_; ++s) {
          if (t < lengths_[static_cast<std::size_t>(s)]) step(s, t);
        }
      }
    }
  }

 private:
  float* sums_of(std::int64_t s, std::int64_t step) const { return sums_.data() + (step * count_ + s) * gates_; }

  // Sums of all sequences of a step stand next to each other, so that contexts add to them in one product.
  void project_inputs(std::int64_t begin, std::int64_t steps) {
    for (std::int64_t s = 0; s < count_; ++s) {
      const std::int64_t rows = std::min(steps, lengths_[static_cast<std::size_t>(s)] - begin);
      for (std::int64_t t = std::max<std::int64_t>(0, rows); t < steps; ++t) std::fill_n(sums_of(s, t), gates_, 0.0f);
      if (rows <= 0) continue;
      kernels::product(inputs_.at(first_ + s, begin, rows), matrix(weights_.input.weight), kernels::Right::transposed,
                       1, 0, sums_of(s, 0), count_ * gates_);
      for (const float* bias : {bias_of(weights_.input), bias_of(weights_.context)}) {
        kernels::finish_rows(kernels::Curve::none, bias, rows, gates_, sums_of(s, 0), count_ * gates_);
      }
    }
  }

  void add_contexts(std::int64_t step) {
    kernels::product({contexts_.data(), count_, width_, width_}, matrix(weights_.context.weight),
                     kernels::Right::transposed, 1, 1, sums_of(0, step), gates_);
  }

  void step(std::int64_t s, std::int64_t t) {
    const float* sums = sums_of(s, t % most_steps);
    if (weights_.cell == Cell::rnn) {
      kernels::rnn_cell(sums, width_, state_.data());
    } else {
      kernels::lstm_cell(sums, width_, memories_.data() + s * padded_, state_.data());
    }
    float* context = contexts_.data() + s * width_;
    attend(s, context);
    const std::int64_t b = first_ + s;
    std::copy_n(state_.data(), width_, row_at(out_.states, b, t));
    std::copy_n(context, width_, row_at(out_.contexts, b, t));
    if (out_.weights) {
      float* row = row_at(*out_.weights, b, t);
      std::copy_n(scores_.data(), attended_, row);
      std::fill(row + attended_, row + in_.size(1), 0.0f);
    }
  }

  void attend(std::int64_t s, float* context) {
    Past& past = pasts_[static_cast<std::size_t>(s)];
    if (options_.remembered == Remembered::states) past.append(state_.data());
    attended_ = past.count();
    if (attended_ > 0) {
      past.attend(state_.data(), scores_.data(), context);
    } else {
      std::copy_n(state_.data(), width_, context);
    }
    if (options_.remembered == Remembered::contexts) past.append(context);
  }

  const Recurrent& weights_;
  const ConstView& in_;
  const RecurrentSteps& out_;
  const RecurrentOptions& options_;
  std::int64_t first_, count_, longest_ = 0, attended_ = 0;
  std::int64_t width_ = out_.states.size(2), gates_ = weights_.input.weight.size(0), padded_ = whole_vectors(width_);
  std::vector<std::int64_t> lengths_;
  std::vector<Past> pasts_;
  Matrices inputs_{in_, most_steps};
  Floats sums_ = floats(most_steps * count_ * gates_ + kernels::widest_lanes);
  Floats contexts_ = floats(count_ * width_), memories_ = floats(count_ * padded_), state_ = floats(padded_), scores_;
};

}  // namespace

std::string_view to_string(Cell cell) {
  switch (cell) {
    case Cell::rnn: return "rnn";
    case Cell::lstm: return "lstm";
  }
  return "no cell";
}

std::string_view to_string(Remembered remembered) {
  switch (remembered) {
    case Remembered::states: return "states";
    case Remembered::contexts: return "contexts";
  }
  return "nothing";
}

void detail::recurrent(const Recurrent& weights, const ConstView& in, const RecurrentSteps& out,
                       const RecurrentOptions& options) {
  for_blocks(options.executor, in.size(0), most_sequences, [&](std::int64_t begin, std::int64_t end) {
    Sequences(weights, in, out, options, begin, end - begin).run();
  });
}

// ---- rules --------------------------------------------------------------------------------------

std::optional<Problem> check_recurrent(const Recurrent& weights, const ConstView& in, const RecurrentSteps& out,
                                       const RecurrentOptions& options) {
  Match m("recurrent");
  m.rows("in", in, "[B, T, x]");
  m.rows("states", out.states, "[B, T, h]");
  m.rows("contexts", out.contexts, "[B, T, h]");
  m.rows("weights", out.weights, "[B, T, T]");
  m.stated("cell", weights.cell, {Cell::rnn, Cell::lstm});
  const std::int64_t width = m["h"], gates = weights.cell == Cell::lstm ? 4 * width : width;
  m.part("input", weights.input, gates, m["x"]);
  m.part("context", weights.context, gates, width);
  if (const auto* additive = std::get_if<Additive>(&weights.score)) {
    m.part("score", *additive, width, width);
  } else {
    state_score(m, std::get<Score>(weights.score));
  }
  m.stated("remembered", options.remembered, {Remembered::states, Remembered::contexts});
  state_lengths(m, options.lengths, m["T"]);
  return m.problem();
}

}  // namespace posenc
