// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model's configuration: refused with a problem, or positions that survive being written and read again.
#include <posenc/spec/inspect.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const InspectOptions options = {.frequencies = 64};  // one that is blended takes 25 ms under these sanitizers
  ModelPositions positions;
  try {
    positions = inspect(text, options);
  } catch (const Error& error) {  // which check_inspect would say as well
    const std::optional<Problem> problem = check_inspect(text, options);
    if (!problem || problem->message() != error.problem().message()) std::abort();
    return 0;
  }
  const std::string json = to_json(positions);
  if (to_json(inspect(json)) != json) std::abort();
  if (to_string(positions).empty() || !differences(positions, positions).empty()) std::abort();
  return 0;
}
