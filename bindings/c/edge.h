// SPDX-License-Identifier: Apache-2.0
// Where C meets C++: arguments as values of the library, each checked as far as the library cannot, and problems as a
// status.
#pragma once

#include <posenc.h>
#include <posenc/context.h>
#include <posenc/places.h>
#include <posenc/positions.h>
#include <posenc/preset.h>
#include <posenc/recipe.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <vector>

struct posenc_convention {
  posenc::Convention value;
  std::vector<std::string> axes, cell_axes;
  const posenc::Preset* preset;  // of a convention that was asked by a preset's name
};

namespace posenc::c {

/// Fills the caller's error, if there is one, without an allocation.
posenc_status told(posenc_error* error, const Problem& problem) noexcept;
posenc_status told_of_system(posenc_error* error, const char* operation, const char* rule, const char* value) noexcept;
[[noreturn]] void refuse(const char* operation, std::string rule, std::string value);

/// Does the work; what it throws becomes a status.
template <class Work>
posenc_status call(const char* operation, posenc_error* error, Work&& work) noexcept {
  try {
    work();
    return POSENC_OK;
  } catch (const Error& refused) {
    return told(error, refused.problem());
  } catch (const std::bad_alloc&) {
    return told_of_system(error, operation, "memory must be had", "none");
  } catch (const std::exception& other) {
    return told_of_system(error, operation, "the library must not fail", other.what());
  } catch (...) {  // of an executor that is somebody's
    return told_of_system(error, operation, "nothing must be thrown", "what is no std::exception");
  }
}

/// The pointer, which is not null.
template <class T>
T& given(const char* operation, const char* name, T* pointer) {
  if (pointer == nullptr) refuse(operation, std::string(name) + " must be given", "NULL");
  return *pointer;
}

/// The library's own number of an enumeration, 0 included: whether it is a stated one is checked where it is used.
template <class Enum>
Enum enumerator(std::uint32_t number) {
  return number <= 0xFF ? static_cast<Enum>(number) : Enum{};
}

/// No struct of any version is larger: such a size was not stated, and nothing is read by it.
inline constexpr std::uint32_t largest_struct = 1024;

/// A copy of a struct that begins with its size: what the caller's lacks is 0, what ours lacks must be.
template <class S>
S sized(const char* operation, const char* name, const S* pointer) {
  S own = {};
  std::uint32_t size;
  std::memcpy(&size, &given(operation, name, pointer), sizeof size);
  if (size < 2 * sizeof size || size > largest_struct) {
    refuse(operation, std::string(name) + " must begin with its size in bytes", std::to_string(size));
  }
  for (std::size_t i = sizeof own; i < size; ++i) {
    if (reinterpret_cast<const unsigned char*>(pointer)[i] != 0) {
      refuse(operation, std::string(name) + " must state nothing that this version does not know",
             std::to_string(size) + " bytes");
    }
  }
  std::memcpy(&own, pointer, size < sizeof own ? size : sizeof own);
  return own;
}
void require_unused(const char* operation, const char* name, std::uint32_t reserved);

View view(const char* operation, const char* name, const posenc_view* view);
Positions positions(const char* operation, const char* name, const posenc_positions* positions);
/// No more than a call may have: a number that was not stated is not counted up to.
void require_few(const char* operation, const char* name, std::size_t count, std::size_t most);
std::vector<Positions> coordinates(const char* operation, const posenc_positions* coordinates, std::size_t axes);
/// Look up a recipe by name. NULL is exact; "original" is the recipe of the preset that the convention was named by.
const Recipe& recipe(const char* operation, const posenc_convention* convention, const char* name);
/// `length` bytes of UTF-8, or SIZE_MAX: those before its 0.
std::string_view text(const char* operation, const char* name, const char* text, std::size_t length);
Context context(const char* operation, const posenc_context* context);
/// Options with a recipe that the convention has, and a context. Throws Error.
Options options(const char* operation, const posenc_convention* convention, const char* recipe,
                const posenc_context* context);
PlaceNumbering places(const char* operation, const posenc_places* places);
/// The places given; else those of the preset that named the convention; else those of the presets equal to it.
PlaceNumbering cell_places(const char* operation, const posenc_convention& convention, const posenc_places* places);
/// Of NULL: the calling thread, by size.
struct Run {
  Executor executor = serial;
  Reading reading = Reading::by_size;
};
Run run(const char* operation, const posenc_run* run);

/// The two calls by which a text is had.
void write_text(const char* operation, const std::string& from, char* text, std::size_t capacity, std::size_t* length);
template <class T>
void write_numbers(const char* operation, const std::vector<T>& from, T* out, std::size_t capacity,
                   std::size_t* count) {
  given(operation, "count", count);
  if (out != nullptr && capacity < from.size()) {
    refuse(operation, "capacity must be at least " + std::to_string(from.size()), std::to_string(capacity));
  }
  *count = from.size();
  if (out != nullptr) std::copy(from.begin(), from.end(), out);
}
/// The text of that number; NULL from their number on.
inline const char* nth(const std::vector<std::string>& texts, std::size_t number) {
  return number < texts.size() ? texts[number].c_str() : nullptr;
}

/// Makes the handle that `make` returns by value, and only then writes *out.
template <class Handle, class Make>
posenc_status made(const char* operation, Handle** out, posenc_error* error, Make&& make) noexcept {
  return call(operation, error, [&] {
    given(operation, "out", out);
    *out = new Handle{make()};
  });
}

}  // namespace posenc::c
