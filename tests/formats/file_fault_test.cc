// SPDX-License-Identifier: Apache-2.0
// Every system call of the writer failing in turn, by a seccomp filter in a child process.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <posenc/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include "tests/formats/npy_files.h"
#include "tests/formats/scratch.h"

namespace posenc::io {
namespace {

/// Calls of that number fail with `error`; with a mask, only those whose third argument has all of its bits.
struct Fault {
  long call;
  int error;
  unsigned mask = 0;
};

bool install(const std::vector<Fault>& faults) {
  constexpr unsigned low_word = std::endian::native == std::endian::little ? 0 : 4;
  const auto load = [](std::size_t at) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(at));
  };
  std::vector<sock_filter> program;
  for (const Fault& fault : faults) {
    program.push_back(load(offsetof(seccomp_data, nr)));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(fault.call), 0, 4));
    program.push_back(load(offsetof(seccomp_data, args[2]) + low_word));
    program.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, fault.mask));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, fault.mask, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(fault.error)));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

constexpr unsigned kUnnamed = O_TMPFILE & ~O_DIRECTORY;
const Fault kNoUnnamedFiles = {SYS_openat, EOPNOTSUPP, kUnnamed};

/// Writes "new" over "old" under those faults, in a folder of its own.
Outcome write_under(const Scratch& folder, const std::vector<Fault>& faults) {
  put(folder / "f", "old");
  return in_child([&] {
    if (!install(faults)) return Outcome::unavailable;
    const std::string words = "f' (" + std::generic_category().message(faults.back().error) + ")";
    return outcome_of(words, [&] { write_file(folder / "f", bytes_of("new")); });
  });
}

bool can_filter() {
  return in_child([] { return install({kNoUnnamedFiles}) ? Outcome::done : Outcome::unavailable; }) == Outcome::done;
}

void expect_safe(std::vector<Fault> before, const Fault& fault) {
  const Scratch folder;
  before.push_back(fault);
  SCOPED_TRACE("call " + std::to_string(fault.call) + " error " + std::to_string(fault.error));
  EXPECT_EQ(write_under(folder, before), Outcome::failed);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
  EXPECT_EQ(read_file(folder / "f", 10), "old");
}

constexpr int kErrors[] = {ENOSPC, EIO, EDQUOT, EACCES, EROFS, ENOMEM, EMFILE};

std::vector<long> calls_of_the_writer() {
  std::vector<long> calls = {SYS_openat, SYS_write, SYS_fsync, SYS_fchmod, SYS_close};
#ifdef SYS_renameat
  calls.push_back(SYS_renameat);
#else
  calls.push_back(SYS_renameat2);
#endif
  return calls;
}

TEST(FileFault, KeepsTheOldFileWhateverFails) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  for (const int error : kErrors) {
    for (const long call : calls_of_the_writer()) expect_safe({}, {call, error});
    for (const long call : calls_of_the_writer()) expect_safe({kNoUnnamedFiles}, {call, error});
  }
}

TEST(FileFault, KeepsTheOldFileWhenTheNewOneGetsNoName) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder;
  const int probe = ::open(folder.path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no unnamed files";
  ::close(probe);
  for (const int error : kErrors) expect_safe({}, {SYS_linkat, error});
}

TEST(FileFault, WritesThroughANamedFileWhereThereAreNoOthers) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder;
  EXPECT_EQ(write_under(folder, {{SYS_linkat, EIO}, kNoUnnamedFiles}), Outcome::done);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
  EXPECT_EQ(read_file(folder / "f", 10), "new");
}

TEST(FileFault, PassesOverTemporaryNamesThatAreTaken) {
  const Scratch folder;
  const Outcome outcome = in_child([&] {
    for (int attempt = 0; attempt < 3; ++attempt) {
      put(folder / (".posenc-" + std::to_string(::getpid()) + "-" + std::to_string(attempt)), "somebody's");
    }
    return outcome_of("", [&] { write_file(folder / "f", bytes_of("new")); });
  });
  EXPECT_EQ(outcome, Outcome::done);
  EXPECT_EQ(read_file(folder / "f", 10), "new");
  for (const std::string& name : folder.names())
    EXPECT_EQ(read_file(folder / name, 20), name == "f" ? "new" : "somebody's");
  EXPECT_EQ(folder.names().size(), 4u);
}

TEST(FileFault, ReportsReadErrorsAsTheSystems) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder;
  put(folder / "f", "x");
  for (const auto& [call, error] : {std::pair<long, int>{SYS_read, EIO}, {SYS_openat, EMFILE}, {SYS_openat, ENOMEM}}) {
    const Outcome outcome = in_child([&] {
      if (!install({{call, error}})) return Outcome::unavailable;
      return outcome_of("f' (" + std::generic_category().message(error) + ")", [&] { read_file(folder / "f", 10); });
    });
    EXPECT_EQ(outcome, Outcome::failed) << call << " " << error;
  }
}

}  // namespace
}  // namespace posenc::io
