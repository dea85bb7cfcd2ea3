// SPDX-License-Identifier: Apache-2.0
// The table of a grid as small maps of its cells, one for each of some columns: what a column says of an image is seen.
#pragma once

#include "apps/posenc/picture/picture.h"

namespace posenc::tool {

/// Tiles of the last two axes of `shape`, whose last size is the columns; `axes` are its names. A band has up to 8
/// tiles; of two axes the bands go on through up to 64 columns from the first to the last, of more each is of one index
/// of the others, up to 8 of them. Large tiles are made of means, as heatmap() says. A terminal has one band.
std::vector<Band> tiles(const MapRows& rows, std::span<const std::int64_t> shape, std::span<const std::string> axes,
                        PictureFormat format);

}  // namespace posenc::tool
