// SPDX-License-Identifier: Apache-2.0
// The line of progress, and when it is drawn: after a second, then ten times a second.
#include "apps/posenc/terminal/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
namespace {

using namespace std::chrono_literals;
constexpr std::chrono::milliseconds quiet = 1s, pause = 100ms;
constexpr std::size_t bar_width = 24, usual_columns = 80;

std::string bar(double share) {
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar_width));
  return "[" + std::string(filled, '#') + std::string(bar_width - filled, '-') + "]";
}

std::size_t terminal_columns() {
  winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_columns;
}

}  // namespace

std::string short_number(double number) {
  std::string_view suffix = "";
  for (const std::string_view larger : {" k", " M", " G", " T", " P"}) {
    if (number < 999.5) break;
    number /= 1000;
    suffix = larger;
  }
  const int decimals = suffix.empty() || number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", number, decimals, suffix);
}

std::string clock_words(double seconds) {
  if (!(seconds < 360000)) return "days";  // 100 hours
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  const std::int64_t hours = whole / 3600, minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string progress_line(const ProgressState& state, std::size_t columns) {
  const double rate = state.seconds > 0 ? static_cast<double>(state.done) / state.seconds : 0;
  const std::string units = fmt::format("  {} {}", short_number(static_cast<double>(state.done)), state.unit);
  const std::string speed = fmt::format("  {} {}/s", short_number(rate), state.unit);
  std::string line(state.what), left;
  if (state.share) {
    const double share = std::clamp(*state.share, 0.0, 1.0);
    line += fmt::format(" {:>3} %", static_cast<int>(share * 100));
    if (share > 0) left = fmt::format("  {} left", clock_words(state.seconds * (1 - share) / share));
    const std::string with_bar = fmt::format("{} {}", state.what, bar(share)) + line.substr(state.what.size());
    if (with_bar.size() + left.size() <= columns) line = with_bar;
  }
  for (const std::string& part : {units, speed}) {
    if (line.size() + part.size() + left.size() <= columns) line += part;
  }
  return (line + left).substr(0, columns);
}

std::optional<double> share_of(std::int64_t done, std::optional<std::int64_t> whole) {
  if (!whole) return std::nullopt;
  return *whole > 0 ? static_cast<double>(done) / static_cast<double>(*whole) : 1;
}

std::optional<double> share_of_text(std::int64_t bytes, std::optional<std::int64_t> all_bytes, std::int64_t tokens,
                                    std::optional<std::int64_t> most) {
  if (!all_bytes) return std::nullopt;  // the text may end before
  return std::max(share_of(bytes, all_bytes), share_of(tokens, most));
}

Progress::Progress(std::string_view what, std::string_view unit, ProgressLine line)
    : what_(what),
      unit_(unit),
      terminal_(line == ProgressLine::own && ::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_(start_ + quiet) {}

Progress::~Progress() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  set_line_open(false);
}

void Progress::at(std::int64_t done, std::optional<double> share) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + pause;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  // One column stays free: some terminals begin a new line when the last one is filled.
  const std::string line = progress_line({what_, unit_, done, share, seconds}, terminal_columns() - 1);
  if (!shown_) set_line_open(true);
  shown_ = true;
  std::fputs(("\r" + line + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace posenc::tool
