// SPDX-License-Identifier: Apache-2.0
// Any bytes as the index of a model in several files: refused with a problem, or files that are names in one folder.
#include <posenc/io/shard_index.h>

#include <algorithm>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const std::optional<Problem> problem = io::check_shard_index(bytes)) {
    if (problem->message().size() > 300) std::abort();
    return 0;
  }
  const io::ShardIndex index = io::parse_shard_index(bytes);
  std::vector<bool> used(index.shards.size());
  for (const auto& [tensor, shard] : index.shard_of) {
    if (tensor.empty() || shard >= used.size()) std::abort();
    used[shard] = true;
  }
  if (!std::ranges::is_sorted(index.shards) || std::ranges::find(used, false) != used.end()) std::abort();
  for (const std::string& shard : index.shards) {
    if (shard.empty() || shard == "." || shard == ".." || shard.find('/') != shard.npos) std::abort();
  }
  return 0;
}
