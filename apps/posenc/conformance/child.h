// SPDX-License-Identifier: Apache-2.0
// A command that reads lines and answers lines, and is never waited for beyond its time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace posenc::tool {

/// What a wait for a line came to.
enum class Heard : std::uint8_t { line = 1, ended, late, too_long };

/// A shell command with a process group of its own, which ends with this object. Its standard error is ours.
class Child {
 public:
  explicit Child(const std::string& command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Sends a line, then waits for one: both within `limit`. The line has no newline.
  Heard ask(const std::string& line, std::chrono::milliseconds limit, std::string& answer);

 private:
  using Clock = std::chrono::steady_clock;
  Heard send(const std::string& text, Clock::time_point until);
  Heard read_line(Clock::time_point until, std::string& line);

  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string read_;
};

}  // namespace posenc::tool
