// SPDX-License-Identifier: Apache-2.0
// Signals that end the tool: at once, with nothing left behind.
#pragma once

#include <posenc/io/file.h>

#include <csignal>

namespace posenc::tool {

/// From here on SIGINT, SIGTERM and SIGHUP end the process with 128 + signal and a closed pipe with 141, after the
/// unfinished files of write_options() are gone. A write past a file-size limit fails instead of killing. A signal that
/// was ignored when the tool started stays so (nohup, background jobs). Where a mapped file becomes shorter while it is
/// read (SIGBUS), one line says so, and the process ends with 2.
void handle_signals();

/// How the tool writes files: noted, so that a signal removes what is unfinished.
io::WriteOptions write_options(io::Sync sync = io::Sync::full);

/// Threads that start while this lives take none of those signals: they come to the thread that opens and names files,
/// which is then between two of its steps. What is left behind by a signal is proven for one thread.
class SignalsElsewhere {
 public:
  SignalsElsewhere();
  ~SignalsElsewhere();
  SignalsElsewhere(const SignalsElsewhere&) = delete;
  SignalsElsewhere& operator=(const SignalsElsewhere&) = delete;

 private:
  sigset_t before_;
};

/// Whether a line without its newline stands on the terminal; a signal wipes it out.
void set_line_open(bool open);

}  // namespace posenc::tool
