// SPDX-License-Identifier: Apache-2.0
// Cells of images: their patches, and the windows of stages in which an image shrinks.
#include <posenc/preset.h>

#include "src/inspect/sizes.h"

namespace posenc::config {
namespace {

constexpr std::int64_t most_side = std::int64_t{1} << 14;

using Sides = std::array<std::int64_t, 2>;

// N, or [height, width].
Sides sides_of(const JsonNode& node) {
  if (!node.value.is_array()) return {count_of(node, most_side), count_of(node, most_side)};
  if (node.value.size() != 2) node.refuse("a number, or a list of height and width", std::to_string(node.value.size()));
  return {count_of(node.item(0), most_side), count_of(node.item(1), most_side)};
}

std::vector<std::int64_t> counts_of(const JsonNode& list, std::int64_t most) {
  list.require_array();
  if (list.value.size() < 1 || list.value.size() > 8) {
    list.refuse("a list of 1 to 8 numbers, one for each stage", std::to_string(list.value.size()));
  }
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < list.value.size(); ++i) counts.push_back(count_of(list.item(i), most));
  return counts;
}

void check_stages(const JsonNode& list, std::size_t stages, const std::string& of) {
  if (list.value.size() == stages) return;
  list.refuse("a list of " + std::to_string(stages) + " numbers, as " + of + " is", std::to_string(list.value.size()));
}

// The window that weights were made at, where it is another: 0 says that it is not.
void take_pretrained(Part& part, std::size_t stage, std::size_t stages, const std::string& at, PositionRole& role) {
  const auto list = part.keys.find("pretrained_window_sizes");
  if (!list) return;
  list->require_array();
  check_stages(*list, stages, part.keys.pointer("depths"));
  const JsonNode size = list->item(stage);
  if (size.value.is_integer() && size.integer() == 0) return;
  const Sides sides = sides_of(size);
  for (const std::int64_t side : sides) {
    if (side < 2) size.refuse("0, or 2 or more", std::to_string(side));
  }
  const std::string both = std::to_string(sides[0]) + "," + std::to_string(sides[1]);
  role.convention = with_field(*role.convention, "coordinates.pretrained", std::string_view(both));
  part.from(at + "/convention/coordinates/pretrained", size.pointer);
}

}  // namespace

ImageCells cells_of(Part& part) {
  const JsonNode image = need_size(part, "image_size"), patch = need_size(part, "patch_size");
  const Sides whole = sides_of(image), part_of = sides_of(patch);
  const bool unstated = image.pointer == patch.pointer;  // the type's defaults
  const ImageCells cells = {whole[0] / part_of[0], whole[1] / part_of[1],
                            unstated ? image.pointer : image.pointer + " over " + patch.pointer};
  if (cells.height < 1 || cells.width < 1) {
    patch.refuse("no more than " + image.pointer, std::to_string(std::max(part_of[0], part_of[1])));
  }
  return cells;
}

std::int64_t total_of(const JsonNode& list) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts_of(list, most_layers / 8)) sum += count;
  return sum;
}

void read_stages(Part& part, const RoleRow& row) {
  const JsonNode depth_list = need_size(part, "depths"), head_list = need_size(part, "num_heads");
  const JsonNode window = need_size(part, "window_size");
  const std::vector<std::int64_t> depths = counts_of(depth_list, most_layers / 8);
  check_stages(head_list, depths.size(), depth_list.pointer);
  const std::vector<std::int64_t> heads = counts_of(head_list, most_width);
  const std::int64_t widest = count_of(window, most_side);
  const ImageCells cells = cells_of(part);
  std::int64_t layer = 0;
  for (std::size_t stage = 0; stage < depths.size(); ++stage) {
    PositionRole role;
    role.name = std::string(row.name) + ".stage" + std::to_string(stage + 1);
    const std::string at = "/roles/" + role.name;
    role.convention = preset(row.preset).convention;
    // The lines of cells that are left say it for both axes, as there.
    const std::int64_t left = cells.height >> stage, side = std::min(left, widest);
    if (side < 1) depth_list.refuse("of stages to which " + cells.from + " leaves cells", std::to_string(stage + 1));
    role.cells = {side, side};
    part.from(at + "/width/cells", side == widest ? window.pointer : cells.from);
    take_pretrained(part, stage, depths.size(), at, role);
    role.preset = preset_of(*role.convention);
    role.heads = heads[stage];
    part.from(at + "/width/heads", head_list.item(stage).pointer);
    for (std::int64_t i = 0; i < depths[stage]; ++i) role.layers.push_back(layer++);
    part.result.roles.push_back(std::move(role));
  }
  if (const auto added = part.keys.find("use_absolute_embeddings"); added && flag_of(*added)) {
    part.misses("embedding", added->pointer + " is not read: the rows that it adds are one more than the patches");
  }
}

}  // namespace posenc::config
