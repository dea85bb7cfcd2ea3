// SPDX-License-Identifier: Apache-2.0
// Whole processes as work: from nothing to their end.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::bench {

/// Runs a program to its end, without what it prints. Throws when it fails.
void run_process(std::vector<std::string> words);

/// A name in the folder for temporary files, one of each ending a process; the file goes when this does.
struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(std::string_view ending);
  ~TemporaryFile() { std::filesystem::remove(path); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
};

}  // namespace posenc::bench
