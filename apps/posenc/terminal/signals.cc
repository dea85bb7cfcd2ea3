// SPDX-License-Identifier: Apache-2.0
// The handlers call nothing that POSIX does not allow there.
#include "apps/posenc/terminal/signals.h"

#include <unistd.h>

namespace posenc::tool {
namespace {

// Handlers reach nothing but objects of the whole process.
constinit io::Temporaries temporaries;
volatile std::sig_atomic_t line_open = 0;

void stop(int signal) {
  temporaries.remove();
  constexpr std::string_view wipe = "\r\x1b[K";
  if (line_open != 0 && ::write(STDERR_FILENO, wipe.data(), wipe.size()) < 0) _exit(128 + signal);
  _exit(128 + signal);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction old = {}, action = {};
  action.sa_handler = handler;
  sigfillset(&action.sa_mask);  // one handler at a time
  if (signal != SIGPIPE && sigaction(signal, nullptr, &old) == 0 && old.sa_handler == SIG_IGN) return;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) handle(signal, stop);
  handle(SIGXFSZ, SIG_IGN);
}

SignalsElsewhere::SignalsElsewhere() {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ours, signal);
  pthread_sigmask(SIG_BLOCK, &ours, &before_);
}

SignalsElsewhere::~SignalsElsewhere() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

io::WriteOptions write_options(io::Sync sync) { return {sync, &temporaries}; }

void set_line_open(bool open) { line_open = open ? 1 : 0; }

}  // namespace posenc::tool
