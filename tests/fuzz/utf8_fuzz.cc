// SPDX-License-Identifier: Apache-2.0
// Any bytes as UTF-8: the fault found is the fault of every longer text, and scalars tile a valid text.
#include <cstdlib>

#include "src/text/unicode/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::optional<io::Utf8Fault> fault = io::find_utf8_fault(text);
  const std::string_view valid = fault ? text.substr(0, fault->offset) : text;
  if (fault && fault->offset >= size) std::abort();
  if (io::find_utf8_fault(valid)) std::abort();
  std::size_t at = 0;
  while (at < valid.size()) {
    const io::Scalar scalar = io::scalar_at(valid, at);
    if (scalar.size < 1 || scalar.size > 4 || scalar.value > 0x10FFFF) std::abort();
    at += scalar.size;
  }
  return at == valid.size() ? 0 : (std::abort(), 1);
}
