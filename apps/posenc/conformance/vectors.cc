// SPDX-License-Identifier: Apache-2.0
// The vectors go under both names together, or under none.
#include "apps/posenc/conformance/vectors.h"

#include <fmt/format.h>
#include <posenc/io/conformance_vectors.h>

#include <filesystem>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
namespace {

void make_folder(std::string_view operation, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    refuse(operation, "DIR must be a folder, or one that can be made", quote(folder));
  }
}

}  // namespace

Said write_vectors(const Arguments& arguments, const std::string& folder) {
  const io::WriteOptions writing = write_options(arguments.has("--no-sync") ? io::Sync::none : io::Sync::full);
  const io::ConformanceVectors made = io::conformance_vectors();

  make_folder(arguments.operation, folder);
  const std::string index = fmt::format("{}/{}", folder, io::conformance_index_name),
                    numbers = fmt::format("{}/{}", folder, io::conformance_numbers_name);
  Files files;
  prepare(files, numbers, {reinterpret_cast<const char*>(made.numbers.data()), made.numbers.size()}, writing);
  prepare(files, index, made.index, writing);
  commit(files);
  if (arguments.has("--json")) {
    return {one_line({{"operation", arguments.operation},
                      {"version", io::conformance_version},
                      {"cases", made.cases},
                      {"tensors", made.tensors},
                      {"without", made.without},
                      {"out", json_list({index, numbers})}})};
  }
  return {"",
          {fmt::format("{}: {} cases, {} presets without one", index, made.cases, made.without),
           fmt::format("{}: {} tensors, {} bytes", numbers, made.tensors, made.numbers.size())}};
}

}  // namespace posenc::tool
