// SPDX-License-Identifier: Apache-2.0
// Our side of tools/goldens/tensor_files.py and tests/proof/files_test.py: reads files from standard input and writes
// them again to standard output.
//
// Usage: io_exchange SCRATCH_FILE
// In: a letter, the size (8 bytes, little-endian), the bytes of a file. Out: 1 or 0, a size, the answer or a message.
//   n, N  an .npy file, written again at once or as a stream      s, S  the same for safetensors
//   d     what a safetensors file holds, as text                  z, g  an .npz or .gguf file, written as safetensors
#include <posenc/io/gguf.h>
#include <posenc/io/npz.h>

#include <cstdio>
#include <cstring>
#include <functional>

#include "tests/io/npy_files.h"
#include "tests/io/safetensors_description.h"

namespace posenc::io {
namespace {

std::vector<std::int64_t> shape_of(const ConstView& view) {
  return {view.shape.begin(), view.shape.begin() + view.rank};
}

/// The shape with its first size left open, where elements can decide it.
std::vector<std::int64_t> open_shape(const ConstView& view) {
  std::vector<std::int64_t> shape = shape_of(view);
  const bool decided = !shape.empty() && std::find(shape.begin() + 1, shape.end(), 0) == shape.end();
  if (decided) shape[0] = unknown_size;
  return shape;
}

/// The entries along the first axis one after another, or the one element of rank 0.
template <class Stream>
void write_rows(Stream& stream, const ConstView& view) {
  if (view.rank == 0) return stream.write(view);
  ConstView row = view;
  row.shape[0] = 1;
  const std::int64_t bytes = view.strides[0] * static_cast<std::int64_t>(size_of(view.dtype));
  for (std::int64_t i = 0; i < view.size(0); ++i) {
    row.data = static_cast<const std::byte*>(view.data) + i * bytes;
    stream.write(row);
  }
}

std::string npy_again(const std::string& file) { return text_of(npy_bytes(parse_npy(bytes_of(file)).view())); }

std::string npy_streamed(const std::string& file, const std::string& path) {
  const Array array = parse_npy(bytes_of(file));
  NpyStream stream(path, array.dtype, open_shape(array.view()), {.sync = Sync::none});
  write_rows(stream, array.view());
  stream.commit();
  return read_file(path, npy_file_limit);
}

/// The tensors of a file that are of our types, in the order of their bytes.
template <class File>
struct Tensors {
  explicit Tensors(const std::string& path) : file(path) {
    if constexpr (std::is_same_v<File, Npz>) {
      for (const NpzMember& member : file.members()) add(member.name);
    } else {
      for (const StoredTensor& tensor : file.header().tensors) {
        if (tensor.dtype != DType{}) add(tensor.name);
      }
    }
  }
  void add(const std::string& name) {
    names.push_back(name);
    arrays.push_back(file.read(name));
  }
  /// Last one first.
  std::vector<NamedView> views() const {
    std::vector<NamedView> all;
    for (std::size_t i = names.size(); i-- > 0;) all.push_back({names[i], arrays[i].view()});
    return all;
  }
  File file;
  std::vector<std::string> names;
  std::vector<Array> arrays;
};

std::string safetensors_again(const std::string& file, const std::string& path) {
  write_file(path, bytes_of(file), {.sync = Sync::none});
  const Tensors<Safetensors> tensors(path);
  return text_of(safetensors_bytes(tensors.views(), tensors.file.header().metadata));
}

template <class File>
std::string as_safetensors(const std::string& file, const std::string& path) {
  write_file(path, bytes_of(file), {.sync = Sync::none});
  return text_of(safetensors_bytes(Tensors<File>(path).views()));
}

std::string safetensors_streamed(const std::string& file, const std::string& path) {
  write_file(path, bytes_of(file), {.sync = Sync::none});
  const Tensors<Safetensors> tensors(path);
  std::vector<TensorPlan> plan;
  std::vector<ConstView> others;
  for (std::size_t i = 0; i < tensors.names.size(); ++i) {
    const ConstView view = tensors.arrays[i].view();
    plan.push_back({tensors.names[i], view.dtype, open_shape(view)});
    if (i > 0) others.push_back(view);
  }
  SafetensorsStream stream(path, plan, tensors.file.header().metadata, {.sync = Sync::none});
  write_rows(stream, tensors.arrays[0].view());
  stream.commit(others);
  return read_file(path, npy_file_limit);
}

std::string answer(char kind, const std::string& file, const std::string& path) {
  switch (kind) {
    case 'n': return npy_again(file);
    case 'N': return npy_streamed(file, path);
    case 's': return safetensors_again(file, path);
    case 'S': return safetensors_streamed(file, path);
    case 'd': return description(file);
    case 'z': return as_safetensors<Npz>(file, path);
    case 'g': return as_safetensors<Gguf>(file, path);
    default: throw std::runtime_error("an unknown letter");
  }
}

bool receive(void* to, std::size_t size) { return std::fread(to, 1, size, stdin) == size; }

void send(char status, const std::string& text) {
  const std::string head = status + little_endian(text.size(), 8);
  std::fwrite(head.data(), 1, head.size(), stdout);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int serve(const std::string& path) {
  char kind = 0;
  while (receive(&kind, 1)) {
    unsigned char digits[8];
    if (!receive(digits, sizeof digits)) return 1;
    std::uint64_t size = 0;
    for (int i = 0; i < 8; ++i) size |= std::uint64_t{digits[i]} << (8 * i);
    std::string file(size, '\0');
    if (!receive(file.data(), size)) return 1;
    try {
      send(1, answer(kind, file, path));
    } catch (const Error& error) {
      send(0, error.what());
    }
  }
  return 0;
}

}  // namespace
}  // namespace posenc::io

int main(int argc, char** argv) { return argc == 2 ? posenc::io::serve(argv[1]) : 2; }
