// SPDX-License-Identifier: Apache-2.0
// Tensors of 64 MiB to a file and back, beside a copy in memory: files that the system's cache holds, not yet on a
// disk.
#include <posenc/io/npy.h>
#include <posenc/io/safetensors.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::int64_t rows = 16384, width = 1024, bytes = rows * width * 4;
constexpr std::string_view tensor_name = "rows";

// In the folder for temporary files; it goes when this does.
struct TemporaryFile {
  std::string path;
  explicit TemporaryFile(const std::string& ending)
      : path(std::filesystem::temp_directory_path() / ("posenc_bench." + std::to_string(getpid()) + ending)) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
};

// What a tensor is written and read by; `read` gives its bytes.
struct Format {
  std::string name;
  void (*write)(const std::string& path, const ConstView& tensor);
  std::size_t (*read)(const std::string& path);
};

const Format formats[] = {
    {"npy", [](const std::string& path, const ConstView& tensor) { io::write_npy(path, tensor, {io::Sync::none}); },
     [](const std::string& path) { return io::read_npy(path).data.size(); }},
    {"safetensors",
     [](const std::string& path, const ConstView& tensor) {
       const io::NamedView named[] = {{tensor_name, tensor}};
       io::write_safetensors(path, named, {}, {io::Sync::none});
     },
     [](const std::string& path) { return io::Safetensors(path).read(tensor_name).data.size(); }}};

struct Tensor {
  std::shared_ptr<const Buffer> from = numbers(rows * width, 1), to = buffer(bytes);
  std::shared_ptr<const TemporaryFile> file;
  ConstView view = posenc::view(static_cast<const float*>(from->as<float>()), {rows, width});

  explicit Tensor(const Format& format) : file(std::make_shared<const TemporaryFile>("." + format.name)) {
    format.write(file->path, view);
  }
  template <class Run>
  Work work(Run run) const {
    return {.run = std::move(run), .out = to->bytes(), .in = from->bytes(), .owns = {from, to, file}};
  }
};

Work writing(const Format& format) {
  const Tensor tensor(format);
  return tensor.work([=](const Executor&) { format.write(tensor.file->path, tensor.view); });
}

Work reading(const Format& format) {
  const Tensor tensor(format);
  return tensor.work([=](const Executor&) {
    if (format.read(tensor.file->path) != static_cast<std::size_t>(bytes)) throw std::runtime_error("another size");
  });
}

}  // namespace

std::vector<Row> files_rows(const Scope&) {
  std::vector<Row> made;
  const std::string size = std::to_string(rows) + " x " + std::to_string(width);
  for (const Format& format : formats) {
    made.push_back(
        {format.name + " read", size, Ceiling::copy, no_floor, no_floor, [=] { return reading(format); }, {1}});
    made.push_back(
        {format.name + " write", size, Ceiling::copy, no_floor, no_floor, [=] { return writing(format); }, {1}});
  }
  return made;
}

}  // namespace posenc::bench
