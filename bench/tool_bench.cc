// SPDX-License-Identifier: Apache-2.0
// The tool as a whole process: from nothing to a table in a file.
#include <unistd.h>

#include <filesystem>

#include "bench/process.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

// A name of its own in the folder for temporary files; the file goes when this does.
struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() / ("posenc_bench." + std::to_string(getpid()) + ".npy"));
  ~TemporaryFile() { std::filesystem::remove(path); }
};

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
