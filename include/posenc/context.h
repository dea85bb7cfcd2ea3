// SPDX-License-Identifier: Apache-2.0
// Context: inputs that some conventions depend on besides positions. Options: a context, the recipe, the executor, and
// when the output is read again.
#pragma once

#include <posenc/convention.h>
#include <posenc/recipe.h>

namespace posenc {

/// A member that has its default is missing. A call refuses a convention that depends on a missing member, and ignores
/// members on which the convention does not depend. The same context gives the same bits, whatever was called before:
/// stateful schemes are functions of it.
struct Context {
  std::int64_t length = 0;             ///< tokens of the whole sequence: dynamic NTK, LongRoPE
  std::optional<double> centre = {};   ///< in positions, where a decay is 1: half of the length in xPos
  std::optional<double> learned = {};  ///< the factor of a learned output scale
  std::int64_t head = 0;               ///< columns of a head: biases whose scale depends on it (Falcon)
  ConstView present = {};              ///< [S], i32 or i64, 0 where a key is absent: biases over present keys (Bloom)
  friend bool operator==(const Context&, const Context&) = default;
};
/// length and head are >= 0; centre and learned are finite, centre of size up to 2^53.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_context(const Context& context);

/// Options are the last argument of every call that takes a convention. A call ignores the members that it does not
/// read; but a call without recipes refuses every recipe except exact.
struct Options {
  Recipe recipe = exact();
  Executor executor = serial;
  Reading reading = Reading::by_size;
  Context context = {};
};

/// Which of its ladders a convention has at `length` >= 0: two lengths have the same number where they have the same
/// frequencies, and a longer one never has a smaller number. 0 for conventions that do not depend on the length. Under
/// dynamic NTK every length beyond the stated one is a regime of its own. Keys rotated in one regime do not fit queries
/// of another: rerotate.h moves them.
inline std::int64_t regime(const Convention& convention, std::int64_t length);

/// The problem that regime would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_regime(std::int64_t length);
namespace detail {
POSENC_EXPORT std::int64_t regime(const Convention& convention, std::int64_t length);
}
inline std::int64_t regime(const Convention& convention, std::int64_t length) {
  require(check_regime(length));
  return detail::regime(convention, length);
}

}  // namespace posenc
