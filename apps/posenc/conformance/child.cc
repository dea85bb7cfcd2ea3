// SPDX-License-Identifier: Apache-2.0
// A socket to the child, since a write to one that has ended must not end us, and a pipe from it.
#include "apps/posenc/conformance/child.h"

#include <fcntl.h>
#include <poll.h>
#include <posenc/core.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace posenc::tool {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 20;

[[noreturn]] void fail(std::string rule) {
  throw Error({"conformance", std::move(rule), std::generic_category().message(errno), {}, Cause::system});
}

int milliseconds_left(std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

// Is the descriptor ready before that?
bool wait_for(int descriptor, short events, std::chrono::steady_clock::time_point until) {
  while (true) {
    pollfd one = {descriptor, events, 0};
    const int ready = poll(&one, 1, milliseconds_left(until));
    if (ready > 0) return true;
    if (ready == 0) return false;
    if (errno != EINTR) fail("a command must be waited for");
  }
}

}  // namespace

Child::Child(const std::string& command) {
  int in[2], out[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0) fail("a command must have an input");
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]), close(in[1]);
    fail("a command must have an output");
  }
  process_ = fork();
  if (process_ == 0) {
    setpgid(0, 0);
    dup2(in[1], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(in[1]), close(out[1]);
  to_ = in[0], from_ = out[0];
  if (process_ < 0) {
    close(to_), close(from_);
    fail("a command must start");
  }
  setpgid(process_, process_);  // whoever comes first; the other call changes nothing
  fcntl(to_, F_SETFL, O_NONBLOCK);
  fcntl(from_, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  close(to_), close(from_);
  kill(-process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Heard Child::send(const std::string& text, Clock::time_point until) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::send(to_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      if (!wait_for(to_, POLLOUT, until)) return Heard::late;
    } else if (errno != EINTR) {
      return Heard::ended;
    }
  }
  return Heard::line;
}

Heard Child::read_line(Clock::time_point until, std::string& line) {
  while (true) {
    if (const std::size_t end = read_.find('\n'); end != read_.npos) {
      line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return Heard::line;
    }
    if (read_.size() > longest_line) return Heard::too_long;
    char piece[65536];
    const ssize_t count = read(from_, piece, sizeof piece);
    if (count > 0) {
      read_.append(piece, static_cast<std::size_t>(count));
    } else if (count == 0) {
      return Heard::ended;
    } else if (errno == EAGAIN) {
      if (!wait_for(from_, POLLIN, until)) return Heard::late;
    } else if (errno != EINTR) {
      return Heard::ended;
    }
  }
}

Heard Child::ask(const std::string& line, std::chrono::milliseconds limit, std::string& answer) {
  const Clock::time_point until = Clock::now() + limit;
  if (const Heard sent = send(line + "\n", until); sent != Heard::line) return sent;
  return read_line(until, answer);
}

}  // namespace posenc::tool
