// SPDX-License-Identifier: Apache-2.0
// Sentences from the command line, files and standard input.
#include "apps/posenc/run/texts.h"

#include <fmt/format.h>
#include <posenc/file.h>
#include <unistd.h>

#include <algorithm>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

void add_lines(std::vector<Sentence>& sentences, const std::string& source, std::string_view bytes) {
  for (std::int64_t line = 1; !bytes.empty(); ++line) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    std::string_view text = bytes.substr(0, end);
    if (end < bytes.size() && text.ends_with('\r')) text.remove_suffix(1);
    sentences.push_back({source, line, std::string(text)});
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}

}  // namespace

std::string Sentence::place() const {
  return source.empty() ? fmt::format("text {}", line) : fmt::format("line {} of {}", line, quote(source));
}

std::vector<Sentence> read_sentences(const Arguments& arguments) {
  std::vector<Sentence> sentences;
  for (const std::string& text : arguments.operands) {
    sentences.push_back({"", std::ssize(sentences) + 1, text});
    if (text.empty()) refuse(arguments.operation, "a text must not be empty", sentences.back().place());
  }
  const std::vector<std::string> paths = arguments.all("--file");
  if (std::ranges::count(paths, "-") > 1) {
    refuse(arguments.operation, "standard input must be named once", "- twice");
  }
  for (const std::string& path : paths) {
    const bool from_stdin = path == "-";
    const std::string source = from_stdin ? "standard input" : path;
    const std::string bytes = from_stdin ? io::read_descriptor(STDIN_FILENO, source, sentence_file_limit)
                                         : io::read_file(path, sentence_file_limit);
    if (bytes.empty()) refuse(arguments.operation, "a file of texts must not be empty", quote(source));
    add_lines(sentences, source, bytes);
  }
  return sentences;
}

std::vector<NamedFile> input_files(const Arguments& arguments) {
  std::vector<NamedFile> files;
  for (const std::string& folder : arguments.all("--model")) {
    files.push_back({"--model", folder + "/model.json"});
    files.push_back({"--model", folder + "/model.safetensors"});
  }
  for (const std::string& path : arguments.all("--file")) {
    files.push_back({"--file", path == "-" ? "/dev/stdin" : path});
  }
  return files;
}

}  // namespace posenc::tool
