// SPDX-License-Identifier: Apache-2.0
// Positions on the command line: A:B, A:B:S, a list, or a file; and blocks of them for large tables and pictures.
#pragma once

#include <posenc/io/npy.h>
#include <posenc/positions.h>

#include <variant>

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

inline constexpr Option queries_option = {
    "--queries", "A:B[:S]|LIST|FILE.npy",
    "positions of queries, of biases and classes of distances: 0:200 for 200 of them, 200 is one"};
inline constexpr Option keys_option = {"--keys", "A:B[:S]|LIST|FILE.npy",
                                       "positions of keys, all present; in the same way"};

/// Positions and the memory that a list of them needs.
struct ParsedPositions {
  Positions positions;
  std::variant<std::monostate, std::vector<std::int64_t>, std::vector<double>, io::Array> storage = {};
};

/// A:B[:S] is A, A + S, ... without B, S = 1 unless told; A,B,C is a list; X.npy a file of shape [L]; - is standard
/// input, such a file or numbers as text. Integers when every number is written as one, otherwise reals. Errors name
/// the option.
ParsedPositions parse_positions(std::string_view operation, std::string_view option, const std::string& text);

/// The values of some positions: exact integers, or the doubles that the library would use.
using PositionValues = std::variant<std::vector<std::int64_t>, std::vector<double>>;

/// Positions first, first + 1, ..., `count` > 0 of them.
PositionValues pick(const Positions& positions, std::int64_t first, std::int64_t count);
/// The caller keeps `values` alive.
Positions as_positions(const PositionValues& values);
/// Some positions of all of them: a range of integers stays one, which is the fast way.
class PositionPart {
 public:
  PositionPart(const Positions& all, std::int64_t first, std::int64_t count);
  PositionPart(const PositionPart&) = delete;
  PositionPart& operator=(const PositionPart&) = delete;
  const Positions& get() const { return positions_; }

 private:
  PositionValues values_ = {};
  Positions positions_;
};

/// Position i as a double.
double number(const Positions& positions, std::int64_t i);
/// Position i as text.
std::string name(const Positions& positions, std::int64_t i);

}  // namespace posenc::tool
