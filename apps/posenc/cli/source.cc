// SPDX-License-Identifier: Apache-2.0
// One way to read both formats.
#include "apps/posenc/cli/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/io/safetensors.h>
#include <unistd.h>

#include <algorithm>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::string_view safetensors = ".safetensors", npy_start = "\x93NUMPY";
constexpr std::string_view pickles[] = {".pt", ".pth", ".bin", ".ckpt", ".pkl"};

std::string only_tensor(std::string_view operation, std::string_view option, const io::SafetensorsHeader& header,
                        const std::string& path) {
  const auto& tensors = header.tensors;
  if (tensors.size() == 1) return tensors[0].name;
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(tensors.size(), 4); ++i) {
    names += (i > 0 ? ", " : "") + printable(std::string_view(tensors[i].name).substr(0, 32));
  }
  refuse(operation, fmt::format("{} must name one tensor, as FILE.safetensors:TENSOR", option),
         fmt::format("{} with {} tensors{}{}{}", quote(path), tensors.size(), names.empty() ? "" : ": ", names,
                     tensors.size() > 4 ? ", ..." : ""));
}

}  // namespace

std::string source_path(const std::string& words) {
  const std::size_t mark = words.rfind(std::string(safetensors) + ":");
  return mark == words.npos ? words : words.substr(0, mark + safetensors.size());
}

Source read_source(std::string_view operation, std::string_view option, const std::string& words) {
  if (is_standard_input(words)) {
    return read_standard_input(operation, option, words.size() > 2 ? words.substr(2) : "");
  }
  const std::string path = source_path(words);
  Progress progress(option.substr(2), "bytes");
  const io::Watch watch = [&](std::uint64_t done, std::uint64_t all) {
    const auto bytes = static_cast<std::int64_t>(done);
    progress.at(bytes, share_of(bytes, static_cast<std::int64_t>(all)));
  };
  if (path.ends_with(safetensors)) {
    const io::Safetensors file(path);
    if (path.size() + 1 == words.size()) {
      refuse(operation, fmt::format("the tensor of {} must have a name", option), quote(words));
    }
    const std::string tensor = path.size() == words.size() ? only_tensor(operation, option, file.header(), path)
                                                           : words.substr(path.size() + 1);
    return {tensor, file.read(tensor, watch)};
  }
  if (words.ends_with(".npy")) return {"", io::read_npy(words, io::npy_file_limit, watch)};
  const bool pickle = std::ranges::any_of(pickles, [&](std::string_view end) { return words.ends_with(end); });
  refuse(operation,
         fmt::format("{} must be FILE.npy, FILE.safetensors:TENSOR or -{}", option,
                     pickle ? "; pickles run code, so save it in Python with safetensors.torch.save_file" : ""),
         quote(words));
}

Source read_standard_input(std::string_view operation, std::string_view option, const std::string& tensor) {
  const std::string read = io::read_descriptor(STDIN_FILENO, standard_input_title, io::npy_file_limit);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(read));
  if (read.starts_with(npy_start)) {
    if (!tensor.empty())
      refuse(operation, fmt::format("the array of {} has no name, as it is .npy", option), quote(tensor));
    return {"", io::parse_npy(bytes, standard_input_title)};
  }
  const io::SafetensorsHeader header = io::parse_safetensors(bytes, standard_input_title);
  const std::string name =
      tensor.empty() ? only_tensor(operation, option, header, std::string(standard_input_title)) : tensor;
  const auto stored = std::ranges::find(header.tensors, name, &io::StoredTensor::name);
  if (stored == header.tensors.end()) {
    refuse(operation, fmt::format("the tensor of {} must be in standard input", option), quote(name));
  }
  if (stored->dtype == DType{}) {
    refuse(operation, fmt::format("the tensor of {} must be of a type that posenc reads", option),
           fmt::format("{} of type {}", quote(name), stored->type));
  }
  const std::span<const std::byte> data = bytes.subspan(header.data + stored->begin, stored->end - stored->begin);
  return {name, {stored->dtype, stored->shape, {data.begin(), data.end()}}};
}

std::string shape_words(const io::Array& array) {
  return fmt::format("{} [{}]", to_string(array.dtype), fmt::join(array.shape, ", "));
}

}  // namespace posenc::tool
