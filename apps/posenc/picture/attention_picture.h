// SPDX-License-Identifier: Apache-2.0
// Pictures of attention: one map a head, tokens on both axes, one scale of weights.
#pragma once

#include <functional>

#include "apps/posenc/picture/canvas.h"

namespace posenc::tool {

/// Weights as a picture shows them: rows read from columns. Of many tokens a cell stands for several of them and has
/// the largest of their weights, so that no peak is lost.
struct AttentionMap {
  std::string title;
  std::vector<std::string> row_names, column_names;  ///< one a cell: of the first token it stands for
  std::int64_t row_stride = 1, column_stride = 1;    ///< tokens a cell stands for
  std::vector<float> weights;                        ///< [row_names.size(), column_names.size()], 0 to 1
  std::vector<std::size_t> marked = {};              ///< cells with an outline, where cells have room for one
};

struct AttentionPicture {
  std::string title;
  std::vector<std::string> captions;  ///< lines below the maps
  std::string row_axis, column_axis;  ///< "query", "key"
  std::vector<AttentionMap> maps;
};

/// Cells that a map of a picture of `maps` maps can have on a side.
std::int64_t most_cells(std::int64_t maps);

/// At most `most` cells a side; write(r, row) fills the weights of query r.
AttentionMap attention_map(std::string title, std::span<const std::string> row_names,
                           std::span<const std::string> column_names, std::int64_t most,
                           const std::function<void(std::int64_t, std::span<float>)>& write);

/// The bytes of the picture. White is 0, the darkest colour a round number no less than all weights. At least one map.
std::string draw(const AttentionPicture& picture, PictureFormat format);

}  // namespace posenc::tool
