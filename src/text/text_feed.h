// SPDX-License-Identifier: Apache-2.0
// The text of a source, handed on piece by piece, and errors placed in the whole of it.
#pragma once

#include <posenc/text/tokenizer.h>

#include "src/text/unicode/line_column.h"

namespace posenc::io {

class TextFeed {
 public:
  TextFeed(Source source, std::string name, Formats formats);

  /// Takes a prefix of a text as encode_prefix does, and returns its size.
  using Take = std::function<std::size_t(std::string_view text, Rest rest)>;

  /// Reads a piece and calls `take` with it and what was left over before. Errors of `take` get their line, column and
  /// name, and the offset in the whole source. Returns whether there is more.
  bool advance(const Take& take);

  /// Bytes that have been taken, and the place behind them, where the text of `take` begins.
  std::int64_t consumed() const { return consumed_; }
  TextPlace place() const { return place_; }

 private:
  void fill();
  void drop(std::size_t size);
  [[noreturn]] void fail(Problem problem, std::size_t offset) const;

  Source source_;
  std::string name_;
  Formats formats_;
  std::string left_ = {};  // what has not been taken; it starts at consumed_
  bool stuck_ = false;     // nothing of it was taken last time
  std::int64_t consumed_ = 0;
  TextPlace place_ = {};
  bool ended_ = false;
};

}  // namespace posenc::io
