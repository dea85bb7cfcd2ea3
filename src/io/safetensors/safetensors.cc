// SPDX-License-Identifier: Apache-2.0
// Safetensors files in memory and on disk: the header first, then single tensors by name.
#include <posenc/io/safetensors.h>

#include <unistd.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "src/base/quote.h"
#include "src/io/files/descriptor.h"
#include "src/io/files/element_bytes.h"
#include "src/io/files/file_mapping.h"
#include "src/io/files/nearest_names.h"
#include "src/io/files/room.h"
#include "src/io/files/row_range.h"
#include "src/io/safetensors/safetensors_header.h"

namespace posenc::io {
namespace {

// ---- bytes --------------------------------------------------------------------------------------

std::span<std::byte> bytes_of(std::string& text) { return std::as_writable_bytes(std::span(text)); }

[[noreturn]] void refuse_change(std::string_view path) {
  refuse_path(safetensors_reading, "must not change while it is read", path, " which changed");
}

// ---- names --------------------------------------------------------------------------------------

[[noreturn]] void refuse_name(const SafetensorsHeader& header, std::string_view wanted, std::string_view path) {
  std::vector<std::string_view> names;
  for (const StoredTensor& tensor : header.tensors) names.push_back(tensor.name);
  const std::string rule =
      names.empty() ? "the file holds no tensors"
                    : "the tensor must be one of the file's " + std::to_string(names.size()) + such_as(names, wanted);
  refuse_safetensors(rule, quote(wanted, Keep::head, 40), {path, 0});
}

}  // namespace

Safetensors::Safetensors(std::string path) : path_(std::move(path)) {
  Descriptor file = open_regular(safetensors_reading, path_);
  state_ = state_of(file.get(), safetensors_reading, path_);
  const SafetensorsFile described = {path_, static_cast<std::uint64_t>(state_.size)};
  std::string start(std::min<std::size_t>(described.size, safetensors_start), '\0');
  if (!read_at(file.get(), 0, bytes_of(start), safetensors_reading, path_)) refuse_change(path_);
  std::string text(header_length(start, described), '\0');
  if (!read_at(file.get(), 8, bytes_of(text), safetensors_reading, path_)) refuse_change(path_);
  header_ = read_header(text, described);
  by_name_.resize(header_.tensors.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::ranges::sort(by_name_, {}, [&](std::size_t i) -> std::string_view { return header_.tensors[i].name; });
  file_ = file.release();
}

Safetensors::~Safetensors() { ::close(file_); }

const StoredTensor& Safetensors::tensor(std::string_view name) const {
  const auto name_of = [&](std::size_t i) -> std::string_view { return header_.tensors[i].name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  if (found == by_name_.end() || name_of(*found) != name) refuse_name(header_, name, path_);
  return header_.tensors[*found];
}

const StoredTensor& Safetensors::readable(std::string_view name) const {
  const StoredTensor& stored = tensor(name);
  if (stored.dtype != DType{}) return stored;
  refuse_safetensors("the type must be F32, F16, BF16, F64, I32 or I64 to be read", stored.type, {path_, 0},
                     stored.name);
}

void Safetensors::read_bytes(std::uint64_t offset, std::size_t element, std::span<std::byte> to,
                             const Watch& watch) const {
  const bool whole = read_at(file_, header_.data + offset, to, safetensors_reading, path_, watch);
  if (!whole || state_of(file_, safetensors_reading, path_) != state_) refuse_change(path_);
  to_little_endian(to, element);
}

Array Safetensors::read(std::string_view name, const Watch& watch) const {
  const StoredTensor& stored = readable(name);
  Array array = {stored.dtype, stored.shape, {}};
  try {
    take_room(array.data, static_cast<std::size_t>(stored.end - stored.begin));
  } catch (const std::bad_alloc&) {
    fail_with(safetensors_reading, "the tensor must fit in memory", path_, ENOMEM);
  }
  read_bytes(stored.begin, size_of(stored.dtype), array.data, watch);
  return array;
}

TensorMap Safetensors::map(std::string_view name) const {
  const StoredTensor& stored = readable(name);
  if constexpr (std::endian::native == std::endian::little) {
    const MappedFile file = {safetensors_reading, path_, file_, state_};
    if (auto mapping = FileMapping::of(file, header_.data + stored.begin, stored.end - stored.begin)) {
      const ConstView view = detail::row_major<const void*>(mapping->data(), stored.dtype, stored.shape);
      return {std::move(mapping), view};
    }
  }
  return TensorMap(read(name));
}

void Safetensors::read_rows(std::string_view name, std::int64_t first, View out) const {
  const StoredTensor& stored = readable(name);
  require_rows({safetensors_reading, stored.dtype, stored.shape, stored.name, path_}, first, out);
  const auto size = static_cast<std::size_t>(out.count()) * size_of(out.dtype);
  if (size == 0) return;
  const std::uint64_t row = (stored.end - stored.begin) / static_cast<std::uint64_t>(stored.shape[0]);
  read_bytes(stored.begin + static_cast<std::uint64_t>(first) * row, size_of(out.dtype),
             {static_cast<std::byte*>(out.data), size}, {});
}

void Safetensors::read_raw(std::uint64_t offset, std::span<std::byte> out) const {
  const auto size = static_cast<std::uint64_t>(state_.size);
  if (offset > size || out.size() > size - offset) {
    refuse_safetensors("bytes must be within the file's " + std::to_string(size),
                       std::to_string(out.size()) + " from byte " + std::to_string(offset), {path_, 0});
  }
  const bool whole = read_at(file_, offset, out, safetensors_reading, path_, {});
  if (!whole || state_of(file_, safetensors_reading, path_) != state_) refuse_change(path_);
}

}  // namespace posenc::io
