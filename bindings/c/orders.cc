// SPDX-License-Identifier: Apache-2.0
// Columns of heads and of tables moved from one convention to another, and the proofs.
#include <posenc/referee/head_order.h>
#include <posenc/referee/table_order.h>

#include <algorithm>
#include <cstdint>

#include "bindings/c/edge.h"

using namespace posenc;

namespace {

constexpr std::size_t most_projections = 1 << 10, most_runs = 1 << 10;
// Of a head, and of a row: what head_order and table_order admit is less.
constexpr std::int64_t most_columns = std::int64_t{1} << 31;

std::vector<std::int64_t> columns_of(const char* operation, const char* name, const std::int64_t* columns,
                                     std::int64_t count) {
  if (count < 0 || count > most_columns) {
    c::refuse(operation, std::string(name) + " must have 0 to 2^31 columns", std::to_string(count));
  }
  if (count == 0) return {};
  const std::int64_t* first = &c::given(operation, name, columns);
  return {first, first + count};
}

Projection projection_of(const char* operation, const char* name, const posenc_projection* projection) {
  const posenc_projection& from = c::given(operation, name, projection);
  c::require_few(operation, "projection.count", from.count, most_runs);
  Projection own = {from.groups, {}};
  for (std::size_t i = 0; i < from.count; ++i) {
    const posenc_head_run& run = (&c::given(operation, "projection.runs", from.runs))[i];
    c::require_unused(operation, "projection.runs", run.reserved);
    own.runs.push_back({c::enumerator<Holds>(run.holds), run.heads});
  }
  return own;
}

}  // namespace

posenc_status posenc_head_order(const posenc_convention* from, const posenc_convention* to, int64_t head,
                                const posenc_context* context, int64_t* read, int64_t* written, posenc_error* error) {
  constexpr const char* operation = "posenc_head_order";
  return c::call(operation, error, [&] {
    const HeadOrder order = head_order(c::given(operation, "from", from).value, c::given(operation, "to", to).value,
                                       head, {.context = c::context(operation, context)});
    std::int64_t* const to_read = &c::given(operation, "read", read);
    std::int64_t* const to_written = &c::given(operation, "written", written);
    std::ranges::copy(order.read, to_read);
    std::ranges::copy(order.written, to_written);
  });
}

posenc_status posenc_reorder_rows(const int64_t* read, int64_t head, const posenc_projection* projection,
                                  const void* in, void* out, size_t bytes, posenc_error* error) {
  constexpr const char* operation = "posenc_reorder_rows";
  return c::call(operation, error, [&] {
    std::vector<std::int64_t> columns = columns_of(operation, "read", read, head);
    const HeadOrder order = {columns, std::move(columns)};
    if (bytes > PTRDIFF_MAX) c::refuse(operation, "bytes must be those of memory", std::to_string(bytes));
    const auto* first = static_cast<const std::byte*>(in);
    auto* target = static_cast<std::byte*>(out);
    reorder_rows(order, projection_of(operation, "projection", projection),
                 std::span(&c::given(operation, "in", first), bytes),
                 std::span(&c::given(operation, "out", target), bytes));
  });
}

posenc_status posenc_prove_head_order(const posenc_convention* from, const posenc_convention* to, const int64_t* read,
                                      const int64_t* written, int64_t head, const posenc_projection* projections,
                                      size_t count, const posenc_context* context, uint64_t seed,
                                      posenc_head_proof* out, posenc_error* error) {
  constexpr const char* operation = "posenc_prove_head_order";
  return c::call(operation, error, [&] {
    c::require_few(operation, "count", count, most_projections);
    std::vector<Projection> own;
    for (std::size_t i = 0; i < count; ++i) {
      own.push_back(projection_of(operation, "projections", &c::given(operation, "projections", projections) + i));
    }
    const HeadOrder order = {columns_of(operation, "read", read, head),
                             columns_of(operation, "written", written, head)};
    const Convention& one = c::given(operation, "from", from).value;
    const Convention& other = c::given(operation, "to", to).value;
    posenc_head_proof& target = c::given(operation, "out", out);
    const HeadProof proof = prove_head_order(one, other, order, own, seed, {.context = c::context(operation, context)});
    target = {proof.holds,      0,          proof.heads, proof.columns, proof.positions, proof.parted.value_or(-1),
              proof.difference, proof.bound};
  });
}

posenc_status posenc_table_order(const posenc_convention* from, const posenc_convention* to, int64_t dim,
                                 const posenc_context* context, int64_t* out, size_t capacity, size_t* count,
                                 posenc_error* error) {
  constexpr const char* operation = "posenc_table_order";
  return c::call(operation, error, [&] {
    const std::vector<std::int64_t> order =
        table_order(c::given(operation, "from", from).value, c::given(operation, "to", to).value, dim,
                    {.context = c::context(operation, context)});
    c::write_numbers(operation, order, out, capacity, count);
  });
}

posenc_status posenc_reorder_columns(const int64_t* order, size_t count, const posenc_view* in, const posenc_view* out,
                                     posenc_error* error) {
  constexpr const char* operation = "posenc_reorder_columns";
  return c::call(operation, error, [&] {
    c::require_few(operation, "count", count, most_columns);
    reorder_columns(columns_of(operation, "order", order, static_cast<std::int64_t>(count)),
                    c::view(operation, "in", in), c::view(operation, "out", out));
  });
}

posenc_status posenc_prove_table(const posenc_convention* convention, int64_t first, const posenc_view* table,
                                 const posenc_context* context, posenc_table_proof* out, posenc_error* error) {
  constexpr const char* operation = "posenc_prove_table";
  return c::call(operation, error, [&] {
    posenc_table_proof& target = c::given(operation, "out", out);
    const TableProof proof =
        prove_table(c::given(operation, "convention", convention).value, first, c::view(operation, "table", table),
                    {.context = c::context(operation, context)});
    const auto [row, column] = proof.outside.value_or(std::array<std::int64_t, 2>{-1, -1});
    target = {proof.entries, proof.equal, proof.furthest, row, column};
  });
}
