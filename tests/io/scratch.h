// SPDX-License-Identifier: Apache-2.0
// A folder that a test has for itself, and child processes that a test may restrict or kill.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <posenc/io/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace posenc::io {

/// Gone with all it holds when the test ends.
class Scratch {
 public:
  explicit Scratch(const std::string& parent = testing::TempDir()) : path_(parent + "posenc_io_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no scratch folder " + path_);
    ::chmod(path_.c_str(), 0755);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  /// The names of everything in the folder, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }

 private:
  std::string path_;
};

/// Whether a file there can be made without a name.
inline bool has_unnamed_files(const std::string& folder) {
#ifdef O_TMPFILE
  const int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  return file >= 0 && ::close(file) == 0;
#else
  (void)folder;
  return false;
#endif
}

/// Where they can be made, if anywhere: the file systems of containers have none on older kernels, memory has them.
inline std::string place_of_unnamed_files() {
  return has_unnamed_files(testing::TempDir()) ? testing::TempDir() : "/dev/shm/";
}

/// Puts a file there with plain system calls, apart from what is tested.
inline void put(const std::string& path, std::string_view text, unsigned mode = 0644) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0) << path;
  EXPECT_EQ(::write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  EXPECT_EQ(::fchmod(file, mode), 0);
  ::close(file);
}

inline std::string file_at(const std::string& path) { return read_file(path, 1 << 26); }

inline unsigned mode_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777u;
}

/// What a call did, small enough for an exit status.
enum class Outcome : int { done = 0, refused = 2, failed = 3, unavailable = 77, killed = 128 };

/// Runs `call` and says how it ended; the message must name `word`.
inline Outcome outcome_of(const std::string& word, auto&& call) {
  try {
    call();
    return Outcome::done;
  } catch (const Error& error) {
    const std::string message = error.what();
    if (message.find(word) == std::string::npos || message.size() > 300) return Outcome::unavailable;
    return error.problem().cause == Cause::system ? Outcome::failed : Outcome::refused;
  }
}

/// The outcome that `call` returns in a process of its own.
inline Outcome in_child(auto&& call) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(static_cast<int>(call()));
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status)) : Outcome::killed;
}

/// Permissions bind everybody but root.
inline void become_nobody() {
  if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(static_cast<int>(Outcome::unavailable));
}

}  // namespace posenc::io
