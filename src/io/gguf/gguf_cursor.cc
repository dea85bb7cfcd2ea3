// SPDX-License-Identifier: Apache-2.0
// Reading on in a GGUF file, 1 MiB of it in memory.
#include "src/io/gguf/gguf_cursor.h"

#include "src/base/quote.h"

namespace posenc::io {

void GgufCursor::refuse(std::string_view rule, std::string_view value, std::uint64_t at) const {
  std::string got(value);
  if (!subject_.empty()) got += " in " + subject_;
  throw Error({std::string(gguf_reading), std::string(rule),
               got + " at offset " + std::to_string(at) + " of " + quote(source_.name(), Keep::tail)});
}

void GgufCursor::require_left(std::uint64_t count, std::string_view field) const {
  if (at_ > gguf_header_limit || count > gguf_header_limit - at_) {
    refuse("the header must have at most " + std::to_string(gguf_header_limit) + " bytes", "more");
  }
  if (const std::uint64_t left = size() - at_; count > left) {
    refuse("the file is cut off: " + std::string(field) + " needs " + std::to_string(count) + " bytes",
           std::to_string(left));
  }
}

void GgufCursor::take(std::span<std::byte> to, std::string_view field) {
  constexpr std::uint64_t most = std::uint64_t{1} << 20;
  require_left(to.size(), field);
  while (!to.empty()) {
    if (at_ - buffered_ >= buffer_.size()) {
      buffer_.resize(static_cast<std::size_t>(std::min(most, size() - at_)));
      source_.read(at_, buffer_);
      buffered_ = at_;
    }
    const std::span there = std::span(buffer_).subspan(static_cast<std::size_t>(at_ - buffered_));
    const std::size_t count = std::min(to.size(), there.size());
    std::memcpy(to.data(), there.data(), count);
    to = to.subspan(count);
    at_ += count;
  }
}

std::string GgufCursor::text(std::string_view field, std::uint64_t limit) {
  const std::uint64_t before = at_;
  const auto length = number<std::uint64_t>("the length of " + std::string(field));
  if (length > limit) {
    refuse(std::string(field) + " must have at most " + std::to_string(limit) + " bytes", std::to_string(length),
           before);
  }
  require_left(length, field);
  std::string text(static_cast<std::size_t>(length), '\0');
  const std::uint64_t begin = at_;
  take(std::as_writable_bytes(std::span(text)), field);
  if (const std::size_t wrong = find_not_utf8(text); wrong != text.npos) {
    refuse(std::string(field) + " must be UTF-8", quote(std::string_view(text).substr(wrong, 1)), begin + wrong);
  }
  return text;
}

void GgufCursor::require_zeros(std::uint64_t from, std::uint64_t to) const {
  const std::string bytes = source_.text(from, static_cast<std::size_t>(to - from));
  const std::size_t wrong = bytes.find_first_not_of('\0');
  if (wrong != bytes.npos) {
    refuse("bytes between tensors must be zero", quote(std::string_view(bytes).substr(wrong, 1)), from + wrong);
  }
}

}  // namespace posenc::io
