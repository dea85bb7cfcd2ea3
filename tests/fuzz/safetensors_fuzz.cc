// SPDX-License-Identifier: Apache-2.0
// Any bytes as a safetensors file: refused with a problem, or tensors that cover it and survive being written again.
#include <posenc/io/safetensors.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const std::optional<Problem> problem = io::check_safetensors(bytes)) {
    if (problem->message().size() > 300) std::abort();
    return 0;
  }
  const io::SafetensorsHeader header = io::parse_safetensors(bytes);
  std::uint64_t at = header.data;
  std::vector<io::Array> arrays;
  std::vector<io::NamedView> views;
  arrays.reserve(header.tensors.size());
  for (const io::StoredTensor& tensor : header.tensors) {
    if (header.data + tensor.begin != at || tensor.end > size - header.data) std::abort();
    at = header.data + tensor.end;
    if (tensor.dtype == DType{}) continue;
    const auto elements = bytes.subspan(header.data + tensor.begin, tensor.end - tensor.begin);
    arrays.push_back({tensor.dtype, tensor.shape, {elements.begin(), elements.end()}});
    views.push_back({tensor.name, arrays.back().view()});
  }
  if (at != size) std::abort();
  const std::vector<std::byte> again = io::safetensors_bytes(views, header.metadata);
  if (io::parse_safetensors(again).tensors.size() != views.size()) std::abort();
  if (io::safetensors_bytes(views, io::parse_safetensors(again).metadata) != again) std::abort();
  return 0;
}
