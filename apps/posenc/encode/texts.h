// SPDX-License-Identifier: Apache-2.0
// The texts of a call that makes ids of them: whole, one a line, or one in each object of JSON lines; and their ids, on
// all threads and in their order.
#pragma once

#include "apps/posenc/encode/inputs.h"

namespace posenc::tool {

inline constexpr Option text_option = {"--text", "T", "a text", Takes::many};
inline constexpr Option lines_option = {"--lines", "", "every line is a text", Takes::nothing};
inline constexpr Option json_lines_option = {"--json-lines", "KEY", "every line is a JSON object, its KEY a text"};
inline constexpr Option max_length_option = {"--max-length", "N", "most tokens of a text"};
inline constexpr Option truncate_option = {"--truncate", "", "cut what is longer than --max-length", Takes::nothing};

/// More tokens than --max-length.
enum class TooLong : std::uint8_t { refused = 1, cut };
/// One sequence a text, or one a line of every text.
enum class TextSequences : std::uint8_t { texts = 1, lines };

struct TextsRequest {
  std::vector<Input> inputs;
  TextSequences sequences = TextSequences::texts;
  std::optional<std::string> key = {};  ///< of JSON lines
  std::optional<std::int64_t> max_length = {};
  TooLong too_long = TooLong::refused;

  /// How many tokens of a text, or line, are looked at.
  std::size_t most_tokens() const {
    return too_long == TooLong::cut ? static_cast<std::size_t>(*max_length) : io::no_limit;
  }
};
TextsRequest read_texts(const Arguments& arguments);

/// The text under the key of the JSON object that a line is; a line that is none, or has no such text, is an error.
std::string json_text(std::string_view operation, const std::string& key, std::string_view line);

/// The refusal of a text with too many tokens.
[[noreturn]] void refuse_length(std::string_view operation, std::int64_t max_length, std::string_view source);

/// One line as it becomes ids. `offset` of the unknowns counts from the beginning of the input, of JSON lines as if
/// each text stood where its line begins.
struct LineIds {
  std::int64_t line = 0;  ///< from 1
  std::vector<std::int32_t> ids = {};
  io::Unknowns unknowns = {};
};

/// The ids of every line of an input, in order; some MiB of lines are held at a time. Errors name the line.
void for_each_line(const TextsRequest& request, const io::Tokenizer& tokenizer, const Input& input,
                   const Executor& executor, const std::function<void(LineIds&)>& take);

/// "1234 tokens of 56 texts in 0.8 s, 1.54 k tokens/s".
std::string speed_words(std::int64_t tokens, std::int64_t texts, double seconds);

}  // namespace posenc::tool
