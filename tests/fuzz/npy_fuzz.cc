// SPDX-License-Identifier: Apache-2.0
// Any bytes as an .npy file: refused with a problem, or an array that survives being written and read again.
#include <posenc/io/npy.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const std::optional<Problem> problem = io::check_npy(bytes)) {
    if (problem->message().size() > 300) std::abort();
    return 0;
  }
  const io::Array array = io::parse_npy(bytes);
  const io::Array again = io::parse_npy(io::npy_bytes(array.view()));
  if (again.dtype != array.dtype || again.shape != array.shape || again.data != array.data) std::abort();
  return 0;
}
