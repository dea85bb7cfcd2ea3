// SPDX-License-Identifier: Apache-2.0
// The index of a model that stands in several safetensors files: model.safetensors.index.json.
//
// Thread safety: the functions are safe to call from any thread.
#pragma once

#include <posenc/core.h>

#include <map>

namespace posenc::io {

/// Largest index, most tensors in it and most files that it names. Each file stays open while it is read, and systems
/// commonly allow a process 1024.
inline constexpr std::uint64_t shard_index_limit = std::uint64_t{1} << 26;
inline constexpr std::size_t shard_tensor_limit = std::size_t{1} << 20;
inline constexpr std::size_t shard_limit = 512;

/// Which file has which tensor.
struct ShardIndex {
  std::vector<std::string> shards;                           // names of files beside the index, sorted
  std::map<std::string, std::size_t, std::less<>> shard_of;  // of a tensor by its name: which of them
};

/// The index in the bytes of a JSON document; `name` stands for the file in messages.
///
/// Errors: what is not UTF-8 JSON, or no object with the key weight_map once; a weight_map that is no object of
/// strings, or names a tensor twice, an empty one, or none; a file that is not one name in the folder of the index:
/// empty, with a separator (/ or \), ".", "..", NUL, or more than 255 bytes; what is beyond the limits. Other keys may
/// hold anything.
POSENC_EXPORT ShardIndex parse_shard_index(std::span<const std::byte> bytes, std::string_view name = "index");
/// The problem that parse_shard_index would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_shard_index(std::span<const std::byte> bytes,
                                                                     std::string_view name = "index");

}  // namespace posenc::io
