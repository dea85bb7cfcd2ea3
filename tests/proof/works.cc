// SPDX-License-Identifier: Apache-2.0
// Tables, input stages and masks of many shapes: more than 10^7 outputs.
#include "tests/proof/works.h"

#include <posenc/input_stage.h>
#include <posenc/preset.h>

namespace posenc::proof {
namespace {

constexpr Geometric paper = {10000, 1, Spacing::over_width};
constexpr Geometric endpoint = {500000, 2.5, Spacing::over_gaps};

// call(first, count) for consecutive runs of rows, as the surroundings cut them.
template <class Call>
void in_cuts(const Surroundings& how, std::int64_t rows, const Call& call) {
  const std::int64_t most = how.cut > 0 ? how.cut : rows;
  for (std::int64_t first = 0; first < rows; first += most) call(first, std::min(most, rows - first));
}

// ---- tables -------------------------------------------------------------------------------------

struct Range {
  double start, step;  // whole unless `real`
  bool real;
};

Positions part(const Range& range, std::int64_t first, std::int64_t count) {
  const double start = range.start + static_cast<double>(first) * range.step;
  if (range.real) return Positions::range(start, count, range.step);
  return Positions::range(static_cast<std::int64_t>(start), count, static_cast<std::int64_t>(range.step));
}

template <class T>
void table(const Surroundings& how, const Sinusoid& row, std::int64_t dim, const Range& range, std::int64_t length) {
  Threads threads(how.threads);
  const SinusoidRows sinusoid(row, dim);
  Rows<T> out(how, length, sinusoid.width());
  in_cuts(how, length, [&](std::int64_t first, std::int64_t count) {
    sinusoid.write(part(range, first, count), out.view(first, count), threads.executor());
  });
  out.put();
}

template <class T>
void tables(const Surroundings& how) {
  constexpr Range from_zero = {0, 1, false}, far = {-0x1p40, 3, false}, back = {0x1p52, -7, false},
                  halves = {-20.5, 0.5, true};
  table<T>(how, {paper, Layout::interleaved, OddWidth::refused}, 512, from_zero, 4096);
  table<T>(how, {paper, Layout::sine_first, OddWidth::refused}, 1000, far, 300);
  table<T>(how, {endpoint, Layout::cosine_first, OddWidth::refused}, 96, back, 700);
  table<T>(how, {endpoint, Layout::interleaved, OddWidth::lone_sine}, 65, halves, 500);
  for (std::int64_t dim = 1; dim <= 66; ++dim) {
    table<T>(how, {paper, Layout::sine_first, dim == 1 ? OddWidth::lone_sine : OddWidth::zero_column}, dim, far, 40);
  }
}

// Gathered positions, and f64, take no strips.
template <class T>
void gathered(const Surroundings& how, std::int64_t length) {
  Threads threads(how.threads);
  std::vector<double> list;
  for (std::int64_t i = 0; i < length; ++i) {
    list.push_back(static_cast<double>(i * i * 1000003 - 77777777) * 0x1p-10);  // exact, in any rounding mode
  }
  const SinusoidRows sinusoid(preset("transformer").convention, 130);
  Rows<T> out(how, length, 130);
  in_cuts(how, length, [&](std::int64_t first, std::int64_t count) {
    sinusoid.write(Positions::list(view(std::as_const(list).data() + first, {count})), out.view(first, count),
                   threads.executor());
  });
  out.put();
}

// ---- input stage --------------------------------------------------------------------------------

template <class T, class Id>
void stage(const Surroundings& how, std::int64_t dim, double dropout) {
  constexpr std::int64_t vocabulary = 301, sequences = 3, length = 130;
  Threads threads(how.threads);
  std::vector<float> seeded(static_cast<std::size_t>(vocabulary * dim));
  seeded_rows(view(seeded.data(), {vocabulary, dim}), 5, 1, Init::normal);
  std::vector<T> rows;
  for (const float value : seeded) rows.push_back(T(value));
  std::vector<Id> ids;
  for (std::int64_t i = 0; i < sequences * length; ++i) ids.push_back(static_cast<Id>(i * i * 7 % vocabulary));

  const Sinusoid convention = {paper, Layout::interleaved, OddWidth::zero_column};
  const InputStage input(view(std::as_const(rows).data(), {vocabulary, dim}), convention,
                         {.scale = Scale::sqrt_dim, .dropout = dropout, .seed = 9, .padding_id = 7});
  Rows<T> out(how, sequences * length, dim);
  View all = out.batch(sequences);
  in_cuts(how, length, [&](std::int64_t first, std::int64_t count) {
    ConstView some_ids = view(std::as_const(ids).data() + first, {sequences, count});
    some_ids.strides[0] = length;
    View some = all;
    some.data = out.row(first);
    some.shape[1] = count;
    input.encode(
        some_ids, Positions::range(first + 1000, count), some,
        {.mode = Mode::train, .call = 2, .first = static_cast<std::uint32_t>(first), .executor = threads.executor()});
  });
  out.put();
}

template <class T>
void stages(const Surroundings& how) {
  stage<T, std::int32_t>(how, 512, 0);
  stage<T, std::int64_t>(how, 512, 0.1);
  for (const std::int64_t dim : {2, 3, 31, 64, 65, 97, 1030}) stage<T, std::int32_t>(how, dim, dim % 2 == 0 ? 0.5 : 0);
}

}  // namespace

void write_all(const Surroundings& how) {
  tables<float>(how);
  tables<bfloat16>(how);
  tables<half>(how);
  gathered<float>(how, 2000);
  gathered<bfloat16>(how, 500);
  gathered<half>(how, 500);
  gathered<double>(how, 200);
  stages<float>(how);
  stages<bfloat16>(how);
  stages<half>(how);
  stages<double>(how);
}

}  // namespace posenc::proof
