// SPDX-License-Identifier: Apache-2.0
// GGUF files in memory and on disk: the header first, then single tensors by name.
#include <posenc/io/gguf.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/io/files/descriptor.h"
#include "src/io/files/element_bytes.h"
#include "src/io/files/nearest_names.h"
#include "src/io/files/room.h"
#include "src/io/files/row_range.h"
#include "src/io/gguf/gguf_header.h"

namespace posenc::io {

const GgufEntry* GgufHeader::find(std::string_view key) const {
  const auto found = std::ranges::find(metadata, key, &GgufEntry::key);
  return found == metadata.end() ? nullptr : &*found;
}

GgufHeader parse_gguf(std::span<const std::byte> bytes, std::string_view name) {
  return read_gguf_header(ByteSource(gguf_reading, bytes, name));
}

std::optional<Problem> check_gguf(std::span<const std::byte> bytes, std::string_view name) {
  return problem_of([&] { parse_gguf(bytes, name); });
}

struct Gguf::Opened {
  ByteSource source;
  GgufHeader header;
  std::vector<std::size_t> by_name;  // indices of header.tensors, sorted by name

  explicit Opened(std::string path) : source(gguf_reading, std::move(path)), header(read_gguf_header(source)) {
    by_name.resize(header.tensors.size());
    std::iota(by_name.begin(), by_name.end(), std::size_t{0});
    std::ranges::sort(by_name, {}, [&](std::size_t i) -> std::string_view { return header.tensors[i].name; });
  }

  [[noreturn]] void refuse(const std::string& rule, const std::string& value) const {
    throw Error({std::string(gguf_reading), rule, value + " of " + quote(source.name(), Keep::tail)});
  }

  const StoredTensor& tensor(std::string_view name) const {
    const auto name_of = [&](std::size_t i) -> std::string_view { return header.tensors[i].name; };
    const auto found = std::ranges::lower_bound(by_name, name, {}, name_of);
    if (found != by_name.end() && name_of(*found) == name) return header.tensors[*found];
    std::vector<std::string_view> names;
    for (const StoredTensor& each : header.tensors) names.push_back(each.name);
    refuse(names.empty()
               ? "the file holds no tensors"
               : "the tensor must be one of the file's " + std::to_string(names.size()) + such_as(names, name),
           quote(name, Keep::head, 40));
  }

  const StoredTensor& readable(std::string_view name) const {
    const StoredTensor& stored = tensor(name);
    if (stored.dtype != DType{}) return stored;
    refuse("the type must be F32, F16, BF16, F64, I32 or I64 to be read",
           std::string(stored.type) + " in tensor " + quote(stored.name, Keep::head, 40));
  }

  void read(std::uint64_t offset, DType dtype, std::span<std::byte> to, const Watch& watch) const {
    source.read(header.data + offset, to, watch);
    to_little_endian(to, size_of(dtype));
  }
};

Gguf::Gguf(std::string path) : opened_(std::make_unique<Opened>(std::move(path))) {}
Gguf::~Gguf() = default;
Gguf::Gguf(Gguf&&) noexcept = default;

const GgufHeader& Gguf::header() const { return opened_->header; }

const StoredTensor& Gguf::tensor(std::string_view name) const { return opened_->tensor(name); }

Array Gguf::read(std::string_view name, const Watch& watch) const {
  const StoredTensor& stored = opened_->readable(name);
  Array array = {stored.dtype, stored.shape, {}};
  try {
    take_room(array.data, static_cast<std::size_t>(stored.end - stored.begin));
  } catch (const std::bad_alloc&) {
    fail_with(gguf_reading, "the tensor must fit in memory", opened_->source.name(), ENOMEM);
  }
  opened_->read(stored.begin, stored.dtype, array.data, watch);
  return array;
}

TensorMap Gguf::map(std::string_view name) const {
  const StoredTensor& stored = opened_->readable(name);
  if constexpr (std::endian::native == std::endian::little) {
    if (auto mapping = opened_->source.map(opened_->header.data + stored.begin, stored.end - stored.begin)) {
      const ConstView view = detail::row_major<const void*>(mapping->data(), stored.dtype, stored.shape);
      return {std::move(mapping), view};
    }
  }
  return TensorMap(read(name));
}

void Gguf::read_rows(std::string_view name, std::int64_t first, View out) const {
  const StoredTensor& stored = opened_->readable(name);
  require_rows({gguf_reading, stored.dtype, stored.shape, stored.name, opened_->source.name()}, first, out);
  const auto size = static_cast<std::size_t>(out.count()) * size_of(out.dtype);
  if (size == 0) return;
  const std::uint64_t row = (stored.end - stored.begin) / static_cast<std::uint64_t>(stored.shape[0]);
  opened_->read(stored.begin + static_cast<std::uint64_t>(first) * row, out.dtype,
                {static_cast<std::byte*>(out.data), size}, {});
}

}  // namespace posenc::io
