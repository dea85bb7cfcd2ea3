// SPDX-License-Identifier: Apache-2.0
// The files of a checkpoint, open, and the tensors of them whose rows are to be reordered.
#pragma once

#include <posenc/io/safetensors.h>
#include <posenc/referee/head_order.h>

#include <map>
#include <memory>

#include "apps/posenc/convert/header.h"
#include "apps/posenc/convert/heads.h"

namespace posenc::tool {

/// A tensor by its place in the header, and what its rows hold.
struct Selected {
  std::size_t tensor;
  Projection projection;
  std::int64_t head;  ///< rows of each of its heads
};
/// The order of heads by their width: compressed keys (DeepSeek) are wider than queries.
using HeadOrders = std::map<std::int64_t, HeadOrder>;

struct Shard {
  std::string in, out;
  std::unique_ptr<io::Safetensors> file;
  std::vector<Selected> selected;  ///< in the order of their bytes
};

/// A file, or the files of a folder, and what they are called in `out`. The index of a folder is copied.
struct Checkpoint {
  std::vector<Shard> shards;
  std::optional<std::string> folder;                             ///< that the files go to
  std::vector<std::pair<std::string, std::string>> copied = {};  ///< from, to
};
Checkpoint open_checkpoint(std::string_view operation, const std::string& in, const std::string& out);

/// Chooses the tensors of every shard, by names, or by the pattern where there is one, and finds the columns of a head
/// where the options do not say. Refuses a file in which nothing is found, and rows that are not those of heads.
void select_rows(std::string_view operation, Checkpoint& checkpoint, const std::string& pattern, HeadNumbers& numbers);

/// The file under its new name but for that name, which commit() gives: header, then tensor after tensor as they stand.
/// Memory: a head's rows twice, or a block. `done` counts bytes over all files.
std::unique_ptr<io::FileWriter> write_shard(std::string_view operation, const Shard& shard, const HeadOrders& orders,
                                            const std::string& header, const io::WriteOptions& writing,
                                            const std::function<void(std::uint64_t)>& done);
/// Its JSON as it stands in the file.
std::string header_of(const Shard& shard);

}  // namespace posenc::tool
