// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all: modes, links, devices, and everything that can be in the way.
#include <gtest/gtest.h>
#include <posenc/file.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "tests/formats/npy_files.h"
#include "tests/formats/scratch.h"

namespace posenc::io {
namespace {

using Names = std::vector<std::string>;

void write_text(const std::string& path, std::string_view text) { write_file(path, bytes_of(text)); }
std::string text_of(const std::string& path) { return read_file(path, 1 << 24); }

TEST(FileWriter, CreatesAndReplacesAFile) {
  const Scratch folder;
  write_text(folder / "f", "old content");
  EXPECT_EQ(text_of(folder / "f"), "old content");
  FileWriter file(folder / "f");
  file.write(bytes_of("n"));
  file.write(bytes_of(""));
  file.write(bytes_of("ew"));
  EXPECT_EQ(text_of(folder / "f"), "old content");  // until commit
  file.commit();
  EXPECT_EQ(text_of(folder / "f"), "new");
  EXPECT_EQ(folder.names(), Names{"f"});
  write_text(folder / "f", "");
  EXPECT_EQ(text_of(folder / "f"), "");
}

TEST(FileWriter, TakesNamesWithoutAFolder) {
  const Scratch folder;
  const Outcome outcome = in_child([&] {
    if (::chdir(folder.path().c_str()) != 0) return Outcome::unavailable;
    return outcome_of("", [] { write_text("plain", "x"); });
  });
  EXPECT_EQ(outcome, Outcome::done);
  EXPECT_EQ(text_of(folder / "plain"), "x");
  write_text(folder / std::string(255, 'n'), "longest name");
  EXPECT_EQ(folder.names(), (Names{std::string(255, 'n'), "plain"}));
}

TEST(FileWriter, LeavesNothingWithoutCommit) {
  const Scratch folder;
  put(folder / "old", "old");
  {
    FileWriter old(folder / "old"), fresh(folder / "fresh");
    old.write(bytes_of("half"));
    fresh.write(bytes_of("half"));
  }
  EXPECT_EQ(folder.names(), Names{"old"});
  EXPECT_EQ(text_of(folder / "old"), "old");
}

TEST(FileWriter, IsOverAfterCommit) {
  const Scratch folder;
  FileWriter file(folder / "f");
  file.commit();
  EXPECT_THROW(file.write(bytes_of("x")), Error);
  EXPECT_THROW(file.commit(), Error);
  EXPECT_EQ(text_of(folder / "f"), "");
}

TEST(FileWriter, KeepsTheModeOfAnExistingFileWhateverTheUmask) {
  const Scratch folder;
  for (const unsigned mode : {0600u, 0644u, 0640u, 0666u, 0755u, 0200u}) {
    put(folder / "f", "old", mode);
    const mode_t umask = ::umask(0777);
    write_text(folder / "f", "new");
    ::umask(umask);
    EXPECT_EQ(mode_of(folder / "f"), mode);
  }
  put(folder / "f", "old", 04755);
  write_text(folder / "f", "new");
  EXPECT_EQ(mode_of(folder / "f"), 0755u);
}

TEST(FileWriter, ObeysTheUmaskForANewFile) {
  const Scratch folder;
  for (const unsigned mask : {0022u, 0027u, 0077u, 0000u}) {
    const mode_t umask = ::umask(mask);
    write_text(folder / "f", "x");
    ::umask(umask);
    EXPECT_EQ(mode_of(folder / "f"), 0666u & ~mask);
    std::filesystem::remove(folder / "f");
  }
}

TEST(FileWriter, ReplacesTheTargetOfALinkAndKeepsTheLink) {
  const Scratch folder;
  std::filesystem::create_directory(folder / "sub");
  put(folder / "sub/target", "old", 0600);
  ASSERT_EQ(::symlink("sub/middle", (folder / "link").c_str()), 0);
  ASSERT_EQ(::symlink((folder / "sub/target").c_str(), (folder / "sub/middle").c_str()), 0);
  ASSERT_EQ(::symlink("sub/fresh", (folder / "dangling").c_str()), 0);
  write_text(folder / "link", "new");
  write_text(folder / "dangling", "made");
  EXPECT_EQ(text_of(folder / "sub/target"), "new");
  EXPECT_EQ(mode_of(folder / "sub/target"), 0600u);
  EXPECT_EQ(text_of(folder / "sub/fresh"), "made");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "sub/middle"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
}

TEST(FileWriter, LeavesAHardLinkItsOldContent) {
  const Scratch folder;
  put(folder / "f", "old");
  std::filesystem::create_hard_link(folder / "f", folder / "other");
  write_text(folder / "f", "new");
  EXPECT_EQ(text_of(folder / "other"), "old");
}

TEST(FileWriter, RefusesPathsThatNameNoFile) {
  const Scratch folder;
  put(folder / "f", "x");
  std::filesystem::create_directory(folder / "sub");
  ASSERT_EQ(::symlink("loop", (folder / "loop").c_str()), 0);
  ASSERT_EQ(::symlink("sub", (folder / "to_sub").c_str()), 0);
  for (const std::string& path :
       {folder / "sub", folder / "sub/", folder / "to_sub", folder / "none/f", folder / "none/", folder / "f/f",
        folder / "f/", folder / "loop", std::string(), std::string("/"), std::string("."), folder / "..",
        folder / std::string(256, 'n'), (folder / "g") + std::string("\0", 1), std::string(5000, 'p')}) {
    EXPECT_EQ(outcome_of("[write_file]", [&] { write_text(path, "y"); }), Outcome::refused) << path;
  }
  EXPECT_EQ(folder.names(), (Names{"f", "loop", "sub", "to_sub"}));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "sub"));
  EXPECT_EQ(text_of(folder / "f"), "x");
}

TEST(FileWriter, BlamesTheSystemForAPermissionAndTouchesNothing) {
  const Scratch folder;
  put(folder / "read_only", "old", 0444);
  put(folder / "open", "old", 0666);
  const auto writing = [&](const std::string& name) {
    return in_child([&] {
      become_nobody();
      return outcome_of(name + "' (Permission denied)", [&] { write_text(folder / name, "new"); });
    });
  };
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  EXPECT_EQ(writing("read_only"), Outcome::failed);
  EXPECT_EQ(writing("open"), Outcome::done);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  EXPECT_EQ(writing("open"), Outcome::failed);
  EXPECT_EQ(writing("fresh"), Outcome::failed);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_EQ(folder.names(), (Names{"open", "read_only"}));
  EXPECT_EQ(text_of(folder / "read_only"), "old");
  EXPECT_EQ(text_of(folder / "open"), "new");
}

TEST(FileWriter, WritesDevicesAndPipesDirectly) {
  const Scratch folder;
  write_text("/dev/null", std::string(100'000, 'x'));
  struct stat status = {};
  ASSERT_EQ(::stat("/dev/null", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));

  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string read;
  std::jthread reader([&] {
    const int pipe = ::open((folder / "pipe").c_str(), O_RDONLY | O_CLOEXEC);
    read = read_descriptor(pipe, "pipe", 1 << 20);
    ::close(pipe);
  });
  write_text(folder / "pipe", std::string(200'000, 'p'));
  reader.join();
  EXPECT_EQ(read, std::string(200'000, 'p'));
  EXPECT_EQ(folder.names(), Names{"pipe"});
}

TEST(FileWriter, ReportsAFullDevice) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(outcome_of("'/dev/full' (No space left on device)", [] { write_text("/dev/full", "x"); }), Outcome::failed);
}

TEST(FileWriter, KeepsTheOldFileWhenTheNewOneGrowsTooLarge) {
  const Scratch folder;
  put(folder / "f", "old");
  const Outcome outcome = in_child([&] {
    const rlimit limit = {100'000, 100'000};
    std::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return Outcome::unavailable;
    write_text(folder / "within", std::string(100'000, 'x'));
    FileWriter file(folder / "f");
    file.write(bytes_of(std::string(60'000, 'x')));
    const Outcome first = outcome_of("f' (File too large)", [&] { file.write(bytes_of(std::string(60'000, 'x'))); });
    const Outcome second = outcome_of("after commit or a failure", [&] { file.commit(); });
    return second == Outcome::refused ? first : Outcome::unavailable;
  });
  EXPECT_EQ(outcome, Outcome::failed);
  EXPECT_EQ(folder.names(), (Names{"f", "within"}));
  EXPECT_EQ(text_of(folder / "f"), "old");
}

TEST(FileWriter, LeavesNothingWhenKilled) {
  const Scratch folder;
#ifdef O_TMPFILE
  const int probe = ::open(folder.path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
#else
  const int probe = -1;
#endif
  if (probe < 0) GTEST_SKIP() << "this file system has no unnamed files";
  ::close(probe);
  put(folder / "f", "old");
  const Outcome outcome = in_child([&] {
    FileWriter file(folder / "f");
    file.write(bytes_of("half"));
    ::raise(SIGKILL);
    return Outcome::done;
  });
  EXPECT_EQ(outcome, Outcome::killed);
  EXPECT_EQ(folder.names(), Names{"f"});
  EXPECT_EQ(text_of(folder / "f"), "old");
}

TEST(FileWriter, LeavesOneWholeFileOfManyWriters) {
  const Scratch folder;
  put(folder / "f", std::string(50'000, 'a'));
  const auto whole = [](const std::string& text) {
    return text.size() == 50'000 && text.find_first_not_of(text[0]) == text.npos;
  };
  {
    std::vector<std::jthread> writers;
    for (char letter = 'a'; letter < 'i'; ++letter) {
      writers.emplace_back([&folder, letter] {
        for (int round = 0; round < 10; ++round) {
          FileWriter file(folder / "f");
          for (int part = 0; part < 5; ++part) file.write(bytes_of(std::string(10'000, letter)));
          file.commit();
        }
      });
    }
    for (int round = 0; round < 50; ++round) EXPECT_TRUE(whole(text_of(folder / "f")));
  }
  EXPECT_TRUE(whole(text_of(folder / "f")));
  EXPECT_EQ(folder.names(), Names{"f"});
}

}  // namespace
}  // namespace posenc::io
