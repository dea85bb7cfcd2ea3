// SPDX-License-Identifier: Apache-2.0
// Where answers come from: a command, or files by the names of cases.
#pragma once

#include <posenc/io/npy.h>
#include <posenc/referee/conformance.h>

#include <functional>

namespace posenc::tool {

/// An answer, or why there is none: the other side does not offer the case, or failed.
struct Answer {
  Answered answered;  ///< scored: `array` is there to be scored
  std::string reason;
  io::Array array = {};
};
/// The answers of cases, asked for one by one; `number` is the case's.
using Answers = std::function<Answer(const ConformanceCase& of, std::size_t number)>;

/// Of a command that is told each case on a line and answers it on a line, within so many seconds.
Answers answers_of_command(const std::string& command, std::int64_t seconds);
/// DIR/NAME.npy.
Answers answers_of_files(const std::string& folder);

}  // namespace posenc::tool
