// SPDX-License-Identifier: Apache-2.0
// What the machine of a browser lacks or has no use for: the end of a program is a trap, and nothing is printed.
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

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

// The parser of JSON names control characters by "<U+%.4X>", and nothing else asks for this: all of printf is 10 kB.
extern "C" int snprintf(char* text, std::size_t size, const char* format, ...) {
  va_list numbers;
  va_start(numbers, format);
  const unsigned number = va_arg(numbers, unsigned);
  va_end(numbers);
  const std::string_view digits = "0123456789ABCDEF";
  std::string name = "<U+";
  for (int shift = 12; shift >= 0; shift -= 4) name += digits[number >> shift & 15];
  name += '>';
  const std::size_t count = std::min(name.size(), size - 1);
  std::copy_n(name.begin(), count, text);
  text[count] = '\0';
  return static_cast<int>(name.size());
}

extern "C" void abort() { __builtin_trap(); }
extern "C" [[noreturn]] void __abort_message(const char*, ...) { __builtin_trap(); }

_LIBCPP_BEGIN_NAMESPACE_STD
[[noreturn]] void __libcpp_verbose_abort(const char*, ...) noexcept { __builtin_trap(); }
_LIBCPP_END_NAMESPACE_STD
