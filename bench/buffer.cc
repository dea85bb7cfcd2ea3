// SPDX-License-Identifier: Apache-2.0
// Buffers from the system, whole huge pages at a time.
#include "bench/buffer.h"

#include <sys/mman.h>

#include <new>

namespace posenc::bench {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;

// A mapping is aligned to 2 MiB by asking for one huge page more and giving back both ends.
std::byte* map(std::size_t bytes) {
  void* mapping = mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<std::byte*>(mapping);
  const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(first) % huge_page) % huge_page;
  if (before > 0) munmap(first, before);
  munmap(first + before + bytes, huge_page - before);
  madvise(first + before, bytes, MADV_HUGEPAGE);  // a wish
  return first + before;
}

std::size_t whole_pages(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + huge_page - 1) / huge_page * huge_page;
}

}  // namespace

void Buffer::Unmap::operator()(std::byte* start) const { munmap(start, bytes); }

Buffer::Buffer(std::int64_t bytes)
    : start_(map(whole_pages(bytes)), {whole_pages(bytes)}), size_(static_cast<std::size_t>(bytes)) {
  auto* values = as<float>();
  for (std::size_t i = 0; i < whole_pages(bytes) / sizeof(float); ++i) {
    values[i] = 0.25f + static_cast<float>(i % 1024) * 0.001f;
  }
}

std::shared_ptr<const Buffer> buffer(std::int64_t bytes) { return std::make_shared<const Buffer>(bytes); }

std::shared_ptr<const Buffer> numbers(std::int64_t count, std::uint32_t seed, float scale) {
  const auto made = buffer(count * 4);
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    made->as<float>()[i] = static_cast<float>(static_cast<std::int32_t>(seed)) * 0x1p-31f * scale;
  }
  return made;
}

}  // namespace posenc::bench
