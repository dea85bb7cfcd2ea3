// SPDX-License-Identifier: Apache-2.0
// Rounds in which every contestant has its turn, so that a slow moment of the machine meets all of them.
#include "bench/measure.h"

#include <posenc/pool/pool.h>
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
  if (ceiling == Ceiling::none) return {};
  return {[=, &work](int passes) { return ceiling_seconds(ceiling, work, threads, passes); }};
}

// The most memory that a call held beside what was there before it.
std::int64_t memory_of(const Work& work) {
  reset_peak_memory();
  const std::int64_t before = peak_memory();
  work.run(serial);
  return peak_memory() - before;
}

// Who takes turns on one number of threads: the work, its ceiling, the bare loop. Those that a row lacks have no turns.
struct Contest {
  int threads;
  Contestant work, ceiling, bare;

  std::vector<Contestant*> present() {
    std::vector<Contestant*> all = {&work, &ceiling, &bare};
    std::erase_if(all, [](const Contestant* one) { return !one->seconds; });
    return all;
  }
};

bool disturbed(const Contestant& contestant, std::size_t round) {
  return round < contestant.turns.size() && contestant.turns[round].disturbed;
}

// The rounds in which nobody took a CPU away, or all if those are fewer than three.
std::vector<std::size_t> rounds_that_count(const Contest& contest) {
  std::vector<std::size_t> good, all;
  for (std::size_t i = 0; i < contest.work.turns.size(); ++i) {
    all.push_back(i);
    if (disturbed(contest.work, i) || disturbed(contest.ceiling, i) || disturbed(contest.bare, i)) continue;
    good.push_back(i);
  }
  return good.size() < 3 ? all : good;
}

Spread seconds_of(const Contestant& contestant, const std::vector<std::size_t>& rounds) {
  if (contestant.turns.empty()) return {};
  std::vector<double> seconds;
  for (const std::size_t i : rounds) seconds.push_back(contestant.turns[i].seconds);
  return spread(seconds);
}

// How many times as long as `other` the one takes, round by round.
Spread over(const Contestant& one, const Contestant& other, const std::vector<std::size_t>& rounds) {
  if (one.turns.empty() || other.turns.empty()) return {};
  std::vector<double> ratios;
  for (const std::size_t i : rounds) ratios.push_back(one.turns[i].seconds / other.turns[i].seconds);
  return spread(ratios);
}

Cell cell(const Contest& contest) {
  const auto& [threads, work, ceiling, bare] = contest;
  const std::vector<std::size_t> rounds = rounds_that_count(contest);
  return {.threads = threads,
          .rounds = static_cast<int>(work.turns.size()),
          .counted = static_cast<int>(rounds.size()),
          .seconds = seconds_of(work, rounds),
          .ceiling_seconds = seconds_of(ceiling, rounds),
          .ratio = over(ceiling, work, rounds),
          .bare_seconds = seconds_of(bare, rounds),
          .bare_ratio = over(ceiling, bare, rounds),
          .of_bare = over(bare, work, rounds)};
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
  std::deque<Pool> pools;
  std::deque<Contest> contests;
  std::vector<Contestant*> contestants;
  for (const int threads : row.threads) {
    if (threads > std::ssize(allowed_cpus())) continue;
    const Executor executor = threads == 1 ? serial : pools.emplace_back(threads).executor();
    Contest& contest = contests.emplace_back(Contest{
        threads, runner(work, executor, threads), limit(row.ceiling, work, threads), limit(row.bare, work, threads)});
    for (Contestant* contestant : contest.present()) contestants.push_back(contestant);
  }
  for (Contestant* contestant : contestants) prepare(*contestant);

  const double end = wall_seconds() + seconds;
  for (std::size_t round = 0; round < 3 || wall_seconds() < end; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) take_turn(*contestants[(i + round) % contestants.size()]);
  }
  Measured result = {static_cast<std::int64_t>(work.out.size()), {}, 0};
  for (const Contest& contest : contests) result.cells.push_back(cell(contest));
  if (row.memory > 0) result.memory = memory_of(work);
  return result;
}

}  // namespace posenc::bench
