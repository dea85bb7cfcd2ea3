// SPDX-License-Identifier: Apache-2.0
// operator new and delete of the whole program, in every form: a sanitizer has its own of those that are not here.
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

void* taken_or_null(std::size_t size, std::size_t alignment) {
  try {
    return taken(size, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
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

using posenc::memory::given_back;
using posenc::memory::taken;
using posenc::memory::taken_or_null;

constexpr std::size_t usual = alignof(std::max_align_t);

void* operator new(std::size_t size) { return taken(size, usual); }
void* operator new[](std::size_t size) { return taken(size, usual); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return taken(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return taken(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return taken_or_null(size, usual); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return taken_or_null(size, usual); }
void operator delete(void* memory) noexcept { given_back(memory); }
void operator delete[](void* memory) noexcept { given_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { given_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { given_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { given_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { given_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { given_back(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { given_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { given_back(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { given_back(memory); }
