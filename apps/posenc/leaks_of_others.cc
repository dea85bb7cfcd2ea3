// SPDX-License-Identifier: Apache-2.0
// Part of sanitized builds alone: what LeakSanitizer shall not blame on us.

extern "C" {

// fontconfig 2.14 loses 288 bytes while it reads its configuration, once a process.
[[gnu::visibility("default")]] const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }

// Standard error is the tool's.
[[gnu::visibility("default")]] const char* __lsan_default_options();
const char* __lsan_default_options() { return "print_suppressions=0"; }
}
