// SPDX-License-Identifier: Apache-2.0
// How far long work is: one line on standard error, on a terminal only, for work that takes over a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace posenc::tool {

/// What a line of progress tells.
struct ProgressState {
  std::string_view what, unit;
  std::int64_t done;            ///< units
  std::optional<double> share;  ///< of the whole, 0 to 1, where the whole is known
  double seconds;               ///< since the start
};

/// One line of at most `columns` characters: what, bar, percent, units, rate, time left. What does not fit is left out
/// from the end of the list bar, units, rate; without a share there is neither bar nor time left.
std::string progress_line(const ProgressState& state, std::size_t columns);

/// 950, 12.3 k, 4.56 M, ...: at most three digits.
std::string short_number(double number);
/// 0:07, 12:34, 3:21:09.
std::string clock_words(double seconds);

/// done / whole, where the whole is known; 1 of nothing.
std::optional<double> share_of(std::int64_t done, std::optional<std::int64_t> whole);
/// The share of a text that is read to its last byte or to its token `most`, whichever comes first.
std::optional<double> share_of_text(std::int64_t bytes, std::optional<std::int64_t> all_bytes, std::int64_t tokens,
                                    std::optional<std::int64_t> most);

/// Of several calls in one pipe the last draws the line: one that writes down a pipe leaves it to its reader.
enum class ProgressLine : std::uint8_t { own = 1, the_readers };

class Progress {
 public:
  /// Both names outlive this value.
  Progress(std::string_view what, std::string_view unit, ProgressLine line = ProgressLine::own);
  /// Wipes the line out.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void at(std::int64_t done, std::optional<double> share);

 private:
  using Clock = std::chrono::steady_clock;

  std::string_view what_, unit_;
  bool terminal_, shown_ = false;
  Clock::time_point start_, next_;
};

}  // namespace posenc::tool
