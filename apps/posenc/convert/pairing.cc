// SPDX-License-Identifier: Apache-2.0
// A checkpoint's projections from one pairing to the other: chosen, proven, written.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/convert/convert.h"
#include "apps/posenc/convert/shards.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
namespace {

// What of a checkpoint decides its order, in words that are the same in both directions.
std::string step_text(const FromTo& pairing, const HeadNumbers& numbers, const Convention& convention,
                      const std::string& pattern, std::size_t tensors) {
  const std::vector<std::string> axes = axes_of(convention);
  std::string text = fmt::format("pairing {}:{}, {} heads, {} key heads, {} columns", pairing.from, pairing.to,
                                 numbers.heads, numbers.key_heads, *numbers.head);
  if (!numbers.convention) {
    text += fmt::format(", {} {} rotated", numbers.end, numbers.rotated.value_or(*numbers.head));
  } else {
    text += fmt::format(", rotated as {}", layout_line(with_field(convention, "pairing", pairings[0])));
  }
  if (!pattern.empty()) text += fmt::format(", matching {}", pattern);
  return text + fmt::format(", {} tensors", tensors);
}

// Those of heads of that width that differ, in the order in which they are met.
std::vector<Projection> distinct_projections(const Checkpoint& checkpoint, std::int64_t head) {
  std::vector<Projection> found;
  for (const Shard& shard : checkpoint.shards) {
    for (const Selected& each : shard.selected) {
      if (each.head != head || std::ranges::find(found, each.projection) != found.end()) continue;
      found.push_back(each.projection);
    }
  }
  return found;
}

HeadOrders orders_of(const Pairings& pairs, const Checkpoint& checkpoint) {
  HeadOrders orders;
  for (const Shard& shard : checkpoint.shards) {
    for (const Selected& each : shard.selected) {
      if (!orders.contains(each.head))
        orders[each.head] = head_order(pairs.from, pairs.to, each.head, {.context = pairs.context});
    }
  }
  return orders;
}

std::size_t count_selected(const Checkpoint& checkpoint) {
  std::size_t count = 0;
  for (const Shard& shard : checkpoint.shards) count += shard.selected.size();
  return count;
}

HeadProof proven(std::string_view operation, const Pairings& pairs, const HeadOrder& order,
                 std::span<const Projection> projections) {
  HeadProof proof = prove_head_order(pairs.from, pairs.to, order, projections, 0, {.context = pairs.context});
  if (proof.holds) return proof;
  refuse(operation, "both rotations must give the same numbers",
         proof.parted ? fmt::format("others in column {}", *proof.parted) : "scores beyond their bound");
}

// Heads of each width by themselves. Compressed keys are wider than the queries that they meet: what is multiplied are
// the columns that turn, which are proven as heads of their own.
HeadProof prove(std::string_view operation, const Pairings& pairs, const HeadOrders& orders,
                const Checkpoint& checkpoint, std::int64_t turned) {
  HeadProof all;
  const auto add = [&](const HeadProof& proof) {
    all.heads += proof.heads;
    all.columns = std::max(all.columns, proof.columns), all.positions = proof.positions;
    if (proof.difference < all.difference) return;
    all.difference = proof.difference, all.bound = proof.bound;
  };
  for (const auto& [head, order] : orders) {
    add(proven(operation, pairs, order, distinct_projections(checkpoint, head)));
  }
  if (turned > 0) {
    const Projection both[] = {{1, {{Holds::query, 1}}}, {1, {{Holds::key, 1}}}};
    add(proven(operation, pairs, head_order(pairs.from, pairs.to, turned, {.context = pairs.context}), both));
  }
  all.holds = true;
  return all;
}

std::string proof_words(const HeadProof& proof) {
  return fmt::format(
      "proof: {} heads x {} columns at {} positions, equal to the bit; scores within {:.2g} of bound {:.2g}",
      proof.heads, proof.columns, proof.positions, proof.difference, proof.bound);
}

// A folder that is not there yet, made, and removed again where the work fails.
class NewFolder {
 public:
  explicit NewFolder(const std::optional<std::string>& path) {
    std::error_code failed;
    if (path && std::filesystem::create_directory(*path, failed)) path_ = *path;
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!kept_ && !path_.empty()) std::filesystem::remove(path_, ignored);  // of an empty folder alone
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

std::int64_t bytes_in(const Checkpoint& checkpoint) {
  std::int64_t bytes = 0;
  for (const Shard& shard : checkpoint.shards) {
    const io::SafetensorsHeader& header = shard.file->header();
    bytes += static_cast<std::int64_t>(header.data + (header.tensors.empty() ? 0 : header.tensors.back().end));
  }
  return bytes;
}

// Every file whole, or none.
void write_all(const Arguments& arguments, const Checkpoint& checkpoint, const HeadOrders& orders,
               std::span<const std::string> headers) {
  const io::WriteOptions writing = write_options(arguments.has("--no-sync") ? io::Sync::none : io::Sync::full);
  const std::int64_t all = bytes_in(checkpoint);
  check_space(arguments.operation, all, checkpoint.shards.front().out);
  NewFolder folder(checkpoint.folder);
  Progress progress("convert", "bytes");
  std::int64_t done = 0;
  const auto told = [&](std::uint64_t bytes) {
    done += static_cast<std::int64_t>(bytes);
    progress.at(done, share_of(done, all));
  };
  Files files;
  for (std::size_t i = 0; i < checkpoint.shards.size(); ++i) {
    files.push_back(write_shard(arguments.operation, checkpoint.shards[i], orders, headers[i], writing, told));
  }
  for (const auto& [from, to] : checkpoint.copied) {
    prepare(files, to, io::read_file(from, io::safetensors_header_limit), writing);
  }
  commit(files);
  folder.keep();
}

// IN and the pattern behind it; what follows the last colon is one, where there is no file of the whole name.
NamedRole in_and_pattern(const std::string& words) {
  NamedRole split = parse_role(words);
  std::error_code ignored;
  const bool file = split.file.ends_with(".safetensors") || std::filesystem::is_directory(split.file, ignored);
  return file ? split : NamedRole{words, ""};
}

void check_paths(const Arguments& arguments, const Checkpoint& checkpoint) {
  std::vector<NamedFile> inputs = convention_files(arguments), targets;
  for (const Shard& shard : checkpoint.shards) {
    inputs.push_back({"IN", shard.in});
    targets.push_back({"OUT", shard.out});
  }
  for (const auto& [from, to] : checkpoint.copied) {
    inputs.push_back({"IN", from});
    targets.push_back({"OUT", to});
  }
  check_apart(arguments.operation, targets, inputs);
}

}  // namespace

Said convert_pairing(const Arguments& arguments) {
  const FromTo pairing = read_from_to(arguments, "--pairing", pairings);
  const InOut paths = read_in_out(arguments);
  HeadNumbers numbers = read_heads(arguments);
  const NamedRole in = in_and_pattern(paths.in);
  if (in.file.size() + 1 == paths.in.size() && paths.in.back() == ':') {
    refuse(arguments.operation, "the pattern of IN must have a character", quote(paths.in));
  }
  Checkpoint checkpoint = open_checkpoint(arguments.operation, in.file, paths.out);
  check_paths(arguments, checkpoint);
  select_rows(arguments.operation, checkpoint, in.role, numbers);
  const Pairings pairs = pairings_of(arguments, numbers, pairing.from, pairing.to);
  const HeadOrders orders = orders_of(pairs, checkpoint);
  const HeadProof proof = prove(arguments.operation, pairs, orders, checkpoint, numbers.turned);

  std::vector<std::string> headers;
  std::size_t inverses = 0, converted = 0;
  for (const Shard& shard : checkpoint.shards) {
    if (shard.selected.empty()) {
      headers.push_back(header_of(shard));
      continue;
    }
    const auto step = [&](const FromTo& way) {
      return step_text(way, numbers, pairs.from, in.role, shard.selected.size());
    };
    NewHeader header =
        with_step(arguments.operation, shard.in, header_of(shard), {step(pairing), step({pairing.to, pairing.from})});
    inverses += header.inverse ? 1 : 0;
    ++converted;
    headers.push_back(std::move(header.text));
  }
  write_all(arguments, checkpoint, orders, headers);

  const std::size_t tensors = count_selected(checkpoint);
  const bool taken_back = inverses == converted;
  if (arguments.has("--json")) {
    return {one_line(
        {{"operation", arguments.operation},
         {"pairing", json_list({pairing.from, pairing.to})},
         {"heads", numbers.heads},
         {"key_heads", numbers.key_heads},
         {"head", *numbers.head},
         {"order", orders.contains(*numbers.head) ? orders.at(*numbers.head).read : orders.begin()->second.read},
         {"files", checkpoint.shards.size()},
         {"tensors", tensors},
         {"taken_back", taken_back},
         {"proof", json_object({{"heads", proof.heads},
                                {"columns", proof.columns},
                                {"positions", proof.positions},
                                {"equal", !proof.parted},
                                {"difference", proof.difference},
                                {"bound", proof.bound}})},
         {"out", paths.out}})};
  }
  return {"",
          {fmt::format("{}: {}:{}, rows of {} tensors in {} file{}{}", paths.out, pairing.from, pairing.to, tensors,
                       checkpoint.shards.size(), checkpoint.shards.size() == 1 ? "" : "s",
                       taken_back ? ", which takes an earlier conversion back" : ""),
           proof_words(proof)}};
}

}  // namespace posenc::tool
