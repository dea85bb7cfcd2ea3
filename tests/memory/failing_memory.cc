// SPDX-License-Identifier: Apache-2.0
// operator new and delete of the whole program; those of arrays and without exceptions call these.
#include "tests/memory/failing_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace posenc::memory {
namespace {

constexpr std::int64_t never = INT64_MAX;
std::atomic<std::int64_t> left = never, pieces = 0;
std::atomic<bool> failed = false;

void* taken(std::size_t size, std::size_t alignment) {
  if (left.load() != never && left.fetch_sub(1) == 0) {
    left = never;
    failed = true;
    throw std::bad_alloc();
  }
  void* const memory = std::aligned_alloc(alignment, (size / alignment + 1) * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  ++pieces;
  return memory;
}

void given_back(void* memory) {
  if (memory == nullptr) return;
  --pieces;
  std::free(memory);
}

}  // namespace

void fail_at(std::int64_t n) {
  failed = false;
  left = n;
}

bool stop_failing() {
  left = never;
  return failed;
}

std::int64_t held() { return pieces; }

}  // namespace posenc::memory

void* operator new(std::size_t size) { return posenc::memory::taken(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return posenc::memory::taken(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { posenc::memory::given_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { posenc::memory::given_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { posenc::memory::given_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { posenc::memory::given_back(memory); }
