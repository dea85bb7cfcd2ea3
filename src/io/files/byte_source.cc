// SPDX-License-Identifier: Apache-2.0
// Reading at offsets, and noticing that a file was written to meanwhile.
#include "src/io/files/byte_source.h"

#include <unistd.h>

#include <cstring>

#include "src/io/files/descriptor.h"

namespace posenc::io {

ByteSource::ByteSource(std::string_view operation, std::string path) : operation_(operation), name_(std::move(path)) {
  Descriptor file = open_regular(operation_, name_);
  state_ = state_of(file.get(), operation_, name_);
  size_ = static_cast<std::uint64_t>(state_.size);
  file_ = file.release();
}

ByteSource::ByteSource(std::string_view operation, std::span<const std::byte> bytes, std::string_view name)
    : operation_(operation), name_(name), size_(bytes.size()), bytes_(bytes) {}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : operation_(other.operation_),
      name_(std::move(other.name_)),
      size_(other.size_),
      bytes_(other.bytes_),
      state_(other.state_),
      file_(std::exchange(other.file_, -1)) {}

ByteSource::~ByteSource() {
  if (file_ >= 0) ::close(file_);
}

void ByteSource::read(std::uint64_t offset, std::span<std::byte> to, const Watch& watch) const {
  if (to.empty()) return;
  if (file_ < 0) {
    std::memcpy(to.data(), bytes_.data() + offset, to.size());
    return;
  }
  if (!read_at(file_, offset, to, operation_, name_, watch) || state_of(file_, operation_, name_) != state_) {
    refuse_path(operation_, "must not change while it is read", name_, " which changed");
  }
}

std::string ByteSource::text(std::uint64_t offset, std::size_t count) const {
  std::string text(count, '\0');
  read(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

std::unique_ptr<FileMapping> ByteSource::map(std::uint64_t offset, std::uint64_t size) const {
  if (file_ < 0) return nullptr;
  return FileMapping::of({operation_, name_, file_, state_}, offset, size);
}

}  // namespace posenc::io
