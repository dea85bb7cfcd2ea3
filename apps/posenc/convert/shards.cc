// SPDX-License-Identifier: Apache-2.0
// Files opened, copied and reordered, a piece at a time.
#include "apps/posenc/convert/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".safetensors", index_ending = ".safetensors.index.json";
constexpr std::uint64_t block = std::uint64_t{1} << 22;  // bytes that are copied at once

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Shard open_shard(const std::string& in, const std::string& out) {
  return {in, out, std::make_unique<io::Safetensors>(in), {}};
}

// Files of the folder by name, so that every run takes them in one order.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    names.push_back(at->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

Checkpoint open_folder(std::string_view operation, const std::string& in, const std::string& out) {
  std::error_code ignored;
  if (fs::exists(out, ignored) && !is_folder(out)) {
    refuse(operation, "OUT must be a folder, as IN is one", quote(out));
  }
  Checkpoint checkpoint = {{}, out};
  for (const std::string& name : names_in(in)) {
    const std::string from = in + "/" + name, to = out + "/" + name;
    if (name.ends_with(ending)) checkpoint.shards.push_back(open_shard(from, to));
    if (name.ends_with(index_ending)) checkpoint.copied.emplace_back(from, to);
  }
  if (checkpoint.shards.empty()) refuse(operation, "the folder must have .safetensors files", quote(in));
  return checkpoint;
}

void write_text(io::FileWriter& writer, std::string_view text) { writer.write(std::as_bytes(std::span(text))); }

}  // namespace

Checkpoint open_checkpoint(std::string_view operation, const std::string& in, const std::string& out) {
  if (is_folder(in)) return open_folder(operation, in, out);
  if (in == standard_stream || out == standard_stream) {
    refuse(operation, "--pairing must have files, which it goes through more than once", quote(standard_stream));
  }
  for (const auto& [what, path] : {std::pair("IN", in), std::pair("OUT", out)}) {
    if (!path.ends_with(ending)) {
      refuse(operation, fmt::format("{} must end in .safetensors{}", what, what[0] == 'I' ? ", or be a folder" : ""),
             quote(path));
    }
  }
  Checkpoint checkpoint;
  checkpoint.shards.push_back(open_shard(in, out));
  return checkpoint;
}

std::string header_of(const Shard& shard) {
  std::string text(static_cast<std::size_t>(shard.file->header().data - 8), '\0');
  shard.file->read_raw(8, std::as_writable_bytes(std::span(text)));
  return text;
}

std::unique_ptr<io::FileWriter> write_shard(std::string_view operation, const Shard& shard, const HeadOrders& orders,
                                            const std::string& header, const io::WriteOptions& writing,
                                            const std::function<void(std::uint64_t)>& done) {
  auto writer = std::make_unique<io::FileWriter>(shard.out, writing);
  if (!writer->regular()) refuse(operation, "OUT must be a regular file", quote(shard.out));
  std::string length;
  for (int byte = 0; byte < 8; ++byte) length += static_cast<char>(header.size() >> (8 * byte) & 0xFF);
  write_text(*writer, length);
  write_text(*writer, header);

  const io::SafetensorsHeader& described = shard.file->header();
  std::vector<std::byte> in, out;
  const auto copy = [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; at += in.size()) {
      in.resize(static_cast<std::size_t>(std::min(block, end - at)));
      shard.file->read_raw(described.data + at, in);
      writer->write(in);
      done(in.size());
    }
  };
  std::uint64_t copied = 0;
  for (const Selected& each : shard.selected) {
    const io::StoredTensor& tensor = described.tensors[each.tensor];
    const std::int64_t heads = head_count(each.projection);
    const std::uint64_t bytes = (tensor.end - tensor.begin) / static_cast<std::uint64_t>(heads);
    for (std::int64_t i = 0; i < heads; ++i) {
      if (head_at(each.projection, i) == Holds::value) continue;
      const std::uint64_t begin = tensor.begin + static_cast<std::uint64_t>(i) * bytes;
      copy(copied, begin);
      in.resize(static_cast<std::size_t>(bytes));
      out.resize(in.size());
      shard.file->read_raw(described.data + begin, in);
      reorder_head(orders.at(each.head), in, out);
      writer->write(out);
      done(out.size());
      copied = begin + bytes;
    }
  }
  copy(copied, described.tensors.empty() ? 0 : described.tensors.back().end);
  return writer;
}

}  // namespace posenc::tool
