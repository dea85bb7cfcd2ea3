// SPDX-License-Identifier: Apache-2.0
// What the referee finds, as a handle of its texts.
#include <posenc/cell_places.h>
#include <posenc/referee/referee.h>

#include <algorithm>

#include "bindings/c/edge.h"
#include "bindings/c/verdict.h"

using namespace posenc;

namespace {

// Lists of one axis each; a grid has few.
constexpr std::size_t most_axes = 8;

SearchDepth depth_of(const char* operation, std::uint32_t depth) {
  if (depth == 0) return SearchDepth::sampled;
  if (depth > POSENC_FULL) c::refuse(operation, "options.depth must be sampled or full", std::to_string(depth));
  return static_cast<SearchDepth>(depth);
}

std::vector<Positions> lists(const char* operation, const posenc_positions* positions, std::size_t axes) {
  c::require_few(operation, "options.axes", axes, most_axes);
  std::vector<Positions> own;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const posenc_positions& first = c::given(operation, "options.positions", positions);
    own.push_back(c::positions(operation, "options.positions", &first + axis));
  }
  return own;
}

IdentifyOptions identify_options(const char* operation, const posenc_identify_options* options) {
  if (options == nullptr) return {};
  const posenc_identify_options from = c::sized(operation, "options", options);
  IdentifyOptions own;
  own.depth = depth_of(operation, from.depth);
  own.positions = lists(operation, from.positions, from.axes);
  own.executor = c::run(operation, from.run).executor;
  return own;
}

DiagnoseOptions check_options(const char* operation, const posenc_convention& asked,
                              const posenc_check_options* options) {
  DiagnoseOptions own;
  if (asked.preset != nullptr) own.places = places_of(*asked.preset);
  if (options == nullptr) return own;
  const posenc_check_options from = c::sized(operation, "options", options);
  c::require_unused(operation, "options", from.reserved);
  own.dim = from.dim;
  own.context = c::context(operation, from.context);
  own.identify = identify_options(operation, from.identify);
  if (from.places != nullptr) own.places = c::places(operation, from.places);
  if (from.queries != nullptr) own.queries = c::positions(operation, "options.queries", from.queries);
  if (from.keys != nullptr) own.keys = c::positions(operation, "options.keys", from.keys);
  return own;
}

// How conventions that were asked by no name number their places is not known.
CompareOptions compare_options(const char* operation, const posenc_convention& a, const posenc_convention& b,
                               const posenc_compare_options* options) {
  CompareOptions own;
  if (a.preset != nullptr && b.preset != nullptr) {
    own.places_of_a = places_of(*a.preset), own.places_of_b = places_of(*b.preset);
  }
  if (options == nullptr) return own;
  const posenc_compare_options from = c::sized(operation, "options", options);
  c::require_unused(operation, "options", from.reserved);
  own.dim = from.dim;
  own.context = c::context(operation, from.context);
  own.positions = lists(operation, from.positions, from.axes);
  own.executor = c::run(operation, from.run).executor;
  return own;
}

posenc_verdict verdict_of(const Identification& found) {
  posenc_verdict made = {!found.candidates.empty(), to_json(found), to_string(found), {}};
  for (const Candidate& candidate : found.candidates) {
    for (const std::string& name : candidate.presets) {
      if (std::ranges::find(made.presets, name) == made.presets.end()) made.presets.push_back(name);
    }
  }
  return made;
}

// C callers keep what every view of theirs keeps: elements stand where their type may.
ConstView aligned_view(const char* operation, const char* name, const posenc_view* tensor) {
  const ConstView view = c::view(operation, name, tensor);
  require(check_view(operation, name, view));
  return view;
}

EntryAsked entry_asked(const char* operation, const posenc_entry* entry) {
  const posenc_entry from = c::sized(operation, "entry", entry);
  EntryAsked own;
  own.dim = from.dim, own.column = from.column;
  own.at = c::coordinates(operation, from.at, from.axes);
  if (from.before != nullptr) own.before = {from.before[0], from.before[1]};
  if (from.side != 0) own.side = c::enumerator<RotatedSide>(from.side);
  return own;
}

Context entry_context(const char* operation, const posenc_entry* entry) {
  const posenc_entry from = c::sized(operation, "entry", entry);
  Context own = c::context(operation, from.context);
  if (from.head_width != 0) own.head = from.head_width;
  return own;
}

}  // namespace

void posenc_verdict_free(posenc_verdict* verdict) { delete verdict; }

uint32_t posenc_verdict_holds(const posenc_verdict* verdict) { return verdict != nullptr && verdict->holds; }

const char* posenc_verdict_json(const posenc_verdict* verdict) {
  return verdict == nullptr ? nullptr : verdict->json.c_str();
}

const char* posenc_verdict_text(const posenc_verdict* verdict) {
  return verdict == nullptr ? nullptr : verdict->text.c_str();
}

const char* posenc_verdict_preset(const posenc_verdict* verdict, size_t number) {
  return verdict == nullptr ? nullptr : c::nth(verdict->presets, number);
}

posenc_status posenc_identify(const posenc_view* tensor, const posenc_identify_options* options, posenc_verdict** out,
                              posenc_error* error) {
  constexpr const char* operation = "posenc_identify";
  return c::made(operation, out, error, [&] {
    return verdict_of(identify(aligned_view(operation, "tensor", tensor), identify_options(operation, options)));
  });
}

posenc_status posenc_identify_rotation(const posenc_view* before, const posenc_view* after,
                                       const posenc_positions* positions, const posenc_identify_options* options,
                                       posenc_verdict** out, posenc_error* error) {
  constexpr const char* operation = "posenc_identify_rotation";
  return c::made(operation, out, error, [&] {
    return verdict_of(
        identify_rotation(aligned_view(operation, "before", before), aligned_view(operation, "after", after),
                          c::positions(operation, "positions", positions), identify_options(operation, options)));
  });
}

posenc_status posenc_check(const posenc_view* tensor, const posenc_convention* convention,
                           const posenc_check_options* options, posenc_verdict** out, posenc_error* error) {
  constexpr const char* operation = "posenc_check";
  return c::made(operation, out, error, [&] {
    const posenc_convention& asked = c::given(operation, "convention", convention);
    const Diagnosis found =
        diagnose(aligned_view(operation, "tensor", tensor), asked.value, check_options(operation, asked, options));
    return posenc_verdict{found.right, to_json(found), to_string(found), {}};
  });
}

posenc_status posenc_compare(const posenc_convention* a, const posenc_convention* b,
                             const posenc_compare_options* options, posenc_verdict** out, posenc_error* error) {
  constexpr const char* operation = "posenc_compare";
  return c::made(operation, out, error, [&] {
    const posenc_convention &of_a = c::given(operation, "a", a), &of_b = c::given(operation, "b", b);
    const Comparison found = compare(of_a.value, of_b.value, compare_options(operation, of_a, of_b, options));
    return posenc_verdict{found.equal, to_json(found), to_string(found), {}};
  });
}

posenc_status posenc_explain(const posenc_convention* convention, const posenc_entry* entry, const char* recipe,
                             posenc_verdict** out, posenc_error* error) {
  constexpr const char* operation = "posenc_explain";
  return c::made(operation, out, error, [&] {
    const Explanation told =
        explain(c::given(operation, "convention", convention).value, entry_asked(operation, entry),
                {.recipe = c::recipe(operation, convention, recipe), .context = entry_context(operation, entry)});
    return posenc_verdict{false, to_json(told), to_string(told), {}};
  });
}

posenc_status posenc_parting(const posenc_convention* a, const posenc_convention* b, int64_t dim, int64_t positions,
                             const posenc_context* context, posenc_verdict** out, posenc_error* error) {
  constexpr const char* operation = "posenc_parting";
  return c::made(operation, out, error, [&] {
    const std::optional<Parting> parted = parting(c::given(operation, "a", a).value, c::given(operation, "b", b).value,
                                                  dim, positions, {.context = c::context(operation, context)});
    if (!parted) return posenc_verdict{true, "null", "", {}};
    return posenc_verdict{false, to_json(*parted), to_string(*parted), {}};
  });
}
