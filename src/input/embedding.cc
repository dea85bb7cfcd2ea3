// SPDX-License-Identifier: Apache-2.0
// Embedding rows by id, and rows from a seed.
#include <posenc/embedding.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/encodings/undecided.h"
#include "src/engine/random/random.h"
#include "src/input/ids.h"

namespace posenc {

bool next_index(const ConstView& shape, std::array<std::int64_t, max_rank>& index) {
  for (int axis = shape.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (++index[a] < shape.shape[a]) return true;
    index[a] = 0;
  }
  return false;
}

std::int64_t offset_of(const ConstView& view, const std::array<std::int64_t, max_rank>& index, int axes) {
  std::int64_t offset = 0;
  for (int axis = 0; axis < axes; ++axis) offset += index[static_cast<std::size_t>(axis)] * view.stride(axis);
  return offset;
}

void state_embedding(Match& m, const ConstView& rows, const std::optional<std::int64_t>& padding_id) {
  m.tensor("rows", rows, Types::real, "[vocabulary, d]");
  if (padding_id) m.below("padding_id", *padding_id, m["vocabulary"]);
}

namespace {

// Are all ids of the innermost axis at `from` inside [0, size)? Without a branch an id, so that lanes can do it.
template <class Id>
bool axis_inside(const Id* from, std::int64_t step, std::int64_t count, std::int64_t size) {
  using Bits = std::make_unsigned_t<Id>;
  const auto last = static_cast<Bits>(std::min<std::int64_t>(size - 1, std::numeric_limits<Id>::max()));
  const auto inside = [&](auto by) {
    Bits joined = 0;  // negative if an id is, or what it lacks to the last one
    for (std::int64_t i = 0; i < count; ++i) {
      const auto id = static_cast<Bits>(from[i * by]);
      joined |= id | (last - id);
    }
    return static_cast<Id>(joined) >= 0;
  };
  return step == 1 ? inside(std::integral_constant<std::int64_t, 1>()) : inside(step);
}

bool all_inside(const ConstView& ids, std::int64_t size) {
  if (ids.count() == 0) return true;
  if (ids.count() == 1) {
    const std::int64_t id = id_at(ids, 0);
    return id >= 0 && id < size;
  }
  ConstView outer = ids;  // every axis but the last
  if (ids.rank > 0) --outer.rank;
  const std::int64_t count = ids.rank > 0 ? ids.size(-1) : 1, step = ids.rank > 0 ? ids.stride(-1) : 1;
  std::array<std::int64_t, max_rank> index = {};
  do {
    const std::int64_t at = offset_of(outer, index, outer.rank);
    const bool inside = ids.dtype == DType::i32
                            ? axis_inside(static_cast<const std::int32_t*>(ids.data) + at, step, count, size)
                            : axis_inside(static_cast<const std::int64_t*>(ids.data) + at, step, count, size);
    if (!inside) return false;
  } while (next_index(outer, index));
  return true;
}

}  // namespace

std::optional<Problem> check_inside(std::string_view operation, std::int64_t vocabulary, const ConstView& ids) {
  if (all_inside(ids, vocabulary)) return std::nullopt;
  std::array<std::int64_t, max_rank> index = {};
  do {
    const std::int64_t id = id_at(ids, offset_of(ids, index, ids.rank));
    if (id < 0 || id >= vocabulary) {
      return Problem{std::string(operation),
                     "ids must be in [0, " + std::to_string(vocabulary) + ")",
                     std::to_string(id),
                     {index.begin(), index.begin() + ids.rank}};
    }
  } while (next_index(ids, index));
  return std::nullopt;
}

std::optional<Problem> Embedding::check_lookup(const ConstView& ids, const View& out) const {
  Match m("embedding");
  state_embedding(m, rows, padding_id);
  m.tensor("ids", ids, Types::integer, "[...]");
  m.must(ids.rank < max_rank, {"ids must have at most 7 axes"}, {sizes(ids)});
  m.tensor("out", out, Types::of("rows", rows.dtype), "[..., d]");
  m.also([&] { return check_inside("embedding", m["vocabulary"], ids); });
  return m.problem();
}

void Embedding::lookup_checked(const ConstView& ids, const View& out) const {
  if (ids.count() == 0) return;
  with_real(out.dtype, [&]<class T>(T) {
    std::array<std::int64_t, max_rank> index = {};
    do {
      const std::int64_t id = id_at(ids, offset_of(ids, index, ids.rank));
      const StridedRow<const T> from = strided_row<const T>(rows, {id});
      const StridedRow<T> to = {static_cast<T*>(out.data) + offset_of(out, index, ids.rank), out.stride(-1)};
      for (std::int64_t c = 0; c < out.size(-1); ++c) to[c] = id == padding_id ? T(0.0f) : from[c];
    } while (next_index(ids, index));
  });
}

std::optional<Problem> check_seeded_rows(const View& out, RowInit init) {
  Match m("seeded_rows");
  m.tensor("out", out, Types::f32, "[rows, d]");
  m.stated("init", init, {RowInit::normal, RowInit::scaled});
  return m.problem();
}

std::optional<Problem> detail::seeded_rows(const View& out, std::uint64_t seed, std::uint64_t stream, RowInit init,
                                           const Executor& executor) {
  const DefaultEnvironment environment;
  const engine::Words2 of = engine::words(stream);
  const engine::Words4 derived = engine::philox({of[0], of[1], 0x706F7365u, 0}, engine::words(seed));
  const engine::Words2 key = {derived[0], derived[1]};
  const std::int64_t width = out.size(1);
  const float factor = init == RowInit::scaled ? static_cast<float>(1 / std::sqrt(static_cast<double>(width))) : 1.0f;
  constexpr std::int64_t elements_per_block = std::int64_t{1} << 14;  // about a millisecond
  Decided decided;
  for_blocks(executor, out.count(), elements_per_block, [&](std::int64_t begin, std::int64_t end) {
    const auto count = static_cast<std::size_t>(end - begin);
    const Scratch<float> values(count);
    decided.also(engine::normal_values(key, static_cast<std::uint64_t>(begin), count, values.data()));
    for (std::int64_t e = begin; e < end;) {  // what is left of row e / width
      const StridedRow<float> to = strided_row<float>(out, {e / width});
      const std::int64_t row_end = std::min(end, e - e % width + width);
      for (; e < row_end; ++e) to[e % width] = values.data()[e - begin] * factor;
    }
  });
  return undecided_unless(decided.all(), "seeded_rows");
}

}  // namespace posenc
