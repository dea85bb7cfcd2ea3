// SPDX-License-Identifier: Apache-2.0
// Which CPUs this process may use, and a thread's stay on one of them.
#pragma once

#include <vector>

#include <sched.h>

namespace posenc::bench {

std::vector<int> allowed_cpus();

/// The calling thread stays on one CPU while this lives.
class Pinned {
 public:
  explicit Pinned(int cpu);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace posenc::bench
