// SPDX-License-Identifier: Apache-2.0
// Input stages of other scales, recipes, tables, positions and orders of axes; what they are made of: rows by id,
// seeded rows, dropout in place, gradients of a list of ids.
#include <posenc/backward.h>
#include <posenc/preset.h>

#include "tests/proof/positions.h"
#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

constexpr std::int64_t kVocabulary = 50, kSequences = 2, kLength = 8, kDim = 37;
constexpr Sinusoid sine_first_signal = {paper, Layout::sine_first, OddWidth::zero_column};

std::vector<std::int64_t> some_ids() {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < kSequences * kLength; ++i) ids.push_back(i * i * 7 % kVocabulary);
  return ids;
}

// ---- stages ---------------------------------------------------------------------------------------

template <class T>
void encode(const Surroundings& how, const std::string& name, const InputStage& input, const Positions& positions,
            StageMode mode) {
  Threads threads(how.threads);
  const std::vector<std::int64_t> ids = some_ids();
  RowMemory<T> out(how, kSequences * kLength, kDim);
  input.encode(view(ids.data(), {kSequences, kLength}), positions, out.batch(kSequences),
               {.mode = mode, .call = 3, .first = 5, .executor = threads.executor(), .reading = how.reading});
  out.put("stage/" + name);
}

template <class T>
void input_stages(const Surroundings& how) {
  const std::vector<T> values = seeded<T>(kVocabulary, kDim), learned = seeded<T>(99, kDim);
  const ConstView rows = view(values.data(), {kVocabulary, kDim}), table = view(learned.data(), {99, kDim});
  const Positions from = Positions::range(70, kLength),
                  own = Positions::list(view(extreme_integers.data(), {2, kLength}));

  const StageOptions plain = {.scale = Scale::none};
  StageOptions dropping = {.scale = Scale::sqrt_dim, .dropout = 0.1, .seed = 77, .padding_id = 7};
  encode<T>(how, "scale-none", {rows, sine_first_signal, plain}, from, StageMode::evaluate);
  encode<T>(how, "scale-number", {rows, sine_first_signal, {.scale = Scale::of(0.37)}}, from, StageMode::evaluate);
  encode<T>(how, "scale-rounded", {rows, sine_first_signal, {.scale = Scale::sqrt_dim.rounded_to(DType::bf16)}}, from,
            StageMode::evaluate);
  encode<T>(how, "own-positions", {rows, sine_first_signal, dropping}, own, StageMode::evaluate);
  encode<T>(how, "own-positions/dropout", {rows, sine_first_signal, dropping}, own, StageMode::train);
  encode<T>(how, "table", {rows, table, plain}, from, StageMode::evaluate);
  encode<T>(how, "table/dropout", {rows, table, dropping}, from, StageMode::train);
  for (const std::string_view name : {"f32-exp", "f32-divide", "f64"}) {
    dropping.recipe = recipe(name);
    encode<T>(how, "recipe/" + std::string(name), {rows, sine_first_signal, dropping}, own, StageMode::evaluate);
  }
}

// Sequence first, and each row by a step of its own.
template <class T>
void orders(const Surroundings& how) {
  const std::vector<T> values = seeded<T>(kVocabulary, kDim);
  const InputStage input(view(values.data(), {kVocabulary, kDim}), sine_first_signal, {.scale = Scale::sqrt_dim});
  const std::vector<std::int64_t> ids = some_ids();
  const ConstView all_ids = view(ids.data(), {kSequences, kLength});

  RowMemory<T> turned(how, kSequences * kLength, kDim);
  input.encode(all_ids, Positions::range(-3, kLength), turned.batch(kLength).transposed(0, 1));
  turned.put("stage/sequence-first");

  RowMemory<T> step(how, kSequences, kDim);
  for (std::int64_t t = 0; t < kLength; ++t) {
    ConstView column = all_ids;
    column.data = ids.data() + t;
    column.shape[1] = 1;
    input.encode(column, Positions::at(extreme_integers[static_cast<std::size_t>(t)]), step.batch(kSequences));
    step.put("stage/step");
  }
}

// ---- parts ----------------------------------------------------------------------------------------

template <class T>
void lookups(const Surroundings& how) {
  const std::vector<T> values = seeded<T>(kVocabulary, kDim);
  const std::vector<std::int64_t> ids = some_ids();
  RowMemory<T> out(how, kSequences * kLength, kDim);
  const Embedding embedding = {view(values.data(), {kVocabulary, kDim}), 7};
  embedding.lookup(view(ids.data(), {kSequences, kLength}), out.batch(kSequences));
  out.put("embedding/lookup");
}

template <class T>
void drops(const Surroundings& how) {
  for (const double p : {0.0, 0.001, 0.5, 0.999}) {
    RowMemory<T> rows(how, kSequences * kLength, kDim);
    rows.fill(seeded<T>(kSequences * kLength, kDim));
    dropout(rows.matrix(), rows.matrix(), p, {~std::uint64_t{0}, 4, 1000});
    rows.put("dropout/in-place");
  }
}

template <class T>
void gradients(const Surroundings& how) {
  Threads threads(how.threads);
  const std::vector<T> values = seeded<T>(kVocabulary, kDim), gradient = seeded<T>(kSequences * kLength, kDim);
  const std::vector<std::int64_t> ids = some_ids();
  const InputStage stage(view(values.data(), {kVocabulary, kDim}), sine_first_signal, {.scale = Scale::of(0.37)});
  const Backward plan(stage, view(ids.data(), {kSequences * kLength}));
  RowMemory<T> dense(how, kVocabulary, kDim), touched(how, std::ssize(plan.touched()), kDim);
  const ConstView grad_out = view(gradient.data(), {kSequences * kLength, kDim});
  plan.write(grad_out, dense.matrix(), {.executor = threads.executor()});
  dense.put("backward/dense/list");
  plan.write_touched(grad_out, touched.matrix(), {.executor = threads.executor()});
  touched.put("backward/touched/list");
}

void seeds(const Surroundings& how, const std::string& name, RowInit init) {
  for (const std::int64_t columns : {1, 3, 64, 515}) {
    RowMemory<float> rows(how, 33, columns);
    seeded_rows(rows.matrix(), 0x123456789ABCDEF0, ~std::uint64_t{0}, init);
    rows.put("seeded/" + name);
  }
}

}  // namespace

void write_inputs(const Surroundings& how) {
  for_types([&]<class T>(T) {
    input_stages<T>(how);
    orders<T>(how);
    lookups<T>(how);
    drops<T>(how);
    gradients<T>(how);
  });
  seeds(how, "normal", RowInit::normal);
  seeds(how, "scaled", RowInit::scaled);
}

}  // namespace posenc::proof
