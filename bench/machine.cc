// SPDX-License-Identifier: Apache-2.0
// Facts from /proc and from the compiler.
#include "bench/machine.h"

#include <stdlib.h>

#include <fstream>
#include <map>

#include "bench/affinity.h"
#include "src/engine/tables/sincos_kernel.h"

namespace posenc::bench {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// "key : value" lines, the first of each key.
std::map<std::string, std::string> read_lines(const char* path) {
  std::map<std::string, std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) lines.emplace(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return lines;
}

std::int64_t kib(const char* path, const std::string& key) {
  const auto lines = read_lines(path);
  const auto found = lines.find(key);
  return found == lines.end() ? 0 : std::stoll(found->second) * 1024;
}

// Bytes of a data cache: the first level is index 0, the second 2, the third 3.
std::int64_t cache(int index) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
  std::int64_t kibibytes = 0;  // "32768K"
  file >> kibibytes;
  return kibibytes * 1024;
}

std::string pair_of(const std::vector<int>& cpus) {
  if (cpus.size() < 2) return "one CPU";
  const std::string both = "CPUs " + std::to_string(cpus[0]) + " and " + std::to_string(cpus[1]);
  const std::optional<bool> one_core = siblings(cpus[0], cpus[1]);
  if (!one_core) return both + ", siblings or not";
  return both + (*one_core ? ", siblings of one core" : ", of two cores");
}

}  // namespace

Machine this_machine(const std::string& best_target) {
  auto cpu = read_lines("/proc/cpuinfo");
  return {cpu["model name"] + ", family " + cpu["cpu family"] + " model " + cpu["model"],
          static_cast<int>(allowed_cpus().size()),
          pair_of(allowed_cpus()),
          engine::kernel_target(),
          best_target,
          cache(0),
          cache(2),
          cache(3),
          kib("/proc/meminfo", "MemTotal"),
          POSENC_BENCH_COMPILER,
          POSENC_BENCH_FLAGS};
}

bool is_forced(const Machine& machine) { return machine.target != machine.best_target; }

bool has_avx512(const Machine& machine) { return machine.target.starts_with("AVX3"); }

double load() {
  double mean = 0;
  getloadavg(&mean, 1);
  return mean;
}

std::int64_t free_memory() { return kib("/proc/meminfo", "MemAvailable"); }

std::int64_t peak_memory() { return kib("/proc/self/status", "VmHWM"); }

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }  // 5: the peak alone

}  // namespace posenc::bench
