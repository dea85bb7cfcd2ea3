// SPDX-License-Identifier: Apache-2.0
// What the machine of a browser lacks or has no use for: the end of a program is a trap, and nothing is printed.
#include <cstdint>
#include <cstdlib>
#include <new>

#include <__verbose_abort>

void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// Debian's division of 128 bits is compiled with a protected stack, which wasi-libc knows nothing of.
extern "C" {
std::uintptr_t __stack_chk_guard = 0x595E;
[[noreturn]] void __stack_chk_fail() { __builtin_trap(); }
}

extern "C" void abort() { __builtin_trap(); }
extern "C" [[noreturn]] void __abort_message(const char*, ...) { __builtin_trap(); }

_LIBCPP_BEGIN_NAMESPACE_STD
[[noreturn]] void __libcpp_verbose_abort(const char*, ...) noexcept { __builtin_trap(); }
_LIBCPP_END_NAMESPACE_STD
