// SPDX-License-Identifier: Apache-2.0
// Rotations: the head, the columns of it that turn, base, scaling, and how axes share the pairs.
#include <posenc/preset.h>

#include <cmath>

#include "src/inspect/measured.h"
#include "src/inspect/rope.h"
#include "src/inspect/sizes.h"
#include "src/spec/write_fields.h"

namespace posenc::config {
namespace {

using Count = Stated<std::int64_t>;
using Real = Stated<double>;

struct Head {
  Count width, rotated;
  RotatedPart part;
  HeadEnd where = HeadEnd::first;
  std::string part_from;
  Real share;  ///< under proportional: of the frequencies
};

// Lists the names of a key: the usual one and the family's own; "" stands for no name.
std::vector<std::string_view> spellings(std::string_view usual, std::string_view also) {
  std::vector<std::string_view> names = {usual, also};
  std::erase(names, std::string_view());
  return names;
}

Count plain_head(Part& part, const LayerKind& kind) {
  if (part.family.heads == Heads::quotient) return quotient_head(part);
  const std::vector<std::string_view> names = spellings("head_dim", part.family.head_also);
  if (!kind.head_key.empty()) {
    if (const auto node = part.keys.find(kind.head_key)) return {count_of(*node, most_columns), node->pointer};
    if (kind.head != 0) return {kind.head, part.default_source()};
  }
  if (const auto node = part.keys.find(names)) return {count_of(*node, most_columns), node->pointer};
  const bool is_null = std::ranges::any_of(names, [&](std::string_view name) { return part.keys.node().has(name); });
  if (part.family.head != 0 && !is_null) return {part.family.head, part.default_source()};
  const auto own = is_null ? std::nullopt : default_size(part, names);
  return own ? Count{count_of(*own, most_columns), own->pointer} : quotient_head(part);
}

[[noreturn]] void refuse_rotated(const Part& part, const std::string& key, std::int64_t width, std::int64_t rotated) {
  part.keys.node().source.refuse(key + " must give an even number of columns, 2 to " + std::to_string(width),
                                 std::to_string(rotated));
}

// The share of a head that turns: the rope object's before the model's, before the family's.
Real share_of_head(Part& part, Rope& rope, const LayerKind& kind) {
  const auto own = part.keys.find(spellings("partial_rotary_factor", part.family.share_also));
  if (own && rope.type->share == RopeType::ShareOf::columns) (void)share_of(*own);
  if (const auto node = rope.object ? rope.object->find("partial_rotary_factor") : std::nullopt) {
    return {share_of(*node), node->pointer};
  }
  if (own) return {share_of(*own), own->pointer};
  const double share = kind.share != 1 ? kind.share : part.family.share;
  return {share, part.default_source()};
}

Head latent_head(Part& part) {
  const JsonNode turned = need_size(part, "qk_rope_head_dim"), still = need_size(part, "qk_nope_head_dim");
  const std::int64_t rotated = count_of(turned, most_columns);
  const std::int64_t rest = still.integer();
  if (rest < 0 || rest > most_columns) still.refuse("from 0 to " + std::to_string(most_columns), std::to_string(rest));
  constexpr std::string_view read_over[] = {"head_dim", "qk_head_dim", "partial_rotary_factor"};
  part.keys.pass(read_over);
  if (rotated % 2 != 0) refuse_rotated(part, turned.pointer, rotated, rotated);
  return {{rotated + rest, still.pointer + " and " + turned.pointer},
          {rotated, turned.pointer},
          rotated,
          HeadEnd::last,
          turned.pointer,
          {1, "rule: latent attention"}};
}

}  // namespace

// DeepSeek's smaller models of text and images have plain heads under use_mla false.
bool has_latent_heads(Part& part) {
  if (part.family.heads != Heads::latent) return false;
  const auto node = part.keys.find("use_mla");
  return !node || flag_of(*node);
}

namespace {

Head head_of(Part& part, Rope& rope, const LayerKind& kind) {
  if (has_latent_heads(part)) return latent_head(part);
  const Count width = plain_head(part, kind);
  const std::string_view columns_key = part.family.columns_key;
  const auto columns = columns_key.empty() ? std::nullopt : part.keys.find(columns_key);
  if (columns || part.family.columns != 0) {
    const std::int64_t rotated = columns ? columns->integer() : part.family.columns;
    const std::string from = columns ? columns->pointer : part.default_source();
    if (rotated < 2 || rotated > width.value || rotated % 2 != 0) refuse_rotated(part, from, width.value, rotated);
    return {width, {rotated, from}, rotated, HeadEnd::first, from, {1, from}};
  }
  const Real share = share_of_head(part, rope, kind);
  const bool whole = share.value == 1 || rope.type->share == RopeType::ShareOf::frequencies;
  const auto rotated =
      whole ? width.value : static_cast<std::int64_t>(std::floor(static_cast<double>(width.value) * share.value));
  const std::string& from = whole ? width.from : share.from;
  if (rotated < 2 || rotated % 2 != 0) {
    refuse_rotated(part, from.starts_with('/') ? from : width.from, width.value, rotated);
  }
  RotatedPart part_of_head = AllColumns{};
  if (!whole) part_of_head = ColumnShare{share.value};
  return {width,          {rotated, whole ? width.from : share.from}, part_of_head,
          HeadEnd::first, whole ? std::string() : share.from,         share};
}

// Of the rope object, or of the model; both must agree.
Real base_of(Part& part, Rope& rope, const LayerKind& kind) {
  const auto own = part.keys.find(spellings(kind.base_key, part.family.base_also));
  if (own) (void)positive_of(*own);
  if (const auto node = rope.object ? rope.object->find("rope_theta") : std::nullopt) {
    const double base = positive_of(*node);
    if (own && own->number() != base) {
      node->refuse("as " + own->pointer + " says, " + io::number_text(own->number()), io::number_text(base));
    }
    return {base, node->pointer};
  }
  if (own) return {own->number(), own->pointer};
  return {kind.base != 10000 || part.family.kinds.size() > 1 ? kind.base : part.family.base, part.default_source()};
}

// ---- pairs of several axes ---------------------------------------------------------------------------

constexpr std::string_view time_height_width[] = {"t", "y", "x"};

// The axis of each pair: t, y and x in turn as long as each has pairs left, then t.
std::vector<std::string> interleaved_axes(const std::vector<std::int64_t>& sections, std::int64_t pairs) {
  std::vector<std::string> axes(static_cast<std::size_t>(pairs), "t");
  for (std::size_t axis = 1; axis < 3; ++axis) {
    for (std::size_t pair = axis; pair < axes.size() && static_cast<std::int64_t>(pair) < 3 * sections[axis];
         pair += 3) {
      axes[pair] = time_height_width[axis];
    }
  }
  return axes;
}

std::vector<Stretch> dealt(Mrope mrope, const std::vector<std::int64_t>& sections, std::int64_t pairs) {
  const std::vector<std::string> all(std::begin(time_height_width), std::end(time_height_width));
  if (mrope == Mrope::chunked) {
    std::vector<Stretch> deal;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (sections[axis] > 0) deal.push_back({{all[axis]}, sections[axis]});
    }
    return deal;
  }
  if (mrope == Mrope::images_first) {
    std::vector<Stretch> deal = {{{"y", "x"}, sections[0] + sections[1]}};
    if (sections[2] > 0) deal.push_back({{"t"}, sections[2]});
    return deal;
  }
  if (sections[1] == sections[2] && sections[0] >= sections[1] && sections[1] > 0 && 3 * sections[1] <= pairs) {
    std::vector<Stretch> deal = {{all, 3 * sections[1]}};
    if (pairs > 3 * sections[1]) deal.push_back({{"t"}, pairs - 3 * sections[1]});
    return deal;
  }
  return {{interleaved_axes(sections, pairs), pairs}};
}

void deal_axes(Mrope mrope, const std::vector<std::int64_t>& sections, std::int64_t pairs, Rotary& rotary) {
  rotary.axes = {"t", "y", "x"};
  rotary.rungs = Rungs::dealt;
  rotary.sections = Nothing{};
  rotary.deal = dealt(mrope, sections, pairs);
  rotary.order = PairOrder::rung_major;
}

// By turns an axis takes every third pair up to three times its section, and what is beyond the last pair is cut.
bool may_be_cut(Mrope mrope) { return mrope == Mrope::interleaved; }

// Default sections: the family's, if they are as many as the pairs, or may be cut.
void read_default_axes(Part& part, const std::string& role, Mrope mrope, std::int64_t pairs, Rotary& rotary) {
  if (mrope == Mrope::none) return;
  const auto& own = part.family.rotary->sections;
  if (own[0] + own[1] + own[2] != pairs && !(may_be_cut(mrope) && own[0] > 0)) {
    part.note("no mrope_section is stated: the axes t, y and x are read as one position");
    return;
  }
  deal_axes(mrope, {own.begin(), own.end()}, pairs, rotary);
  part.from(role + "/convention/deal", part.default_source());
}

void read_axes(Part& part, Rope& rope, const std::string& role, std::int64_t pairs, Rotary& rotary) {
  const auto node = rope.object ? rope.object->find("mrope_section") : std::nullopt;
  const auto mixed = rope.object ? rope.object->find("mrope_interleaved") : std::nullopt;
  Mrope mrope = part.family.rotary->mrope;
  if (mixed && mrope != Mrope::images_first) mrope = flag_of(*mixed) ? Mrope::interleaved : Mrope::chunked;
  if (!node) return read_default_axes(part, role, mrope, pairs, rotary);
  if (mrope == Mrope::none) mrope = Mrope::chunked;
  node->require_array();
  std::vector<std::int64_t> sections;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < node->value.size(); ++i) {
    const std::int64_t section = node->item(i).integer();
    const std::int64_t most = may_be_cut(mrope) ? most_columns : pairs;
    if (section < 0 || section > most) {
      node->item(i).refuse("from 0 to " + std::to_string(most), std::to_string(section));
    }
    sum += sections.emplace_back(section);
  }
  if (sections.size() != 3 || (sum != pairs && !may_be_cut(mrope))) {
    node->refuse("three numbers with the sum " + std::to_string(pairs) + ", the pairs of a head",
                 to_text(std::span<const std::int64_t>(sections)));
  }
  if (mrope == Mrope::images_first && (sections[0] != sections[1] || sections[0] == 0)) {
    node->refuse("as many pairs for y as for x", to_text(std::span<const std::int64_t>(sections)));
  }
  deal_axes(mrope, sections, pairs, rotary);
  part.from(role + "/convention/deal", node->pointer);
}

// ---- the role ------------------------------------------------------------------------------------------

std::string role_name(const Layers& layers, std::size_t kind) {
  std::size_t turning = 0;
  for (const LayerKind& each : layers.kinds) turning += each.turns == LayerKind::Turns::always ? 1 : 0;
  return turning > 1 ? "rotary." + std::string(layers.kinds[kind].name) : "rotary";
}

// The family's, or under heads that are not latent those of plain attention; a key may let halves turn where they are,
// and mlx-lm's rope_traditional turns neighbours.
Stated<Turning> turning_of(Part& part) {
  Turning turning = *part.family.rotary;
  std::string from = part.default_source();
  if (part.family.heads == Heads::latent && !has_latent_heads(part)) {
    turning = halves;
    from = part.keys.pointer("use_mla");
  }
  const std::string_view key = part.family.interleave_key;
  if (const auto node = key.empty() ? std::nullopt : part.keys.find_or_null(key)) {
    if (node->value.is_null() || !flag_of(*node)) {
      turning.pairing = Pairing::split_half;
      turning.written = Written::in_place;
    }
    from = node->pointer;
  }
  const auto traditional = part.keys.find("rope_traditional");
  if (!traditional || !flag_of(*traditional)) return {turning, from};
  turning.pairing = Pairing::adjacent;
  turning.written = Written::in_place;
  turning.stored = StoredAs::pairs_twice;
  return {turning, traditional->pointer};
}

PositionRole rotation_of(Part& part, const Layers& layers, std::size_t index, Rope& rope) {
  const LayerKind& kind = layers.kinds[index];
  const auto [turning, turning_from] = turning_of(part);
  PositionRole role;
  role.name = role_name(layers, index);
  const std::string at = "/roles/" + role.name;
  const Head head = head_of(part, rope, kind);
  const Real base = base_of(part, rope, kind);
  part.from(at + "/convention/pairing", turning_from);
  part.from(at + "/convention/ladders/0/base", base.from);
  Geometric ladder(base.value, 1, Spacing::over_width);
  Rotary rotary(ladder, turning.pairing);
  read_scaling(part, rope, at, head.rotated.value, head.share, ladder, rotary);
  rotary.ladders = {ladder};
  rotary.written = turning.written;
  rotary.turn = turning.turn;
  rotary.stored = turning.stored;
  rotary.part = head.part;
  rotary.where = head.where;
  read_axes(part, rope, at, head.rotated.value / 2, rotary);
  check_unread(part, rope);
  require(check_convention(rotary));
  role.convention = rotary;
  role.preset = preset_of(rotary);
  role.head = head.width.value;
  role.rotated = head.rotated.value;
  role.layers = layers.of[index];
  if (!head.part_from.empty()) part.from(at + "/convention/part", head.part_from);
  part.from(at + "/width/head", head.width.from);
  part.from(at + "/width/rotated", head.rotated.from);
  measure(part, rotary, ladder, role);
  return role;
}

// Kinds that turn alike are one role.
void add_role(Part& part, PositionRole role) {
  const auto found = std::ranges::find(part.result.roles, role.name, &PositionRole::name);
  if (found == part.result.roles.end()) return part.result.roles.push_back(std::move(role));
  found->layers.insert(found->layers.end(), role.layers.begin(), role.layers.end());
  std::ranges::sort(found->layers);
}

}  // namespace

void read_rotations(Part& part, const Layers& layers) {
  if (!part.family.rotary) return;
  std::vector<Rope> ropes = ropes_of(part, layers);
  for (std::size_t i = 0; i < ropes.size(); ++i) {
    const bool windowed = part.keys.find("sliding_window") || !part.keys.node().has("sliding_window");
    const LayerKind::Turns turns = layers.kinds[i].turns;
    const bool turned = turns == LayerKind::Turns::always || (turns == LayerKind::Turns::unless_windowed && !windowed);
    if (layers.count && layers.of[i].empty()) continue;
    if (turned && ropes[i].turns) {
      add_role(part, rotation_of(part, layers, i, ropes[i]));
    } else {
      part.result.without.insert(part.result.without.end(), layers.of[i].begin(), layers.of[i].end());
    }
  }
  part.result.without.insert(part.result.without.end(), layers.others.begin(), layers.others.end());
  std::ranges::sort(part.result.without);
}

}  // namespace posenc::config
