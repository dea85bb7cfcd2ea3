// SPDX-License-Identifier: Apache-2.0
// Which CPUs this process may use, and a thread's stay on one of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sched.h>

namespace posenc::bench {

std::vector<int> allowed_cpus();

/// Does a list of the system, as "0,2-3", name that CPU?
bool is_listed(const std::string& list, int cpu);
/// Are two CPUs threads of one core? Nothing where the system does not say.
std::optional<bool> siblings(int cpu, int other);

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
