// SPDX-License-Identifier: Apache-2.0
// Affinity by the system's calls.
#include "bench/affinity.h"

#include <fstream>
#include <sstream>

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

bool is_listed(const std::string& list, int cpu) {
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) {
    int first = 0, last = 0;
    char dash = 0;
    std::istringstream range(part);
    if (!(range >> first)) continue;
    if (!(range >> dash >> last)) last = first;
    if (first <= cpu && cpu <= last) return true;
  }
  return false;
}

std::optional<bool> siblings(int cpu, int other) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
  std::string list;
  if (!std::getline(file, list)) return std::nullopt;
  return is_listed(list, other);
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
