// SPDX-License-Identifier: Apache-2.0
// The presets that are rotations of several axes, of images, video and M-RoPE: one row of data each.
#include "src/conventions/presets.h"

namespace posenc {
namespace {

// 10000 in place of every other base; adjacent pairs; every axis has as many columns of a head.
Rotary adjacent_axes(std::vector<std::string> axes) {
  Rotary rotary = {paper, Pairing::adjacent};
  rotary.axes = std::move(axes);
  rotary.sections = Equal{};
  return rotary;
}
Rotary adjacent_axes(std::vector<std::string> axes, const Sections& sections) {
  Rotary rotary = adjacent_axes(std::move(axes));
  rotary.sections = sections;
  return rotary;
}
Rotary split_axes(std::vector<std::string> axes) {
  Rotary rotary = adjacent_axes(std::move(axes));
  rotary.pairing = Pairing::split_half;
  return rotary;
}

// One ladder over the head, its pairs dealt to time, rows and columns.
Rotary dealt(double base, Pairing pairing, std::vector<Stretch> deal) {
  Geometric ladder = paper;
  ladder.base = base;
  Rotary rotary = {ladder, pairing};
  rotary.axes = {"t", "y", "x"};
  rotary.rungs = Rungs::dealt;
  rotary.sections = None{};
  rotary.deal = std::move(deal);
  rotary.order = PairOrder::rung_major;
  return rotary;
}

// What video has left over stands with time.
Sections thirds() { return Shares{{0, 2, 2}, 6, "t"}; }
// Of heads of 128.
Sections flux_pairs() { return std::vector<std::int64_t>{8, 28, 28}; }

}  // namespace

std::vector<PresetRow> rotary_axes_rows() {
  return {
  };
}

}  // namespace posenc
