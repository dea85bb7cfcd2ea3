// SPDX-License-Identifier: Apache-2.0
// Reading whole files within limits, and what is no file to read; descriptors in both directions.
#include <gtest/gtest.h>
#include <posenc/io/file.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <csignal>
#include <thread>

#include "tests/io/npy_files.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

Problem problem_of(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_LE(std::string(error.what()).size(), 300u) << error.what();
    return error.problem();
  }
  ADD_FAILURE() << "no error";
  return {};
}

Problem reading(const std::string& path, std::uint64_t limit = 1000) {
  return problem_of([&] { read_file(path, limit); });
}

TEST(File, ReadsEveryByte) {
  const Scratch folder;
  std::string all;
  for (int value = 0; value < 256; ++value) all += static_cast<char>(value);
  for (const std::string& text : {std::string(), std::string("x"), all, std::string(1'000'003, 'y')}) {
    put(folder / "f", text);
    EXPECT_EQ(read_file(folder / "f", 1'000'003), text);
  }
}

TEST(File, HoldsItsLimit) {
  const Scratch folder;
  put(folder / "f", "12345");
  EXPECT_EQ(read_file(folder / "f", 6), "12345");
  EXPECT_EQ(read_file(folder / "f", 5), "12345");
  const Problem problem = reading(folder / "f", 4);
  EXPECT_EQ(problem.rule, "must hold at most 4 bytes");
  EXPECT_EQ(problem.cause, Cause::input);
  put(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty", 0), "");
}

TEST(File, ReadsNoMoreOfASparseGiantThanItsSize) {
  const Scratch folder;
  put(folder / "giant", "");
  ASSERT_EQ(::truncate((folder / "giant").c_str(), std::int64_t{1} << 40), 0);
  EXPECT_NE(reading(folder / "giant", 1 << 20).value.find("with 1099511627776"), std::string::npos);
}

TEST(File, ReadsFilesThatSaySizeZero) {
  const std::string path = "/proc/self/status";
  if (::access(path.c_str(), R_OK) != 0) GTEST_SKIP() << "no /proc";
  EXPECT_NE(read_file(path, 1 << 16).find("Name:"), std::string::npos);
  EXPECT_EQ(reading(path, 10).rule, "must hold at most 10 bytes");
}

TEST(File, RefusesWhatIsNoRegularFile) {
  const Scratch folder;
  EXPECT_NE(reading(folder.path()).value.find("(a folder)"), std::string::npos);
  EXPECT_NE(reading("/dev/null").value.find("(a device)"), std::string::npos);
  EXPECT_NE(reading("/dev/zero").value.find("(a device)"), std::string::npos);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_NE(reading(folder / "pipe").value.find("(a pipe)"), std::string::npos);  // and does not wait for a writer
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = folder / "socket";
  ASSERT_LT(name.size(), sizeof address.sun_path);
  name.copy(address.sun_path, name.size());
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(reading(name).cause, Cause::input);
  ::close(socket);
}

TEST(File, RefusesPathsThatLeadNowhere) {
  const Scratch folder;
  put(folder / "f", "x");
  ASSERT_EQ(::symlink("loop", (folder / "loop").c_str()), 0);
  const Problem missing = reading(folder / "missing");
  EXPECT_EQ(missing.operation, "read_file");
  EXPECT_NE(missing.value.find("missing' (No such file or directory)"), std::string::npos) << missing.value;
  for (const std::string& path : {folder / "missing", folder / "none/f", folder / "f/f", folder / "loop", std::string(),
                                  folder / std::string(256, 'n'), std::string(5000, '/') + "f" + std::string(5000, 'p'),
                                  (folder / "f") + std::string("\0.npy", 5)}) {
    EXPECT_EQ(reading(path).cause, Cause::input) << path;
  }
}

TEST(File, BlamesTheSystemForAPermission) {
  const Scratch folder;
  put(folder / "secret", "x", 0000);
  const Outcome outcome = in_child([&] {
    become_nobody();
    return outcome_of("secret' (Permission denied)", [&] { read_file(folder / "secret", 10); });
  });
  EXPECT_EQ(outcome, Outcome::failed);
}

TEST(File, ShowsForeignNamesOnOneLineAndByTheirEnd) {
  EXPECT_EQ(reading("a\n\x1B[31m\xFF\xE6\x88\x91\x7F").value,
            "'a\\x0A\\x1B[31m\\xFF\xE6\x88\x91\\x7F' (No such file or directory)");
  const std::string far = reading("/no/" + std::string(80, 'd') + "/name.npy").value;
  EXPECT_EQ(far, "'..." + std::string(55, 'd') + "/name.npy' (No such file or directory)");
  EXPECT_EQ(reading(std::string(100, '\x01')).value.find("'...\\x01"), 0u);
}

TEST(Descriptor, IsReadToItsEndAndStaysOpen) {
  std::array<int, 2> pipe = {};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC | O_NONBLOCK), 0);  // non-blocking, as a parent may leave standard input
  const std::string text(300'000, 'z');
  std::jthread writer([&] {
    write_descriptor(pipe[1], "pipe", bytes_of(text));
    ::close(pipe[1]);
  });
  EXPECT_EQ(read_descriptor(pipe[0], "standard input", text.size()), text);
  EXPECT_EQ(read_descriptor(pipe[0], "standard input", 0), "");
  EXPECT_EQ(::close(pipe[0]), 0);
}

TEST(Descriptor, HoldsItsLimit) {
  const Scratch folder;
  put(folder / "f", "12345");
  const auto reading_at_most = [&](std::uint64_t limit) {
    const int file = ::open((folder / "f").c_str(), O_RDONLY | O_CLOEXEC);
    const auto text = std::make_unique<std::string>();
    const Outcome outcome =
        outcome_of("standard input' with more", [&] { *text = read_descriptor(file, "standard input", limit); });
    ::close(file);
    EXPECT_EQ(*text, outcome == Outcome::done ? "12345" : "");
    return outcome;
  };
  EXPECT_EQ(reading_at_most(6), Outcome::done);
  EXPECT_EQ(reading_at_most(5), Outcome::done);
  EXPECT_EQ(reading_at_most(4), Outcome::refused);
}

TEST(Descriptor, TellsAFolderFromAClosedOne) {
  const int folder = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  EXPECT_EQ(problem_of([&] { read_descriptor(folder, "standard input", 10); }).cause, Cause::input);
  ::close(folder);
  EXPECT_EQ(problem_of([&] { read_descriptor(-1, "standard input", 10); }).cause, Cause::system);
}

/// For the handlers below, in child processes only.
volatile std::sig_atomic_t handler_end = -1, handler_calls = 0;

/// Lets `handler` interrupt every system call of this process, once a millisecond.
void interrupt_always(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;  // without SA_RESTART
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval every = {{0, 1000}, {0, 1000}};
  ::setitimer(ITIMER_REAL, &every, nullptr);
}

TEST(Descriptor, IsReadOnAfterSignals) {
  const Outcome outcome = in_child([] {
    std::array<int, 2> pipe = {};
    if (::pipe(pipe.data()) != 0) return Outcome::unavailable;
    handler_end = pipe[1];
    interrupt_always([](int) {  // the text comes with the third signal only
      handler_calls = handler_calls + 1;
      if (handler_calls == 3 && ::write(handler_end, "late", 4) == 4) ::close(handler_end);
    });
    return outcome_of("", [&] {
      if (read_descriptor(pipe[0], "pipe", 10) != "late") ::_exit(1);
    });
  });
  EXPECT_EQ(outcome, Outcome::done);
}

TEST(Descriptor, IsWrittenOnAfterSignalsAndShortWrites) {
  const Outcome outcome = in_child([] {
    std::array<int, 2> pipe = {};
    if (::pipe(pipe.data()) != 0) return Outcome::unavailable;
    handler_end = pipe[0];
    interrupt_always([](int) {  // the pipe is full until the fifth signal, and then drained a little at each
      static char drained[10'000];
      handler_calls = handler_calls + 1;
      if (handler_calls >= 5 && ::read(handler_end, drained, sizeof drained) < 0) ::_exit(1);
    });
    return outcome_of("", [&] { write_descriptor(pipe[1], "pipe", bytes_of(std::string(200'000, 'x'))); });
  });
  EXPECT_EQ(outcome, Outcome::done);
}

TEST(Descriptor, FailsWhenItsReaderIsGone) {
  const Outcome outcome = in_child([] {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> pipe = {};
    if (::pipe(pipe.data()) != 0) return Outcome::unavailable;
    ::close(pipe[0]);
    return outcome_of("standard output' (Broken pipe)",
                      [&] { write_descriptor(pipe[1], "standard output", bytes_of("x")); });
  });
  EXPECT_EQ(outcome, Outcome::failed);
}

}  // namespace
}  // namespace posenc::io
