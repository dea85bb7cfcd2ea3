// SPDX-License-Identifier: Apache-2.0
// A vendored file of chosen conventions: sinusoids with the bits of the library, beside a rotation of another width.
#include "tests/vendored/kinds.h"

namespace {

// ---- rows ----------------------------------------------------------------------------------------

template <class T, class V>
void compare_rows(const std::string& what, const posenc::Rows& ours, const vendored::Rows& theirs) {
  const std::int64_t width = ours.width();
  for (const Named& kind : kinds()) {
    std::vector<T> a(static_cast<std::size_t>(length * width));
    std::vector<V> b(a.size());
    ours.write(kind.ours, posenc::view(a.data(), {length, width}));
    theirs.write(kind.theirs, vendored::view(b.data(), {length, width}));
    expect(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0,
           what + " " + kind.name + " of " + std::string(to_string(posenc::dtype_of<T>)));
  }
  std::vector<T> a(static_cast<std::size_t>(100 * width));
  std::vector<V> b(a.size());
  ours.write(posenc::Positions::range(1000, 100), posenc::view(a.data(), {100, width}));
  theirs.write(vendored::Positions::range(1000, 100), vendored::view(b.data(), {100, width}));
  expect(std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0, what + ", 100 rows");
}

void compare_sinusoid(const vendored::Preset& preset, std::int64_t width) {
  const std::string what = std::string(preset.name) + " " + std::to_string(width);
  const posenc::Rows ours(posenc::preset(preset.name).convention, width);
  const vendored::Rows theirs(preset.convention, width);
  expect(ours.width() == theirs.width() && ours.frequencies() == theirs.frequencies(),
         what + ": width and frequencies");
  compare_rows<float, float>(what, ours, theirs);
  compare_rows<posenc::bfloat16, vendored::bfloat16>(what, ours, theirs);
  compare_rows<posenc::half, vendored::half>(what, ours, theirs);
  compare_rows<double, double>(what, ours, theirs);
}

}  // namespace

int main() {
  int rows = 0, rotations = 0;
  for (const vendored::Preset& preset : vendored::presets()) {
    for (std::int64_t width = 1; width <= 512; ++width) {
      rotations += vendored::RotaryRows::check(preset.convention, width) ? 0 : 1;
      if (vendored::Rows::check(preset.convention, width)) continue;
      compare_sinusoid(preset, width);
      ++rows;
    }
  }
  // The free function finds the width in its output.
  std::vector<float> a(12), b(12);
  posenc::sinusoid(posenc::preset("whisper").convention, posenc::Positions::range(5, 2),
                   posenc::view(a.data(), {2, 6}));
  vendored::sinusoid(vendored::preset("whisper").convention, vendored::Positions::range(5, 2),
                     vendored::view(b.data(), {2, 6}));
  expect(a == b, "sinusoid writes the same rows");
  expect(rows == 19 && rotations == 2, "the file has what was chosen: " + std::to_string(rows) + " rows, " +
                                           std::to_string(rotations) + " rotations");
  std::printf("%d rows: %d differences\n", rows, differences);
  return differences == 0 ? 0 : 1;
}
