// SPDX-License-Identifier: Apache-2.0
// The handlers call nothing that POSIX does not allow there.
#include "apps/posenc/terminal/signals.h"

#include <unistd.h>

namespace posenc::tool {
namespace {

// Handlers reach nothing but objects of the whole process.
constinit io::Temporaries temporaries;
volatile std::sig_atomic_t line_open = 0;
constexpr std::string_view wipe = "\r\x1b[K";

void say(std::string_view text, int status) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(status);
}

void stop(int signal) {
  temporaries.remove();
  if (line_open != 0) say(wipe, 128 + signal);
  _exit(128 + signal);
}

// A mapped file that became shorter has no bytes where they are read. Any other error of a bus is a fault of ours.
void stop_reading(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {
    std::signal(signal, SIG_DFL);
    return;
  }
  constexpr int input_failed = 2;
  temporaries.remove();
  if (line_open != 0) say(wipe, input_failed);
  say("posenc: error: [read_tensors] a file must not change while it is read, got one that became shorter\n",
      input_failed);
  _exit(input_failed);
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
  struct sigaction action = {};
  action.sa_sigaction = stop_reading;
  action.sa_flags = SA_SIGINFO;
  sigfillset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
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
