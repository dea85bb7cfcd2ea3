// SPDX-License-Identifier: Apache-2.0
// Which convention is this, is it the same as that, and if not, why: results as JSON and as text for people.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <posenc/cell_places.h>
#include <posenc/io/identify_file.h>
#include <posenc/referee/referee.h>

#include "bindings/python/apart.h"
#include "bindings/python/bind.h"
#include "bindings/python/conventions.h"
#include "bindings/python/positions.h"

namespace posenc::python {
namespace {

using Told = std::pair<std::string, std::string>;  // JSON, and the words of the tool

template <class Result>
Told told(const Result& result) {
  return {to_json(result), to_string(result)};
}

// What a call reads of Python, which must live as long as its work.
struct Read {
  std::vector<Input> arrays;
  std::vector<PositionArgument> lists;

  ConstView take(std::string_view operation, std::string_view name, nb::handle array) {
    arrays.push_back(input(operation, name, array));
    return arrays.back().view;
  }
  std::optional<Positions> take_one(std::string_view operation, std::string_view name, nb::handle values) {
    if (values.is_none()) return std::nullopt;
    lists.push_back(positions_of(operation, name, values));
    return lists.back().positions;
  }
  std::vector<Positions> take_all(std::string_view operation, std::string_view name, nb::handle values) {
    std::vector<Positions> all;
    for (std::size_t i = 0; i < nb::len(values); ++i) {
      lists.push_back(positions_of(operation, name, item_at(values, i)));
      all.push_back(lists.back().positions);
    }
    return all;
  }
};

constexpr std::string_view depths[] = {"sampled", "full"};

IdentifyOptions options_of(std::string_view operation, nb::handle positions, nb::handle depth, Read& read) {
  IdentifyOptions options;
  options.depth = word_of<SearchDepth>(operation, "depth", depth, depths);
  options.positions = read.take_all(operation, "positions", positions);
  return options;
}

IdentifyOptions by(const Executor& executor, IdentifyOptions options) {
  options.executor = executor;
  return options;
}

Told identified(nb::handle tensor, nb::handle positions, nb::handle depth) {
  const auto read = std::make_shared<Read>();
  const ConstView view = read->take("identify", "tensor", tensor);
  const IdentifyOptions options = options_of("identify", positions, depth, *read);
  return made_apart(read,
                    [view, options](const Executor& executor) { return told(identify(view, by(executor, options))); });
}

Told identified_rotation(nb::handle before, nb::handle after, nb::handle positions, nb::handle depth) {
  const auto read = std::make_shared<Read>();
  const ConstView was = read->take("identify", "before", before), is = read->take("identify", "after", after);
  read->lists.push_back(positions_of("identify", "positions", positions));
  const Positions at = read->lists.back().positions;
  IdentifyOptions options;
  options.depth = word_of<SearchDepth>("identify", "depth", depth, depths);
  return made_apart(read, [was, is, at, options](const Executor& executor) {
    return told(identify_rotation(was, is, at, by(executor, options)));
  });
}

// Of the arguments that check and check_file have alike.
struct CheckAsked {
  KnownPtr against;
  DiagnoseOptions options;

  CheckAsked(nb::handle convention, nb::handle dim, nb::handle positions, nb::handle queries, nb::handle keys,
             nb::handle context, nb::handle places, nb::handle depth, Read& read)
      : against(known_convention("check", convention)) {
    if (!dim.is_none()) options.dim = integer("check", "dim", dim);
    options.context = context_of("check", context);
    const bool has_places = !places.is_none() || against->preset != nullptr;
    if (has_places) options.places = cell_places_of("check", places, *against);
    options.identify = options_of("check", positions, depth, read);
    options.queries = read.take_one("check", "queries", queries);
    options.keys = read.take_one("check", "keys", keys);
  }
  Told told_of(const ConstView& view, const Executor& executor) const {
    DiagnoseOptions own = options;
    own.identify = by(executor, own.identify);
    return told(diagnose(view, against->convention, own));
  }
};

Told checked(nb::handle tensor, nb::handle against, nb::handle dim, nb::handle positions, nb::handle queries,
             nb::handle keys, nb::handle context, nb::handle places, nb::handle depth) {
  const auto read = std::make_shared<Read>();
  const ConstView view = read->take("check", "tensor", tensor);
  const CheckAsked asked(against, dim, positions, queries, keys, context, places, depth, *read);
  return made_apart(read, [view, asked](const Executor& executor) { return asked.told_of(view, executor); });
}

// ---- files --------------------------------------------------------------------------------------------------------

std::string tensor_name(std::string_view operation, nb::handle tensor) {
  return tensor.is_none() ? std::string() : text(operation, "tensor", tensor);
}

// JSON and the words of all, then those of each tensor.
using FileTold = std::tuple<std::string, std::string, std::vector<std::string>>;

FileTold identified_file(nb::handle path, nb::handle tensor, nb::handle positions, nb::handle depth) {
  const auto read = std::make_shared<Read>();
  const std::string file = text("identify", "path", path);
  io::IdentifyFileOptions options = {.tensor = tensor_name("identify", tensor)};
  options.identify = options_of("identify", positions, depth, *read);
  return made_apart(read, [file, options](const Executor& executor) -> FileTold {
    io::IdentifyFileOptions own = options;
    own.identify = by(executor, own.identify);
    const io::FileIdentification found = io::identify_file(file, own);
    std::vector<std::string> texts;
    for (const io::TensorIdentification& each : found.tensors) {
      texts.push_back(each.found ? to_string(*each.found) : each.note);
    }
    return {to_json(found), to_string(found), std::move(texts)};
  });
}

Told checked_file(nb::handle path, nb::handle tensor, nb::handle against, nb::handle dim, nb::handle positions,
                  nb::handle queries, nb::handle keys, nb::handle context, nb::handle places, nb::handle depth) {
  const auto read = std::make_shared<Read>();
  const std::string file = text("check", "path", path), name = tensor_name("check", tensor);
  const CheckAsked asked(against, dim, positions, queries, keys, context, places, depth, *read);
  return made_apart(read, [file, name, asked](const Executor& executor) {
    const io::TensorFiles files(file);
    const io::Array array = files.read(name.empty() ? files.only().name : name);
    return asked.told_of(array.view(), executor);
  });
}

Told compared(nb::handle a, nb::handle b, nb::handle dim, nb::handle head, nb::handle positions, nb::handle context) {
  const auto read = std::make_shared<Read>();
  const KnownPtr one = known_convention("compare", a), other = known_convention("compare", b);
  CompareOptions options;
  if (!dim.is_none()) options.dim = integer("compare", "dim", dim);
  options.head_width = integer("compare", "head", head);
  if (one->preset != nullptr && other->preset != nullptr) {  // how others number places is not known
    options.places_of_a = posenc::places_of(*one->preset);
    options.places_of_b = posenc::places_of(*other->preset);
  }
  options.context = context_of("compare", context);
  options.positions = read->take_all("compare", "positions", positions);
  return made_apart(read, [one, other, options](const Executor& executor) {
    CompareOptions own = options;
    own.executor = executor;
    return told(compare(one->convention, other->convention, own));
  });
}

// ---- one entry ----------------------------------------------------------------------------------------------------

constexpr std::string_view sides[] = {"query", "key"};

std::array<double, 2> pair_of(nb::handle values) {
  if (!PySequence_Check(values.ptr()) || PyUnicode_Check(values.ptr())) {
    refuse_type("explain", "values must be two numbers", values);
  }
  if (nb::len(values) != 2) {
    refuse("explain", "values must be two numbers", std::to_string(nb::len(values)) + " of them");
  }
  return {real("explain", "values", item_at(values, 0)), real("explain", "values", item_at(values, 1))};
}

Told explained(nb::handle convention, nb::handle dim, nb::handle column, nb::handle position, nb::handle key,
               nb::handle recipe, nb::handle values, nb::handle side, nb::handle head, nb::handle context) {
  const auto read = std::make_shared<Read>();
  const KnownPtr known = known_convention("explain", convention);
  EntryAsked asked;
  asked.dim = integer("explain", "dim", dim), asked.column = integer("explain", "column", column);
  asked.before = pair_of(values);
  asked.side = word_of<RotatedSide>("explain", "side", side, sides);
  std::shared_ptr<CoordinateArgument> at;
  if (key.is_none()) {
    at = std::make_shared<CoordinateArgument>("explain", "position", position, axes_of(known->convention));
    asked.at.assign(at->lists().begin(), at->lists().end());
  } else {
    asked.at = read->take_all("explain", "position", nb::make_tuple(position, key));
  }
  Options options = {.recipe = recipe_of("explain", recipe, *known), .context = context_of("explain", context)};
  if (const std::int64_t width = integer("explain", "head", head); width != 0) options.context.head = width;
  const auto held = std::make_shared<std::pair<std::shared_ptr<Read>, std::shared_ptr<CoordinateArgument>>>(read, at);
  return made_apart(
      held, [known, asked, options](const Executor&) { return told(explain(known->convention, asked, options)); });
}

std::optional<Told> parted(nb::handle a, nb::handle b, nb::handle dim, nb::handle positions, nb::handle context) {
  const KnownPtr one = known_convention("parting", a), other = known_convention("parting", b);
  const std::int64_t width = integer("parting", "dim", dim), searched = integer("parting", "positions", positions);
  const Context given = context_of("parting", context);
  return made_apart(nullptr, [=](const Executor&) -> std::optional<Told> {
    const std::optional<Parting> found =
        parting(one->convention, other->convention, width, searched, {.context = given});
    return found ? std::optional(told(*found)) : std::nullopt;
  });
}

}  // namespace

void bind_referee(nb::module_& module) {
  bind_apart();
  module.def("identify", &identified);
  module.def("identify_rotation", &identified_rotation);
  module.def("identify_file", &identified_file);
  module.def("check", &checked);
  module.def("check_file", &checked_file);
  module.def("compare", &compared);
  module.def("explain", &explained);
  module.def("parting", &parted);
}

}  // namespace posenc::python
