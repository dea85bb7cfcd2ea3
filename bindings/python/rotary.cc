// SPDX-License-Identifier: Apache-2.0
// Rotations of queries and keys, tables of their cosines and sines, and keys that are moved.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <posenc/rerotate.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>

#include "bindings/python/bind.h"
#include "bindings/python/calls.h"
#include "bindings/python/conventions.h"
#include "bindings/python/positions.h"

namespace posenc::python {
namespace {

HandleKey rotary_key(std::string_view operation, nb::handle convention, std::int64_t width, nb::handle recipe,
                     nb::handle context) {
  KnownPtr known = known_convention(operation, convention);
  require(check_use(operation, ConventionUse::rotations, known->convention));
  const Recipe& arithmetic = recipe_of(operation, recipe, *known);
  return {std::move(known), width, &arithmetic, context_of(operation, context)};
}

// Of Python's axis numbers: -2 in [.., L, d], -3 in [.., L, H, d].
TokenAxis token_axis(std::string_view operation, nb::handle axis) {
  if (axis.is_none()) return TokenAxis::before_columns;
  const std::int64_t number = integer(operation, "token_axis", axis);
  if (number == -2) return TokenAxis::before_columns;
  if (number == -3) return TokenAxis::before_heads;
  refuse(operation, "token_axis must be -2 or -3", std::to_string(number));
}

// The problem of a tensor, in Python's terms.
std::optional<Problem> told_of_tensor(std::string_view like, nb::handle out, std::optional<Problem> problem) {
  constexpr std::string_view axis = "before_heads";
  problem = told_of(like, out, std::move(problem));
  if (!problem) return problem;
  if (const std::size_t at = problem->rule.find(axis); at != std::string::npos) {
    problem->rule.replace(at, axis.size(), "token_axis=-3");
  }
  return problem;
}

RotatedSide side_of(nb::handle side) {
  constexpr std::string_view sides[] = {"query", "key"};
  return side.is_none() ? RotatedSide{} : word_of<RotatedSide>("rotate", "side", side, sides);
}

// A tensor, its result, and what holds both.
struct Turned {
  Input in;
  Output out;
};

Turned turned_of(nb::handle x, nb::handle out) {
  Turned made;
  if (out.is(x)) {  // in place
    made.out = output("rotate", "out", out);
    made.in.view = made.out.view;
    return made;
  }
  made.in = input("rotate", "x", x);
  made.out = output_or_like("rotate", out, x, made.in.view);
  return made;
}

bool are_several(nb::handle x) { return PyList_Check(x.ptr()) || PyTuple_Check(x.ptr()); }

// Item i of a sequence of `count`, or the one thing for all.
nb::object item_of(nb::handle of, std::size_t i, std::size_t count, std::string_view name) {
  if (of.is_none() || PyUnicode_Check(of.ptr()) || PyLong_Check(of.ptr())) return nb::borrow(of);
  if (!PySequence_Check(of.ptr())) refuse_type("rotate", std::string(name) + " must be one for each tensor", of);
  if (nb::len(of) != count) {
    refuse("rotate", std::string(name) + " must be one for each tensor", std::to_string(nb::len(of)));
  }
  return item_at(of, i);
}

// One tensor, or several at the same positions.
std::vector<Turned> all_turned(nb::handle x, nb::handle out) {
  std::vector<Turned> made;
  if (!are_several(x)) {
    made.push_back(turned_of(x, out));
    return made;
  }
  const std::size_t count = nb::len(x);
  if (count == 0) refuse("rotate", "x must have a tensor", "none");
  made.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back(turned_of(item_of(x, i, count, "x"), item_of(out, i, count, "out")));
  }
  return made;
}

// Columns of a head, where the caller does not state them: all of the first tensor.
std::int64_t head_of(const ConstView& first) {
  if (first.rank < 2) refuse("rotate", "x must have shape [.., L, d]", std::to_string(first.rank) + " axes");
  return first.size(-1);
}

nb::object turn(const RotaryRows& rows, nb::handle positions, const std::vector<Turned>& made, nb::handle x,
                nb::handle out, nb::handle side, nb::handle axis, nb::handle inverse) {
  const CoordinateArgument at("rotate", "positions", positions, rows.axes());
  const Direction direction = truth(inverse) ? Direction::inverse : Direction::forward;
  std::vector<Rotated> tensors;
  tensors.reserve(made.size());
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const nb::object own_side = item_of(side, i, made.size(), "side");
    const nb::object own_axis = item_of(axis, i, made.size(), "token_axis");
    tensors.push_back({made[i].in.view, made[i].out.view, side_of(own_side), token_axis("rotate", own_axis)});
    elements += made[i].out.view.count();
  }
  if (auto problem = rows.check_rotate(at.lists(), tensors, direction)) {
    require(told_of_tensor("x", out, std::move(problem)));
  }
  call(elements,
       [&](const Executor& executor) { return rows.rotate_checked(at.lists(), tensors, direction, executor); });
  if (!are_several(x)) return made[0].out.array;
  const nb::object results = nb::steal(PyTuple_New(std::ssize(made)));
  for (std::size_t i = 0; i < made.size(); ++i) {
    PyTuple_SetItem(results.ptr(), static_cast<Py_ssize_t>(i), nb::object(made[i].out.array).release().ptr());
  }
  return results;
}

nb::object rotate_by(const RotaryRows& rows, nb::handle positions, nb::handle x, nb::handle out, nb::handle side,
                     nb::handle axis, nb::handle inverse) {
  return turn(rows, positions, all_turned(x, out), x, out, side, axis, inverse);
}

nb::object rotate(nb::handle convention, nb::handle positions, nb::handle x, nb::handle out, nb::handle rotated,
                  nb::handle side, nb::handle axis, nb::handle inverse, nb::handle recipe, nb::handle context) {
  const std::vector<Turned> made = all_turned(x, out);
  const std::int64_t head = rotated.is_none() ? head_of(made[0].in.view) : integer("rotate", "rotated", rotated);
  const RotaryRows rows = handle_of<RotaryRows>(rotary_key("rotate", convention, head, recipe, context));
  return turn(rows, positions, made, x, out, side, axis, inverse);
}

// ---- tables of cosines and sines -------------------------------------------------------------------------------

// Tensors of one call, each checked beside those before it.
void check_cache(const RotaryCache& cache, const std::vector<std::string>& names, std::span<const Positions> at,
                 const std::vector<Output>& made) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    require(cache.check_write(names[i], at, made[i].view));
    for (std::size_t j = 0; j < i; ++j) {
      require(check_overlap("rotary_cache", "out of " + names[j], made[j].view, "out of " + names[i], made[i].view,
                            Sharing::none));
    }
  }
}

void write_cache(const RotaryCache& cache, const CoordinateArgument& at, const std::vector<Output>& made) {
  check_cache(cache, cache.tensors(), at.lists(), made);
  for (std::size_t i = 0; i < made.size(); ++i) {
    call(made[i].view.count(), [&](const Executor& executor) {
      return cache.write_checked(cache.tensors()[i], at.lists(), made[i].view, executor);
    });
  }
}

nb::object rotary_cache(nb::handle convention, nb::handle head, nb::handle positions, nb::handle stored,
                        nb::handle dtype, nb::handle recipe, nb::handle context, nb::handle out) {
  HandleKey key = rotary_key("rotary_cache", convention, integer("rotary_cache", "head", head), recipe, context);
  if (!stored.is_none()) key.known = stored_as(key.known, text("rotary_cache", "stored", stored));
  const RotaryCache cache = handle_of<RotaryCache>(key);
  const CoordinateArgument at("rotary_cache", "positions", positions, cache.axes());
  const DType type = real_dtype("rotary_cache", dtype);
  const std::vector<std::string> names = cache.tensors();
  std::vector<Output> made;
  for (const std::string& tensor : names) {
    nb::object given = nb::none();
    if (!out.is_none()) {
      given = found_in(out, tensor);
      if (!given.is_valid()) refuse("rotary_cache", "out must be a mapping with every tensor", "none of " + tensor);
    }
    made.push_back(output_or_fresh("rotary_cache", given, type, at.shape_with(cache.width())));
  }
  write_cache(cache, at, made);
  nb::dict tensors;
  for (std::size_t i = 0; i < names.size(); ++i) tensors[nb::str(names[i].c_str())] = made[i].array;
  return tensors;
}

// The tensors of a cache in their order.
nb::object write_tensors(const RotaryCache& cache, nb::handle positions, nb::tuple tensors) {
  if (tensors.size() != cache.tensors().size()) {
    refuse("rotary_cache", "out must have every tensor", std::to_string(tensors.size()) + " of them");
  }
  const CoordinateArgument at("rotary_cache", "positions", positions, cache.axes());
  std::vector<Output> made;
  made.reserve(tensors.size());
  for (const nb::handle tensor : tensors) made.push_back(output("rotary_cache", "out", tensor));
  write_cache(cache, at, made);
  return tensors;
}

std::int64_t rotary_width(nb::handle convention, nb::handle head) {
  const KnownPtr known = known_convention("rotary_cache", convention);
  return RotaryCache::width(known->convention, integer("rotary_cache", "head", head));
}

// Whether its frequencies are those of sequences of some length: dynamic NTK, LongRoPE.
bool depends_on_length(nb::handle convention, nb::handle head) {
  const KnownPtr known = stored_as(known_convention("rotary_cache", convention), "halves_twice");
  const std::int64_t width = integer("rotary_cache", "head", head);
  if (!RotaryCache::check(known->convention, width)) return false;
  require(RotaryCache::check(known->convention, width, {.context = {.length = 1}}));
  return true;
}

nb::list rotary_frequencies(nb::handle convention, nb::handle head, nb::handle recipe, nb::handle context) {
  HandleKey key = rotary_key("frequencies", convention, integer("frequencies", "head", head), recipe, context);
  key.known = stored_as(key.known, "halves_twice");  // any form tells them
  return list_of(frequencies_of(handle_of<RotaryCache>(key)));
}

nb::object rerotated(nb::handle convention, nb::handle keys, nb::handle from, nb::handle to, nb::handle from_context,
                     nb::handle to_context, nb::handle axis, nb::handle out) {
  const KnownPtr known = known_convention("rerotate", convention);
  require(check_use("rerotate", ConventionUse::rotations, known->convention));
  const std::vector<std::string> axes = axes_of(known->convention);
  const CoordinateArgument was("rerotate", "from", from, axes), is("rerotate", "to", to, axes);
  Turned made = turned_of(keys, out);
  const Rotated moved(made.in.view, made.out.view, RotatedSide::key, token_axis("rerotate", axis));
  const Standing before = {was.lists(), context_of("rerotate", from_context)};
  const Standing after = {is.lists(), context_of("rerotate", to_context)};
  require(told_of_tensor("keys", out, check_rerotate(known->convention, before, after, moved)));
  call(made.out.view.count(),
       [&](const Executor& executor) { return rerotate_checked(known->convention, before, after, moved, executor); });
  return made.out.array;
}

}  // namespace

void bind_rotary(nb::module_& module) {
  module.def("rotate", &rotate);
  module.def("rotary_cache", &rotary_cache);
  module.def("rotary_width", &rotary_width);
  module.def("rotary_depends_on_length", &depends_on_length);
  module.def("rotary_frequencies", &rotary_frequencies);
  module.def("rerotate", &rerotated);
  nb::class_<RotaryCache>(module, "RotaryCache")
      .def("__init__",
           [](RotaryCache* self, nb::handle convention, nb::handle head, nb::handle stored, nb::handle recipe,
              nb::handle context) {
             const std::int64_t width = integer("rotary_cache", "head", head);
             HandleKey key = rotary_key("rotary_cache", convention, width, recipe, context);
             key.known = stored_as(key.known, text("rotary_cache", "stored", stored));
             new (self) RotaryCache(handle_of<RotaryCache>(key));
           })
      .def("write", &write_tensors);
  nb::class_<RotaryRows>(module, "Rotary")
      .def("__init__",
           [](RotaryRows* self, nb::handle convention, nb::handle rotated, nb::handle recipe, nb::handle context) {
             new (self) RotaryRows(handle_of<RotaryRows>(
                 rotary_key("rotary", convention, integer("rotary", "rotated", rotated), recipe, context)));
           })
      .def("width", &RotaryRows::width)
      .def("axes", &RotaryRows::axes)
      .def("rotate", &rotate_by);
}

}  // namespace posenc::python
