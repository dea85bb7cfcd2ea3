// SPDX-License-Identifier: Apache-2.0
// Tensors by name out of whatever holds them: .npy, .npz, safetensors in one file or many, GGUF, a model's folder.
//
// Thread safety: const use of one TensorFiles is safe, but for read_rows of .npz, which one thread at a time may call.
#pragma once

#include <posenc/io/gguf.h>

#include <memory>

namespace posenc::io {

/// What a path leads to.
enum class TensorFormat : std::uint8_t { npy = 1, npz, safetensors, gguf };
POSENC_EXPORT std::string_view to_string(TensorFormat format);

/// One tensor as its file describes it.
struct TensorEntry {
  std::string name;                 // empty: the array of an .npy file, which has none
  std::string type;                 // as the file says it: <f4, BF16, Q4_K
  DType dtype = {};                 // what it is read as; no type where posenc reads none such
  std::vector<std::int64_t> shape;  // row-major: the last axis varies fastest
  std::string file;                 // path of the file that holds it
};

/// Opened tensor files. What a file is its first bytes say, not its name. All headers have been checked before there
/// is an object; elements are read when they are asked for.
///
/// A path may be an .npy, .npz, .safetensors or .gguf file; the index of a model in several safetensors files
/// (shard_index.h); or a folder, which must hold one index, or else model.safetensors, or else one .safetensors or
/// .gguf file. The files that an index names stand beside it, hold exactly the tensors that it says, and are followed
/// through links, since caches of models hold nothing but links.
///
/// Errors: as parse_npy, Npz, Safetensors, Gguf and parse_shard_index have them; an index that contradicts its files; a
/// folder that holds no tensors, or several files of them; any other file. A pickle (.pt, .bin, .ckpt: PyTorch's zip
/// archives and raw ones) is told so with the line of Python that saves safetensors: loading one runs its code, so it
/// is never read.
class TensorFiles {
 public:
  POSENC_EXPORT explicit TensorFiles(const std::string& path);
  POSENC_EXPORT ~TensorFiles();
  POSENC_EXPORT TensorFiles(TensorFiles&&) noexcept;
  TensorFiles& operator=(TensorFiles&&) = delete;

  const std::string& path() const { return path_; }
  TensorFormat format() const { return format_; }
  /// In the order of the files by name, and within a file of their bytes.
  const std::vector<TensorEntry>& tensors() const { return tensors_; }
  /// Path of config.json in the folder that was opened, which need not be one; empty where there is none.
  const std::string& config() const { return config_; }
  /// The header of a GGUF file, for its metadata; nullptr of any other.
  POSENC_EXPORT const GgufHeader* gguf() const;

  /// The tensor of that name. Errors: there is none; the message lists the nearest names.
  POSENC_EXPORT const TensorEntry& tensor(std::string_view name) const;
  /// The tensor, where there is but one. Errors: there are others, or none.
  POSENC_EXPORT const TensorEntry& only() const;

  /// All elements of the tensor of that name. Errors: as tensor; a type that posenc does not read, such as Q4_K.
  POSENC_EXPORT Array read(std::string_view name, const Watch& watch = {}) const;
  /// The same where they stand in the file, so that memory does not grow with them: see tensor_map.h.
  POSENC_EXPORT TensorMap map(std::string_view name) const;
  /// Entries first, first + 1, ... along the first axis, as many as `out` has. `out` is row-major without gaps, has the
  /// type of the tensor, and its sizes after the first. Memory does not grow with the file, but for a deflated member
  /// of an .npz, which is in memory whole until rows of another one are asked for. When reading itself fails, what
  /// `out` holds is not defined.
  POSENC_EXPORT void read_rows(std::string_view name, std::int64_t first, View out) const;

 private:
  struct Opened;
  std::size_t find(std::string_view name) const;

  std::string path_;
  TensorFormat format_ = {};
  std::vector<TensorEntry> tensors_;
  std::vector<std::size_t> by_name_;  // indices of tensors_, sorted by name
  std::string config_;
  std::unique_ptr<Opened> opened_;
};

}  // namespace posenc::io
