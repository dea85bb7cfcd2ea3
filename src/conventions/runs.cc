// SPDX-License-Identifier: Apache-2.0
// Sections, deals and orders of pairs.
#include "src/conventions/runs.h"

#include <numeric>

namespace posenc {
namespace {

Problem problem(std::string rule, std::string value) { return {"convention", std::move(rule), std::move(value)}; }

std::int64_t axis_count(const RunFields& fields) { return std::ssize(fields.axes); }

std::size_t place(const std::vector<std::string>& axes, const std::string& name) {
  return static_cast<std::size_t>(std::find(axes.begin(), axes.end(), name) - axes.begin());
}

// ---- pairs of each axis ---------------------------------------------------------------------------

std::vector<std::int64_t> pairs_of(const Unstated&, const RunFields& fields, std::int64_t) {
  return std::vector<std::int64_t>(fields.axes.size());
}
std::vector<std::int64_t> pairs_of(const Equal&, const RunFields& fields, std::int64_t width) {
  return std::vector<std::int64_t>(fields.axes.size(), width / (2 * axis_count(fields)));
}
std::vector<std::int64_t> pairs_of(const None&, const RunFields& fields, std::int64_t width) {
  return pairs_of(Equal{}, fields, width);
}
std::vector<std::int64_t> pairs_of(const EqualUp&, const RunFields& fields, std::int64_t width) {
  const std::int64_t columns = 2 * axis_count(fields);
  return std::vector<std::int64_t>(fields.axes.size(), (width + columns - 1) / columns);
}
std::vector<std::int64_t> pairs_of(const std::vector<std::int64_t>& listed, const RunFields&, std::int64_t) {
  return listed;
}
std::vector<std::int64_t> pairs_of(const Shares& by, const RunFields& fields, std::int64_t width) {
  std::vector<std::int64_t> pairs;
  for (const std::int64_t share : by.shares) pairs.push_back(width * share / by.of / 2);
  const std::size_t rest = place(fields.axes, by.rest);
  if (rest < pairs.size()) pairs[rest] += width / 2 - std::accumulate(pairs.begin(), pairs.end(), std::int64_t{0});
  return pairs;
}

// ---- pairs in order -------------------------------------------------------------------------------

std::vector<AxisPair> own_pairs(const RunFields& fields, const RunSpan& span) {
  const std::vector<std::int64_t> counts = sections(fields, span.width);
  std::vector<AxisPair> pairs;
  const auto add = [&](std::size_t axis, std::int64_t k) {
    if (k < counts[axis]) pairs.push_back({static_cast<std::uint16_t>(axis), static_cast<std::uint32_t>(k)});
  };
  if (fields.order == PairOrder::axis_major) {
    for (std::size_t axis = 0; axis < counts.size(); ++axis) {
      for (std::int64_t k = 0; k < counts[axis]; ++k) add(axis, k);
    }
    return pairs;
  }
  const std::int64_t most = *std::max_element(counts.begin(), counts.end());
  for (std::int64_t k = 0; k < most; ++k) {
    for (std::size_t axis = 0; axis < counts.size(); ++axis) add(axis, k);
  }
  return pairs;
}

std::uint16_t axis_named(const RunFields& fields, const std::string& name) {
  const std::size_t axis = place(fields.axes, name);
  return axis < fields.axes.size() ? static_cast<std::uint16_t>(axis) : plan::no_axis;
}

// Within a stretch pairs go round its axes. By axis, those of no axis stand last.
std::vector<AxisPair> dealt_pairs(const RunFields& fields) {
  std::vector<AxisPair> pairs;
  for (const Stretch& stretch : fields.deal) {
    for (std::int64_t k = 0; k < stretch.pairs; ++k) {
      const std::string& name = stretch.axes[static_cast<std::size_t>(k % std::ssize(stretch.axes))];
      pairs.push_back({axis_named(fields, name), static_cast<std::uint32_t>(pairs.size())});
    }
  }
  if (fields.order == PairOrder::axis_major) {
    std::stable_sort(pairs.begin(), pairs.end(), [](const AxisPair& a, const AxisPair& b) { return a.axis < b.axis; });
  }
  return pairs;
}

// ---- rules ----------------------------------------------------------------------------------------

Problem section_problem(std::int64_t all, const RunSpan& span, std::int64_t pairs) {
  const std::string_view most = span.fill == RunSpan::Fill::leaving ? " at most" : "";
  return problem("sections must have" + std::string(most) + " " + std::to_string(all) + " pairs for " + span.name +
                     " " + std::to_string(span.width),
                 std::to_string(pairs));
}

std::optional<Problem> check_sections(const RunFields& fields, const RunSpan& span) {
  if (std::holds_alternative<Equal>(fields.sections) && span.fill == RunSpan::Fill::exact &&
      span.width % (2 * axis_count(fields)) != 0) {
    return problem(span.name + " must be a multiple of " + std::to_string(2 * axis_count(fields)) +
                       ": each axis has as many pairs",
                   std::to_string(span.width));
  }
  const std::int64_t all = span.width / 2;
  std::int64_t count = 0;
  for (const std::int64_t pairs : sections(fields, span.width)) {
    if (pairs > all) return section_problem(all, span, pairs);
    count += pairs;
  }
  const bool fits = span.fill == RunSpan::Fill::exact     ? count == all
                    : span.fill == RunSpan::Fill::leaving ? count <= all
                                                          : count >= all;
  if (fits) return std::nullopt;
  return section_problem(all, span, count);
}

std::optional<Problem> check_deal(const RunFields& fields, const RunSpan& span) {
  std::int64_t count = 0;
  for (const Stretch& stretch : fields.deal) {
    count += stretch.pairs;
  }
  if (count == span.width / 2) return std::nullopt;
  return problem("stretches must have " + std::to_string(span.width / 2) + " pairs for " + span.name + " " +
                     std::to_string(span.width),
                 std::to_string(count));
}

}  // namespace

std::vector<std::int64_t> sections(const RunFields& fields, std::int64_t width) {
  return std::visit([&](const auto& each) { return pairs_of(each, fields, width); }, fields.sections);
}

Span axis_span(const RunFields& fields, const RunSpan& span, std::size_t axis) {
  if (fields.rungs != Rungs::own) return {span.width, span.width / 2, span.length};
  const std::int64_t count = sections(fields, span.width)[axis];
  return {2 * count, count, span.length};
}

std::optional<Problem> check_only_run(const RunFields& fields, std::int64_t width, std::int64_t count) {
  const auto* listed = std::get_if<std::vector<std::int64_t>>(&fields.sections);
  if (listed == nullptr || *listed == std::vector{count}) return std::nullopt;
  return problem("sections must have " + std::to_string(count) + " pairs for width " + std::to_string(width),
                 std::to_string(listed->at(0)));
}

std::optional<Problem> check_runs(const RunFields& fields, const RunSpan& span) {
  if (fields.rungs == Rungs::own) {
    if (auto problem = check_sections(fields, span)) return problem;
  } else if (span.width % 2 != 0) {
    return problem(span.name + " must be even", std::to_string(span.width));
  }
  if (fields.rungs == Rungs::dealt) {
    if (auto problem = check_deal(fields, span)) return problem;
  }
  const bool runs = fields.rungs == Rungs::own && fields.axes.size() > 1;
  const std::string run = !runs ? span.name : fields.axes.size() == 2 ? "half " + span.name : span.name + " of an axis";
  for (std::size_t axis = 0; axis < fields.axes.size(); ++axis) {
    if (auto problem = check_span(ladder_of(fields, axis), axis_span(fields, span, axis), run)) return problem;
  }
  return std::nullopt;
}

std::vector<plan::Ladder> lower_ladders(const RunFields& fields, const RunSpan& span, double factor) {
  std::vector<plan::Ladder> ladders;
  for (std::size_t axis = 0; axis < fields.axes.size(); ++axis) {
    ladders.push_back(lower_ladder(ladder_of(fields, axis), axis_span(fields, span, axis), factor));
  }
  return ladders;
}

std::vector<AxisPair> pairs_in_order(const RunFields& fields, const RunSpan& span) {
  if (fields.rungs == Rungs::own) return own_pairs(fields, span);
  if (fields.rungs == Rungs::dealt) return dealt_pairs(fields);
  std::vector<AxisPair> pairs;
  for (std::int64_t k = 0; k < span.width / 2; ++k) {
    pairs.push_back({plan::every_axis, static_cast<std::uint32_t>(k)});
  }
  return pairs;
}

}  // namespace posenc
