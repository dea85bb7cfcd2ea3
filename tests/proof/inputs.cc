// SPDX-License-Identifier: Apache-2.0
// Input stages of other scales, recipes, tables, positions and orders of axes; what they are made of: rows by id,
// seeded rows, dropout in place, gradients of a list of ids.
#include <posenc/backward.h>
#include <posenc/preset.h>

#include "tests/proof/positions.h"
#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

constexpr std::int64_t vocabulary = 50, sequences = 2, length = 8, dim = 37;
constexpr Sinusoid signal = {Geometric{10000, 1, Spacing::over_width}, Layout::sine_first, OddWidth::zero_column};

std::vector<std::int64_t> some_ids() {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < sequences * length; ++i) ids.push_back(i * i * 7 % vocabulary);
  return ids;
}

// ---- stages ---------------------------------------------------------------------------------------

template <class T>
void encode(const Surroundings& how, const std::string& name, const InputStage& input, const Positions& positions,
            Mode mode) {
  Threads threads(how.threads);
  const std::vector<std::int64_t> ids = some_ids();
  Rows<T> out(how, sequences * length, dim);
  input.encode(view(ids.data(), {sequences, length}), positions, out.batch(sequences),
               {.mode = mode, .call = 3, .first = 5, .executor = threads.executor(), .reading = how.reading});
  out.put("stage/" + name);
}

template <class T>
void stages(const Surroundings& how) {
  const std::vector<T> values = seeded<T>(vocabulary, dim), learned = seeded<T>(99, dim);
  const ConstView rows = view(values.data(), {vocabulary, dim}), table = view(learned.data(), {99, dim});
  const Positions from = Positions::range(70, length),
                  own = Positions::list(view(extreme_integers.data(), {2, length}));

  const StageOptions plain = {.scale = Scale::none};
  StageOptions dropping = {.scale = Scale::sqrt_dim, .dropout = 0.1, .seed = 77, .padding_id = 7};
  encode<T>(how, "scale-none", {rows, signal, plain}, from, Mode::evaluate);
  encode<T>(how, "scale-number", {rows, signal, {.scale = Scale::of(0.37)}}, from, Mode::evaluate);
  encode<T>(how, "scale-rounded", {rows, signal, {.scale = Scale::sqrt_dim.rounded_to(DType::bf16)}}, from,
            Mode::evaluate);
  encode<T>(how, "own-positions", {rows, signal, dropping}, own, Mode::evaluate);
  encode<T>(how, "own-positions/dropout", {rows, signal, dropping}, own, Mode::train);
  encode<T>(how, "table", {rows, table, plain}, from, Mode::evaluate);
  encode<T>(how, "table/dropout", {rows, table, dropping}, from, Mode::train);
  for (const std::string_view name : {"f32-exp", "f32-divide", "f64"}) {
    dropping.recipe = recipe(name);
    encode<T>(how, "recipe/" + std::string(name), {rows, signal, dropping}, own, Mode::evaluate);
  }
}

// Sequence first, and each row by a step of its own.
template <class T>
void orders(const Surroundings& how) {
  const std::vector<T> values = seeded<T>(vocabulary, dim);
  const InputStage input(view(values.data(), {vocabulary, dim}), signal, {.scale = Scale::sqrt_dim});
  const std::vector<std::int64_t> ids = some_ids();
  const ConstView all_ids = view(ids.data(), {sequences, length});

  Rows<T> turned(how, sequences * length, dim);
  input.encode(all_ids, Positions::range(-3, length), turned.batch(length).transposed(0, 1));
  turned.put("stage/sequence-first");

  Rows<T> step(how, sequences, dim);
  for (std::int64_t t = 0; t < length; ++t) {
    ConstView column = all_ids;
    column.data = ids.data() + t;
    column.shape[1] = 1;
    input.encode(column, Positions::at(extreme_integers[static_cast<std::size_t>(t)]), step.batch(sequences));
    step.put("stage/step");
  }
}

// ---- parts ----------------------------------------------------------------------------------------

template <class T>
void lookups(const Surroundings& how) {
  const std::vector<T> values = seeded<T>(vocabulary, dim);
  const std::vector<std::int64_t> ids = some_ids();
  Rows<T> out(how, sequences * length, dim);
  const Embedding embedding = {view(values.data(), {vocabulary, dim}), 7};
  embedding.lookup(view(ids.data(), {sequences, length}), out.batch(sequences));
  out.put("embedding/lookup");
}

template <class T>
void drops(const Surroundings& how) {
  for (const double p : {0.0, 0.001, 0.5, 0.999}) {
    Rows<T> rows(how, sequences * length, dim);
    rows.fill(seeded<T>(sequences * length, dim));
    dropout(rows.matrix(), rows.matrix(), p, {~std::uint64_t{0}, 4, 1000});
    rows.put("dropout/in-place");
  }
}

template <class T>
void gradients(const Surroundings& how) {
  Threads threads(how.threads);
  const std::vector<T> values = seeded<T>(vocabulary, dim), gradient = seeded<T>(sequences * length, dim);
  const std::vector<std::int64_t> ids = some_ids();
  const InputStage stage(view(values.data(), {vocabulary, dim}), signal, {.scale = Scale::of(0.37)});
  const Backward plan(stage, view(ids.data(), {sequences * length}));
  Rows<T> dense(how, vocabulary, dim), touched(how, std::ssize(plan.touched()), dim);
  const ConstView grad_out = view(gradient.data(), {sequences * length, dim});
  plan.write(grad_out, dense.matrix(), {.executor = threads.executor()});
  dense.put("backward/dense/list");
  plan.write_touched(grad_out, touched.matrix(), {.executor = threads.executor()});
  touched.put("backward/touched/list");
}

void seeds(const Surroundings& how, const std::string& name, Init init) {
  for (const std::int64_t columns : {1, 3, 64, 515}) {
    Rows<float> rows(how, 33, columns);
    seeded_rows(rows.matrix(), 0x123456789ABCDEF0, ~std::uint64_t{0}, init);
    rows.put("seeded/" + name);
  }
}

}  // namespace

void write_inputs(const Surroundings& how) {
  for_types([&]<class T>(T) {
    stages<T>(how);
    orders<T>(how);
    lookups<T>(how);
    drops<T>(how);
    gradients<T>(how);
  });
  seeds(how, "normal", Init::normal);
  seeds(how, "scaled", Init::scaled);
}

}  // namespace posenc::proof
