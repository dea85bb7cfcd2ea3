// SPDX-License-Identifier: Apache-2.0
// Whether the program runs under the address sanitizer, told when it runs: objects of tests are compiled once for
// builds with it and without.
#pragma once

extern "C" void __asan_init() __attribute__((weak));

namespace posenc::test {

inline bool address_sanitized() { return &__asan_init != nullptr; }

}  // namespace posenc::test
