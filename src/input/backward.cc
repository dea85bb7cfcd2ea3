// SPDX-License-Identifier: Apache-2.0
// The gradient of embedding rows: tokens sorted by id, then each row summed and written once.
#include <posenc/backward.h>

#include <algorithm>
#include <ranges>

#include "src/base/blocks.h"
#include "src/engine/scatter/scatter.h"
#include "src/input/ids.h"
#include "src/input/masks.h"

namespace posenc {

struct Backward::Plan {
  ConstView shape;  // of the ids
  std::int64_t vocabulary, width;
  DType dtype;
  double factor, dropout;
  std::uint64_t seed;
  engine::ById by_id;

  Plan(const InputStage& stage, const ConstView& of);
  bool drops(const EncodeOptions& options) const { return options.mode == StageMode::train && dropout > 0; }
  std::optional<Problem> check(const ConstView& grad_out, const View& grad_rows, std::int64_t rows,
                               const EncodeOptions& options) const;
};

// ---- checks -------------------------------------------------------------------------------------

std::optional<Problem> Backward::check(const InputStage& stage, const ConstView& ids) {
  const std::int64_t limit = std::int64_t{1} << 32, vocabulary = stage.embedding().rows.size(0);
  Match m("backward");
  m.tensor("ids", ids, Types::integer, "[L] or [B, L]");
  const std::int64_t tokens = m["B"] * m["L"];
  m.must(tokens < limit && vocabulary <= limit, {"tokens and ids are counted in 32 bits"},
         {"tokens ", tokens, ", ids ", vocabulary});
  m.also([&] { return check_inside("backward", vocabulary, ids); });
  return m.problem();
}

std::optional<Problem> Backward::Plan::check(const ConstView& grad_out, const View& grad_rows, std::int64_t rows,
                                             const EncodeOptions& options) const {
  Match m("backward");
  m.bind("[L] or [B, L]", sizes(shape));
  m.bind("d", width);
  m.bind("n", rows);
  m.tensor("grad_out", grad_out, Types::of("rows", dtype), "[L, d] or [B, L, d]");
  m.tensor("grad_rows", grad_rows, Types::of("rows", dtype), "[n, d]");
  m.stated("mode", options.mode, {StageMode::evaluate, StageMode::train});
  m.also([&] { return check_reading("backward", options.reading); });
  if (drops(options)) m.also([&] { return check_mask_indices("backward", options.first, grad_out); });
  return m.problem();
}

std::optional<Problem> Backward::check_write(const ConstView& grad_out, const View& grad_rows,
                                             const EncodeOptions& options) const {
  return plan_->check(grad_out, grad_rows, plan_->vocabulary, options);
}

std::optional<Problem> Backward::check_write_touched(const ConstView& grad_out, const View& grad_rows,
                                                     const EncodeOptions& options) const {
  return plan_->check(grad_out, grad_rows, std::ssize(plan_->by_id.ids), options);
}

// ---- the plan -----------------------------------------------------------------------------------

namespace {

// The ids of tokens in their order, sequence by sequence.
std::vector<std::uint32_t> ids_in_order(const ConstView& ids) {
  std::vector<std::uint32_t> all;
  if (ids.count() == 0) return all;  // there may be any number of empty sequences
  all.reserve(static_cast<std::size_t>(ids.count()));
  for (std::int64_t b = 0; b < (ids.rank == 2 ? ids.size(0) : 1); ++b) {
    const std::int64_t first = ids.rank == 2 ? b * ids.stride(0) : 0;
    for (std::int64_t t = 0; t < ids.size(-1); ++t) {
      all.push_back(static_cast<std::uint32_t>(id_at(ids, first + t * ids.stride(-1))));
    }
  }
  return all;
}

}  // namespace

Backward::Plan::Plan(const InputStage& stage, const ConstView& of)
    : shape(of),
      vocabulary(stage.embedding().rows.size(0)),
      width(stage.width()),
      dtype(stage.embedding().rows.dtype),
      factor(stage.factor()),
      dropout(stage.options().dropout),
      seed(stage.options().seed),
      by_id(engine::by_id(ids_in_order(of), stage.options().padding_id)) {
  shape.data = nullptr;
}

Backward::Backward(const InputStage& stage, const ConstView& ids, Checked) : plan_(Plan(stage, ids)) {}

std::span<const std::int64_t> Backward::touched() const { return plan_->by_id.ids; }

// ---- work ---------------------------------------------------------------------------------------

namespace {

// Chunks of one id, whose sums stand one after the other.
struct Chunks {
  std::size_t id, first, count;
};

std::vector<Chunks> chunks_of_frequent(const engine::ById& by_id) {
  std::vector<Chunks> all;
  std::size_t first = 0;
  for (std::size_t id = 0; id < by_id.ids.size(); ++id) {
    if (by_id.count(id) <= engine::chunk_tokens) continue;
    all.push_back({id, first, (by_id.count(id) + engine::chunk_tokens - 1) / engine::chunk_tokens});
    first += all.back().count;
  }
  return all;
}

// Adds neighbours, then neighbours of these, until the first row is the sum of all.
template <class C>
void add_tree(C* rows, std::size_t count, std::size_t width) {
  for (std::size_t apart = 1; apart < count; apart *= 2) {
    for (std::size_t i = 0; i + apart < count; i += 2 * apart) {
      C *to = rows + i * width, *from = to + apart * width;
      for (std::size_t c = 0; c < width; ++c) to[c] += from[c];
    }
  }
}

// Sums of frequent ids, in the memory of `sums`.
template <class T>
std::vector<engine::Frequent<T>> frequent_sums(const engine::Terms<T>& terms, const Executor& executor,
                                               std::vector<Computing<T>>& sums) {
  const engine::ById& by_id = *terms.tokens;
  const auto width = static_cast<std::size_t>(terms.width);
  std::vector<engine::Frequent<T>> made;
  const std::vector<Chunks> frequent = chunks_of_frequent(by_id);
  if (frequent.empty()) return made;
  const std::size_t count = frequent.back().first + frequent.back().count;
  sums.resize(count * width);
  for_blocks(executor, static_cast<std::int64_t>(count), 1, [&](std::int64_t i, std::int64_t) {
    const auto chunk = static_cast<std::size_t>(i);
    const Chunks& of = *std::prev(std::ranges::upper_bound(frequent, chunk, {}, &Chunks::first));
    const std::size_t begin = by_id.begins[of.id] + (chunk - of.first) * engine::chunk_tokens;
    const std::size_t end = std::min<std::size_t>(begin + engine::chunk_tokens, by_id.begins[of.id + 1]);
    engine::sum_tokens(terms, begin, end, sums.data() + chunk * width);
  });
  const DefaultEnvironment environment;
  for (const Chunks& of : frequent) {
    add_tree(sums.data() + of.first * width, of.count, width);
    made.push_back({of.id, sums.data() + of.first * width});
  }
  return made;
}

// Where a block of work starts: an output row, and the first id that is not above it.
struct UnitStart {
  std::int64_t row;
  std::size_t id;
};

// A token and a row are a unit of work each, the tokens of a row before it. row_of(i) is the output row of ids[i].
template <class RowOf>
UnitStart start_of(const engine::ById& by_id, std::int64_t unit, const RowOf& row_of) {
  const auto all = std::views::iota(std::size_t{0}, by_id.ids.size());
  const auto before = [&](std::size_t i) { return row_of(i) + by_id.begins[i] < unit; };
  const auto id = static_cast<std::size_t>(std::ranges::partition_point(all, before) - all.begin());
  return {std::max(id == 0 ? 0 : row_of(id - 1) + 1, unit - by_id.begins[id]), id};
}

// Of token (0, 0).
engine::RowMask first_mask(const Backward::Plan& plan, const EncodeOptions& options) {
  const DefaultEnvironment environment;  // keep is a quotient
  return Masks(plan.dropout, {plan.seed, options.call, options.first}).row(0, 0);
}

template <class T, class RowOf>
void write_rows(const Backward::Plan& plan, const ConstView& grad_out, const View& grad_rows,
                const EncodeOptions& options, const RowOf& row_of) {
  const bool batched = grad_out.rank == 3;
  const engine::RowMask mask = first_mask(plan, options);
  const engine::Terms<T> terms = {.tokens = &plan.by_id,
                                  .gradient = static_cast<const T*>(grad_out.data),
                                  .sequence_stride = batched ? grad_out.stride(0) : 0,
                                  .token_stride = grad_out.stride(-2),
                                  .column_stride = grad_out.stride(-1),
                                  .length = grad_out.size(-2),
                                  .width = plan.width,
                                  .mask = plan.drops(options) ? &mask : nullptr};
  std::vector<Computing<T>> sums;
  const std::vector<engine::Frequent<T>> frequent = frequent_sums(terms, options.executor, sums);
  constexpr std::int64_t size = sizeof(T);
  const engine::SummedRows<T> out = {.out = static_cast<T*>(grad_rows.data),
                                     .row_stride = grad_rows.stride(0),
                                     .column_stride = grad_rows.stride(1),
                                     .scale = static_cast<Computing<T>>(plan.factor),
                                     .stores = stores_for(grad_rows.count() * size, options.reading)};
  constexpr std::int64_t bytes_per_block = std::int64_t{4} << 20;
  const std::int64_t units = grad_rows.size(0) + std::ssize(plan.by_id.tokens);
  for_blocks(options.executor, units, std::max<std::int64_t>(1, bytes_per_block / (plan.width * size)),
             [&](std::int64_t begin, std::int64_t end) {
               const UnitStart from = start_of(plan.by_id, begin, row_of), to = start_of(plan.by_id, end, row_of);
               engine::write_sums<T>(terms, frequent, out, {from.row, to.row, from.id, to.id});
             });
}

}  // namespace

void Backward::write_checked(const ConstView& grad_out, const View& grad_rows, const EncodeOptions& options) const {
  if (grad_rows.count() == 0) return;
  with_real(grad_rows.dtype, [&]<class T>(T) {
    write_rows<T>(*plan_, grad_out, grad_rows, options, [&](std::size_t i) { return plan_->by_id.ids[i]; });
  });
}

void Backward::write_touched_checked(const ConstView& grad_out, const View& grad_rows,
                                     const EncodeOptions& options) const {
  if (grad_rows.count() == 0) return;
  with_real(grad_rows.dtype, [&]<class T>(T) {
    write_rows<T>(*plan_, grad_out, grad_rows, options, [](std::size_t i) { return static_cast<std::int64_t>(i); });
  });
}

}  // namespace posenc
