// SPDX-License-Identifier: Apache-2.0
// Writes the bytes of many works to standard output, each in frames with its name: the same bytes whatever the
// instruction set, threads, cuts, addresses and floating-point environment. bits_test.py compares the hash of each with
// the one in the tree.
//
// Usage: posenc_bits [--target NAME] [--threads N] [--cut ROWS] [--offset BYTES] [--pad COLUMNS]
//                    [--reading soon|later] [--rounding up|down|zero] [--flush] [--list-targets]
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <hwy/highway.h>

#include "src/engine/tables/sincos_kernel.h"
#include "tests/proof/surroundings.h"
#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

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

void flush_subnormals() {
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
  __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | 1u << 24);
#endif
}

int run(int count, char** arguments) {
  Surroundings how;
  bool flush = false;
  int rounding = FE_TONEAREST;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--list-targets") return list_targets(), 0;
    if (name == "--flush") {
      flush = true;
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
  if (flush) flush_subnormals();
  std::fesetround(rounding);
  write_signals(how);
  write_stages(how);
  write_rotations(how);
  std::printf("sum 0\n");  // bits.sha256 is that of the bytes up to here
  write_presets(how);
  write_ladders(how);
  write_places(how);
  write_caches(how);
  write_timesteps(how);
  write_grids(how);
  write_biases(how);
  write_inputs(how);
  write_wide_rotations(how);
  return std::ferror(stdout) == 0 && std::fflush(stdout) == 0 ? 0 : 3;
}

}  // namespace
}  // namespace posenc::proof

int main(int count, char** arguments) { return posenc::proof::run(count, arguments); }
