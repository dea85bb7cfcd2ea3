// SPDX-License-Identifier: Apache-2.0
// The maps of posenc order: both texts in one order of tokens, so that equal weights stand in equal places.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "apps/posenc/order/order.h"

namespace posenc::tool {
namespace {

using Write = std::function<void(std::int64_t, std::span<float>)>;

// `write` with queries and keys in the order of `places`.
Write in_order(const std::vector<std::int64_t>& places, const Write& write) {
  return [&places, &write, text = std::vector<float>(places.size())](std::int64_t query,
                                                                     std::span<float> weights) mutable {
    write(places[static_cast<std::size_t>(query)], text);
    for (std::size_t i = 0; i < places.size(); ++i) weights[i] = text[static_cast<std::size_t>(places[i])];
  };
}

std::vector<std::string> in_order(const std::vector<std::int64_t>& places, const std::vector<std::string>& labels) {
  std::vector<std::string> ordered;
  for (const std::int64_t place : places) ordered.push_back(labels[static_cast<std::size_t>(place)]);
  return ordered;
}

// Marks the cells of b whose tokens a has too and weighs otherwise, and counts them in b's title.
void mark_differences(const AttentionMap& a, AttentionMap& b, std::span<const std::int64_t> partners) {
  const std::size_t columns = b.column_names.size();
  const auto partner = [&](std::size_t i) { return static_cast<std::size_t>(partners[i]); };
  for (std::size_t r = 0; r < partners.size(); ++r) {
    for (std::size_t c = 0; c < partners.size(); ++c) {
      const float other = a.weights[partner(r) * a.column_names.size() + partner(c)];
      if (std::fabs(b.weights[r * columns + c] - other) > least_difference) b.marked.push_back(r * columns + c);
    }
  }
  b.title += fmt::format(": {} of {} differ", b.marked.size(), partners.size() * partners.size());
}

}  // namespace

std::vector<AttentionMap> order_maps(const OrderFindings& findings,
                                     const std::function<void(Placed, int, std::int64_t, std::span<float>)>& write) {
  const AlignedText aligned = align(findings.ids[0], findings.ids[1]);
  const std::vector<std::string> labels = in_order(aligned.places, findings.labels[1]);
  std::vector<AttentionMap> maps;
  for (const Placed placed : {Placed::without, Placed::with}) {
    const std::string title = placed == Placed::with ? "with positions" : "without positions";
    const Write rows[] = {[&](std::int64_t query, std::span<float> weights) { write(placed, 0, query, weights); },
                          [&](std::int64_t query, std::span<float> weights) { write(placed, 1, query, weights); }};
    maps.push_back(attention_map("A " + title, findings.labels[0], findings.labels[0], most_cells(4), rows[0]));
    maps.push_back(attention_map("B " + title, labels, labels, most_cells(4), in_order(aligned.places, rows[1])));
    AttentionMap& b = maps.back();
    if (maps[maps.size() - 2].row_stride == 1 && b.row_stride == 1) {
      mark_differences(maps[maps.size() - 2], b, aligned.partners);
    } else if (findings.comparison.permuted) {  // a cell stands for the same tokens in both
      std::vector<std::int64_t> cells(b.row_names.size());
      std::iota(cells.begin(), cells.end(), 0);
      mark_differences(maps[maps.size() - 2], b, cells);
    }
  }
  return maps;
}

}  // namespace posenc::tool
