// SPDX-License-Identifier: Apache-2.0
// Any bytes as an .npz archive: refused with a problem, or arrays that survive being written and read again.
#include <posenc/io/npz.h>

#include <cstdlib>
#include <set>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const std::optional<Problem> problem = io::check_npz(bytes)) {
    if (problem->message().size() > 300) std::abort();
    return 0;
  }
  std::set<std::string> names;
  for (const io::NamedArray& each : io::parse_npz(bytes)) {
    if (!names.insert(each.name).second) std::abort();
    const io::Array again = io::parse_npy(io::npy_bytes(each.array.view()));
    if (again.dtype != each.array.dtype || again.shape != each.array.shape || again.data != each.array.data) {
      std::abort();
    }
  }
  return 0;
}
