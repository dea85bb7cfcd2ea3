// SPDX-License-Identifier: Apache-2.0
// Which conventions the tensors of a file hold, and which its metadata or its folder's configuration state: what
// `posenc identify FILE` tells.
//
// Thread safety: plain values; all functions are safe to call from any thread.
#pragma once

#include <posenc/io/tensor_files.h>
#include <posenc/referee/identify.h>
#include <posenc/spec/inspect.h>

#include <functional>

namespace posenc::io {

/// A tensor of a file, and what it holds.
struct TensorIdentification {
  std::string name;  ///< empty: the array of an .npy file
  std::string type;  ///< as the file says it
  std::vector<std::int64_t> shape;
  std::optional<Identification> found;  ///< nothing: it was not looked at
  std::string note;                     ///< why not; or what was identified in place of its entries
};

/// A key of a GGUF file that speaks of positions, and its value.
struct GgufKey {
  std::string key, value;
};

/// What the metadata of a GGUF file state.
struct GgufPositions {
  std::string architecture;
  std::vector<GgufKey> keys;
  std::optional<Convention> rotation;    ///< rotation_of (gguf.h), with the factors of rope_freqs.weight
  std::string preset;                    ///< the row that it is, or the one it is nearest to
  std::vector<std::string> differences;  ///< from that row: "ladders.0.base: 100000, not 10000"
  std::string note;                      ///< why there is no rotation
  std::optional<Convention> sliding;     ///< sliding_rotation_of: of layers with a window, where it is another
  std::vector<std::string> unread;       ///< keys of rotations that these do not hold
};

struct FileIdentification {
  std::string file;
  std::vector<TensorIdentification> tensors;
  std::int64_t others = 0;               ///< further tensors, which are not named after positions
  std::optional<GgufPositions> gguf;     ///< of a GGUF file
  std::optional<ModelPositions> config;  ///< of a folder with a config.json that can be read
  std::vector<std::string> notes;        ///< what was left out, and why
};

struct IdentifyFileOptions {
  std::string tensor = {};  ///< that one alone; empty: all of up to 16, of more those that are named after positions
  IdentifyOptions identify = {};
  /// Is told how many tensors are done, of how many.
  std::function<void(std::int64_t done, std::int64_t all)> watch = {};
};

/// What the tensors of a file, an index or a folder hold (tensor_files.h says which). A tensor of another type or shape
/// than identify takes is no error but where it was named or is the only one; neither is a configuration that inspect
/// does not read. Errors: those of TensorFiles, and of identify of that tensor.
POSENC_EXPORT FileIdentification identify_file(const std::string& path, const IdentifyFileOptions& options = {});

/// For people: each tensor, those that hold the same once, then metadata and configuration. Notes are not in it.
POSENC_EXPORT std::string to_string(const FileIdentification& identification);
/// One line of JSON: "file", "tensors" (of each "tensor", "type", "shape", "note" and what to_json of referee.h says of
/// what was found), "others", "gguf", "config" (as inspect.h writes it), "notes". What is not there is null.
POSENC_EXPORT std::string to_json(const FileIdentification& identification);

}  // namespace posenc::io
