// SPDX-License-Identifier: Apache-2.0
// The frame of a GGUF file: version and counts before the metadata, tensors and where they lie behind them.
#include "src/io/gguf/gguf_header.h"

#include <algorithm>
#include <set>

#include "src/base/quote.h"

namespace posenc::io {
namespace {

std::uint64_t aligned(std::uint64_t at, std::uint64_t alignment) { return (at + alignment - 1) & ~(alignment - 1); }

// ---- the start ----------------------------------------------------------------------------------

std::uint32_t read_version(GgufCursor& cursor) {
  const auto magic = cursor.number<std::uint32_t>("the magic");
  std::string text;
  for (int i = 0; i < 4; ++i) text += static_cast<char>((magic >> (8 * i)) & 0xFF);
  if (text != "GGUF") {
    const bool old = text == "lmgg" || text == "GGML" || text == "fmgg" || text == "tjgg";
    const bool reversed = text == "FUGG";
    cursor.refuse("must start with GGUF" + std::string(old        ? "; this is an older format of ggml"
                                                       : reversed ? "; this file is big-endian"
                                                                  : ""),
                  quote(text), 0);
  }
  const auto version = cursor.number<std::uint32_t>("the version");
  if (version != 2 && version != 3) {
    const bool reversed = version != 0 && (version & 0xFFFF) == 0;
    cursor.refuse("the version must be 2 or 3" + std::string(reversed ? "; this file is big-endian" : ""),
                  std::to_string(version), 4);
  }
  return version;
}

std::uint64_t read_count(GgufCursor& cursor, std::string_view of, std::uint64_t limit) {
  const std::uint64_t before = cursor.at();
  const auto count = cursor.number<std::uint64_t>("the number of " + std::string(of));
  if (count > limit) {
    cursor.refuse("a file must have at most " + std::to_string(limit) + " " + std::string(of), std::to_string(count),
                  before);
  }
  return count;
}

// ---- what the metadata say about the file --------------------------------------------------------

/// An unsigned number under a key, or nothing.
std::optional<std::uint64_t> unsigned_under(const GgufHeader& header, std::string_view key, std::string_view type,
                                            const GgufCursor& cursor) {
  const GgufEntry* entry = header.find(key);
  if (entry == nullptr) return std::nullopt;
  if (entry->type != type) {
    cursor.refuse(std::string(key) + " must be of type " + std::string(type), entry->type);
  }
  return std::get<std::uint64_t>(std::get<GgufScalar>(entry->value));
}

std::uint64_t alignment_of(const GgufHeader& header, const GgufCursor& cursor) {
  const std::uint64_t alignment = unsigned_under(header, "general.alignment", "u32", cursor).value_or(32);
  if (alignment < 8 || (alignment & (alignment - 1)) != 0) {
    cursor.refuse("general.alignment must be a power of two from 8 on", std::to_string(alignment));
  }
  if (alignment > gguf_alignment_limit) {
    cursor.refuse("general.alignment must be at most " + std::to_string(gguf_alignment_limit),
                  std::to_string(alignment));
  }
  return alignment;
}

void check_parts(const GgufHeader& header, const GgufCursor& cursor) {
  const std::uint64_t parts = unsigned_under(header, "split.count", "u16", cursor).value_or(1);
  const std::uint64_t part = unsigned_under(header, "split.no", "u16", cursor).value_or(0);
  if (part >= std::max<std::uint64_t>(parts, 1)) {
    cursor.refuse("split.no must be below split.count", std::to_string(part) + " of " + std::to_string(parts));
  }
  if (parts > 1) {
    cursor.refuse("a model in parts must be one file, made by llama-gguf-split --merge",
                  "part " + std::to_string(part + 1) + " of " + std::to_string(parts));
  }
}

// ---- tensors ------------------------------------------------------------------------------------

std::vector<std::int64_t> read_shape(GgufCursor& cursor) {
  const std::uint64_t before = cursor.at();
  const auto rank = cursor.number<std::uint32_t>("the number of axes");
  if (rank > gguf_rank_limit) {
    cursor.refuse("a tensor must have at most " + std::to_string(gguf_rank_limit) + " axes", std::to_string(rank),
                  before);
  }
  std::vector<std::int64_t> shape;
  for (std::uint32_t axis = 0; axis < rank; ++axis) {
    const std::uint64_t at = cursor.at();
    const auto size = cursor.number<std::uint64_t>("a size");
    if (size < 1 || size > static_cast<std::uint64_t>(npy_dimension_limit)) {
      cursor.refuse("a size must be from 1 to 2^48", std::to_string(size), at);
    }
    shape.push_back(static_cast<std::int64_t>(size));
  }
  std::ranges::reverse(shape);
  return shape;
}

const GgufTensorType& read_tensor_type(GgufCursor& cursor) {
  const std::uint64_t before = cursor.at();
  const auto number = cursor.number<std::uint32_t>("the type of a tensor");
  if (const GgufTensorType* type = find_gguf_type(number)) return *type;
  cursor.refuse(is_removed_gguf_type(number) ? "the type of a tensor must be in use; this one was removed from ggml"
                                             : "the type of a tensor must be one of ggml's",
                std::to_string(number), before);
}

/// Bytes of a tensor, by arithmetic that cannot wrap: at most 2^53 elements of at most 8 bytes.
std::uint64_t bytes_of(const GgufCursor& cursor, const std::vector<std::int64_t>& shape, const GgufTensorType& type) {
  const std::string got = quote(tuple_text(shape));
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(elements, size, &elements)) cursor.refuse("the product of the sizes overflows", got);
  }
  if (elements > npy_element_limit) cursor.refuse("a tensor must have at most 2^53 elements", got);
  if ((shape.empty() ? 1 : shape.back()) % type.elements != 0) {
    cursor.refuse(
        "rows of " + std::string(type.name) + " must be a multiple of " + std::to_string(type.elements) + " long", got);
  }
  return static_cast<std::uint64_t>(elements / type.elements * type.bytes);
}

/// Its `end` is as far behind `begin` as it has bytes, wrapping where `begin` is beyond any file.
StoredTensor read_tensor(GgufCursor& cursor, std::uint64_t alignment) {
  const std::uint64_t before = cursor.at();
  cursor.set_subject({});
  std::string name = cursor.text("the name of a tensor", gguf_name_limit);
  if (name.empty()) cursor.refuse("a tensor must have a name", "an empty one", before);
  if (name.find('\0') != name.npos) cursor.refuse("the name of a tensor must have no NUL", quote(name), before);
  cursor.set_subject("tensor " + quote(name, Keep::head, 40));
  std::vector<std::int64_t> shape = read_shape(cursor);
  const GgufTensorType& type = read_tensor_type(cursor);
  const std::uint64_t bytes = bytes_of(cursor, shape, type);
  const std::uint64_t at = cursor.at();
  const auto begin = cursor.number<std::uint64_t>("the offset of a tensor");
  if (begin % alignment != 0) {
    cursor.refuse("the offset of a tensor must be a multiple of the alignment, " + std::to_string(alignment),
                  std::to_string(begin), at);
  }
  return {std::move(name), type.name, type.dtype, std::move(shape), begin, begin + bytes};
}

/// One tensor after another, each from the next multiple of the alignment on, zeros between them, up to the file's end.
void check_cover(GgufCursor& cursor, GgufHeader& header) {
  const std::uint64_t header_end = cursor.at();
  const bool ends = header.tensors.empty() && header_end == cursor.size();  // a vocabulary alone
  header.data = ends ? header_end : aligned(header_end, header.alignment);
  if (header.data > cursor.size()) {
    cursor.refuse("the file is cut off: zeros up to the alignment need " + std::to_string(header.data) + " bytes",
                  std::to_string(cursor.size()));
  }
  cursor.require_zeros(header_end, header.data);
  const std::uint64_t size = cursor.size() - header.data;
  std::uint64_t end = 0;
  for (const StoredTensor& tensor : header.tensors) {
    cursor.set_subject("tensor " + quote(tensor.name, Keep::head, 40));
    const std::uint64_t expected = aligned(end, header.alignment);
    if (tensor.begin != expected) {
      cursor.refuse(
          "tensors must stand one after another without overlap or hole: the next byte is " + std::to_string(expected),
          std::to_string(tensor.begin), header.data + tensor.begin);
    }
    const std::uint64_t bytes = tensor.end - tensor.begin;
    if (tensor.begin > size || bytes > size - tensor.begin) {
      cursor.refuse("the file is cut off: a tensor needs " + std::to_string(bytes) + " bytes",
                    std::to_string(size - std::min(size, tensor.begin)), header.data + tensor.begin);
    }
    if (expected > end) cursor.require_zeros(header.data + end, header.data + expected);
    end = tensor.end;
  }
  cursor.set_subject({});
  // Writers fill up the last tensor too, or end with it.
  if (size != end && size != aligned(end, header.alignment)) {
    cursor.refuse("no bytes may follow the tensors, which need " + std::to_string(end) + " bytes", std::to_string(size),
                  header.data + end);
  }
  cursor.require_zeros(header.data + end, header.data + size);
}

}  // namespace

GgufHeader read_gguf_header(const ByteSource& source) {
  GgufCursor cursor(source);
  GgufHeader header;
  header.version = read_version(cursor);
  const std::uint64_t tensors = read_count(cursor, "tensors", gguf_tensor_limit);
  const std::uint64_t keys = read_count(cursor, "keys", gguf_key_limit);
  header.metadata = read_gguf_metadata(cursor, keys);
  header.alignment = alignment_of(header, cursor);
  check_parts(header, cursor);
  std::set<std::string, std::less<>> names;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    const std::uint64_t before = cursor.at();
    header.tensors.push_back(read_tensor(cursor, header.alignment));
    if (!names.insert(header.tensors.back().name).second) {
      cursor.set_subject({});
      cursor.refuse("a tensor must stand only once", quote(header.tensors.back().name, Keep::head, 40), before);
    }
  }
  cursor.set_subject({});
  check_cover(cursor, header);
  return header;
}

}  // namespace posenc::io
