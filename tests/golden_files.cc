// SPDX-License-Identifier: Apache-2.0
// Reading golden files.
#include "tests/golden_files.h"

#include <nlohmann/json.hpp>

#include <cstring>
#include <fstream>
#include <iterator>

namespace posenc::test {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}

// The text between `before` and `after`, both of which must be there.
std::string between(const std::string& path, const std::string& text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  const std::size_t end = at == std::string::npos ? at : text.find(after, at + before.size());
  if (end == std::string::npos) refuse(path, "no " + std::string(before));
  return text.substr(at + before.size(), end - at - before.size());
}

DType type_of(const std::string& path, const std::string& descr) {
  constexpr std::pair<std::string_view, DType> types[] = {
      {"<f2", DType::f16}, {"<f4", DType::f32}, {"<f8", DType::f64}, {"<i4", DType::i32}, {"<i8", DType::i64}};
  for (const auto& [name, type] : types) {
    if (name == descr) return type;
  }
  refuse(path, "type " + descr);
}

std::vector<std::int64_t> shape_of(const std::string& sizes) {
  std::vector<std::int64_t> shape;
  for (std::size_t at = sizes.find_first_of("0123456789"); at != std::string::npos;) {
    std::size_t length = 0;
    shape.push_back(std::stoll(sizes.substr(at), &length));
    at = sizes.find_first_of("0123456789", at + length);
  }
  return shape;
}

}  // namespace

std::string golden_path(std::string_view room, std::string_view file) {
  return std::string(POSENC_SOURCE_DIR) + "/tests/" + std::string(room) + "/goldens/" + std::string(file);
}

nlohmann::json golden_index(std::string_view room, std::string_view file_name) {
  const std::string path = golden_path(room, file_name);
  std::ifstream file(path);
  if (!file) refuse(path, "cannot be read");
  return nlohmann::json::parse(file);
}

ConstView GoldenArray::view() const {
  return detail::row_major<const void*>(static_cast<const void*>(bytes.data()), dtype, shape);
}

GoldenArray read_golden(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!text.starts_with(std::string_view("\x93NUMPY\x01\x00", 8)) || text.size() < 10) refuse(path, "no npy 1.0 file");
  const std::size_t start = 10 + static_cast<unsigned char>(text[8]) + 256u * static_cast<unsigned char>(text[9]);
  if (start > text.size()) refuse(path, "cut short");
  const std::string header = text.substr(10, start - 10);
  if (between(path, header, "'fortran_order': ", ",") != "False") refuse(path, "not row-major");

  GoldenArray array;
  array.dtype = type_of(path, between(path, header, "'descr': '", "'"));
  array.shape = shape_of(between(path, header, "'shape': (", ")"));
  std::size_t size = size_of(array.dtype);
  for (const std::int64_t axis : array.shape) size *= static_cast<std::size_t>(axis);
  if (size != text.size() - start) refuse(path, "another size than its shape says");
  array.bytes.resize(size);
  std::memcpy(array.bytes.data(), text.data() + start, size);
  return array;
}

GoldenArray bfloat16_of(const GoldenArray& patterns) {
  GoldenArray array = {DType::bf16, patterns.shape, {}};
  for (const std::int32_t pattern : patterns.values<std::int32_t>()) {
    array.bytes.push_back(static_cast<std::byte>(pattern & 0xFF));
    array.bytes.push_back(static_cast<std::byte>(pattern >> 8 & 0xFF));
  }
  return array;
}

GoldenArray read_golden(std::string_view room, const nlohmann::json& entry) {
  GoldenArray array = read_golden(golden_path(room, entry.at("file").get<std::string>()));
  if (entry.contains("stored_as")) array = bfloat16_of(array);
  if (to_string(array.dtype) != entry.at("dtype").get<std::string>()) {
    refuse(entry.at("file").get<std::string>(), "another type than the index says");
  }
  return array;
}

}  // namespace posenc::test
