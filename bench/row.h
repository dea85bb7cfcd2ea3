// SPDX-License-Identifier: Apache-2.0
// A row of the benchmark as a value: what is done, what bounds it, and what is good enough.
#pragma once

#include <posenc/core.h>

#include <functional>
#include <memory>

namespace posenc::bench {

/// Work that is ready to be timed. Its ceiling writes the same `out` and reads the same `in`, in the order of `ids`.
struct Work {
  std::function<void(const Executor&)> run;
  std::span<std::byte> out = {};
  std::span<const std::byte> in = {};
  std::span<const std::int32_t> ids = {};              ///< row ids[i] of `in` belongs to row i of `out`
  std::vector<std::shared_ptr<const void>> owns = {};  ///< the memory that views in `run` point to
};

/// The limit of the machine that a row is compared with: the same bytes, on the same number of threads.
enum class Ceiling : std::uint8_t {
  none = 1,
  store,             ///< regular stores of `out`
  stream,            ///< non-temporal stores of `out`
  copy,              ///< `in` to `out`, past the caches
  update,            ///< `out` read and written in place
  read_then_stream,  ///< all of `in` read, then all of `out` written past the caches
  gather,            ///< the rows of `in` that `ids` name, scaled, plus a row in the caches, to `out` past the caches
};

/// What is good enough: one number for CPUs with AVX-512, one for the others.
struct Floor {
  enum class Kind : std::uint8_t {
    none = 1,
    share,                ///< of the ceiling
    share_of_one_thread,  ///< of the ceiling of one thread
    seconds,              ///< at most
    share_of_last,        ///< of the ratio that the row before reached, on as many threads
  };
  Kind kind = Kind::none;
  double avx512 = 0, avx2 = 0;
};
inline constexpr Floor no_floor = {};
constexpr Floor share(double avx512, double avx2) { return {Floor::Kind::share, avx512, avx2}; }
constexpr Floor share(double any) { return share(any, any); }
constexpr Floor at_most(double avx512, double avx2) { return {Floor::Kind::seconds, avx512, avx2}; }
/// Of every table that stays in the caches: of one thread's store ceiling, whatever the number of threads.
inline constexpr Floor warm_one = share(0.18, 0.15);
inline constexpr Floor warm_two = {Floor::Kind::share_of_one_thread, 1.6 * 0.18, 1.6 * 0.15};

struct Row {
  std::string operation, size;
  Ceiling ceiling;
  Floor one, two;              ///< with one thread, with two
  std::function<Work()> make;  ///< called when the row's turn comes
  std::vector<int> threads = {1, 2};
  std::int64_t memory = 0;       ///< bytes that a call may take beside its output; 0: not asked
  std::string absent = {};       ///< what is not there, and how to get it; such a row is said and left out
  Ceiling bare = Ceiling::none;  ///< the leanest loop that moves every byte of the row, also those the ceiling does not
};

/// What the lists of rows depend on.
struct Scope {
  enum class Extent : std::uint8_t { quick = 1, full } extent;
  std::int64_t last_level_cache, free_memory;  ///< bytes
};

}  // namespace posenc::bench
