// SPDX-License-Identifier: Apache-2.0
// Writes the bytes of many works to standard output, each in frames with its name: the same bytes whatever the
// instruction set, threads, cuts, addresses and floating-point environment. bits_test.py compares the hash of each with
// the one in the tree.
//
// Usage: posenc_bits [--target NAME] [--threads N] [--cut ROWS] [--offset BYTES] [--pad COLUMNS]
//                    [--reading soon|later] [--rounding up|down|zero] [--flush-results] [--flush-operands] [--trap]
//                    [--list-targets]
#include <cfenv>
#include <cstdio>
#include <cstdlib>

#include <hwy/highway.h>

#include "src/engine/tables/sincos_kernel.h"
#include "tests/proof/environment.h"
#include "tests/proof/surroundings.h"
#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

using Works = void (*)(const Surroundings&);

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "posenc_bits: %s\n", what.c_str());
  std::exit(2);
}

// Makes `name` the one instruction set of every kernel.
void choose_target(const std::string& name) {
  for (std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    if (name == engine::kernel_target()) return;
  }
  die("this machine has no " + name);
}

void list_targets() {
  for (std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    std::printf("%s\n", engine::kernel_target());
  }
}

Reading reading_of(const std::string& name) {
  if (name == "soon") return Reading::soon;
  if (name == "later") return Reading::later;
  die("no reading " + name);
}

int rounding_of(const std::string& name) {
  if (name == "up") return FE_UPWARD;
  if (name == "down") return FE_DOWNWARD;
  if (name == "zero") return FE_TOWARDZERO;
  die("no rounding " + name);
}

// Those in force from now on; the calls must leave them, and errno.
void set_environment(const std::string& option) {
  if (option == "--flush-results") return flush_results();
  if (option == "--flush-operands") return flush_operands();
  if (option == "--trap") return trap_exceptions();
  die("no option " + option);
}

int run(int count, char** arguments) {
  Surroundings how;
  int rounding = FE_TONEAREST;
  std::vector<std::string> environment;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--list-targets") return list_targets(), 0;
    if (name.starts_with("--flush-") || name == "--trap") {
      environment.push_back(name);
      continue;
    }
    if (i + 1 == count) die(name + " takes a value");
    const std::string value = arguments[++i];
    if (name == "--target") {
      choose_target(value);
    } else if (name == "--threads") {
      how.threads = std::atoi(value.c_str());
    } else if (name == "--cut") {
      how.cut = std::atoll(value.c_str());
    } else if (name == "--offset") {
      how.offset = static_cast<std::size_t>(std::atoll(value.c_str()));
    } else if (name == "--pad") {
      how.pad = std::atoll(value.c_str());
    } else if (name == "--reading") {
      how.reading = reading_of(value);
    } else if (name == "--rounding") {
      rounding = rounding_of(value);
    } else {
      die("no option " + name);
    }
  }
  for (const std::string& option : environment) set_environment(option);
  std::fesetround(rounding);
  errno = 0;
  const CallersState before = CallersState::now();
  for (const Works write : {write_signals, write_stages, write_rotations}) write(how);
  std::printf("sum 0\n");  // bits.sha256 is that of the bytes up to here
  for (const Works write : {write_presets, write_ladders, write_places, write_caches, write_timesteps, write_grids,
                            write_biases, write_inputs, write_wide_rotations}) {
    write(how);
  }
  expect_as_before(before);
  return std::ferror(stdout) == 0 && std::fflush(stdout) == 0 ? 0 : 3;
}

}  // namespace
}  // namespace posenc::proof

int main(int count, char** arguments) { return posenc::proof::run(count, arguments); }
