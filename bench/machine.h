// SPDX-License-Identifier: Apache-2.0
// The machine that a table of numbers belongs to.
#pragma once

#include <cstdint>
#include <string>

namespace posenc::bench {

struct Machine {
  std::string cpu;                  ///< its name, family and model
  int cpus;                         ///< that this process may use
  std::string two_threads;          ///< the CPUs of rows on two threads, and whether they are siblings of one core
  std::string target;               ///< the instruction set that is measured
  std::string best_target;          ///< that posenc chooses; `target` is another where it was forced
  std::int64_t l1, l2, l3, memory;  ///< bytes; 0 for unknown
  std::string compiler, flags;
};
Machine this_machine(const std::string& best_target);

bool is_forced(const Machine& machine);

/// Does the row's floor for AVX-512 count here?
bool has_avx512(const Machine& machine);

/// Runnable threads of all processes, the mean of the last minute.
double load();
/// Bytes that can be allocated without paging.
std::int64_t free_memory();
/// The most bytes that this process had in memory since the last reset.
std::int64_t peak_memory();
void reset_peak_memory();

}  // namespace posenc::bench
