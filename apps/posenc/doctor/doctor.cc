// SPDX-License-Identifier: Apache-2.0
// posenc doctor: what this build is, what it finds on this machine, and whether it is right here.
#include <cairo.h>
#include <fmt/format.h>
#include <link.h>
#include <posenc/instruction_set.h>
#include <posenc/version.h>

#include <CLI/Version.hpp>
#include <filesystem>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/doctor/self_test.h"
#include "apps/posenc/terminal/progress.h"

namespace posenc::tool {
namespace {

constexpr std::chrono::duration<double> test_time{0.9};

// A library that the tool uses, and how its file begins where it is loaded at run time.
struct Library {
  std::string_view name, file, without;  // `without`: what is said where it is not loaded
};
constexpr Library libraries[] = {{"oneDNN", "libdnnl.so", "linked in, or built without posenc::transformer"},
                                 {"zlib", "libz.so", "linked in"},
                                 {"utf8proc", "libutf8proc.so", "linked in"},
                                 {"SentencePiece", "libsentencepiece.so", "linked in"},
                                 {"fmt", "libfmt.so", "linked in"},
                                 {"fontconfig", "libfontconfig.so", "linked in"},
                                 {"Cairo", "libcairo.so", "linked in"}};

// The files of shared libraries in this process.
std::vector<std::string> loaded_files() {
  std::vector<std::string> files;
  const auto add = [](dl_phdr_info* info, std::size_t, void* to) {
    static_cast<std::vector<std::string>*>(to)->emplace_back(info->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(add, &files);
  return files;
}

// "libz.so.1.2.13 in /usr/lib".
std::string found(const Library& library, std::span<const std::string> files) {
  namespace fs = std::filesystem;
  for (const std::string& file : files) {
    if (!fs::path(file).filename().string().starts_with(library.file)) continue;
    std::error_code failed;
    const fs::path whole = fs::canonical(file, failed);
    const fs::path shown = failed ? fs::path(file) : whole;
    return fmt::format("{} in {}", shown.filename().string(), shown.parent_path().string());
  }
  return std::string(library.without);
}

std::string headers() {
  return fmt::format("CLI11 {}, JSON {}, fmt {}.{}.{}, Cairo {}", CLI11_VERSION, json_library_version(),
                     FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100, cairo_version_string());
}

std::string verdict(const SelfTest& test) {
  const std::string done = fmt::format("{} stored values, {} tables of {} entries", test.values, test.tables,
                                       short_number(static_cast<double>(test.entries)));
  return test.wrong == 0 ? done + ": all right" : fmt::format("{}: {} WRONG, first {}", done, test.wrong, test.first);
}

Said examine(const Arguments& arguments) {
  const std::string version = fmt::format("{}.{}.{}", POSENC_VERSION_MAJOR, POSENC_VERSION_MINOR, POSENC_VERSION_PATCH);
  const int threads = read_threads(arguments);
  Threads all(threads);
  const SelfTest test = self_test(all.executor(), test_time);
  const std::vector<std::string> files = loaded_files();
  const int status = test.wrong == 0 ? 0 : 1;
  if (arguments.has("--json")) {
    std::vector<JsonMember> found_libraries;
    for (const Library& each : libraries) found_libraries.push_back({std::string(each.name), found(each, files)});
    return {one_line({{"operation", arguments.operation},
                      {"version", version},
                      {"instruction_set", instruction_set()},
                      {"threads", threads},
                      {"libraries", json_object(found_libraries)},
                      {"headers", headers()},
                      {"self_test", json_object({{"values", test.values},
                                                 {"tables", test.tables},
                                                 {"entries", test.entries},
                                                 {"wrong", test.wrong}})}}),
            {},
            status};
  }
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{:<16} {}\n", name, value);
  };
  line("posenc", version);
  line("instructions", instruction_set());
  line("threads", fmt::format("{} of {} CPUs", threads, cpus()));
  for (const Library& each : libraries) line(each.name, found(each, files));
  line("built with", headers());
  line("self-test", verdict(test));
  return {text, {}, status};
}

constexpr Option doctor_options[] = {threads_option};

}  // namespace

constinit const Verb doctor_verb = {"doctor",
                                    "version, instruction set, threads, libraries, and a self-test of one second",
                                    "",
                                    "",
                                    "posenc doctor",
                                    Operands::none,
                                    doctor_options,
                                    examine};

}  // namespace posenc::tool
