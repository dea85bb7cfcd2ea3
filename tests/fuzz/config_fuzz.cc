// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model's configuration: refused with a problem, or positions that survive being written and read again.
#include <posenc/inspect.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const std::optional<Problem> problem = check_inspect(text)) return 0;
  const ModelPositions positions = inspect(text);
  const std::string json = to_json(positions);
  if (to_json(inspect(json)) != json) std::abort();
  if (to_string(positions).empty() || !differences(positions, positions).empty()) std::abort();
  return 0;
}
