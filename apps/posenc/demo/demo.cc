// SPDX-License-Identifier: Apache-2.0
// posenc demo: the main job on sample texts, and why positions and the scale exist.
#include <fmt/format.h>
#include <posenc/io/file.h>
#include <posenc/io/npy.h>

#include <cstring>
#include <filesystem>

#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/demo/demo.h"
#include "apps/posenc/samples/samples.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
namespace {

EqualRows equal_rows(std::span<const float> first, std::span<const float> second) {
  EqualRows equal;
  const std::size_t rows = first.size() / default_width;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      const bool same =
          std::memcmp(&first[i * default_width], &second[j * default_width], default_width * sizeof(float)) == 0;
      if (same) equal.emplace_back(i, j);
    }
  }
  return equal;
}

EqualRows equal_rows(std::span<const float> both) {
  return equal_rows(both.first(both.size() / 2), both.subspan(both.size() / 2));
}

DemoFindings find_out(const Default& vocabulary) {
  const Stage stage = stage_of(preset("transformer"));
  const auto one = [&](std::string_view text) {
    const std::string texts[] = {std::string(text)};
    return encode(vocabulary, texts, stage);
  };
  DemoFindings findings;
  findings.pair = encode(vocabulary, findings.sentences, stage);
  findings.bare = without_positions(vocabulary, findings.pair.ids, findings.pair.factor);
  findings.equal_bare = equal_rows(findings.bare);
  findings.equal_pair = equal_rows(findings.pair.output);
  findings.english = one(english_sample());
  findings.chinese = one(chinese_sample());
  return findings;
}

std::string npy_text(const Encoded& encoded) {
  const std::vector<std::byte> bytes = io::npy_bytes(encoded.view());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> write_files(const std::string& folder, const DemoFindings& findings,
                                     const std::string& picture) {
  std::vector<std::string> files;
  std::vector<NamedFile> targets;
  for (const std::string_view name : {"sentences.npy", "english.npy", "chinese.npy", "demo.png"}) {
    files.push_back(fmt::format("{}/{}", folder, name));
    targets.push_back({std::string(name), files.back()});
  }
  check_apart("demo", targets, {});
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    const Cause cause = failed == std::errc::not_a_directory ? Cause::input : Cause::system;
    throw Error(
        {"demo", "the folder must be there or be made", quote(folder) + " (" + failed.message() + ")", {}, cause});
  }
  const std::string contents[] = {npy_text(findings.pair), npy_text(findings.english), npy_text(findings.chinese),
                                  picture};
  Files writers;
  for (std::size_t i = 0; i < files.size(); ++i) prepare(writers, files[i], contents[i], write_options());
  commit(writers);
  return files;
}

Said run_demo(const Arguments& arguments) {
  const std::string folder = arguments.find("--out").value_or("out");
  if (folder.empty()) refuse(arguments.operation, "--out must name a folder", "''");
  const Default vocabulary = load_default();
  const DemoFindings findings = find_out(vocabulary);
  const std::string picture = demo_picture(vocabulary, findings);
  const std::vector<std::string> files = write_files(folder, findings, picture);
  return {arguments.has("--json") ? demo_json(findings, files) : demo_screen(vocabulary, findings, files)};
}

constexpr Option demo_options[] = {{"--out", "FOLDER", "where the tensors and the picture go (out)"}};

}  // namespace

constinit const Verb demo_verb = {"demo",
                                  "the main job on sample texts: why positions, why the scale",
                                  "",
                                  "",
                                  "posenc demo",
                                  Operands::none,
                                  demo_options,
                                  run_demo};

}  // namespace posenc::tool
