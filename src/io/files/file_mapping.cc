// SPDX-License-Identifier: Apache-2.0
// Mapping whole pages around a part of a file.
#include "src/io/files/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/io/files/descriptor.h"

namespace posenc::io {

std::unique_ptr<FileMapping> FileMapping::of(MappedFile file, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t skipped = offset % static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)), length = size + skipped;
  if (size == 0) return nullptr;
  void* const start =
      ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file.descriptor, static_cast<off_t>(offset - skipped));
  if (start == MAP_FAILED) return nullptr;
  file.descriptor = ::fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0);
  if (file.descriptor < 0) {
    ::munmap(start, length);
    return nullptr;
  }
  return std::unique_ptr<FileMapping>(new FileMapping(std::move(file), start, length, skipped));
}

FileMapping::FileMapping(MappedFile file, void* start, std::size_t length, std::size_t skipped)
    : file_(std::move(file)), start_(start), length_(length), skipped_(skipped) {}

FileMapping::~FileMapping() {
  ::munmap(start_, length_);
  ::close(file_.descriptor);
}

void FileMapping::give_back() const { ::madvise(start_, length_, MADV_DONTNEED); }

void FileMapping::require_unchanged() const {
  if (state_of(file_.descriptor, file_.operation, file_.name) == file_.state) return;
  refuse_path(file_.operation, "must not change while it is read", file_.name, " which changed");
}

}  // namespace posenc::io
