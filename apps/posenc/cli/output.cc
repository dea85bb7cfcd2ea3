// SPDX-License-Identifier: Apache-2.0
// Standard output, notes, and the sizes of this machine.
#include "apps/posenc/cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <posenc/io/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

std::string readable(double bytes) {
  std::string_view unit = "bytes";
  for (const std::string_view larger : {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return fmt::format("{:.4g} {}", bytes, unit);
}

double physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// The request is in order, the machine is too small.
[[noreturn]] void lacks(std::string_view operation, std::string rule, std::int64_t bytes) {
  throw Error({std::string(operation),
               std::move(rule),
               fmt::format("{} bytes ({})", bytes, readable(static_cast<double>(bytes))),
               {},
               Cause::system});
}

}  // namespace

void hold_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // takes the lowest number
  }
}

void put(std::string_view text) {
  io::write_descriptor(STDOUT_FILENO, "standard output", std::as_bytes(std::span(text)));
}

bool on_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

void note(std::string_view text) { std::fputs(fmt::format("posenc: {}\n", printable(text)).c_str(), stderr); }

void prepare(Files& files, const std::string& path, std::string_view bytes, const io::WriteOptions& options) {
  if (path == standard_stream) {
    const io::WriteOptions down = {.sync = io::Sync::none, .descriptor = STDOUT_FILENO};
    files.push_back(std::make_unique<io::FileWriter>(std::string("standard output"), down));
  } else {
    files.push_back(std::make_unique<io::FileWriter>(path, options));
  }
  files.back()->write(std::as_bytes(std::span(bytes)));
}

void commit(const Files& files, io::FileWriter* first) {
  std::vector<io::FileWriter*> all;
  if (first != nullptr) all.push_back(first);
  for (const auto& file : files) all.push_back(file.get());
  io::FileWriter::commit_all(all);
}

std::int64_t bytes_of(std::string_view operation, std::int64_t rows, std::int64_t columns, DType type) {
  const std::optional<std::int64_t> count = product(rows, columns);
  const auto size = static_cast<std::int64_t>(size_of(type));
  const std::optional<std::int64_t> bytes = count ? product(*count, size) : std::nullopt;
  if (!bytes) {
    refuse(operation, "a table must have at most 2^63 - 1 bytes",
           fmt::format("{} x {} x {} bytes", rows, columns, size));
  }
  return *bytes;
}

std::string memory_words() {
  constexpr std::string_view field = "VmPeak:";  // the address space, which is what a limit counts
  double peak = 0;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) peak = 1024 * std::strtod(line.c_str() + field.size(), nullptr);
  }
  rlimit limit = {};
  const bool limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const double most = limited ? static_cast<double>(limit.rlim_cur) : physical_memory();
  return fmt::format("no more than {} of {} that {} has", readable(peak), readable(most),
                     limited ? "this process" : "the machine");
}

void check_memory(std::string_view operation, std::int64_t bytes) {
  const double memory = physical_memory();
  if (static_cast<double>(bytes) <= memory) return;
  lacks(operation, fmt::format("what is computed must fit in memory ({})", readable(memory)), bytes);
}

void check_space(std::string_view operation, std::int64_t bytes, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (fs::exists(path, failed) && !fs::is_regular_file(path, failed)) return;  // a device or a pipe takes any length
  const fs::path folder = fs::path(path).parent_path();
  const fs::space_info space = fs::space(folder.empty() ? "." : folder, failed);
  if (failed || static_cast<std::uint64_t>(bytes) <= space.available) return;  // the writer tells what is wrong
  lacks(operation,
        fmt::format("what is written must fit in the free space of its folder ({})",
                    readable(static_cast<double>(space.available))),
        bytes);
}

}  // namespace posenc::tool
