// SPDX-License-Identifier: Apache-2.0
// Exports of the module besides posenc.h: memory for the caller, and readers of files.
#include <posenc/io/npy.h>
#include <posenc/io/safetensors.h>

#include <cstdlib>

#include "bindings/c/edge.h"

using namespace posenc;

namespace {

constexpr std::size_t tensor_name_bytes = 256;
constexpr std::size_t line = 64;  // of a cache, and what every element type may stand at

void* memory_of(std::size_t bytes) {
  return bytes > SIZE_MAX - line ? nullptr : std::aligned_alloc(line, bytes / line * line + line);
}

}  // namespace

extern "C" {

// Null where there is none. The caller gives it back.
void* posenc_take_memory(std::size_t bytes) { return memory_of(bytes); }
void posenc_free_memory(void* memory) { std::free(memory); }

// npy.h: `out` is the view of new memory, which is the caller's.
posenc_status posenc_npy_read(const std::byte* file, std::size_t bytes, const char* name, posenc_view* out,
                              posenc_error* error) {
  constexpr const char* operation = "posenc_npy_read";
  return c::call(operation, error, [&] {
    const io::Array array =
        io::parse_npy({&c::given(operation, "file", file), bytes}, &c::given(operation, "name", name));
    void* memory = memory_of(array.data.size());
    if (memory == nullptr) throw std::bad_alloc();
    std::memcpy(memory, array.data.data(), array.data.size());
    const View own = {memory, array.dtype, static_cast<int>(array.shape.size()),
                      detail::sizes(std::span<const std::int64_t>(array.shape)),
                      detail::row_major_strides(std::span<const std::int64_t>(array.shape))};
    posenc_view made = {memory, static_cast<std::uint32_t>(own.dtype), static_cast<std::uint32_t>(own.rank), {}, {}};
    std::ranges::copy(own.shape, made.shape);
    std::ranges::copy(own.strides, made.strides);
    *out = made;
  });
}

// safetensors.h: how many tensors the file has, and the one of that number: a view into the file, whose dtype is 0
// where posenc reads none such, and its name, cut at 255 bytes. Beyond the last one nothing but *count is written.
posenc_status posenc_safetensors_tensor(const std::byte* file, std::size_t bytes, const char* name, std::size_t number,
                                        posenc_view* out, char* tensor, std::size_t* count, posenc_error* error) {
  constexpr const char* operation = "posenc_safetensors_tensor";
  return c::call(operation, error, [&] {
    const io::SafetensorsHeader header =
        io::parse_safetensors({&c::given(operation, "file", file), bytes}, &c::given(operation, "name", name));
    *count = header.tensors.size();
    if (number >= *count) return;
    const io::StoredTensor& stored = header.tensors[number];
    posenc_view found = {const_cast<std::byte*>(file + header.data + stored.begin),
                         static_cast<std::uint32_t>(stored.dtype),
                         static_cast<std::uint32_t>(stored.shape.size()),
                         {},
                         {}};
    if (stored.shape.size() > std::size(found.shape)) found.dtype = 0, found.rank = 0;
    std::ranges::copy_n(stored.shape.begin(), found.rank, found.shape);
    const std::string text = stored.name.substr(0, tensor_name_bytes - 1);
    std::ranges::copy(text, tensor);
    tensor[text.size()] = '\0';
    *out = found;
  });
}
}
