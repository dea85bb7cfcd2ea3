// SPDX-License-Identifier: Apache-2.0
// Files that must be refused, and what a reader says of them.
#pragma once

#include <gtest/gtest.h>
#include <posenc/core.h>

#include <string>
#include <string_view>

#include "tests/io/npy_files.h"

namespace posenc::io {

/// An id, the bytes of the file, and words of the message.
struct RefusedFile {
  const char* id;
  std::string bytes;
  const char* words;
};

/// The message of `parse(bytes, name)`, or "accepted".
std::string refusal_by(const auto& parse, std::string_view bytes, std::string_view name) {
  try {
    parse(bytes_of(bytes), name);
  } catch (const Error& error) {
    EXPECT_EQ(error.problem().cause, Cause::input);
    return error.what();
  }
  return "accepted";
}

}  // namespace posenc::io
