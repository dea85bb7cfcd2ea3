// SPDX-License-Identifier: Apache-2.0
// Files of every format behind one list of tensors.
#include <posenc/io/tensor_files.h>

#include <posenc/io/gguf.h>
#include <posenc/io/npz.h>
#include <posenc/io/safetensors.h>
#include <posenc/io/shard_index.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "src/base/quote.h"
#include "src/io/files/nearest_names.h"
#include "src/io/files/row_range.h"
#include "src/io/npy/npy_rows.h"
#include "src/io/tensor_files/locate.h"

namespace posenc::io {
namespace {

struct NpyFile {
  ByteSource source;
  NpyHeader header;
};

struct Shards {
  std::vector<std::unique_ptr<Safetensors>> files;
  std::vector<std::size_t> file_of;  // of every tensor of the list
};

[[noreturn]] void refuse_tensors(std::string_view rule, const std::string& value, std::string_view path) {
  throw Error({std::string(tensors_reading), std::string(rule), value + " of " + quote(path, Keep::tail)});
}

NpySection whole(const NpyFile& file) { return {file.source, 0, file.source.size(), file.source.name()}; }

NpyFile open_npy(const std::string& path, std::vector<TensorEntry>& tensors) {
  ByteSource source(npy_reading, path);
  NpyHeader header = read_npy_header({source, 0, source.size(), path});
  tensors.push_back({"", npy_type(header), header.kind.dtype, header.shape, path});
  return {std::move(source), std::move(header)};
}

Npz open_npz(const std::string& path, std::vector<TensorEntry>& tensors) {
  Npz file(path);
  for (const NpzMember& member : file.members()) {
    tensors.push_back({member.name, member.type, member.dtype, member.shape, path});
  }
  return file;
}

Gguf open_gguf(const std::string& path, std::vector<TensorEntry>& tensors) {
  Gguf file(path);
  for (const StoredTensor& tensor : file.header().tensors) {
    tensors.push_back({tensor.name, std::string(tensor.type), tensor.dtype, tensor.shape, path});
  }
  return file;
}

void add_shard(const std::string& path, Shards& shards, std::vector<TensorEntry>& tensors) {
  shards.files.push_back(std::make_unique<Safetensors>(path));
  for (const StoredTensor& tensor : shards.files.back()->header().tensors) {
    tensors.push_back({tensor.name, std::string(tensor.type), tensor.dtype, tensor.shape, path});
    shards.file_of.push_back(shards.files.size() - 1);
  }
}

/// Every tensor of the index is in its file, and every tensor of a file is in the index.
void check_index(const ShardIndex& index, const Shards& shards, const std::vector<TensorEntry>& tensors,
                 const std::string& path) {
  constexpr std::size_t shown = 40;  // so that the message stays below 300 bytes
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto found = index.shard_of.find(tensors[i].name);
    if (found != index.shard_of.end() && found->second == shards.file_of[i]) continue;
    refuse_tensors(
        "the index must name every tensor of its files",
        quote(tensors[i].name, Keep::head, shown) + " in " + quote(index.shards[shards.file_of[i]], Keep::tail, shown),
        path);
  }
  if (tensors.size() == index.shard_of.size()) return;  // names are unique in the index, and each was found
  std::vector<std::string_view> names;
  for (const TensorEntry& tensor : tensors) names.push_back(tensor.name);
  std::ranges::sort(names);
  for (const auto& [name, shard] : index.shard_of) {
    if (std::ranges::binary_search(names, std::string_view(name))) continue;
    refuse_tensors(
        "the files must hold every tensor of the index",
        quote(name, Keep::head, shown) + ", which is not in " + quote(index.shards[shard], Keep::tail, shown), path);
  }
}

Shards open_index(const std::string& path, std::vector<TensorEntry>& tensors) {
  const std::string text = read_file(path, shard_index_limit);
  const ShardIndex index = parse_shard_index(std::as_bytes(std::span(text)), path);
  const std::string folder = path.substr(0, path.find_last_of('/') + 1);
  Shards shards;
  for (const std::string& name : index.shards) add_shard(folder + name, shards, tensors);
  check_index(index, shards, tensors, path);
  return shards;
}

}  // namespace

struct TensorFiles::Opened {
  std::variant<NpyFile, Npz, Shards, Gguf> files;
};

std::string_view to_string(TensorFormat format) {
  switch (format) {
    case TensorFormat::npy: return "npy";
    case TensorFormat::npz: return "npz";
    case TensorFormat::safetensors: return "safetensors";
    case TensorFormat::gguf: return "gguf";
  }
  return "no format";
}

TensorFiles::TensorFiles(const std::string& path) : path_(path) {
  Located located = locate(path);
  config_ = std::move(located.config);
  switch (located.kind) {
    case FileKind::npy: {
      format_ = TensorFormat::npy;
      opened_ = std::make_unique<Opened>(open_npy(located.path, tensors_));
      break;
    }
    case FileKind::safetensors: {
      format_ = TensorFormat::safetensors;
      Shards one;
      add_shard(located.path, one, tensors_);
      opened_ = std::make_unique<Opened>(std::move(one));
      break;
    }
    case FileKind::index: {
      format_ = TensorFormat::safetensors;
      opened_ = std::make_unique<Opened>(open_index(located.path, tensors_));
      break;
    }
    case FileKind::npz: {
      format_ = TensorFormat::npz;
      opened_ = std::make_unique<Opened>(open_npz(located.path, tensors_));
      break;
    }
    case FileKind::gguf: {
      format_ = TensorFormat::gguf;
      opened_ = std::make_unique<Opened>(open_gguf(located.path, tensors_));
      break;
    }
  }
  by_name_.resize(tensors_.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::ranges::sort(by_name_, {}, [&](std::size_t i) -> std::string_view { return tensors_[i].name; });
}

TensorFiles::~TensorFiles() = default;
TensorFiles::TensorFiles(TensorFiles&&) noexcept = default;

std::size_t TensorFiles::find(std::string_view name) const {
  const auto name_of = [&](std::size_t i) -> std::string_view { return tensors_[i].name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  if (found != by_name_.end() && name_of(*found) == name) return *found;
  std::vector<std::string_view> names;
  for (const TensorEntry& entry : tensors_) names.push_back(entry.name);
  const std::string wanted = quote(name, Keep::head, 40);
  if (names.empty()) refuse_tensors("there are no tensors", wanted, path_);
  if (format_ == TensorFormat::npy) refuse_tensors("the array of an .npy file has no name", wanted, path_);
  refuse_tensors("the tensor must be one of " + std::to_string(names.size()) + such_as(names, name), wanted, path_);
}

const GgufHeader* TensorFiles::gguf() const {
  const auto* file = std::get_if<Gguf>(&opened_->files);
  return file == nullptr ? nullptr : &file->header();
}

const TensorEntry& TensorFiles::tensor(std::string_view name) const { return tensors_[find(name)]; }

const TensorEntry& TensorFiles::only() const {
  if (tensors_.size() == 1) return tensors_[0];
  std::vector<std::string_view> names;
  for (const TensorEntry& entry : tensors_) names.push_back(entry.name);
  refuse_tensors("a tensor must be named where there is not just one" + such_as(names, ""),
                 std::to_string(names.size()), path_);
}

Array TensorFiles::read(std::string_view name, const Watch& watch) const {
  const std::size_t at = find(name);
  if (const auto* npy = std::get_if<NpyFile>(&opened_->files)) return read_npy_section(whole(*npy), npy->header, watch);
  if (const auto* npz = std::get_if<Npz>(&opened_->files)) return npz->read(name, watch);
  if (const auto* gguf = std::get_if<Gguf>(&opened_->files)) return gguf->read(name, watch);
  const auto& shards = std::get<Shards>(opened_->files);
  return shards.files[shards.file_of[at]]->read(name, watch);
}

TensorMap TensorFiles::map(std::string_view name) const {
  const std::size_t at = find(name);
  if (const auto* npy = std::get_if<NpyFile>(&opened_->files)) return map_npy_section(whole(*npy), npy->header);
  if (const auto* npz = std::get_if<Npz>(&opened_->files)) return npz->map(name);
  if (const auto* gguf = std::get_if<Gguf>(&opened_->files)) return gguf->map(name);
  const auto& shards = std::get<Shards>(opened_->files);
  return shards.files[shards.file_of[at]]->map(name);
}

void TensorFiles::read_rows(std::string_view name, std::int64_t first, View out) const {
  const std::size_t at = find(name);
  if (const auto* npy = std::get_if<NpyFile>(&opened_->files)) {
    require_rows({tensors_reading, npy->header.kind.dtype, npy->header.shape, name, npy->source.name()}, first, out);
    return read_npy_rows(whole(*npy), npy->header, first, out);
  }
  if (auto* npz = std::get_if<Npz>(&opened_->files)) return npz->read_rows(name, first, out);
  if (const auto* gguf = std::get_if<Gguf>(&opened_->files)) return gguf->read_rows(name, first, out);
  const auto& shards = std::get<Shards>(opened_->files);
  shards.files[shards.file_of[at]]->read_rows(name, first, out);
}

}  // namespace posenc::io
