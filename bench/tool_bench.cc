// SPDX-License-Identifier: Apache-2.0
// The tool as a whole process: from nothing to a table in a file.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "bench/words.h"

extern char** environ;

namespace posenc::bench {
namespace {

// A name of its own in the folder for temporary files; the file goes when this does.
struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() / ("posenc_bench." + std::to_string(getpid()) + ".npy"));
  ~TemporaryFile() { std::filesystem::remove(path); }
};

// Runs a program to its end, without what it prints.
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

Work cold_start() {
  const auto file = std::make_shared<const TemporaryFile>();
  return {.run = [=](const Executor&) {
    run_process({POSENC_BENCH_TOOL, "table", "--preset", "transformer", "--dim", "512", "--positions", "0:5000",
                 "--out", file->path, "--no-sync"});
  }};
}

}  // namespace

std::vector<Row> tool_rows(const Scope&) {
  return {{"cold start to a file", "5000 x 512", Ceiling::none, at_most(25e-3, 25e-3), no_floor, cold_start, {1}}};
}

}  // namespace posenc::bench
