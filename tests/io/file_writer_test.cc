// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all: modes, links, devices, and everything that can be in the way.
#include <gtest/gtest.h>
#include <posenc/io/file.h>
#include <sys/resource.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#endif

#include <csignal>
#include <cstdlib>
#include <thread>

#include "tests/io/npy_files.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

using Names = std::vector<std::string>;

void write_text(const std::string& path, std::string_view text) { write_file(path, bytes_of(text)); }

TEST(FileWriter, CreatesAndReplacesAFile) {
  const Scratch folder;
  write_text(folder / "f", "old content");
  EXPECT_EQ(file_at(folder / "f"), "old content");
  FileWriter file(folder / "f");
  file.write(bytes_of("n"));
  file.write(bytes_of(""));
  file.write(bytes_of("ew"));
  EXPECT_EQ(file_at(folder / "f"), "old content");  // until commit
  file.commit();
  EXPECT_EQ(file_at(folder / "f"), "new");
  EXPECT_EQ(folder.names(), Names{"f"});
  write_text(folder / "f", "");
  EXPECT_EQ(file_at(folder / "f"), "");
}

TEST(FileWriter, RefusesASyncThatIsNone) {
  const Scratch folder;
  write_text(folder / "f", "old");
  for (const auto sync : {Sync{}, static_cast<Sync>(77)}) {
    try {
      write_file(folder / "f", bytes_of("new"), {.sync = sync});
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "[write_file] sync must be stated, got none");
    }
  }
  EXPECT_EQ(file_at(folder / "f"), "old");
  EXPECT_EQ(folder.names(), Names{"f"});
}

TEST(FileWriter, GivesBackTheRoomThatItTookAhead) {
  const Scratch folder;
  const std::string text(5000000, 'x');
  write_file(folder / "f", bytes_of(text), {.sync = Sync::none});
  struct stat now = {};
  ASSERT_EQ(::stat((folder / "f").c_str(), &now), 0);
  EXPECT_EQ(now.st_size, std::ssize(text));
  EXPECT_LT(now.st_blocks * 512, std::ssize(text) + (1 << 20));
  EXPECT_EQ(file_at(folder / "f"), text);
}

TEST(FileWriter, TakesNamesWithoutAFolder) {
  const Scratch folder;
  const Outcome outcome = in_child([&] {
    if (::chdir(folder.path().c_str()) != 0) return Outcome::unavailable;
    return outcome_of("", [] { write_text("plain", "x"); });
  });
  EXPECT_EQ(outcome, Outcome::done);
  EXPECT_EQ(file_at(folder / "plain"), "x");
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
  EXPECT_EQ(file_at(folder / "old"), "old");
}

TEST(FileWriter, IsOverAfterCommit) {
  const Scratch folder;
  FileWriter file(folder / "f");
  file.commit();
  EXPECT_THROW(file.write(bytes_of("x")), Error);
  EXPECT_THROW(file.commit(), Error);
  EXPECT_EQ(file_at(folder / "f"), "");
}

TEST(FileWriter, WritesOverWhatHasBeenWritten) {
  const Scratch folder;
  FileWriter file(folder / "f");
  EXPECT_TRUE(file.regular());
  file.write(bytes_of("head, body"));
  file.write_at(0, bytes_of("HEAD"));
  file.write(bytes_of(", tail"));
  file.write_at(6, bytes_of("BODY, T"));
  file.write_at(16, bytes_of(""));
  file.commit();
  EXPECT_EQ(file_at(folder / "f"), "HEAD, BODY, Tail");
  EXPECT_THROW(file.write_at(0, bytes_of("x")), Error);
}

TEST(FileWriter, RefusesToWriteOverWhatIsNotThere) {
  const Scratch folder;
  FileWriter file(folder / "f");
  file.write(bytes_of("1234"));
  for (const std::uint64_t offset : {std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{5}, ~std::uint64_t{0}}) {
    const std::string words = "f' with 4 bytes, at " + std::to_string(offset);
    EXPECT_EQ(outcome_of(words, [&] { file.write_at(offset, bytes_of("xx")); }), Outcome::refused);
  }
  file.commit();
  EXPECT_EQ(file_at(folder / "f"), "1234");
  FileWriter null("/dev/null");
  EXPECT_FALSE(null.regular());
  null.write(bytes_of("1234"));
  EXPECT_EQ(outcome_of("'/dev/null'", [&] { null.write_at(0, bytes_of("x")); }), Outcome::refused);
}

TEST(FileWriter, HandsALargeFileToTheDiskWhole) {
  const Scratch folder;
  const std::string part(1'000'003, 'p');
  FileWriter file(folder / "f");
  for (int i = 0; i < 90; ++i) file.write(bytes_of(part));  // several steps, some of them awaited
  file.write_at(0, bytes_of("q"));
  file.commit();
  EXPECT_EQ(std::filesystem::file_size(folder / "f"), std::uintmax_t{90'000'270});
}

#ifdef __linux__
/// Bytes of the first `size` bytes of a file that the system holds in memory.
std::size_t cached_bytes(const std::string& path, std::size_t size) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void* const map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  if (map == MAP_FAILED) throw std::runtime_error("no map of " + path);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages(size / page);
  EXPECT_EQ(::mincore(map, size, pages.data()), 0);
  ::munmap(map, size);
  return page * static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char seen) { return seen & 1; }));
}

// What is freed when a signal ends a long write is what the system holds of it.
TEST(FileWriter, KeepsTheLast256MiBOfALargeFileInMemory) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20, step = 4 * mebibyte, whole = 264 * mebibyte;
  const Scratch folder;
  struct statfs system = {};
  ASSERT_EQ(::statfs(folder.path().c_str(), &system), 0);
  if (system.f_type == TMPFS_MAGIC) GTEST_SKIP() << "this file system is memory";
  FileWriter file(folder / "f");
  const std::string part(mebibyte, 'p');
  for (std::size_t i = 0; i < whole / mebibyte; ++i) file.write(bytes_of(part));
  file.commit();
  EXPECT_EQ(cached_bytes(folder / "f", 2 * step), 0u);
  EXPECT_EQ(std::filesystem::file_size(folder / "f"), whole);
}
#endif

TEST(FileWriter, ReportsAClosedPipe) {
  const Scratch folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const Outcome outcome = in_child([&] {
    std::signal(SIGPIPE, SIG_IGN);
    const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FileWriter file(folder / "pipe");
    ::close(reader);
    return outcome_of("pipe' (Broken pipe)", [&] { file.write(bytes_of("x")); });
  });
  EXPECT_EQ(outcome, Outcome::failed);
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
  EXPECT_EQ(file_at(folder / "sub/target"), "new");
  EXPECT_EQ(mode_of(folder / "sub/target"), 0600u);
  EXPECT_EQ(file_at(folder / "sub/fresh"), "made");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "sub/middle"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
}

TEST(FileWriter, WritesToAnOpenPipeByItsPathUnderDev) {
  int ends[2] = {};
  ASSERT_EQ(::pipe(ends), 0);
  const std::string path = "/dev/fd/" + std::to_string(ends[1]);
  if (::access(path.c_str(), W_OK) != 0) GTEST_SKIP() << "no /dev/fd";
  const Scratch folder;
  ASSERT_EQ(::symlink(path.c_str(), (folder / "link").c_str()), 0);
  FileWriter file(path), by_link(folder / "link");
  EXPECT_FALSE(file.regular());
  file.write(bytes_of("through "));
  by_link.write(bytes_of("a pipe"));
  FileWriter* const both[] = {&file, &by_link};
  FileWriter::commit_all(both);
  ::close(ends[1]);
  EXPECT_EQ(read_descriptor(ends[0], "pipe", 100), "through a pipe");
  ::close(ends[0]);
}

TEST(FileWriter, WritesSeveralFilesOrNone) {
  const Scratch folder;
  put(folder / "a", "old");
  const auto write_all = [&](const std::vector<std::string>& names) {
    std::vector<std::unique_ptr<FileWriter>> files;
    std::vector<FileWriter*> pointers;
    for (const std::string& name : names) {
      pointers.push_back(files.emplace_back(std::make_unique<FileWriter>(folder / name)).get());
      pointers.back()->write(bytes_of("new " + name));
    }
    FileWriter::commit_all(pointers);
  };
  write_all({"a", "b"});
  EXPECT_EQ(file_at(folder / "a") + ", " + file_at(folder / "b"), "new a, new b");
  FileWriter whole(folder / "a"), done(folder / "c");
  whole.write(bytes_of("newer"));
  done.commit();
  FileWriter* const both[] = {&whole, &done};  // the second has ended
  EXPECT_EQ(outcome_of("commit", [&] { FileWriter::commit_all(both); }), Outcome::refused);
  EXPECT_EQ(file_at(folder / "a"), "new a");
}

TEST(FileWriter, LeavesAHardLinkItsOldContent) {
  const Scratch folder;
  put(folder / "f", "old");
  std::filesystem::create_hard_link(folder / "f", folder / "other");
  write_text(folder / "f", "new");
  EXPECT_EQ(file_at(folder / "other"), "old");
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
  EXPECT_EQ(file_at(folder / "f"), "x");
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
  EXPECT_EQ(file_at(folder / "read_only"), "old");
  EXPECT_EQ(file_at(folder / "open"), "new");
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

TEST(FileWriter, WritesAnOpenDescriptorAsItStandsAndLeavesItOpen) {
  const Scratch folder;
  const int file = ::open((folder / "f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::write(file, "before ", 7), 7);
  FileWriter writer("standard output", {.descriptor = file});
  EXPECT_FALSE(writer.regular());
  writer.write(bytes_of(std::string("after")));
  writer.commit();
  ASSERT_EQ(::write(file, ".", 1), 1);
  ::close(file);
  EXPECT_EQ(file_at(folder / "f"), "before after.");
  EXPECT_EQ(folder.names(), Names{"f"});
  const auto closed = [&] { FileWriter("standard output", {.descriptor = file}); };
  EXPECT_EQ(outcome_of("'standard output' (Bad file descriptor)", closed), Outcome::failed);
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
  EXPECT_EQ(file_at(folder / "f"), "old");
}

TEST(FileWriter, LeavesNothingWhenKilled) {
  const Scratch folder(place_of_unnamed_files());
  if (!has_unnamed_files(folder.path())) GTEST_SKIP() << "no file system with unnamed files";
  put(folder / "f", "old");
  const Outcome outcome = in_child([&] {
    FileWriter file(folder / "f");
    file.write(bytes_of("half"));
    ::raise(SIGKILL);
    return Outcome::done;
  });
  EXPECT_EQ(outcome, Outcome::killed);
  EXPECT_EQ(folder.names(), Names{"f"});
  EXPECT_EQ(file_at(folder / "f"), "old");
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
    for (int round = 0; round < 50; ++round) EXPECT_TRUE(whole(file_at(folder / "f")));
  }
  EXPECT_TRUE(whole(file_at(folder / "f")));
  EXPECT_EQ(folder.names(), Names{"f"});
}

}  // namespace
}  // namespace posenc::io
