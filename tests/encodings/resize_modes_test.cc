// SPDX-License-Identifier: Apache-2.0
// Every mode of PyTorch's interpolate, of sides from 1 to 200: area and nearest to the bit, the others within 4 units
// in the last place.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/resize.h>

#include "tests/encodings/last_places.h"
#include "tests/encodings/named.h"
#include "tests/encodings/resized_rows.h"
#include "tests/golden_files.h"

namespace posenc {
namespace {

constexpr std::int64_t most_side_of_modes = 200;

const test::GoldenFile& modes() {
  static const test::GoldenFile file("resized-modes");
  return file;
}

Convention without_extra_rows(std::string_view filter) {
  return with_fields(test::named("vit-resize"), {{"resize.filter", filter}, {"resize.extra", 0}});
}

// ---- area, nearest: digests ---------------------------------------------------------------------

// CRC-32 as zlib's, of bytes after those of `crc`.
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> of = {};
    for (std::uint32_t i = 0; i < 256; ++i) {
      of[i] = i;
      for (int bit = 0; bit < 8; ++bit) of[i] = of[i] >> 1 ^ (of[i] & 1 ? 0xEDB88320u : 0);
    }
    return of;
  }();
  crc = ~crc;
  for (const std::byte b : bytes) crc = crc >> 8 ^ table[(crc ^ std::to_integer<std::uint32_t>(b)) & 0xFF];
  return ~crc;
}

struct Sizes {
  GridSize from, to;
};
Sizes sizes_of(std::int64_t n, std::int64_t m, bool across) {  // as tools/goldens/resizes.py
  const std::int64_t a = 1 + (7 * n + 3 * m) % 13, b = 1 + (5 * n + 11 * m) % 9;
  return across ? Sizes{{a, n}, {b, m}} : Sizes{{n, a}, {m, b}};
}

std::vector<float> resized_by(const Convention& convention, const Sizes& sizes) {
  return test::resized(convention, test::cell_rows(sizes.from.height * sizes.from.width), sizes.from, sizes.to);
}

// Of every `step`-th side.
void expect_digests(const std::string& filter, std::int64_t step) {
  const Convention convention = without_extra_rows(filter);
  for (const bool across : {false, true}) {
    const auto wanted = modes()[filter + (across ? "/across" : "/down")].values<std::int64_t>();
    for (std::int64_t n = 1; n <= most_side_of_modes; n += step) {
      std::uint32_t crc = 0;
      for (std::int64_t m = 1; m <= most_side_of_modes; ++m) {
        const Sizes sizes = sizes_of(n, m, across);
        if (filter == "area" && sizes.to == GridSize{1, 1}) continue;
        crc = crc32(std::as_bytes(std::span<const float>(resized_by(convention, sizes))), crc);
      }
      EXPECT_EQ(crc, wanted[static_cast<std::size_t>(n - 1)])
          << filter << " of side " << n << (across ? " across" : "");
    }
  }
}

TEST(ResizeModes, OfAnAreaHaveTheBitsOfPyTorch) { expect_digests("area", 7); }
TEST(ResizeModes, OfTheNearestHaveTheBitsOfPyTorch) { expect_digests("nearest", 7); }
TEST(ExhaustiveResizeModes, OfAnAreaHaveTheBitsOfPyTorchAtEverySide) { expect_digests("area", 1); }
TEST(ExhaustiveResizeModes, OfTheNearestHaveTheBitsOfPyTorchAtEverySide) { expect_digests("nearest", 1); }

// PyTorch sums a whole table as a tree, in f32.
TEST(ResizeModes, OfAnAreaOfAllCellsAreWithinFourUnits) {
  const Convention convention = without_extra_rows("area");
  for (const bool across : {false, true}) {
    const auto wanted = modes()[std::string("area/") + (across ? "across" : "down") + "/whole"].values<float>();
    for (std::int64_t n = 1; n <= most_side_of_modes; ++n) {
      const Sizes sizes = {sizes_of(n, 1, across).from, {1, 1}};
      const std::vector<float> ours = resized_by(convention, sizes);
      const auto at = static_cast<std::size_t>(n * test::cell_columns - 1);  // of the column that nothing cancels in
      EXPECT_LE(test::last_places(ours.back(), wanted[at]), 4) << n;
    }
  }
}

// ---- the others ---------------------------------------------------------------------------------

struct Mode {
  std::string_view filter, antialias, corners;

  std::string name() const { return std::string(filter) + "-" + std::string(antialias) + "-" + std::string(corners); }
  // PyTorch's cubic is another one where it is stretched.
  Convention convention() const {
    std::vector<FieldChange> changes = {{"resize.filter", filter}};
    if (filter == "bicubic") changes.push_back({"resize.filter.a", antialias == "none" ? -0.75 : -0.5});
    changes.push_back({"resize.antialias", antialias});
    changes.push_back({"resize.align_corners", corners});
    changes.push_back({"resize.extra", 0});
    return with_fields(test::named("vit-resize"), changes);
  }
};

TEST(ResizeModes, AreWithinFourUnitsOfPyTorch) {
  std::int64_t checked = 0, equal = 0, most = 0;
  for (const std::string_view filter : {"bicubic", "bilinear"}) {
    for (const std::string_view antialias : {"none", "stretched"}) {
      for (const std::string_view corners : {"halves", "ends"}) {
        const Mode mode = {filter, antialias, corners};
        const Convention convention = mode.convention();
        for (const auto& [tensor, array] : modes().tensors()) {
          if (!tensor.starts_with(mode.name() + "/")) continue;
          const std::int64_t n = std::stoll(tensor.substr(mode.name().size() + 1)), m = array.shape.at(0);
          const std::vector<float> ours = resized_by(convention, {{n, 1}, {m, 1}});
          for (std::int64_t i = 0; i < m; ++i) {
            const float our = ours[static_cast<std::size_t>((i + 1) * test::cell_columns - 1)];
            const std::int64_t apart = test::last_places(our, array.values<float>()[static_cast<std::size_t>(i)]);
            EXPECT_LE(apart, 4) << tensor << ", row " << i;
            ++checked, equal += apart == 0, most = std::max(most, apart);
          }
        }
      }
    }
  }
  EXPECT_EQ(checked, 8 * 242);
  RecordProperty("apart", std::to_string(most) + " at most, " + std::to_string(equal) + " equal");
}

}  // namespace
}  // namespace posenc
