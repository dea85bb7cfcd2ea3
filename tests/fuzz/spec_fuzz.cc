// SPDX-License-Identifier: Apache-2.0
// Any bytes as a JSON convention: refused with a problem, or a convention that survives being written and read again.
#include <posenc/spec/spec.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const std::optional<Problem> problem = io::check_convention_json(text)) {
    if (problem->message().size() > 300) std::abort();
    return 0;
  }
  const Convention convention = io::convention_from_json(text);
  if (!(io::convention_from_json(to_json(convention)) == convention)) std::abort();
  return 0;
}
