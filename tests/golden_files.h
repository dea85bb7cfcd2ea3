// SPDX-License-Identifier: Apache-2.0
// Reading tests/goldens, the .safetensors files of the golden scripts.
//
// The reader shares no code with posenc::io. It takes what tools/goldens/record.py writes (tensors without gaps, each
// aligned, header padded to 8 bytes, f64 f32 f16 bf16 i64 i32) and throws std::runtime_error at anything else.
#pragma once

#include <posenc/core.h>

#include <map>

namespace posenc::test {

/// A tensor in row-major order.
struct GoldenArray {
  DType dtype = {};
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  ConstView view() const;
  /// All elements; T is the array's type.
  template <class T>
  std::span<const T> values() const {
    if (dtype_of<T> != dtype) throw std::runtime_error("a golden of another type");
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  /// All elements of an f64 or i64 array.
  std::vector<double> reals() const;
};

/// The fields that a script states of a case: what stands in the metadata under its name.
class GoldenFields {
 public:
  explicit GoldenFields(std::map<std::string, std::string> values) : values_(std::move(values)) {}
  /// Whether it is stated and not null.
  bool has(const std::string& field) const { return values_.contains(field) && values_.at(field) != "null"; }
  const std::string& text(const std::string& field) const;
  std::int64_t integer(const std::string& field) const;
  double real(const std::string& field) const;
  bool yes(const std::string& field) const { return text(field) == "true"; }
  std::vector<std::int64_t> integers(const std::string& field) const;

 private:
  std::map<std::string, std::string> values_;
};

/// tests/goldens/NAME.safetensors.
class GoldenFile {
 public:
  explicit GoldenFile(const std::string& name);
  /// The bytes of a file.
  GoldenFile(std::string name, std::string_view bytes);

  const std::string& name() const { return name_; }
  bool has(const std::string& tensor) const { return tensors_.contains(tensor); }
  const GoldenArray& operator[](const std::string& tensor) const;
  const std::map<std::string, GoldenArray>& tensors() const { return tensors_; }
  /// What stands before the first '/' of the tensors' names.
  std::vector<std::string> cases() const;
  /// An entry of the metadata; empty where there is none.
  std::string metadata(const std::string& key) const;
  GoldenFields fields(const std::string& of_case) const;
  /// Row `index` of the tensor `cases`; the metadata's `fields` name its columns.
  std::map<std::string, std::int64_t> row(std::size_t index) const;

 private:
  std::string name_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, GoldenArray> tensors_;
};

/// The names of the files whose metadata say `kind`, in order; of all without one.
std::vector<std::string> golden_names(std::string_view kind = {});

}  // namespace posenc::test
