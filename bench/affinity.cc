// SPDX-License-Identifier: Apache-2.0
// Affinity by the system's calls.
#include "bench/affinity.h"

namespace posenc::bench {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

Pinned::Pinned(int cpu) {
  sched_getaffinity(0, sizeof before_, &before_);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

Pinned::~Pinned() { sched_setaffinity(0, sizeof before_, &before_); }

}  // namespace posenc::bench
