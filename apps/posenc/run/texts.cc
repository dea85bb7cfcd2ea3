// SPDX-License-Identifier: Apache-2.0
// Sentences from the command line, files and standard input.
#include "apps/posenc/run/texts.h"

#include <fmt/format.h>
#include <posenc/io/file.h>
#include <unistd.h>

#include <algorithm>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/encode/texts.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

std::string text_of_line(const Arguments& arguments, const std::string& key, const Sentence& line) {
  try {
    return json_text(arguments.operation, key, line.text);
  } catch (const Error& error) {
    Problem problem = error.problem();
    problem.value += " in " + line.place();
    throw Error(std::move(problem));
  }
}

// `key` is that of JSON lines.
void add_lines(const Arguments& arguments, const std::optional<std::string>& key, std::vector<Sentence>& sentences,
               const std::string& source, std::string_view bytes) {
  for (std::int64_t line = 1; !bytes.empty(); ++line) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    std::string_view text = bytes.substr(0, end);
    if (end < bytes.size() && text.ends_with('\r')) text.remove_suffix(1);
    sentences.push_back({source, line, std::string(text)});
    if (key) sentences.back().text = text_of_line(arguments, *key, sentences.back());
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
  const std::optional<std::string> key = arguments.find(json_lines_option.name);
  if (key && !arguments.has("--file")) refuse(arguments.operation, "--json-lines must come with --file", quote(*key));
  for (const std::string& path : arguments.all("--file")) {
    const bool from_stdin = path == standard_stream;
    const std::string source = from_stdin ? std::string(standard_input_title) : path;
    const std::string bytes = from_stdin ? io::read_descriptor(STDIN_FILENO, source, sentence_file_limit)
                                         : io::read_file(path, sentence_file_limit);
    if (bytes.empty()) refuse(arguments.operation, "a file of texts must not be empty", quote(source));
    add_lines(arguments, key, sentences, source, bytes);
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
