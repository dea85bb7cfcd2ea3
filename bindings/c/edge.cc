// SPDX-License-Identifier: Apache-2.0
// Structs of C as values of the library.
#include "bindings/c/edge.h"

#include <posenc/cell_places.h>

#include <algorithm>
#include <array>
#include <functional>

namespace posenc::c {
namespace {

constexpr std::size_t most_axes = 64;

// Bytes of the first posenc_error that there was: the struct of no program is smaller, so one that does not state its
// size has these. A struct that grows leaves this number as it is.
constexpr std::size_t smallest_error = 976;
static_assert(sizeof(posenc_error) >= smallest_error);

// Copies what fits and ends it with a 0; false where it does not fit.
template <std::size_t N>
bool fill(char (&to)[N], std::string_view from) {
  const std::size_t count = std::min(from.size(), N - 1);
  std::memcpy(to, from.data(), count);
  to[count] = '\0';
  return count == from.size();
}

posenc_status filled(posenc_error* error, posenc_status cause, std::array<std::string_view, 3> texts,
                     std::span<const std::int64_t> index) {
  if (error == nullptr) return cause;
  posenc_error own = {};
  own.size = error->size;
  own.cause = cause;
  const bool fits[] = {fill(own.operation, texts[0]), fill(own.rule, texts[1]), fill(own.value, texts[2]),
                       index.size() <= max_rank};
  own.truncated = !std::ranges::all_of(fits, std::identity());
  own.rank = static_cast<std::uint32_t>(std::min<std::size_t>(index.size(), max_rank));
  std::copy_n(index.begin(), own.rank, own.index);
  std::memcpy(error, &own, error->size == 0 ? smallest_error : std::min<std::size_t>(error->size, sizeof own));
  return cause;
}

}  // namespace

posenc_status told(posenc_error* error, const Problem& problem) noexcept {
  const posenc_status cause = problem.cause == Cause::input ? POSENC_INPUT : POSENC_SYSTEM;
  return filled(error, cause, {problem.operation, problem.rule, problem.value}, problem.index);
}

posenc_status told_of_system(posenc_error* error, const char* operation, const char* rule, const char* value) noexcept {
  return filled(error, POSENC_SYSTEM, {operation, rule, value}, {});
}

void refuse(const char* operation, std::string rule, std::string value) {
  throw Error({operation, std::move(rule), std::move(value)});
}

void require_unused(const char* operation, const char* name, std::uint32_t reserved) {
  if (reserved != 0) refuse(operation, std::string(name) + ".reserved must be 0", std::to_string(reserved));
}

View view(const char* operation, const char* name, const posenc_view* view) {
  const posenc_view& from = given(operation, name, view);
  if (from.rank > max_rank) {
    refuse(operation, std::string(name) + " must have rank 0 to 8", std::to_string(from.rank));
  }
  View own = {from.data, enumerator<DType>(from.dtype), static_cast<int>(from.rank)};
  std::copy_n(from.shape, from.rank, own.shape.begin());
  std::copy_n(from.strides, from.rank, own.strides.begin());
  return own;
}

Positions positions(const char* operation, const char* name, const posenc_positions* positions) {
  const posenc_positions& from = given(operation, name, positions);
  require_unused(operation, name, from.reserved);
  switch (from.kind) {
    case POSENC_RANGE: return Positions::range(from.start, from.count, from.step);
    case POSENC_REAL_RANGE: return Positions::range(from.real_start, from.count, from.real_step);
    case POSENC_LIST: return Positions::list(view(operation, (std::string(name) + ".list").c_str(), from.list));
    default: break;
  }
  refuse(operation, std::string(name) + ".kind must be a range, a real range or a list", std::to_string(from.kind));
}

void require_few(const char* operation, const char* name, std::size_t count, std::size_t most) {
  if (count <= most) return;
  refuse(operation, std::string(name) + " must be at most " + std::to_string(most), std::to_string(count));
}

std::vector<Positions> coordinates(const char* operation, const posenc_positions* coordinates, std::size_t axes) {
  require_few(operation, "axes", axes, most_axes);
  std::vector<Positions> own;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    own.push_back(positions(operation, "coordinates", &given(operation, "coordinates", coordinates) + axis));
  }
  return own;
}

const Recipe& recipe(const char* operation, const posenc_convention* convention, const char* name) {
  const std::string_view word = name == nullptr ? "exact" : name;
  if (word != "original") return posenc::recipe(word);
  if (convention != nullptr && convention->preset != nullptr) return convention->preset->original;
  refuse(operation, "recipe original is that of a preset, by whose name the convention must be asked", "no preset");
}

std::string_view text(const char* operation, const char* name, const char* text, std::size_t length) {
  const char* const first = &given(operation, name, text);
  return {first, length == SIZE_MAX ? std::strlen(first) : length};
}

Context context(const char* operation, const posenc_context* context) {
  if (context == nullptr) return {};
  const posenc_context from = sized(operation, "context", context);
  if (from.stated > (POSENC_CENTRE | POSENC_LEARNED)) {
    refuse(operation, "context.stated must name a centre and a learned factor alone", std::to_string(from.stated));
  }
  Context own = {.length = from.length};
  if (from.stated & POSENC_CENTRE) own.centre = from.centre;
  if (from.stated & POSENC_LEARNED) own.learned = from.learned;
  return own;
}

Options options(const char* operation, const posenc_convention* convention, const char* recipe,
                const posenc_context* context) {
  return {.recipe = c::recipe(operation, convention, recipe), .context = c::context(operation, context)};
}

PlaceNumbering places(const char* operation, const posenc_places* places) {
  if (places == nullptr) return whole_places;
  require_unused(operation, "places", places->reserved);
  PlaceNumbering own = {{},
                        enumerator<Divisor>(places->divisor),
                        places->eps,
                        places->gain,
                        places->shift,
                        enumerator<WholePlaces>(places->rounding)};
  if (places->first_kind == POSENC_FIRST_NUMBER) own.first = places->first;
  if (places->first_kind == POSENC_FIRST_MINUS_HALF) own.first = FirstPlace::minus_half;
  return own;
}

PlaceNumbering cell_places(const char* operation, const posenc_convention& convention, const posenc_places* places) {
  if (places != nullptr) return c::places(operation, places);
  return convention.preset != nullptr ? places_of(*convention.preset) : posenc::cell_places(convention.value);
}

Run run(const char* operation, const posenc_run* run) {
  if (run == nullptr) return {};
  const posenc_run from = sized(operation, "run", run);
  Run own = {.executor = serial, .reading = enumerator<Reading>(from.reading)};
  require(check_reading(operation, own.reading));
  if (from.executor.run != nullptr) own.executor = {from.executor.run, from.executor.self};
  return own;
}

void write_text(const char* operation, const std::string& from, char* text, std::size_t capacity, std::size_t* length) {
  given(operation, "length", length);
  if (text != nullptr && capacity <= from.size()) {
    refuse(operation, "capacity must be at least " + std::to_string(from.size() + 1) + " bytes",
           std::to_string(capacity));
  }
  *length = from.size();
  if (text != nullptr) std::memcpy(text, from.c_str(), from.size() + 1);
}

}  // namespace posenc::c
