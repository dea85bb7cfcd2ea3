// SPDX-License-Identifier: Apache-2.0
// The input stage with its gradient, dropout, and rows made from a seed.
#include <nanobind/stl/vector.h>
#include <posenc/backward.h>

#include "bindings/python/bind.h"
#include "bindings/python/blocks.h"
#include "bindings/python/calls.h"
#include "bindings/python/conventions.h"
#include "bindings/python/positions.h"

namespace posenc::python {
namespace {

/// The stage, and the arrays that it reads.
struct StageHandle {
  Input rows, table;
  InputStage stage;
};

// A number, "none" or "sqrt_dim"; or (one of these, the type that it is rounded to or None).
Scale scale_of(nb::handle scale) {
  if (PyTuple_Check(scale.ptr())) {
    if (nb::len(scale) != 2) refuse_type("stage", "scale must be a number, none, sqrt_dim or Scale", scale);
    const nb::tuple items = nb::borrow<nb::tuple>(scale);
    const Scale plain = scale_of(items[0]);
    return nb::handle(items[1]).is_none() ? plain : plain.rounded_to(real_dtype("stage", items[1]));
  }
  if (!PyUnicode_Check(scale.ptr())) return Scale::of(real("stage", "scale", scale));
  const std::string word = text("stage", "scale", scale);
  if (word == "none") return Scale::none;
  if (word == "sqrt_dim") return Scale::sqrt_dim;
  refuse("stage", "scale must be a number, none or sqrt_dim", word);
}

StageOptions options_of(nb::handle scale, nb::handle dropout, nb::handle seed, nb::handle padding_id) {
  StageOptions options = {.scale = scale_of(scale),
                          .dropout = real("stage", "dropout", dropout),
                          .seed = natural("stage", "seed", seed, 64)};
  if (!padding_id.is_none()) options.padding_id = integer("stage", "padding_id", padding_id);
  return options;
}

// As wide as rows, of those that were made last.
Rows signal_of(const ConstView& rows, nb::handle convention, nb::handle recipe, nb::handle context) {
  if (rows.rank != 2) {
    refuse("stage", "rows must have shape [vocabulary, d]", std::to_string(rows.rank) + " axes");
  }
  const KnownPtr known = known_convention("stage", convention);
  const HandleKey key = {known, rows.size(-1), &recipe_of("stage", recipe, *known), context_of("stage", context)};
  require(check_use("sinusoid", ConventionUse::rows, known->convention));
  return handle_of<Rows>(key);
}

// Of a table there is nothing to compute.
void expect_no_signal(nb::handle recipe, nb::handle context) {
  const std::string word = text("stage", "recipe", recipe);
  if (word != "exact") refuse("stage", "recipe must be that of a convention: a table has none", word);
  const std::string_view rule = "length and learned must be those of a convention: a table has none";
  if (!context.is_none()) refuse("stage", rule, said(context));
}

void make_stage(StageHandle* self, nb::handle rows, nb::handle convention, nb::handle table, nb::handle scale,
                nb::handle dropout, nb::handle seed, nb::handle padding_id, nb::handle recipe, nb::handle context) {
  StageOptions options = options_of(scale, dropout, seed, padding_id);
  Input read = input("stage", "rows", rows), stored;
  if (convention.is_none() == table.is_none()) {
    refuse_type("stage", "a stage has a convention or a table", std::string(table.is_none() ? "neither" : "both"));
  }
  if (!table.is_none()) {
    expect_no_signal(recipe, context);
    stored = input("stage", "table", table);
    InputStage stage = without_gil([&] { return InputStage(read.view, stored.view, options); });
    new (self) StageHandle{std::move(read), std::move(stored), std::move(stage)};
    return;
  }
  const Rows signal = signal_of(read.view, convention, recipe, context);
  InputStage stage(read.view, signal, options);
  new (self) StageHandle{std::move(read), {}, std::move(stage)};
}

EncodeOptions encode_options(nb::handle train, nb::handle call_number, nb::handle first) {
  return {.mode = truth(train) ? StageMode::train : StageMode::evaluate,
          .call = static_cast<std::uint32_t>(natural("encode", "call", call_number, 32)),
          .first = static_cast<std::uint32_t>(natural("encode", "first", first, 32))};
}

std::vector<std::int64_t> shape_behind(const ConstView& ids, std::int64_t width) {
  std::vector<std::int64_t> shape(ids.shape.begin(), ids.shape.begin() + ids.rank);
  shape.push_back(width);
  return shape;
}

nb::object encode(const StageHandle& self, nb::handle ids, nb::handle positions, nb::handle out, nb::handle train,
                  nb::handle call_number, nb::handle first) {
  const Input tokens = integers("encode", "ids", ids);
  const PositionArgument at = positions_of("encode", "positions", positions);
  EncodeOptions options = encode_options(train, call_number, first);
  Output to = output_or_fresh("encode", out, self.rows.view.dtype, shape_behind(tokens.view, self.stage.width()));
  require(self.stage.check_encode(tokens.view, at.positions, to.view, options));
  call(to.view.count(), [&](const Executor& executor) {
    options.executor = executor;
    return self.stage.encode_checked(tokens.view, at.positions, to.view, options);
  });
  return to.array;
}

// ---- the gradient ------------------------------------------------------------------------------------------------

nb::object ids_array(std::span<const std::int64_t> ids) {
  const std::int64_t shape[] = {std::ssize(ids)};
  const Output made = fresh("touched", DType::i64, shape);
  std::copy(ids.begin(), ids.end(), static_cast<std::int64_t*>(made.view.data));
  return made.array;
}

// It sorts the ids.
Backward backward_of(const StageHandle& self, const Input& tokens) {
  const auto make = [stage = self.stage, ids = tokens.view] { return Backward(stage, ids); };
  return made_ready(tokens.view.count(), worth_releasing, make, std::make_shared<Input>(tokens));
}

nb::object touched(const StageHandle& self, nb::handle ids) {
  const Input tokens = integers("touched", "ids", ids);
  return ids_array(backward_of(self, tokens).touched());
}

nb::object gradient(const StageHandle& self, nb::handle ids, nb::handle grad_out, nb::handle out, nb::handle train,
                    nb::handle call_number, nb::handle first) {
  const Input tokens = integers("backward", "ids", ids), grad = input("backward", "grad_out", grad_out);
  EncodeOptions options = encode_options(train, call_number, first);
  const Backward backward = backward_of(self, tokens);
  const ConstView& rows = self.rows.view;
  Output to = output_or_fresh("backward", out, rows.dtype, std::span(rows.shape.data(), 2));
  require(backward.check_write(grad.view, to.view, options));
  call(std::max(to.view.count(), grad.view.count()), [&](const Executor& executor) {
    options.executor = executor;
    backward.write_checked(grad.view, to.view, options);
    return std::optional<Problem>();
  });
  return to.array;
}

nb::object touched_gradient(const StageHandle& self, nb::handle ids, nb::handle grad_out, nb::handle train,
                            nb::handle call_number, nb::handle first) {
  const Input tokens = integers("backward", "ids", ids), grad = input("backward", "grad_out", grad_out);
  EncodeOptions options = encode_options(train, call_number, first);
  const Backward backward = backward_of(self, tokens);
  const std::int64_t shape[] = {std::ssize(backward.touched()), self.stage.width()};
  Output to = fresh("backward", self.rows.view.dtype, shape);
  require(backward.check_write_touched(grad.view, to.view, options));
  call(std::max(to.view.count(), grad.view.count()), [&](const Executor& executor) {
    options.executor = executor;
    backward.write_touched_checked(grad.view, to.view, options);
    return std::optional<Problem>();
  });
  return nb::make_tuple(ids_array(backward.touched()), to.array);
}

// ---- dropout ------------------------------------------------------------------------------------------------------

// In blocks of tokens, whose masks are those of the whole.
void drop(const ConstView& in, const View& out, double p, const DropoutKey& key, const Executor& executor) {
  if (in.count() == 0) return;
  const std::int64_t tokens = in.size(-2), block = std::max<std::int64_t>(1, block_elements / (in.count() / tokens));
  in_blocks(executor, tokens, block, [&](std::int64_t first, std::int64_t count) {
    DropoutKey own = key;
    own.first += static_cast<std::uint32_t>(first);
    detail::dropout(part_of(in, -2, first, count), part_of(out, -2, first, count), p, own);
  });
}

nb::object dropped(nb::handle x, nb::handle p, nb::handle seed, nb::handle call_number, nb::handle first,
                   nb::handle out) {
  const DropoutKey key = {natural("dropout", "seed", seed, 64),
                          static_cast<std::uint32_t>(natural("dropout", "call", call_number, 32)),
                          static_cast<std::uint32_t>(natural("dropout", "first", first, 32))};
  const double probability = real("dropout", "p", p);
  Input from;
  Output to;
  if (out.is(x)) {
    to = output("dropout", "out", out);
    from.view = to.view;
  } else {
    from = input("dropout", "x", x);
    to = output_or_like("dropout", out, x, from.view);
  }
  require(told_of("x", out, check_dropout(from.view, to.view, probability, key)));
  call(to.view.count(), [&](const Executor& executor) {
    drop(from.view, to.view, probability, key, executor);
    return std::optional<Problem>();
  });
  return to.array;
}

nb::object random_rows(nb::handle vocabulary, nb::handle dim, nb::handle seed, nb::handle stream, nb::handle init) {
  constexpr std::string_view inits[] = {"normal", "scaled"};
  const std::int64_t shape[] = {integer("seeded_rows", "rows", vocabulary), integer("seeded_rows", "dim", dim)};
  if (const std::int64_t least = std::min(shape[0], shape[1]); least < 0) {
    refuse("seeded_rows", "rows and dim must be >= 0", std::to_string(least));
  }
  const std::uint64_t key = natural("seeded_rows", "seed", seed, 64),
                      branch = natural("seeded_rows", "stream", stream, 64);
  const RowInit kind = word_of<RowInit>("seeded_rows", "init", init, inits);
  const Output to = fresh("seeded_rows", DType::f32, shape);
  require(check_seeded_rows(to.view, kind));
  call(to.view.count(),
       [&](const Executor& executor) { return detail::seeded_rows(to.view, key, branch, kind, executor); });
  return to.array;
}

}  // namespace

void bind_stage(nb::module_& module) {
  nb::class_<StageHandle>(module, "InputStage")
      .def("__init__", &make_stage)
      .def("width", [](const StageHandle& self) { return self.stage.width(); })
      .def("factor", [](const StageHandle& self) { return self.stage.factor(); })
      .def("encode", &encode)
      .def("backward", &gradient)
      .def("backward_touched", &touched_gradient)
      .def("touched", &touched);
  module.def("dropout", &dropped);
  module.def("seeded_rows", &random_rows);
}

}  // namespace posenc::python
