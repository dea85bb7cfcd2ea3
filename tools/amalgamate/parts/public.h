// SPDX-License-Identifier: Apache-2.0
// Conventions of this file, by name.
namespace posenc {

namespace detail {
struct Made;
struct FactorMade;
}  // namespace detail

/// The layout of cosines and sines in a cache. The library also stores angles.
enum class StoredAs : std::uint8_t { none = 1, halves_twice, pairs_twice, sine_cosine, complex, angles_twice };

/// A convention that this file was made for: one of presets(). Its plans stand in the source, one for each width.
struct Convention {
  const detail::Made* made = nullptr;
  StoredAs stored = {};  ///< 0: as the preset states it
};

/// The value of a field as text.
struct FieldValue {
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  FieldValue(Number number) : value(text_of(static_cast<double>(number))) {}
  FieldValue(std::string_view text) : value(text) {}
  FieldValue(const char* text) : value(text) {}
  FieldValue(const std::string& text) : value(text) {}

  std::string value;

 private:
  static std::string text_of(double number);
};
/// A field by its path: "stored", which is a StoredAs by its name. Other fields are chosen when the file is made.
struct FieldChange {
  std::string_view path;
  FieldValue value;
};
/// The problem that with_fields would throw, or nothing.
[[nodiscard]] std::optional<Problem> check_changes(const Convention& convention,
                                                   cpp20::span<const FieldChange> changes);
namespace detail {
Convention changed(Convention convention, cpp20::span<const FieldChange> changes);
}
/// The convention with those fields changed: with_field(preset("llama").convention, "stored", "halves_twice").
inline Convention with_fields(const Convention& convention, cpp20::span<const FieldChange> changes) {
  require(check_changes(convention, changes));
  return detail::changed(convention, changes);
}
inline Convention with_fields(const Convention& convention, std::initializer_list<FieldChange> changes) {
  return with_fields(convention, cpp20::span<const FieldChange>(changes.begin(), changes.size()));
}
inline Convention with_field(const Convention& convention, std::string_view path, const FieldValue& value) {
  return with_fields(convention, {{path, value}});
}

/// The arithmetic: every value is the real number, rounded once. The library has others.
struct Recipe {};
inline Recipe exact() { return {}; }

/// Inputs that some conventions depend on besides positions.
struct Context {
  std::int64_t length = 0;  ///< tokens of the whole sequence, where frequencies depend on it (LongRoPE); 0: not stated
};

/// Options are the last argument of a call: constructors read the context, calls the executor and the reading.
struct Options {
  Recipe recipe = exact();
  Executor executor = serial;
  Reading reading = Reading::by_size;
  Context context = {};
};

struct Preset {
  std::string_view name;
  Convention convention;
  std::string_view source;
  cpp20::span<const std::string_view> aliases;  ///< models and code bases whose convention it is as well
};

/// Columns of a row at a width that the convention has.
std::int64_t columns(const Convention& convention, std::int64_t dim);

/// All presets of this file.
cpp20::span<const Preset> presets();
/// Looks up a preset by its name or an alias; nullptr if there is none.
const Preset* find_preset(std::string_view name);
[[nodiscard]] std::optional<Problem> check_preset(std::string_view name);
inline const Preset& preset(std::string_view name) {
  require(check_preset(name));
  return *find_preset(name);
}

}  // namespace posenc
