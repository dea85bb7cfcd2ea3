// SPDX-License-Identifier: Apache-2.0
// Kinds of files by their first bytes, and the choice among the files of a folder.
#include "src/io/tensor_files/locate.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "src/base/quote.h"
#include "src/io/files/byte_source.h"
#include "src/io/files/descriptor.h"
#include "src/io/files/pickle.h"
#include "src/io/safetensors/safetensors_header.h"

namespace posenc::io {
namespace {

constexpr std::string_view index_ending = ".safetensors.index.json";

// ---- files --------------------------------------------------------------------------------------

struct FirstBytes {
  std::string_view start;
  FileKind kind;
};
constexpr FirstBytes first_bytes[] = {
    {"\x93NUMPY", FileKind::npy}, {"PK\x03\x04", FileKind::npz}, {"PK\x05\x06", FileKind::npz},
    {"GGUF", FileKind::gguf},     {"GGML", FileKind::gguf},      {"FUGG", FileKind::gguf},
    {"lmgg", FileKind::gguf},     {"fmgg", FileKind::gguf},      {"tjgg", FileKind::gguf},
    {"{", FileKind::index},
};

struct Ending {
  std::string_view ending;
  FileKind kind;
};
// Of files whose first bytes are none of those above: their reader says what is wrong with them.
constexpr Ending endings[] = {
    {".npy", FileKind::npy},   {".npz", FileKind::npz},         {".safetensors", FileKind::safetensors},
    {".gguf", FileKind::gguf}, {index_ending, FileKind::index},
};
constexpr std::string_view pickle_endings[] = {".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle"};

bool is_pickle_name(std::string_view name) {
  return std::ranges::any_of(pickle_endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

/// The kind of a file, without which it is refused.
FileKind kind_of_file(const std::string& path) {
  const ByteSource file(tensors_reading, path);
  const std::string start = file.text(0, static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), 32)));
  // First, as the length of a header may be the first bytes of anything.
  if (starts_like_safetensors(start)) return FileKind::safetensors;
  const auto* found =
      std::ranges::find_if(first_bytes, [&](const FirstBytes& each) { return start.starts_with(each.start); });
  if (found != std::end(first_bytes)) return found->kind;
  if (start.starts_with('\x80')) refuse_path(tensors_reading, pickle_rule, path, "");
  const auto* named = std::ranges::find_if(endings, [&](const Ending& each) { return path.ends_with(each.ending); });
  if (named != std::end(endings)) return named->kind;
  if (is_pickle_name(path)) refuse_path(tensors_reading, pickle_rule, path, "");
  refuse_path(
      tensors_reading,
      "the first bytes must be those of .npy, .npz, safetensors, its index or GGUF" + std::string(looks_like(start)),
      path, start.empty() ? ", which is empty" : " with " + quote(start.substr(0, 8)));
}

// ---- folders ------------------------------------------------------------------------------------

/// Names in a folder that a model may stand under, sorted.
struct FolderNames {
  std::vector<std::string> indices, safetensors, gguf, pickles;
  bool config = false;
};

FolderNames names_in(const std::string& folder) {
  FolderNames names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    names.config = names.config || name == "config.json";
    if (name.ends_with(index_ending)) names.indices.push_back(name);
    if (name.ends_with(".safetensors")) names.safetensors.push_back(name);
    if (name.ends_with(".gguf")) names.gguf.push_back(name);
    if (is_pickle_name(name)) names.pickles.push_back(name);
  }
  if (error) fail_with(tensors_reading, "the folder must be readable", folder, error.value());
  for (auto* list : {&names.indices, &names.safetensors, &names.gguf, &names.pickles}) std::ranges::sort(*list);
  return names;
}

/// The one of these names, or the usual one among several; nothing where there is none.
std::optional<std::string> choose(const std::vector<std::string>& names, std::string_view usual,
                                  const std::string& folder) {
  if (names.empty()) return std::nullopt;
  if (names.size() == 1) return names[0];
  if (std::ranges::find(names, usual) != names.end()) return std::string(usual);
  refuse_path(tensors_reading, "a folder of several models needs the name of one file", folder,
              " with " + quote(names[0], Keep::head, 40) + ", " + quote(names[1], Keep::head, 40) + " and others");
}

Located locate_in_folder(const std::string& folder) {
  const FolderNames names = names_in(folder);
  const std::string before = folder.ends_with('/') ? folder : folder + "/";
  const std::string config = names.config ? before + "config.json" : "";
  if (const auto index = choose(names.indices, "model.safetensors.index.json", folder)) {
    return {FileKind::index, before + *index, config};
  }
  if (const auto single = choose(names.safetensors, "model.safetensors", folder)) {
    return {kind_of_file(before + *single), before + *single, config};
  }
  if (const auto single = choose(names.gguf, "", folder)) {
    return {kind_of_file(before + *single), before + *single, config};
  }
  if (!names.pickles.empty()) refuse_path(tensors_reading, pickle_rule, before + names.pickles[0], "");
  refuse_path(tensors_reading, "a folder must hold .safetensors files, their index or a .gguf file", folder,
              " with none");
}

}  // namespace

Located locate(const std::string& path) {
  require_path(tensors_reading, path);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return locate_in_folder(path);
  return {kind_of_file(path), path, ""};
}

}  // namespace posenc::io
