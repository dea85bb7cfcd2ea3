// SPDX-License-Identifier: Apache-2.0
// The presets of pairs and queries: buckets, windows, log coordinates, query scales. One row of data each.
#include "src/conventions/presets.h"

namespace posenc {
namespace {

constexpr DistanceSign ahead = DistanceSign::key_minus_query, behind = DistanceSign::query_minus_key;

std::vector<PresetRow> bucket_rows() {
  return {
  };
}

std::vector<PresetRow> log_coordinate_rows() {
  return {
  };
}

std::vector<PresetRow> query_scale_rows() {
  return {
  };
}

}  // namespace

std::vector<PresetRow> relative_rows() {
  std::vector<PresetRow> all = bucket_rows();
  for (std::vector<PresetRow>& rows : std::array{log_coordinate_rows(), query_scale_rows()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace posenc
