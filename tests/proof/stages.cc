// SPDX-License-Identifier: Apache-2.0
// Input stages, their backward passes and dropout.
#include <posenc/backward.h>

#include <cstring>

#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

constexpr Sinusoid interleaved_signal = {paper, Layout::interleaved, OddWidth::zero_column};

// ---- input stage --------------------------------------------------------------------------------

// Every token again by a step of its own: the bits of the whole, whose hash is in the tree.
template <class T, class Id>
void compare_steps(const Surroundings& how, const InputStage& input, const std::vector<Id>& ids,
                   const Positions& positions, RowMemory<T>& whole) {
  RowMemory<T> step(how, 1, input.width());
  for (std::int64_t i = 0; i < whole.rows(); ++i) {
    const std::int64_t t = i % positions.count_;
    input.encode(view(ids.data() + i, {1, 1}), Positions::at(positions.start_ + t), step.view(0, 1),
                 {.mode = StageMode::train, .reading = how.reading});
    if (std::memcmp(step.row(0), whole.row(i), static_cast<std::size_t>(input.width()) * sizeof(T)) != 0) {
      std::fprintf(stderr, "posenc_bits: a step has other bits than its row of the whole\n");
      std::exit(1);
    }
  }
}

template <class T, class Id>
void stage(const Surroundings& how, std::int64_t dim, double dropout) {
  constexpr std::int64_t vocabulary = 301, sequences = 3, length = 130;
  Threads threads(how.threads);
  const std::vector<T> rows = seeded<T>(vocabulary, dim);
  std::vector<Id> ids;
  for (std::int64_t i = 0; i < sequences * length; ++i) ids.push_back(static_cast<Id>(i * i * 7 % vocabulary));

  const StageOptions options = {.scale = Scale::sqrt_dim, .dropout = dropout, .seed = 9, .padding_id = 7};
  const InputStage input(view(rows.data(), {vocabulary, dim}), interleaved_signal, options);
  RowMemory<T> out(how, sequences * length, dim);
  View all = out.batch(sequences);
  in_cuts(how, length, [&](std::int64_t first, std::int64_t count) {
    ConstView some_ids = view(std::as_const(ids).data() + first, {sequences, count});
    some_ids.strides[0] = length;
    View some = all;
    some.data = out.row(first);
    some.shape[1] = count;
    input.encode(some_ids, Positions::range(first + 1000, count), some,
                 {.mode = StageMode::train,
                  .call = 2,
                  .first = static_cast<std::uint32_t>(first),
                  .executor = threads.executor(),
                  .reading = how.reading});
  });
  if (dropout == 0) {  // a mask knows the sequence of its token, a step has but one
    RowMemory<T> table(how, length, dim);
    sinusoid(interleaved_signal, Positions::range(1000, length), table.matrix());
    compare_steps(how, input, ids, Positions::range(1000, length), out);
    compare_steps(how, InputStage(view(rows.data(), {vocabulary, dim}), table.matrix(), options), ids,
                  Positions::range(0, length), out);
  }
  out.put("stage/" + std::string(dim == 512 ? "width-512" : "other-widths") + (dropout > 0 ? "/dropout" : "/plain"));
}

template <class T>
void stages(const Surroundings& how) {
  stage<T, std::int32_t>(how, 512, 0);
  stage<T, std::int64_t>(how, 512, 0.1);
  for (const std::int64_t dim : {2, 3, 31, 64, 65, 97, 1030}) stage<T, std::int32_t>(how, dim, dim % 2 == 0 ? 0.5 : 0);
}

// ---- backward -----------------------------------------------------------------------------------

// Id 5 is that of more tokens than are summed in one run.
template <class T>
void backward(const Surroundings& how, std::int64_t dim, double dropout) {
  constexpr std::int64_t vocabulary = 97, sequences = 2, length = 1500;
  Threads threads(how.threads);
  const std::vector<T> rows = seeded<T>(vocabulary, dim), gradient = seeded<T>(sequences * length, dim);
  std::vector<std::int32_t> ids;
  for (std::int32_t i = 0; i < sequences * length; ++i) ids.push_back(i % 3 == 0 ? i % 89 : 5);
  const InputStage stage(view(rows.data(), {vocabulary, dim}), interleaved_signal,
                         {.scale = Scale::sqrt_dim, .dropout = dropout, .seed = 9, .padding_id = 7});
  const Backward plan(stage, view(std::as_const(ids).data(), {sequences, length}));
  const ConstView grad_out = view(gradient.data(), {sequences, length, dim});
  const EncodeOptions options = {.mode = StageMode::train, .call = 2, .executor = threads.executor()};

  RowMemory<T> dense(how, vocabulary, dim), touched(how, static_cast<std::int64_t>(plan.touched().size()), dim);
  plan.write(grad_out, dense.matrix(), options);
  const std::string kind = dropout > 0 ? "dropout" : "plain";
  dense.put("backward/dense/" + kind);
  plan.write_touched(grad_out, touched.matrix(), options);
  touched.put("backward/touched/" + kind);
}

// ---- dropout ------------------------------------------------------------------------------------

template <class T>
void drop(const Surroundings& how, std::int64_t dim) {
  constexpr std::int64_t sequences = 2, length = 60;
  const std::vector<T> in = seeded<T>(sequences * length, dim);
  RowMemory<T> out(how, sequences * length, dim);
  in_cuts(how, length, [&](std::int64_t first, std::int64_t count) {
    ConstView from = view(in.data() + first * dim, {sequences, count, dim});
    from.strides[0] = length * dim;
    View to = out.batch(sequences);
    to.data = out.row(first);
    to.shape[1] = count;
    dropout(from, to, 0.3, {11, 4, static_cast<std::uint32_t>(first)});
  });
  out.put("dropout/some");
}

template <class T>
void all(const Surroundings& how) {
  stages<T>(how);
  for (const std::int64_t dim : {1, 7, 64, 515}) {
    backward<T>(how, dim, dim % 2 == 0 ? 0.1 : 0);
    drop<T>(how, dim);
  }
}

}  // namespace

void write_stages(const Surroundings& how) {
  all<float>(how);
  all<bfloat16>(how);
  all<half>(how);
  all<double>(how);
}

}  // namespace posenc::proof
