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

/// What a call states besides the convention and its positions.
struct Context {
  std::int64_t length = 0;  ///< tokens of the whole sequence, where frequencies depend on it (LongRoPE); 0: not stated
};

/// How a call computes: what it makes ready takes the context, what it runs the executor and the reading.
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

/// Columns of a row of that width, which the convention has.
std::int64_t columns(const Convention& convention, std::int64_t dim);

/// All presets of this file.
cpp20::span<const Preset> presets();
/// By its name or an alias; nullptr when there is none.
const Preset* find_preset(std::string_view name);
[[nodiscard]] std::optional<Problem> check_preset(std::string_view name);
inline const Preset& preset(std::string_view name) {
  require(check_preset(name));
  return *find_preset(name);
}

}  // namespace posenc
