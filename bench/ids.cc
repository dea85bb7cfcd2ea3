// SPDX-License-Identifier: Apache-2.0
// Ids drawn by a fixed generator.
#include "bench/ids.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace posenc::bench {

std::vector<std::int32_t> make_ids(Ids kind, std::int64_t count) {
  std::mt19937_64 random(7);
  std::vector<std::int32_t> by_rank(vocabulary);
  std::iota(by_rank.begin(), by_rank.end(), 0);
  std::shuffle(by_rank.begin(), by_rank.end(), random);
  std::vector<double> up_to(vocabulary);  // the shares of all ranks up to one
  for (std::size_t k = 0; k < up_to.size(); ++k) {
    up_to[k] = (k == 0 ? 0 : up_to[k - 1]) + (kind == Ids::zipf ? 1 / static_cast<double>(k + 1) : 1);
  }
  std::uniform_real_distribution<double> share(0, up_to.back());
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  for (std::int32_t& id : ids) {
    const auto rank = std::lower_bound(up_to.begin(), up_to.end() - 1, share(random)) - up_to.begin();
    id = by_rank[static_cast<std::size_t>(rank)];
  }
  return ids;
}

}  // namespace posenc::bench
