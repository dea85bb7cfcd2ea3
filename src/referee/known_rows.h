// SPDX-License-Identifier: Apache-2.0
// Rows of a hypothesis, block by block on an executor: a block of them is made where it is compared, in the caches.
#pragma once

#include "src/base/blocks.h"
#include "src/encodings/coordinates.h"
#include "src/referee/hypothesis.h"

namespace posenc::referee {

/// Places first, first + 1, .., or those of a list that stand there.
struct PlaceBlock {
  std::int64_t first, count;
  std::span<const std::int64_t> listed = {};
  std::int64_t place(std::int64_t i) const {
    return listed.empty() ? first + i : listed[static_cast<std::size_t>(first + i)];
  }
};

/// The places of a reading in blocks: all of them, some in stretches that are spread evenly, or those of a list.
class PlaceBlocks {
 public:
  PlaceBlocks(const Reading& reading, const Sampling& sampling);
  PlaceBlocks(const Reading& reading, std::span<const std::int64_t> listed);

  std::int64_t count() const { return stretches_ * per_stretch_; }
  PlaceBlock at(std::int64_t i) const;
  /// Blocks whose results are kept until they are summed up: those of some 2^21 entries, 4 at least.
  std::int64_t at_once() const { return at_once_; }

 private:
  void cut(std::int64_t width, std::int64_t length);

  std::int64_t places_, stretches_ = 1, length_ = 0, per_stretch_ = 0, size_ = 1, at_once_ = 4;
  std::span<const std::int64_t> listed_;
};

/// work(block, part) once for every block, on the executor; then next(part) of each in order, which says whether to go
/// on.
template <class Part, class Work, class Next>
void in_rounds(const PlaceBlocks& blocks, const Executor& executor, const Work& work, const Next& next) {
  std::vector<Part> parts;
  // Few at first: what ends early does no more than that.
  std::int64_t round = std::min<std::int64_t>(4, blocks.at_once());
  for (std::int64_t first = 0; first < blocks.count(); first += std::ssize(parts)) {
    parts.assign(static_cast<std::size_t>(std::min(round, blocks.count() - first)), Part{});
    for_blocks(executor, std::ssize(parts), 1,
               [&](std::int64_t i, std::int64_t) { work(blocks.at(first + i), parts[static_cast<std::size_t>(i)]); });
    for (Part& part : parts) {
      if (!next(part)) return;
    }
    round = std::min(2 * round, blocks.at_once());
  }
}

/// Whether the roundings of the recipe give the columns of the signal.
bool has_arithmetic(const Signal& signal, const Recipe& recipe);
/// The recipe's ladder of each axis; none under exact.
std::vector<StepLadder> ladders_of(const Signal& signal, const Recipe& recipe);

/// The rows that a hypothesis has under a recipe. Both outlive this; const use is safe from any thread.
class KnownRows {
 public:
  KnownRows(const Reading& reading, const Hypothesis& hypothesis, const Recipe& recipe);

  std::int64_t width() const { return cells_.width; }
  /// Of each axis, the coordinates of the block's places.
  std::vector<std::vector<double>> coordinates(const PlaceBlock& block) const;
  /// Its rows to [count, width]; false where an entry was not settled.
  template <class T>
  [[nodiscard]] bool write(const PlaceBlock& block, const std::vector<std::vector<double>>& coordinates, T* out) const {
    const DefaultEnvironment environment;
    std::vector<Positions> lists;
    for (std::size_t a = 0; a < coordinates.size(); ++a) lists.push_back(positions(block, a, coordinates[a]));
    return write_places(cells_, lists, {0, 0, block.count}, out, cells_.width);
  }
  template <class T>
  [[nodiscard]] bool write(const PlaceBlock& block, T* out) const {
    return write(block, coordinates(block), out);
  }

 private:
  Positions positions(const PlaceBlock& block, std::size_t axis, const std::vector<double>& list) const;

  const Reading& reading_;
  const Hypothesis& hypothesis_;
  CellRows cells_;
};

}  // namespace posenc::referee
