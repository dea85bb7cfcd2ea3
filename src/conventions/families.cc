// SPDX-License-Identifier: Apache-2.0
// Families: the rules that join fields of waves, of rotations, of stored rows and of the short forms.
#include <posenc/families.h>

#include <algorithm>

#include "src/conventions/print.h"
#include "src/conventions/short_fields.h"

namespace posenc::schema {
namespace {

constexpr std::size_t most_axes = 8;

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::optional<Broken> check_names(const std::vector<std::string>& axes) {
  const std::string shown = text_of<2>(axes);
  if (axes.empty() || axes.size() > most_axes) return Broken{"axes", "1 to 8 names", shown};
  for (auto axis = axes.begin(); axis != axes.end(); ++axis) {
    if (*axis == "none") return Broken{"axes", "other names than none", shown};
    if (std::find(axes.begin(), axis, *axis) != axis) return Broken{"axes", "different names", shown};
  }
  return std::nullopt;
}

// A list of counts has one for each axis.
std::optional<Broken> check_counts(const Sections& sections, const std::vector<std::string>& axes) {
  const auto* counts = std::get_if<std::vector<std::int64_t>>(&sections);
  const auto* shares = std::get_if<AxisShares>(&sections);
  if (shares != nullptr) {
    counts = &shares->shares;
    std::int64_t left = shares->of;
    for (const std::int64_t share : shares->shares) {
      if (share > left) return Broken{"sections.shares", "at most `of` in all", text_of<2>(shares->shares)};
      left -= share;
    }
  }
  if (counts != nullptr && counts->size() != axes.size()) {
    return Broken{"sections", "as many as axes, " + std::to_string(axes.size()), std::to_string(counts->size())};
  }
  if (shares == nullptr || has(axes, shares->rest)) return std::nullopt;
  return Broken{"sections.rest", "one of the axes", "'" + shares->rest + "'"};
}

std::optional<Broken> check_deal(const std::vector<Stretch>& deal, const std::vector<std::string>& axes) {
  for (const Stretch& stretch : deal) {
    if (stretch.axes.empty()) return Broken{"deal", "stretches of one axis or more", "none"};
    for (const std::string& axis : stretch.axes) {
      if (axis != "none" && !has(axes, axis)) return Broken{"deal", "of the axes, or none", "'" + axis + "'"};
    }
  }
  return std::nullopt;
}

// What waves and rotations have in common.
template <class S>
std::optional<Broken> check_axes(const S& family) {
  if (auto found = check_names(family.axes)) return found;
  const std::size_t ladders = family.ladders.size();
  const bool dealt = family.rungs == Rungs::dealt;
  if (ladders != 1 && (dealt || ladders != family.axes.size())) {
    return Broken{"ladders", dealt ? "one where rungs are dealt" : "one, or one for each axis",
                  std::to_string(ladders)};
  }
  if ((family.rungs == Rungs::own) == std::holds_alternative<Nothing>(family.sections)) {
    return Broken{"sections",
                  family.rungs == Rungs::own ? "stated where rungs are own" : "none where rungs are not own",
                  text_of<2>(family.sections)};
  }
  if (dealt == family.deal.empty()) {
    return Broken{"deal", dealt ? "stretches where rungs are dealt" : "empty where rungs are not dealt",
                  text_of<2>(family.deal)};
  }
  if (auto found = check_counts(family.sections, family.axes)) return found;
  return check_deal(family.deal, family.axes);
}

}  // namespace

template <>
std::optional<Broken> whole<Waves, 2>(const Waves& waves) {
  if (auto found = check_axes(waves)) return found;
  if (waves.scope == Scope::period && waves.order != PairOrder::rung_major) {
    return Broken{"order", "rung_major where the scope is a period", text_of<2>(waves.order)};
  }
  const bool one_axis = waves.axes.size() == 1;
  if (!one_axis && waves.odd_width != OddWidth::refused) {
    return Broken{"odd_width", "refused with several axes, which have `rest`", text_of<2>(waves.odd_width)};
  }
  if (one_axis && waves.rest != RestColumns::refused) {
    return Broken{"rest", "refused with one axis, which has `odd_width`", text_of<2>(waves.rest)};
  }
  return std::nullopt;
}

template <>
std::optional<Broken> whole<Rotary, 2>(const Rotary& rotary) {
  if (auto found = check_axes(rotary)) return found;
  if (rotary.angles == AnglesBy::column && rotary.pairing != Pairing::adjacent) {
    return Broken{"pairing", "adjacent where angles go by column", text_of<2>(rotary.pairing)};
  }
  return std::nullopt;
}

template <>
std::optional<Broken> whole<Resize, 2>(const Resize& resize) {
  const auto* filter = std::get_if<ResizeFilter>(&resize.filter);
  const bool measures = filter == nullptr || *filter == ResizeFilter::bilinear;  // where places are between cells
  if (resize.antialias == Antialias::stretched && !measures) {
    return Broken{"antialias", "none where the filter is not bilinear or bicubic", text_of<2>(resize.antialias)};
  }
  if (resize.align_corners == AlignCorners::ends && !measures) {
    return Broken{"align_corners", "halves where the filter is not bilinear or bicubic",
                  text_of<2>(resize.align_corners)};
  }
  if (resize.offset == 0 ||
      (resize.align_corners == AlignCorners::halves && (measures || *filter != ResizeFilter::area))) {
    return std::nullopt;
  }
  return Broken{"offset", "0 where corners are aligned, and for the filter area", text_of<2>(resize.offset)};
}

template <>
std::optional<Broken> whole<Learned, 2>(const Learned& learned) {
  if (auto found = check_names(learned.axes)) return found;
  const bool one_table = std::holds_alternative<IndexRows>(learned.combine);
  if (one_table && learned.axes.size() != 2) {
    return Broken{"axes", "two where one table holds the rows of cells", text_of<2>(learned.axes)};
  }
  const auto* rows = std::get_if<std::vector<std::int64_t>>(&learned.rows);
  if (rows == nullptr || rows->size() == 1 || (!one_table && rows->size() == learned.axes.size())) return std::nullopt;
  return Broken{"rows", one_table ? "one number where there is one table" : "one number, or one for each axis",
                std::to_string(rows->size())};
}

template <>
std::optional<Broken> whole<Timestep, 1>(const Timestep& step) {
  if (step.layout != Layout::interleaved) return std::nullopt;
  return Broken{"layout", "sine_first or cosine_first", text_of<1>(step.layout)};
}

}  // namespace posenc::schema
