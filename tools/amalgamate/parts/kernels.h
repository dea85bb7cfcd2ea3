// SPDX-License-Identifier: Apache-2.0
// The kernels of this file: blocks of f32, and rotations of lines that are near.
namespace posenc::engine::POSENC_LANES {

const SincosKernels& SincosTable() {
  static constexpr SincosKernels all = {{&WaveBlock<float>, nullptr, nullptr}, {&Scaled<float>, nullptr, nullptr}};
  return all;
}

namespace {

// Turns one step at a time. The library's loop over four steps speeds up prompts, and takes as long to compile again.
template <class Places, class T>
[[gnu::noinline]] void TurnLines(const Angles& all, cpp20::span<const Lines<T>> runs, std::int64_t row) {
  const RowAngles angles = AnglesOf(all, row);
  if (angles.pairs % Places::template Count<T>() == 0) {
    TurnSteps<Places, 1>(angles, runs, row);
  } else {
    for (const Lines<T>& lines : runs) {
      for (std::int64_t l = 0; l < lines.count; ++l) {
        TurnRow<Places>(angles, At(lines.in, l, row), At(lines.out, l, row));
      }
    }
  }
  for (const Lines<T>& lines : runs) CopyRest(RowsOf(lines, 0, row), lines.count, 2 * all.pairs, lines.width);
}

template <class Places, class T>
POSENC_LANES_INLINE void Rotate(const Angles& angles, cpp20::span<const Lines<T>> runs) {
  for (std::int64_t t = 0; t < angles.rows; ++t) TurnLines<Places>(angles, runs, t);
}

}  // namespace
}  // namespace posenc::engine::POSENC_LANES
