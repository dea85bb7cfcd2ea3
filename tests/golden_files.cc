// SPDX-License-Identifier: Apache-2.0
// Reading golden files.
#include "tests/golden_files.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace posenc::test {
namespace {

const std::filesystem::path folder = std::filesystem::path(POSENC_SOURCE_DIR) / "tests/goldens";

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw std::runtime_error("golden " + name + ": " + why);
}

// ---- JSON as json.dumps writes it, without escapes but \" and \\ -----------------------------------

struct Cursor {
  const std::string& name;
  std::string_view text;
  std::size_t at = 0;

  char peek() const { return at < text.size() ? text[at] : '\0'; }
  bool takes(char expected) {
    while (peek() == ' ') ++at;
    if (peek() != expected) return false;
    ++at;
    return true;
  }
  void expect(char expected) {
    if (!takes(expected)) refuse(name, std::string("no ") + expected + " at " + std::to_string(at) + " of its JSON");
  }
  std::string string() {
    std::string value;
    for (expect('"'); peek() != '"'; ++at) {
      if (peek() == '\\' && (text.substr(at + 1).starts_with('"') || text.substr(at + 1).starts_with('\\'))) {
        ++at;
      } else if (peek() == '\\' || peek() < ' ') {
        refuse(name, "a string that is not plain");
      }
      value += peek();
    }
    ++at;
    return value;
  }
  // A string without its quotes; anything else as it stands, a list with its brackets.
  std::string value() {
    while (peek() == ' ') ++at;
    if (peek() == '"') return string();
    const bool is_list = peek() == '[';
    const std::size_t from = at, to = text.find_first_of(is_list ? "]" : ",}", at);
    if (to == std::string_view::npos || peek() == '{') refuse(name, "a value that is nested or has no end");
    at = is_list ? to + 1 : to;
    return std::string(text.substr(from, at - from));
  }
  // {"key": value, ...} whose values `read` takes.
  template <class Read>
  void object(const Read& read) {
    expect('{');
    if (takes('}')) return;
    do {
      while (peek() == ' ') ++at;
      const std::string key = string();
      expect(':');
      read(key);
    } while (takes(','));
    expect('}');
  }
  std::map<std::string, std::string> flat() {
    std::map<std::string, std::string> values;
    object([&](const std::string& key) {
      if (!values.emplace(key, value()).second) refuse(name, "two values of " + key);
    });
    return values;
  }
};

std::int64_t integer_of(const std::string& name, const std::string& text) {
  std::size_t used = 0;
  std::int64_t value = 0;
  try {
    value = std::stoll(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != text.size()) refuse(name, text + " is no integer");
  return value;
}

std::vector<std::int64_t> integers_of(const std::string& name, const std::string& list) {
  if (list.size() < 2 || list.front() != '[' || list.back() != ']') refuse(name, list + " is no list");
  std::vector<std::int64_t> values;
  for (std::size_t at = 1; at + 1 < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size() - 1);
    values.push_back(integer_of(name, list.substr(at, end - at)));
    at = end + 1;
  }
  return values;
}

// ---- safetensors ----------------------------------------------------------------------------------

DType type_of(const std::string& name, const std::string& type) {
  constexpr std::pair<std::string_view, DType> types[] = {{"F64", DType::f64}, {"F32", DType::f32},
                                                          {"F16", DType::f16}, {"BF16", DType::bf16},
                                                          {"I64", DType::i64}, {"I32", DType::i32}};
  for (const auto& [word, dtype] : types) {
    if (word == type) return dtype;
  }
  refuse(name, "type " + type);
}

GoldenArray array_of(const std::string& name, std::map<std::string, std::string> entry, std::string_view data,
                     std::size_t& next) {
  if (entry.size() != 3) refuse(name, "a tensor of other keys than dtype, shape and data_offsets");
  GoldenArray array = {type_of(name, entry["dtype"]), integers_of(name, entry["shape"]), {}};
  std::size_t size = size_of(array.dtype);
  if (next % size != 0) refuse(name, "a tensor that is not aligned");
  for (const std::int64_t axis : array.shape) size *= static_cast<std::size_t>(axis);
  const std::vector<std::int64_t> offsets = integers_of(name, entry["data_offsets"]);
  const std::vector<std::int64_t> wanted = {static_cast<std::int64_t>(next), static_cast<std::int64_t>(next + size)};
  if (offsets != wanted || next + size > data.size()) refuse(name, "a tensor of another size or place than stated");
  array.bytes.resize(size);
  std::memcpy(array.bytes.data(), data.data() + next, size);
  next += size;
  return array;
}

std::string bytes_of(const std::string& name) {
  std::ifstream file(folder / (name + ".safetensors"), std::ios::binary);
  if (!file) refuse(name, "cannot be read in " + folder.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

ConstView GoldenArray::view() const {
  return detail::row_major<const void*>(static_cast<const void*>(bytes.data()), dtype, shape);
}

std::vector<double> GoldenArray::reals() const {
  if (dtype == DType::f64) return {values<double>().begin(), values<double>().end()};
  std::vector<double> wide;
  for (const std::int64_t value : values<std::int64_t>()) wide.push_back(static_cast<double>(value));
  return wide;
}

GoldenFile::GoldenFile(const std::string& name) : GoldenFile(name, bytes_of(name)) {}

GoldenFile::GoldenFile(std::string name, std::string_view bytes) : name_(std::move(name)) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) refuse(name_, "no header");
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length % 8 != 0 || length > bytes.size() - sizeof length) refuse(name_, "a header of another length");
  const std::string_view data = bytes.substr(sizeof length + length);
  std::size_t next = 0;
  Cursor header = {name_, bytes.substr(sizeof length, length)};
  header.object([&](const std::string& key) {
    if (key == "__metadata__") {
      metadata_ = header.flat();
    } else if (!tensors_.emplace(key, array_of(name_, header.flat(), data, next)).second) {
      refuse(name_, "two tensors " + key);
    }
  });
  if (header.text.find_first_not_of(' ', header.at) != std::string_view::npos) refuse(name_, "text after its header");
  if (next != data.size()) refuse(name_, "bytes after its tensors");
}

const GoldenArray& GoldenFile::operator[](const std::string& tensor) const {
  const auto found = tensors_.find(tensor);
  if (found == tensors_.end()) refuse(name_, "no tensor " + tensor);
  return found->second;
}

std::vector<std::string> GoldenFile::cases() const {
  std::vector<std::string> names;
  for (const auto& [tensor, array] : tensors_) {
    const std::string of_case = tensor.substr(0, tensor.find('/'));
    if (std::find(names.begin(), names.end(), of_case) == names.end()) names.push_back(of_case);
  }
  return names;
}

std::string GoldenFile::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? "" : found->second;
}

GoldenFields GoldenFile::fields(const std::string& of_case) const {
  const std::string text = metadata(of_case);
  return GoldenFields(Cursor{name_, text}.flat());
}

std::map<std::string, std::int64_t> GoldenFile::row(std::size_t index) const {
  const GoldenArray& cases = (*this)["cases"];
  std::istringstream words(metadata("fields"));
  std::map<std::string, std::int64_t> named;
  std::size_t at = index * static_cast<std::size_t>(cases.shape.at(1));
  for (std::string field; words >> field; ++at) named[field] = cases.values<std::int64_t>()[at];
  return named;
}

const std::string& GoldenFields::text(const std::string& field) const {
  const auto found = values_.find(field);
  if (found == values_.end()) refuse(field, "no such field");
  return found->second;
}
std::int64_t GoldenFields::integer(const std::string& field) const { return integer_of(field, text(field)); }
double GoldenFields::real(const std::string& field) const { return std::stod(text(field)); }
std::vector<std::int64_t> GoldenFields::integers(const std::string& field) const {
  return integers_of(field, text(field));
}

std::vector<std::string> golden_names(std::string_view kind) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".safetensors") refuse(name, "no .safetensors file");
    if (kind.empty() || GoldenFile(name).metadata("kind") == kind) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace posenc::test
