// SPDX-License-Identifier: Apache-2.0
// Tells at run time whether the program has the address sanitizer: test objects are compiled once for builds with it
// and without.
#pragma once

extern "C" void __asan_init() __attribute__((weak));

namespace posenc::test {

inline bool address_sanitized() { return &__asan_init != nullptr; }

}  // namespace posenc::test
