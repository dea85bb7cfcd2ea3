// SPDX-License-Identifier: Apache-2.0
// Conventions, recipes and contexts as Python passes them, and what was made of them before.
#pragma once

#include <posenc/context.h>
#include <posenc/preset.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "bindings/python/apart.h"

namespace posenc::python {

/// A convention that was read once, and the row that it was asked by, if any.
struct Known {
  Convention convention;
  std::string json;
  const Preset* preset = nullptr;
};
using KnownPtr = std::shared_ptr<const Known>;

/// _core.Convention: immutable.
struct ConventionHandle {
  KnownPtr known;
};

/// The name of a preset, JSON, a dict, a Convention, or what has one: a Preset, a role of `inspect`.
KnownPtr known_convention(std::string_view operation, nb::handle convention);

/// The same rotation with the tables of another form.
KnownPtr stored_as(const KnownPtr& known, const std::string& form);

/// By its name; "original" is that of the preset by whose name the convention was asked.
const Recipe& recipe_of(std::string_view operation, nb::handle recipe, const Known& known);

/// None, or (length, centre, learned), each None or a number.
Context context_of(std::string_view operation, nb::handle context);

/// How cells are numbered: as the tuple of six says (first, divisor, eps, gain, shift, rounding); of None as the preset
/// does by whose name the convention was asked, else as those do that it is.
PlaceNumbering cell_places_of(std::string_view operation, nb::handle places, const Known& known);
/// None, which is 0, 1, 2, .., or that tuple.
PlaceNumbering places_of(std::string_view operation, nb::handle places);
nb::object places_tuple(const std::optional<PlaceNumbering>& places);

/// What a handle was made of.
struct HandleKey {
  KnownPtr known;
  std::int64_t width;
  const Recipe* recipe;
  Context context;
  friend bool operator==(const HandleKey&, const HandleKey&) = default;
};

/// The last 64 made, the latest first. Handles are small: copies share what they hold.
template <class Key, class Value>
class Latest {
 public:
  template <class Asked>
  std::optional<Value> find(const Asked& key) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.key == key; });
    if (found == entries_.end()) return std::nullopt;
    if (found != entries_.begin()) std::rotate(entries_.begin(), found, found + 1);
    return entries_.front().value;
  }
  /// That of the key, or of what equals one and makes one.
  template <class Asked, class Make>
  Value of(const Asked& key, const Make& make) {
    if (std::optional<Value> known = find(key)) return *std::move(known);
    Value made = make();
    const std::lock_guard lock(mutex_);
    if (entries_.size() == most) entries_.pop_back();
    entries_.insert(entries_.begin(), Entry{Key(key), made});
    return made;
  }

 private:
  static constexpr std::size_t most = 64;
  struct Entry {
    Key key;
    Value value;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};
/// Those that were made last, as long as the process.
template <class Handle>
Latest<HandleKey, Handle>& latest() {
  static auto& made = *new Latest<HandleKey, Handle>;
  return made;
}
/// Handle(convention, width, recipe and context), made anew or before.
template <class Handle>
Handle handle_of(const HandleKey& key) {
  return latest<Handle>().of(key, [&] {
    return made_ready(key.width, worth_a_thread, [key] {
      return Handle(key.known->convention, key.width, {.recipe = *key.recipe, .context = key.context});
    });
  });
}

/// Of a handle, which copies share.
template <class Handle>
std::vector<double> frequencies_of(const Handle& handle) {
  if (handle.width() < worth_a_thread) return handle.frequencies(serial);
  return made_apart(nullptr, [handle](const Executor& executor) { return handle.frequencies(executor); });
}

}  // namespace posenc::python
