// SPDX-License-Identifier: Apache-2.0
// The benchmark on the screen and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/machine.h"
#include "bench/verdict.h"

namespace posenc::bench {

/// A ceiling on its own: GB/s of output bytes.
struct Limit {
  Ceiling ceiling;
  std::int64_t bytes;
  int threads;
  double gigabytes_per_second;
};

std::string machine_text(const Machine& machine, double load);
std::string limits_text(const std::vector<Limit>& limits);
std::string heading();
/// A line for each number of threads, with the line break.
std::string row_text(const Row& row, const Measured& measured, const std::vector<Verdict>& verdicts);

/// Of all rows: how many floors were reached, and which were not.
struct Summary {
  int reached = 0;
  std::vector<std::string> missed = {}, beyond = {};  ///< beyond what the bare loop reaches too
};
std::string summary_text(const Summary& summary);

nlohmann::ordered_json machine_json(const Machine& machine);
nlohmann::ordered_json limits_json(const std::vector<Limit>& limits);
/// An object for each number of threads.
nlohmann::ordered_json row_json(const Row& row, const Measured& measured, const std::vector<Verdict>& verdicts);

}  // namespace posenc::bench
