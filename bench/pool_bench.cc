// SPDX-License-Identifier: Apache-2.0
// What the pool costs: handing on jobs that do nothing.
#include <posenc/pool/pool.h>

#include "bench/words.h"

namespace posenc::bench {
namespace {

Row handoff(std::int64_t jobs) {
  const auto make = [=]() -> Work {
    return {[=](const Executor& executor) { executor.run(executor.self, jobs, [](void*, std::int64_t) {}, nullptr); }};
  };
  return {"pool, empty jobs", std::to_string(jobs), Ceiling::none, no_floor, no_floor, make, {1, 2}};
}

}  // namespace

std::vector<Row> pool_rows(const Scope&) { return {handoff(1), handoff(2), handoff(100)}; }

}  // namespace posenc::bench
