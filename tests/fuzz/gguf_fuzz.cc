// SPDX-License-Identifier: Apache-2.0
// Any bytes as a GGUF file: refused with a problem, or tensors that lie in order within it and keys that stand once.
#include <posenc/io/gguf.h>

#include <cstdlib>
#include <set>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const std::optional<Problem> problem = io::check_gguf(bytes)) {
    if (problem->message().size() > 300) std::abort();
    return 0;
  }
  const io::GgufHeader header = io::parse_gguf(bytes);
  if (header.data > size) std::abort();
  std::uint64_t at = 0;
  for (const io::StoredTensor& tensor : header.tensors) {
    if (tensor.begin % header.alignment != 0 || tensor.begin < at || tensor.begin - at >= header.alignment)
      std::abort();
    if (tensor.end < tensor.begin || tensor.end > size - header.data) std::abort();
    at = tensor.end;
  }
  if (size - header.data - at >= header.alignment) std::abort();
  std::set<std::string> keys;
  for (const io::GgufEntry& entry : header.metadata) {
    if (!keys.insert(entry.key).second || header.find(entry.key) != &entry) std::abort();
  }
  if (const std::optional<Problem> problem = io::check_rope_of(header)) {
    if (problem->message().size() > 300) std::abort();
  }
  return 0;
}
