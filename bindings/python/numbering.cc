// SPDX-License-Identifier: Apache-2.0
// From the places of a batch or a grid to positions.
#include <nanobind/stl/vector.h>
#include <posenc/numbering.h>

#include "bindings/python/bind.h"
#include "bindings/python/blocks.h"
#include "bindings/python/calls.h"
#include "bindings/python/conventions.h"
#include "bindings/python/positions.h"

namespace posenc::python {
namespace {

std::span<const std::int64_t> shape_of(const ConstView& view) {
  return {view.shape.data(), static_cast<std::size_t>(view.rank)};
}

// `before`: one number, or one for each sequence.
struct Before {
  std::int64_t number = 0;
  Input list;
  ConstView view = {};
};
void take_before(std::string_view operation, nb::handle value, Before& to) {
  if (PyIndex_Check(value.ptr()) && !nb::hasattr(value, "shape")) {
    to.number = integer(operation, "before", value);
    to.view = posenc::view(&std::as_const(to.number), {});
    return;
  }
  to.list = integers(operation, "before", value);
  to.view = to.list.view;
}

// Lists of places that are numbered alike.
struct Places {
  const ConstView ids;
  std::int64_t absent_id;
  Numbering numbering;
  View out;
};

template <class Id>
std::int64_t count_present(const ConstView& ids, std::int64_t absent_id) {
  const Id* from = static_cast<const Id*>(ids.data);
  std::int64_t present = 0;
  for (std::int64_t t = 0; t < ids.size(-1); ++t) present += from[t * ids.stride(-1)] != absent_id;
  return present;
}

// One long list: blocks are counted, then numbered from where those before them end.
void number_list(const Places& list, const ConstView& before, const Executor& executor) {
  const std::int64_t length = list.ids.size(-1);
  std::vector<std::int64_t> passed(static_cast<std::size_t>((length + block_elements - 1) / block_elements) + 1, 0);
  in_blocks(executor, length, block_elements, [&](std::int64_t first, std::int64_t count) {
    const ConstView part = part_of(list.ids, -1, first, count);
    passed[static_cast<std::size_t>(first / block_elements) + 1] =
        part.dtype == DType::i32 ? count_present<std::int32_t>(part, list.absent_id)
                                 : count_present<std::int64_t>(part, list.absent_id);
  });
  for (std::size_t i = 1; i < passed.size(); ++i) passed[i] += passed[i - 1];
  in_blocks(executor, length, block_elements, [&](std::int64_t first, std::int64_t count) {
    Numbering own = list.numbering;
    own.first += passed[static_cast<std::size_t>(first / block_elements)];
    detail::number_places(part_of(list.ids, -1, first, count), list.absent_id, own, before,
                          part_of(list.out, -1, first, count));
  });
}

void number(const Places& places, const ConstView& before, const Executor& executor) {
  if (places.ids.count() == 0) return;
  if (places.ids.rank == 1) return number_list(places, before, executor);
  const std::int64_t lists = places.ids.size(0), length = places.ids.size(-1);
  const auto of = [&](std::int64_t b) { return before.rank == 0 ? before : part_of(before, 0, b, 1); };
  const auto some = [&](std::int64_t first, std::int64_t count) {
    return Places{part_of(places.ids, 0, first, count), places.absent_id, places.numbering,
                  part_of(places.out, 0, first, count)};
  };
  if (length > block_elements) {
    for (std::int64_t b = 0; b < lists; ++b) number_list(some(b, 1), of(b), executor);
    return;
  }
  in_blocks(executor, lists, block_elements / length, [&](std::int64_t first, std::int64_t count) {
    const Places part = some(first, count);
    const ConstView own = before.rank == 0 ? before : part_of(before, 0, first, count);
    detail::number_places(part.ids, part.absent_id, part.numbering, own, part.out);
  });
}

nb::object of_mask(nb::handle mask, nb::handle first, nb::handle absent, nb::handle before, nb::handle out) {
  const Input places = integers("positions_of_mask", "mask", mask);
  const Numbering numbering = {integer("positions_of_mask", "first", first),
                               integer("positions_of_mask", "absent", absent)};
  Before passed;
  take_before("positions_of_mask", before, passed);
  Output to = output_or_fresh("positions_of_mask", out, DType::i64, shape_of(places.view));
  require(check_positions_of_mask(places.view, numbering, passed.view, to.view));
  call(to.view.count(), [&](const Executor& executor) {
    number({places.view, 0, numbering, to.view}, passed.view, executor);
    return std::optional<Problem>();
  });
  return to.array;
}

nb::object of_ids(nb::handle ids, nb::handle padding_id, nb::handle first, nb::handle absent, nb::handle before,
                  nb::handle out) {
  const Input places = integers("positions_of_ids", "ids", ids);
  const std::int64_t padding = integer("positions_of_ids", "padding_id", padding_id);
  const Numbering numbering = {integer("positions_of_ids", "first", first),
                               integer("positions_of_ids", "absent", absent)};
  Before passed;
  take_before("positions_of_ids", before, passed);
  Output to = output_or_fresh("positions_of_ids", out, DType::i64, shape_of(places.view));
  require(check_positions_of_ids(places.view, numbering, passed.view, to.view));
  call(to.view.count(), [&](const Executor& executor) {
    number({places.view, padding, numbering, to.view}, passed.view, executor);
    return std::optional<Problem>();
  });
  return to.array;
}

std::int64_t last_of(const ConstView& ends) {
  if (ends.rank != 1 || ends.size(0) == 0) return 0;
  const auto* bytes = static_cast<const char*>(ends.data) +
                      (ends.size(0) - 1) * ends.stride(0) * static_cast<std::int64_t>(size_of(ends.dtype));
  if (ends.dtype == DType::i32) return *reinterpret_cast<const std::int32_t*>(bytes);
  return ends.dtype == DType::i64 ? *reinterpret_cast<const std::int64_t*>(bytes) : 0;
}

nb::object of_ends(nb::handle ends, nb::handle first, nb::handle out) {
  const Input sequences = integers("positions_of_ends", "ends", ends);
  const std::int64_t start = integer("positions_of_ends", "first", first);
  require(check_view("positions_of_ends", "ends", sequences.view));
  const std::int64_t shape[] = {std::max<std::int64_t>(0, last_of(sequences.view))};
  Output to = output_or_fresh("positions_of_ends", out, DType::i64, shape);
  require(check_positions_of_ends(sequences.view, start, to.view));
  call(to.view.count(), [&](const Executor& executor) {
    detail::number_packed(sequences.view, start, to.view, executor);
    return std::optional<Problem>();
  });
  return to.array;
}

constexpr std::int64_t exact_block = std::int64_t{1} << 12;  // some milliseconds of exact arithmetic

std::size_t axis_number(std::string_view operation, nb::handle axis, std::size_t axes) {
  const std::int64_t number = integer(operation, "axis", axis);
  const auto count = static_cast<std::int64_t>(axes);
  if (number < 0 || number >= count) {
    refuse(operation, "axis must be 0 to " + std::to_string(count - 1), std::to_string(number));
  }
  return static_cast<std::size_t>(number);
}

nb::object of_places(nb::handle places, nb::handle extents, nb::handle axis, nb::handle out) {
  const PlaceNumbering numbering = places_of("place_coordinates", places);
  const std::vector<std::int64_t> sides = integer_list("place_coordinates", "extents", extents);
  const std::size_t number = axis_number("place_coordinates", axis, sides.size());
  require(check_places(numbering, sides));
  const std::int64_t shape[] = {sides[number]};
  Output to = output_or_fresh("place_coordinates", out, DType::f64, shape);
  require(check_place_coordinates(numbering, sides, number, to.view));
  call(to.view.count(), [&](const Executor& executor) {
    in_blocks(executor, to.view.count(), exact_block, [&](std::int64_t first, std::int64_t count) {
      detail::write_place_coordinates(numbering, sides, number, first, part_of(to.view, 0, first, count));
    });
    return std::optional<Problem>();
  });
  return to.array;
}

nb::object of_masked_places(nb::handle places, nb::handle mask, nb::handle axis, nb::handle out) {
  const PlaceNumbering numbering = places_of("masked_place_coordinates", places);
  const Input present = integers("masked_place_coordinates", "mask", mask);
  const std::size_t number = axis_number("masked_place_coordinates", axis, static_cast<std::size_t>(present.view.rank));
  Output to = output_or_fresh("masked_place_coordinates", out, DType::f64, shape_of(present.view));
  call(to.view.count(), [&](const Executor& executor) {
    std::optional<Problem> problem = check_masked_place_coordinates(numbering, present.view, number, to.view, executor);
    if (!problem) detail::write_masked_place_coordinates(numbering, present.view, number, to.view, executor);
    return problem;
  });
  return to.array;
}

}  // namespace

void bind_numbering(nb::module_& module) {
  module.def("positions_of_mask", &of_mask);
  module.def("positions_of_ids", &of_ids);
  module.def("positions_of_ends", &of_ends);
  module.def("place_coordinates", &of_places);
  module.def("masked_place_coordinates", &of_masked_places);
}

}  // namespace posenc::python
