// SPDX-License-Identifier: Apache-2.0
// Rounds in which every contestant has its turn, so that a slow moment of the machine meets all of them.
#include "bench/measure.h"

#include <posenc/pool.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "bench/affinity.h"
#include "bench/ceiling.h"
#include "bench/clock.h"
#include "bench/machine.h"

namespace posenc::bench {
namespace {

struct Turn {
  double seconds;  // of one pass
  bool disturbed;  // the system ran somebody else on a CPU of ours
};

// Somebody who takes turns: seconds(passes) is the mean time of a pass.
struct Contestant {
  std::function<double(int passes)> seconds;
  int passes = 1;
  bool warms = false;  // a turn before each turn: its bytes are in the caches again, its threads awake
  std::vector<Turn> turns = {};
};

// How often this process lost a CPU that it wanted.
long losses() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

// Turns last 0.3 ms at least; from 20 ms on a pass has seen the caches so often that a warm start is nothing.
void prepare(Contestant& contestant) {
  contestant.seconds(1);
  const double once = std::max(contestant.seconds(1), 1e-9);
  contestant.passes = static_cast<int>(std::clamp(3e-4 / once, 1.0, 1e6));
  contestant.warms = once < 2e-2;
}

void take_turn(Contestant& contestant) {
  if (contestant.warms) contestant.seconds(contestant.passes);
  const long before = losses();
  const double seconds = contestant.seconds(contestant.passes);
  contestant.turns.push_back({seconds, losses() != before});
}

// Work without an output is another process, or a call too short to be interrupted: the wall's time.
Contestant runner(const Work& work, const Executor& executor, int threads) {
  const int counted = work.out.empty() ? 0 : threads;
  return {[&work, executor, counted](int passes) {
    const double start = work_seconds(counted);
    for (int i = 0; i < passes; ++i) work.run(executor);
    return (work_seconds(counted) - start) / passes;
  }};
}

Contestant limit(Ceiling ceiling, const Work& work, int threads) {
  return {[=, &work](int passes) { return ceiling_seconds(ceiling, work, threads, passes); }};
}

// The most memory that a call held beside what was there before it.
std::int64_t memory_of(const Work& work) {
  reset_peak_memory();
  const std::int64_t before = peak_memory();
  work.run(serial);
  return peak_memory() - before;
}

// The rounds in which nobody took a CPU away, or all if those are fewer than three.
std::vector<std::size_t> rounds_that_count(const Contestant& work, const Contestant* ceiling) {
  std::vector<std::size_t> good, all;
  for (std::size_t i = 0; i < work.turns.size(); ++i) {
    all.push_back(i);
    if (!work.turns[i].disturbed && !(ceiling != nullptr && ceiling->turns[i].disturbed)) good.push_back(i);
  }
  return good.size() < 3 ? all : good;
}

Cell cell(int threads, const Contestant& work, const Contestant* ceiling) {
  const std::vector<std::size_t> rounds = rounds_that_count(work, ceiling);
  std::vector<double> ours, limits, ratios;
  for (const std::size_t i : rounds) {
    ours.push_back(work.turns[i].seconds);
    if (ceiling == nullptr) continue;
    limits.push_back(ceiling->turns[i].seconds);
    ratios.push_back(limits.back() / ours.back());
  }
  return {
      threads,       static_cast<int>(work.turns.size()), static_cast<int>(rounds.size()), spread(ours), spread(limits),
      spread(ratios)};
}

}  // namespace

Spread spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
  };
  return {at(0.25), at(0.5), at(0.75)};
}

Measured measure(const Row& row, double seconds) {
  const Work work = row.make();
  const bool bounded = row.ceiling != Ceiling::none;
  std::deque<Pool> pools;
  std::vector<Contestant> contestants;  // work and ceiling in turns, for each number of threads
  std::vector<int> thread_counts = row.threads;
  std::erase_if(thread_counts, [](int threads) { return threads > std::ssize(allowed_cpus()); });
  for (const int threads : thread_counts) {
    contestants.push_back(runner(work, threads == 1 ? serial : pools.emplace_back(threads).executor(), threads));
    if (bounded) contestants.push_back(limit(row.ceiling, work, threads));
  }
  for (Contestant& contestant : contestants) prepare(contestant);

  const double end = wall_seconds() + seconds;
  for (std::size_t round = 0; round < 3 || wall_seconds() < end; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) take_turn(contestants[(i + round) % contestants.size()]);
  }
  Measured result = {static_cast<std::int64_t>(work.out.size()), {}, 0};
  const std::size_t stride = bounded ? 2 : 1;
  for (std::size_t i = 0; i < thread_counts.size(); ++i) {
    const Contestant* first = &contestants[i * stride];
    result.cells.push_back(cell(thread_counts[i], *first, bounded ? first + 1 : nullptr));
  }
  if (row.memory > 0) result.memory = memory_of(work);
  return result;
}

}  // namespace posenc::bench
