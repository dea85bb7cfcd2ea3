// SPDX-License-Identifier: Apache-2.0
// Every system call of the writer failing in turn, by a seccomp filter in a child process.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <posenc/io/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <bit>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <memory>
#include <system_error>

#include "tests/io/npy_files.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

constexpr int kSignal = 0;

/// Calls of that number fail with `error`, or raise SIGSYS; with a mask, only those whose third argument has all of its
/// bits.
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
    const unsigned failure = SECCOMP_RET_ERRNO | static_cast<unsigned>(fault.error);
    program.push_back(BPF_STMT(BPF_RET | BPF_K, fault.error == kSignal ? SECCOMP_RET_TRAP : failure));
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

/// "new" has 3 bytes: what a sanitizer writes while it looks at an exception has others.
Fault fault_of(long call, int error) { return {call, error, call == SYS_write ? 3u : 0u}; }

TEST(FileFault, KeepsTheOldFileWhateverFails) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  for (const int error : kErrors) {
    for (const long call : calls_of_the_writer()) expect_safe({}, fault_of(call, error));
    for (const long call : calls_of_the_writer()) expect_safe({kNoUnnamedFiles}, fault_of(call, error));
  }
}

TEST(FileFault, KeepsTheOldFileWhenTheNewOneGetsNoName) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder(place_of_unnamed_files());
  if (!has_unnamed_files(folder.path())) GTEST_SKIP() << "no file system with unnamed files";
  for (const int error : kErrors) expect_safe({}, {SYS_linkat, error});
}

TEST(FileFault, GivesANewFileNoOtherName) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder(place_of_unnamed_files());
  if (!has_unnamed_files(folder.path())) GTEST_SKIP() << "no file system with unnamed files";
  const Outcome outcome = in_child([&] {
    if (!install({fault_of(calls_of_the_writer().back(), EIO)})) return Outcome::unavailable;
    return outcome_of("", [&] { write_file(folder / "f", bytes_of("new")); });
  });
  EXPECT_EQ(outcome, Outcome::done);
  EXPECT_EQ(read_file(folder / "f", 10), "new");
}

TEST(FileFault, WritesThroughANamedFileWhereThereAreNoOthers) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder;
  EXPECT_EQ(write_under(folder, {{SYS_linkat, EIO}, kNoUnnamedFiles}), Outcome::done);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
  EXPECT_EQ(read_file(folder / "f", 10), "new");
}

// ---- options ------------------------------------------------------------------------------------

TEST(FileFault, SyncsNothingWhenToldNotTo) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder;
  const auto writing = [&](Sync sync) {
    return in_child([&] {
      if (!install({{SYS_fsync, EIO}, {SYS_sync_file_range, EIO}})) return Outcome::unavailable;
      const std::string large(9 << 20, 'x');
      return outcome_of("f' (Input/output error)", [&] { write_file(folder / "f", bytes_of(large), {.sync = sync}); });
    });
  };
  EXPECT_EQ(writing(Sync::full), Outcome::failed);
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
  EXPECT_EQ(writing(Sync::none), Outcome::done);
  EXPECT_EQ(read_file(folder / "f", 10 << 20).size(), std::size_t{9 << 20});
}

TEST(FileFault, ReportsADiskThatFailsWhileTheFileGrows) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder;
  put(folder / "f", "old");
  for (const int error : {EIO, ENOSPC, EDQUOT}) {
    const Outcome outcome = in_child([&] {
      if (!install({{SYS_sync_file_range, error}})) return Outcome::unavailable;
      FileWriter file(folder / "f");
      const std::string part((4 << 20) - 1, 'x');
      file.write(bytes_of(part));  // not yet a full step
      const std::string words = "reach the disk, got '" + (folder / "f");
      return outcome_of(words, [&] { file.write(bytes_of("xx")); });
    });
    EXPECT_EQ(outcome, Outcome::failed) << error;
    EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
    EXPECT_EQ(read_file(folder / "f", 10), "old");
  }
}

TEST(FileFault, SyncsAtTheEndWhereItCannotWhileTheFileGrows) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder;
  const Outcome outcome = in_child([&] {
    if (!install({{SYS_sync_file_range, EPERM}})) return Outcome::unavailable;
    const std::string large(17 << 20, 'x');
    return outcome_of("", [&] { write_file(folder / "f", bytes_of(large)); });
  });
  EXPECT_EQ(outcome, Outcome::done);
  EXPECT_EQ(std::filesystem::file_size(folder / "f"), std::uintmax_t{17 << 20});
}

Temporaries noted;  // handlers reach nothing else

void stop(int) {
  noted.remove();
  ::_exit(static_cast<int>(Outcome::killed));
}

/// A signal ends the process in the first call of that number, while it writes "new" over "old".
Outcome write_until(const Scratch& folder, std::vector<Fault> before, long call, Temporaries* temporaries) {
  put(folder / "f", "old");
  before.push_back(fault_of(call, kSignal));
  return in_child([&] {
    std::signal(SIGSYS, stop);
    if (!install(before)) return Outcome::unavailable;
    return outcome_of("", [&] { write_file(folder / "f", bytes_of("new"), {.temporaries = temporaries}); });
  });
}

TEST(FileFault, LeavesNothingWhenASignalEndsItInAnyCall) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const auto expect_clean = [](const std::vector<Fault>& before, long call) {
    const Scratch folder;
    SCOPED_TRACE("call " + std::to_string(call) + (before.empty() ? "" : ", named file"));
    EXPECT_EQ(write_until(folder, before, call, &noted), Outcome::killed);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
    EXPECT_EQ(read_file(folder / "f", 10), "old");
  };
  for (const long call : calls_of_the_writer()) {
    expect_clean({}, call);
    if (call != SYS_openat) expect_clean({kNoUnnamedFiles}, call);
  }
}

TEST(FileFault, LeavesANamedFileToASignalThatKnowsNothingOfIt) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder;
  EXPECT_EQ(write_until(folder, {kNoUnnamedFiles}, SYS_fsync, nullptr), Outcome::killed);
  EXPECT_EQ(folder.names().size(), 2u);  // so the test above can fail
  EXPECT_EQ(read_file(folder / "f", 10), "old");
}

TEST(FileFault, NotesOnlyFilesThatHaveANameNow) {
  const Scratch folder;
  Temporaries temporaries;
  const WriteOptions options = {.sync = Sync::none, .temporaries = &temporaries};
  for (int round = 0; round < 40; ++round) write_file(folder / "f", bytes_of("x"), options);
  put(folder / (".posenc-" + std::to_string(::getpid()) + "-0"), "somebody's");
  temporaries.remove();
  EXPECT_EQ(folder.names().size(), 2u);
}

TEST(FileFault, NotesSixteenFilesAtATime) {
  if (!can_filter()) GTEST_SKIP() << "no seccomp filters here";
  const Scratch folder;
  const Outcome outcome = in_child([&] {
    if (!install({kNoUnnamedFiles})) return Outcome::unavailable;
    Temporaries temporaries;
    std::vector<std::unique_ptr<FileWriter>> files;
    for (int i = 0; i < 17; ++i) {
      const WriteOptions options = {.temporaries = &temporaries};
      files.push_back(std::make_unique<FileWriter>(folder / ("f" + std::to_string(i)), options));
    }
    const bool all = folder.names().size() == 17;
    temporaries.remove();
    return all && folder.names().size() == 1 ? Outcome::done : Outcome::failed;
  });
  EXPECT_EQ(outcome, Outcome::done);
}

// ---- names and readers --------------------------------------------------------------------------

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
