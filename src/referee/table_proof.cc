// SPDX-License-Identifier: Apache-2.0
// A stored table beside the exact rows of a convention, a block at a time.
#include <posenc/referee/table_order.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cstring>

#include "src/base/elements.h"
#include "src/base/environment.h"
#include "src/encodings/rules.h"
#include "src/referee/bound.h"

namespace posenc {
namespace {

constexpr std::int64_t proof_block = 64;  // rows that are made at once

double magnitude(double x) { return x < 0 ? -x : x; }

// What an entry of a column may differ by is fixed + by_position |p|, and of_size of its own size.
struct Allowed {
  double fixed, by_position, of_size;
};

std::vector<Allowed> allowed_of(const Convention& convention, std::int64_t dim, DType type, const Context& context) {
  const plan::RowPlan plan = lower_rows(convention, {.width = dim, .context = context});
  const std::vector<double> w = Rows(convention, dim, {.context = context}).frequencies();
  const double scale = magnitude(numerics::rounded<double>(plan.scale).value_or(1));
  const double twice = 2 * referee::half_unit_of(type).relative;  // rounded before and after a scale
  std::vector<Allowed> allowed;
  for (const plan::Column& column : plan.columns) {
    if (column.kind == plan::Kind::wave) {
      const double frequency = w[column.frequency];
      const double by_position = referee::frequency_error(frequency) * magnitude(frequency);
      allowed.push_back({scale * (referee::wave_error + twice), scale * by_position, 0});
    } else {
      allowed.push_back({0, 0, referee::wave_error + twice});
    }
  }
  return allowed;
}

// Row `row` of the table beside the exact one.
template <class T>
void compare_row(const StridedRow<const T>& stored, const T* made, std::span<const Allowed> allowed, std::int64_t first,
                 std::int64_t row, TableProof& proof) {
  const double position = magnitude(static_cast<double>(first) + static_cast<double>(row));
  for (std::int64_t c = 0; c < std::ssize(allowed); ++c) {
    const T is = stored[c], exact_one = made[c];
    const double one = static_cast<double>(static_cast<Computing<T>>(is));
    const double other = static_cast<double>(static_cast<Computing<T>>(exact_one));
    const double apart = magnitude(one - other);
    const auto& [fixed, by_position, of_size] = allowed[static_cast<std::size_t>(c)];
    proof.equal += std::memcmp(&is, &exact_one, sizeof(T)) == 0 ? 1 : 0;
    if (apart > proof.furthest) proof.furthest = apart;
    const bool within = apart <= fixed + by_position * position + of_size * magnitude(other);  // never of a NaN
    if (!within && !proof.outside) proof.outside = {row, c};
  }
}

Problem unlike_table(std::string rule, std::string value) { return {"prove_table", std::move(rule), std::move(value)}; }

}  // namespace

std::optional<Problem> check_prove_table(const Convention& convention, std::int64_t first, const ConstView& table,
                                         const Options& options) {
  const DefaultEnvironment environment;
  if (auto problem = check_exact("prove_table", options)) return problem;
  if (auto problem = check_view("prove_table", "table", table)) return problem;
  if (!is_real(table.dtype)) {
    return unlike_table("table must be f32, f64, f16 or bf16", std::string(to_string(table.dtype)));
  }
  if (table.rank != 2) return unlike_table("table must have shape [L, d]", std::to_string(table.rank) + " axes");
  if (auto problem = check_positions("prove_table", Positions::range(first, table.size(0)))) return problem;
  if (auto problem = check_made("prove_table", ConventionUse::rows, convention, table.size(1), options)) return problem;
  if (columns(convention, table.size(1)) == table.size(1)) return std::nullopt;
  return unlike_table("table must have as many columns as rows of its width",
                      std::to_string(columns(convention, table.size(1))));
}

std::optional<Problem> detail::prove_table(const Convention& convention, std::int64_t first, const ConstView& table,
                                           const Context& context, TableProof& proof) {
  const DefaultEnvironment environment;
  const std::int64_t rows = table.size(0), width = table.size(1);
  proof = {rows * width, 0, 0, {}};
  const Rows exact_rows(convention, width, {.context = context});
  const std::vector<Allowed> allowed = allowed_of(convention, width, table.dtype, context);
  std::optional<Problem> problem;
  with_real(table.dtype, [&](auto element) {
    using T = decltype(element);
    std::vector<T> made(static_cast<std::size_t>(std::min(rows, proof_block) * width));
    for (std::int64_t at = 0; at < rows && !problem; at += proof_block) {
      const std::int64_t count = std::min(proof_block, rows - at);
      problem =
          exact_rows.write_checked(Positions::range(first + at, count), view(made.data(), {count, width}), serial);
      for (std::int64_t row = 0; row < count && !problem; ++row) {
        compare_row<T>(strided_row<const T>(table, {at + row}), made.data() + row * width, allowed, first, at + row,
                       proof);
      }
    }
  });
  return problem;
}

}  // namespace posenc
