// SPDX-License-Identifier: Apache-2.0
// One way to read both formats.
#include "apps/posenc/cli/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/safetensors.h>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::string_view safetensors = ".safetensors";

std::string only_tensor(std::string_view operation, std::string_view option, const io::Safetensors& file,
                        const std::string& path) {
  const auto& tensors = file.header().tensors;
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
    const std::string tensor =
        path.size() == words.size() ? only_tensor(operation, option, file, path) : words.substr(path.size() + 1);
    return {tensor, file.read(tensor, watch)};
  }
  if (words.ends_with(".npy")) return {"", io::read_npy(words, io::npy_file_limit, watch)};
  refuse(operation, fmt::format("{} must be FILE.npy or FILE.safetensors:TENSOR", option), quote(words));
}

std::string shape_words(const io::Array& array) {
  return fmt::format("{} [{}]", to_string(array.dtype), fmt::join(array.shape, ", "));
}

}  // namespace posenc::tool
