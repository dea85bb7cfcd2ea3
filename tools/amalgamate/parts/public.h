// SPDX-License-Identifier: Apache-2.0
// Conventions of this file, by name.
namespace posenc {

namespace detail {
struct Made;
struct FactorMade;
}  // namespace detail

/// A convention that this file was made for: one of presets(). Its plans stand in the source, one for each width.
struct Convention {
  const detail::Made* made = nullptr;
};

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
