// SPDX-License-Identifier: Apache-2.0
// A file's tensors as one line of text, so that what two readers found can be compared.
#pragma once

#include <posenc/io/safetensors.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::io {

/// Two digits a byte.
inline std::string hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

/// "name type shape data;" of each tensor, sorted, with name and data in hex: "61 F32 2,3 0000...;".
inline std::string description(std::string_view file) {
  const SafetensorsHeader header = parse_safetensors(std::as_bytes(std::span(file)));
  std::vector<std::string> lines;
  for (const StoredTensor& tensor : header.tensors) {
    std::string shape;
    for (const std::int64_t size : tensor.shape) shape += (shape.empty() ? "" : ",") + std::to_string(size);
    const auto data = file.substr(header.data + tensor.begin, tensor.end - tensor.begin);
    lines.push_back(hex(tensor.name) + " " + std::string(tensor.type) + " " + shape + " " + hex(data) + ";");
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace posenc::io
