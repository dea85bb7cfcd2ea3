// SPDX-License-Identifier: Apache-2.0
// Spawns a program and waits for it.
#include "bench/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

extern char** environ;

namespace posenc::bench {

void run_process(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  int status = 0;
  const bool good = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0 &&
                    waitpid(child, &status, 0) == child && status == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (!good) throw std::runtime_error("the tool failed: " + words[0]);
}

TemporaryFile::TemporaryFile(std::string_view ending)
    : path(std::filesystem::temp_directory_path() /
           ("posenc_bench." + std::to_string(getpid()) + std::string(ending))) {}

}  // namespace posenc::bench
