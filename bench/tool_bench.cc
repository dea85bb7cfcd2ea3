// SPDX-License-Identifier: Apache-2.0
// The tool as a whole process: from nothing to a table in a file.
#include "bench/process.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

Work cold_start() {
  const auto file = std::make_shared<const TemporaryFile>(".npy");
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
