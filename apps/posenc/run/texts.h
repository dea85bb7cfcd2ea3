// SPDX-License-Identifier: Apache-2.0
// Texts that are sentences: the words of a call, and the lines of its files.
#pragma once

#include "apps/posenc/cli/request.h"

namespace posenc::tool {

/// A file is read whole.
inline constexpr std::uint64_t sentence_file_limit = std::uint64_t{64} << 20;

struct Sentence {
  std::string source;  ///< empty for the command line, the path, or "standard input"
  std::int64_t line;   ///< from 1; of the command line which text
  std::string text;

  /// For messages: line 3 of 'a.txt'.
  std::string place() const;
};

/// The operands, then the lines of every --file, without the LF or CRLF that ends them; - is standard input. A
/// line may be empty, an operand and a whole file may not.
std::vector<Sentence> read_sentences(const Arguments& arguments);

/// The files of --model and --file.
std::vector<NamedFile> input_files(const Arguments& arguments);

inline constexpr Option file_option = {"--file", "FILE", "a file of texts, one a line; - is standard input",
                                       Takes::many};

}  // namespace posenc::tool
