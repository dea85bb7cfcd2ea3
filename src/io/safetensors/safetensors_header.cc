// SPDX-License-Identifier: Apache-2.0
// The checks around a safetensors header: its length before, sizes and offsets behind its JSON.
#include "src/io/safetensors/safetensors_header.h"

#include <algorithm>

#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/io/npy/npy_header.h"

namespace posenc::io {
namespace {

constexpr StoredType types[] = {
    {"F32", 32, DType::f32}, {"F16", 16, DType::f16}, {"BF16", 16, DType::bf16}, {"F64", 64, DType::f64},
    {"I32", 32, DType::i32}, {"I64", 64, DType::i64}, {"BOOL", 8, {}},           {"U8", 8, {}},
    {"I8", 8, {}},           {"I16", 16, {}},         {"U16", 16, {}},           {"U32", 32, {}},
    {"U64", 64, {}},         {"C64", 64, {}},         {"F8_E5M2", 8, {}},        {"F8_E4M3", 8, {}},
    {"F8_E8M0", 8, {}},      {"F8_E4M3FNUZ", 8, {}},  {"F8_E5M2FNUZ", 8, {}},    {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},      {"F4", 4, {}},
};

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

struct Lookalike {
  std::string_view start;
  std::string_view what;
};

constexpr Lookalike lookalikes[] = {
    {"PK\x03\x04", "; this looks like a zip archive, such as a PyTorch file"},
    {"\x80\x02", "; this looks like a Python pickle, which runs code to load"},
    {"\x80\x03", "; this looks like a Python pickle, which runs code to load"},
    {"\x80\x04", "; this looks like a Python pickle, which runs code to load"},
    {"\x80\x05", "; this looks like a Python pickle, which runs code to load"},
    {"\x93NUMPY", "; this looks like an .npy file"},
    {"GGUF", "; this looks like a GGUF file"},
    {"\x89HDF", "; this looks like an HDF5 file"},
    {"version https://git-lfs", "; this is a Git LFS pointer, not the file it stands for"},
    {"<", "; this looks like a web page"},
    {"{", "; this looks like JSON without the 8-byte length before it"},
    {byte_order_mark, "; this begins with a byte order mark, as text may"},
};

std::uint64_t first_number(std::string_view start) {
  return load<std::uint64_t>(reinterpret_cast<const std::byte*>(start.data()), std::endian::native == std::endian::big);
}

/// What a file whose length makes no sense may be instead; empty when nothing fits.
std::string_view hint(std::string_view start, std::uint64_t length) {
  if (const std::string_view other = looks_like(start); !other.empty()) return other;
  const bool reversed = __builtin_bswap64(length) <= safetensors_header_limit && start.substr(8).starts_with('{');
  return reversed ? "; this length is big-endian, it must be little-endian" : "";
}

/// Bytes of a tensor of that type and shape, by arithmetic that cannot wrap.
std::uint64_t bytes_of(const StoredTensor& tensor, const SafetensorsFile& file) {
  const std::string got = quote(tuple_text(tensor.shape));
  std::int64_t elements = 1;
  for (const std::int64_t size : tensor.shape) {
    if (size != 0 && __builtin_mul_overflow(elements, size, &elements)) {
      refuse_safetensors("the product of the sizes overflows", got, file, tensor.name);
    }
  }
  if (elements > npy_element_limit) {
    refuse_safetensors("a tensor must have at most 2^53 elements", got, file, tensor.name);
  }
  if (std::ranges::find(tensor.shape, 0) != tensor.shape.end()) return 0;
  const auto bits = static_cast<std::uint64_t>(elements * find_stored_type(tensor.type)->bits);  // below 2^60
  if (bits % 8 != 0) {
    refuse_safetensors("elements of less than a byte must fill whole bytes",
                       std::to_string(elements) + " of " + std::string(tensor.type), file, tensor.name);
  }
  return bits / 8;
}

void check_tensor(const StoredTensor& tensor, std::uint64_t data_size, const SafetensorsFile& file) {
  if (tensor.begin > tensor.end) {
    refuse_safetensors("data_offsets must not be reversed",
                       "[" + std::to_string(tensor.begin) + ", " + std::to_string(tensor.end) + "]", file, tensor.name);
  }
  const std::uint64_t need = bytes_of(tensor, file);
  if (tensor.end > data_size) {
    refuse_safetensors("the file is cut off: the tensors need " + std::to_string(tensor.end) + " bytes",
                       std::to_string(data_size), file, tensor.name);
  }
  if (tensor.end - tensor.begin != need) {
    refuse_safetensors("data_offsets must span the " + std::to_string(need) + " bytes of dtype and shape",
                       std::to_string(tensor.end - tensor.begin), file, tensor.name);
  }
}

}  // namespace

void refuse_safetensors(std::string_view rule, std::string_view value, const SafetensorsFile& file,
                        std::optional<std::string_view> tensor) {
  constexpr std::size_t shown = 40;  // so that the message stays below 300 bytes
  std::string got(value);
  if (tensor) got += " in tensor " + quote(*tensor, Keep::head, shown);
  throw Error({std::string(safetensors_reading), std::string(rule), got + " of " + quote(file.name, Keep::tail)});
}

const StoredType* find_stored_type(std::string_view name) {
  const auto* found = std::ranges::find(types, name, &StoredType::name);
  return found == std::end(types) ? nullptr : found;
}

std::string_view stored_name(DType dtype) { return std::ranges::find(types, dtype, &StoredType::dtype)->name; }

bool starts_like_safetensors(std::string_view start) {
  return start.size() > 8 && first_number(start) <= safetensors_header_limit && start[8] == '{';
}

std::string_view looks_like(std::string_view start) {
  // A length of 60 is a < and zeros, one of 123 a { and zeros: text goes on.
  const bool is_text = start.size() < 2 || start[1] != '\0';
  const auto* found = std::ranges::find_if(lookalikes, [&](const Lookalike& other) {
    return start.starts_with(other.start) && (is_text || other.start.size() > 1);
  });
  if (found != std::end(lookalikes)) return found->what;
  const bool marked = start.size() > 8 && start.substr(8).starts_with(byte_order_mark);
  return marked ? "; the header begins with a byte order mark, which must go" : "";
}

std::uint64_t header_length(std::string_view start, const SafetensorsFile& file) {
  if (start.size() < 8) {
    refuse_safetensors("the file is cut off: the length of the header needs 8 bytes", std::to_string(start.size()),
                       file);
  }
  const std::uint64_t length = first_number(start);
  const std::string looks(hint(start, length));
  if (length == 0) refuse_safetensors("the header must not be empty", "a length of 0", file);
  if (length > safetensors_header_limit) {
    refuse_safetensors("the header must have at most " + std::to_string(safetensors_header_limit) + " bytes" + looks,
                       std::to_string(length), file);
  }
  if (length > file.size - 8) {
    refuse_safetensors("the file is cut off: its header needs " + std::to_string(length) + " bytes" + looks,
                       std::to_string(file.size - 8), file);
  }
  if (start[8] != '{') {
    refuse_safetensors("the header must start with {" + looks, quote(start.substr(8, 1)) + " at offset 8", file);
  }
  return length;
}

SafetensorsHeader read_header(std::string_view text, const SafetensorsFile& file) {
  SafetensorsHeader header = read_header_json(text, file);
  header.data = 8 + text.size();
  const std::uint64_t data_size = file.size - header.data;
  for (const StoredTensor& tensor : header.tensors) check_tensor(tensor, data_size, file);
  std::ranges::stable_sort(header.tensors, {},
                           [](const StoredTensor& tensor) { return std::pair(tensor.begin, tensor.end); });
  std::uint64_t at = 0;
  for (const StoredTensor& tensor : header.tensors) {
    if (tensor.begin != at) {
      const bool hole = tensor.begin > at;
      refuse_safetensors(std::string(hole ? "tensors must leave no hole" : "tensors must not overlap") +
                             ": the next byte is " + std::to_string(at),
                         "a tensor from byte " + std::to_string(tensor.begin), file, tensor.name);
    }
    at = tensor.end;
  }
  if (at != data_size) {
    refuse_safetensors("no bytes may follow the tensors, which need " + std::to_string(at) + " bytes",
                       std::to_string(data_size), file);
  }
  return header;
}

SafetensorsHeader parse_safetensors(std::span<const std::byte> bytes, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const SafetensorsFile file = {name, text.size()};
  return read_header(text.substr(8, header_length(text.substr(0, safetensors_start), file)), file);
}

std::optional<Problem> check_safetensors(std::span<const std::byte> bytes, std::string_view name) {
  return problem_of([&] { parse_safetensors(bytes, name); });
}

}  // namespace posenc::io
