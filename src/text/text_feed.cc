// SPDX-License-Identifier: Apache-2.0
// Pieces of 64 KiB, grown only while nothing of them can be taken.
#include "src/text/text_feed.h"

#include "src/text/unicode/first_bytes.h"

#include <algorithm>

namespace posenc::io {
namespace {

constexpr std::size_t chunk_size = std::size_t{64} << 10;

}  // namespace

TextFeed::TextFeed(Source source, std::string name, Formats formats)
    : source_(std::move(source)), name_(std::move(name)), formats_(formats) {
  if (formats_ == Formats::text_only || formats_ == Formats::any) return;
  throw Error({"read_tokens", "formats must be stated", "none"});
}

// Full pieces, so that no error depends on how the source cuts. A text of which nothing can be taken doubles, so that
// looking at it again and again stays linear.
void TextFeed::fill() {
  const std::size_t more = stuck_ ? std::max(left_.size(), chunk_size) : chunk_size;
  const std::size_t limit = std::max(carry_over_limit, left_.size() + 1);  // one more tells whether the text ends
  std::size_t filled = left_.size();
  const std::size_t target = std::min(filled + more, limit);
  left_.resize(target);
  while (filled < target && !ended_) {
    const std::size_t got = source_(std::span(left_).subspan(filled));
    ended_ = got == 0;
    filled += got;
  }
  left_.resize(filled);
}

void TextFeed::drop(std::size_t size) {
  place_ = place_in(left_, size, place_);
  consumed_ += static_cast<std::int64_t>(size);
  stuck_ = size == 0;
  left_.erase(0, size);
}

void TextFeed::fail(Problem problem, std::size_t offset) const {
  problem.value += in_line(place_in(left_, offset, place_), name_);
  problem.index = {consumed_ + static_cast<std::int64_t>(offset)};
  throw Error(std::move(problem));
}

bool TextFeed::advance(const Take& take) {
  if (ended_) return false;
  const bool first = consumed_ == 0 && left_.empty();
  fill();
  if (first && formats_ == Formats::text_only) {
    const std::string_view format = format_of(left_);
    if (!format.empty()) {
      fail({"read_tokens", "the source must be text in UTF-8", "what begins like " + std::string(format)}, 0);
    }
  }
  if (left_.size() > carry_over_limit) {
    fail({"read_tokens", "what must be encoded in one must have at most " + std::to_string(carry_over_limit) + " bytes",
          "more"},
         0);
  }
  std::size_t size = 0;
  try {
    size = take(left_, ended_ ? Rest::none : Rest::follows);
  } catch (const Error& error) {
    const bool placed = error.problem().index.size() == 1;
    fail(error.problem(), placed ? static_cast<std::size_t>(error.problem().index[0]) : 0);
  }
  drop(size);
  return !ended_;
}

}  // namespace posenc::io
