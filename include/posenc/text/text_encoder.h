// SPDX-License-Identifier: Apache-2.0
// Text of any length to the rows of an input stage, some at a time, with the bits of one pass. Part of posenc::io.
#pragma once

#include <posenc/input_stage.h>
#include <posenc/text/tokenizer.h>

namespace posenc::io {

/// Where a text stands and how it is encoded.
struct TextEncoderOptions {
  std::int64_t start = 0;  ///< position of the first token
  StageMode mode = StageMode::evaluate;
  std::uint32_t call = 0;   ///< of the dropout mask
  std::uint32_t first = 0;  ///< index of the first token along the sequence axis, for the dropout mask
  Executor executor = serial;
};

/// Takes the ids of a text from a reader and writes one row for each, into views of the caller's.
///
/// Token i of the text (i = 0, 1, ...) has position start + i and, for dropout, index first + i along the sequence axis
/// of batch row 0. However many rows a call asks for, and however the source cuts the text, the rows laid end to end
/// are those of InputStage::encode for all ids at once, to the bit. Memory: what the TokenReader takes, and four bytes
/// for each row of the largest view. Errors: those of TokenReader and InputStage, an index of a token counting from the
/// beginning of the text; positions beyond 64 bits; under dropout, indices beyond 32 bits. What has been written stays;
/// after an error the encoder is of no more use. Thread safety: one TextEncoder belongs to one thread at a time.
class TextEncoder {
 public:
  /// Both must outlive the encoder, which alone reads from `reader`.
  TextEncoder(const InputStage& stage, TokenReader& reader, const TextEncoderOptions& options = {})
      : stage_(&stage), reader_(&reader), options_(options) {}
  TextEncoder(InputStage&&, TokenReader&, const TextEncoderOptions& = {}) = delete;

  /// Writes the rows of the next tokens to the first rows of `out` [n, d], n > 0, of the stage's type. Returns how
  /// many: n as long as the text goes on, fewer at its end, then 0.
  POSENC_EXPORT std::int64_t read(const View& out);

  /// The ids of the rows that the last call wrote.
  std::span<const std::int32_t> ids() const { return ids_; }
  /// Rows written so far.
  std::int64_t tokens() const { return tokens_; }

 private:
  const InputStage* stage_;
  TokenReader* reader_;
  TextEncoderOptions options_;
  std::vector<std::int32_t> ids_ = {};
  std::int64_t tokens_ = 0;
};

}  // namespace posenc::io
