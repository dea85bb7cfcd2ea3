// SPDX-License-Identifier: Apache-2.0
// The texts that a call names: --text, files and standard input, read piece by piece.
#pragma once

#include <posenc/text/tokenizer.h>

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

struct Input {
  enum class Kind : std::uint8_t { text = 1, file, standard_input };
  Kind kind;
  std::string_view operation;  ///< the verb, as errors name it
  std::string name;            ///< "--text", the path, or "-"
  std::string text;            ///< of --text

  /// Whether it can be opened more than once.
  bool repeatable() const { return kind != Kind::standard_input; }
  /// For messages: standard input has a name of its own.
  std::string title() const { return kind == Kind::standard_input ? std::string(standard_input_title) : name; }
  /// What is typed is text, whatever it begins with.
  io::Formats formats() const { return kind == Kind::text ? io::Formats::any : io::Formats::text_only; }
};

/// The texts of --text, then the operands; at least one.
std::vector<Input> read_inputs(const Arguments& arguments);

/// Tells one content of a file from another.
struct InputState {
  std::uint64_t device = 0, number = 0;
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;  ///< of the last change
  friend bool operator==(const InputState&, const InputState&) = default;
};

/// An input from its beginning.
struct OpenInput {
  io::Source source;
  std::optional<std::int64_t> bytes;  ///< where they are known beforehand
  InputState state = {};              ///< of a file
};

/// Opens the input. A file must be regular; one that changes while it is read is an error at its end.
OpenInput open_input(const Input& input);
/// The refusal of a text that has changed.
[[noreturn]] void refuse_change(const Input& input);

/// The lines of a source, one at a time: without the LF, or the CRLF, that ends them.
class LineReader {
 public:
  LineReader(std::string_view operation, io::Source source, std::string name)
      : operation_(operation), source_(std::move(source)), name_(std::move(name)) {}
  /// The next line; valid until the next call. Nothing at the end. A line beyond io::carry_over_limit is an error.
  std::optional<std::string_view> next();
  /// Lines given so far, and the bytes up to the end of the last one.
  std::int64_t lines() const { return lines_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  bool fill();

  std::string_view operation_;
  io::Source source_;
  std::string name_;
  std::string buffer_ = {};
  std::size_t given_ = 0;  // bytes of the buffer that belong to lines given
  bool ended_ = false;
  std::int64_t lines_ = 0, bytes_ = 0;
};

}  // namespace posenc::tool
