// SPDX-License-Identifier: Apache-2.0
// Sections, deals and orders of pairs.
#include "src/conventions/runs.h"

#include <algorithm>
#include <numeric>

#include "src/conventions/problem.h"

namespace posenc {
namespace {

std::int64_t axis_count(const RunFields& fields) { return std::ssize(fields.axes); }

std::size_t axis_index(const std::vector<std::string>& axes, const std::string& name) {
  return static_cast<std::size_t>(std::find(axes.begin(), axes.end(), name) - axes.begin());
}

// ---- pairs in order -------------------------------------------------------------------------------

std::vector<plan::Angle> own_pairs(const RunFields& fields, const RunSpan& span) {
  const std::vector<std::int64_t> counts = sections(fields, span.width);
  const std::int64_t most = *std::max_element(counts.begin(), counts.end());
  std::vector<plan::Angle> pairs;
  for (std::int64_t k = 0; k < most; ++k) {
    for (std::size_t axis = 0; axis < counts.size(); ++axis) {
      if (k < counts[axis]) pairs.push_back({static_cast<std::uint16_t>(axis), static_cast<std::uint32_t>(k)});
    }
  }
  return pairs;
}

std::uint16_t axis_named(const RunFields& fields, const std::string& name) {
  const std::size_t axis = axis_index(fields.axes, name);
  return axis < fields.axes.size() ? static_cast<std::uint16_t>(axis) : plan::no_axis;
}

// Within a stretch pairs go round its axes.
std::vector<plan::Angle> dealt_pairs(const RunFields& fields) {
  std::vector<plan::Angle> pairs;
  for (const Stretch& stretch : fields.deal) {
    for (std::int64_t k = 0; k < stretch.pairs; ++k) {
      const std::string& name = stretch.axes[static_cast<std::size_t>(k % std::ssize(stretch.axes))];
      const std::uint16_t axis = axis_named(fields, name);
      pairs.push_back({axis, axis == plan::no_axis ? 0 : static_cast<std::uint32_t>(pairs.size())});
    }
  }
  return pairs;
}

// ---- rules ----------------------------------------------------------------------------------------

Problem section_problem(std::int64_t all, const RunSpan& span, std::int64_t pairs) {
  const std::string_view most = span.rest == RestColumns::zero_columns ? " at most" : "";
  return broken("sections must have" + std::string(most) + " " + std::to_string(all) + " pairs for width " +
                    std::to_string(span.width),
                std::to_string(pairs));
}

std::optional<Problem> check_sections(const RunFields& fields, const RunSpan& span) {
  if (std::holds_alternative<Equal>(fields.sections) && span.rest == RestColumns::refused &&
      span.width % (2 * axis_count(fields)) != 0) {
    return broken(
        "width must be a multiple of " + std::to_string(2 * axis_count(fields)) + ": each axis has as many pairs",
        std::to_string(span.width));
  }
  const std::int64_t all = span.width / 2;
  std::int64_t count = 0;
  for (const std::int64_t pairs : sections(fields, span.width)) {
    if (pairs > all) return section_problem(all, span, pairs);
    count += pairs;
  }
  const bool fits = span.rest == RestColumns::refused        ? count == all
                    : span.rest == RestColumns::zero_columns ? count <= all
                                                             : count >= all;
  if (fits) return std::nullopt;
  return section_problem(all, span, count);
}

std::optional<Problem> check_deal(const RunFields& fields, const RunSpan& span) {
  std::int64_t count = 0;
  for (const Stretch& stretch : fields.deal) count += stretch.pairs;
  if (count == span.width / 2) return std::nullopt;
  return broken(
      "stretches must have " + std::to_string(span.width / 2) + " pairs for width " + std::to_string(span.width),
      std::to_string(count));
}

}  // namespace

std::vector<std::int64_t> sections(const RunFields& fields, std::int64_t width) {
  if (const auto* listed = std::get_if<std::vector<std::int64_t>>(&fields.sections)) return *listed;
  if (const auto* by = std::get_if<AxisShares>(&fields.sections)) {
    std::vector<std::int64_t> pairs;
    for (const std::int64_t share : by->shares) pairs.push_back(width * share / by->of / 2);
    const std::size_t rest = axis_index(fields.axes, by->rest);
    if (rest < pairs.size()) pairs[rest] += width / 2 - std::accumulate(pairs.begin(), pairs.end(), std::int64_t{0});
    return pairs;
  }
  const std::int64_t columns = 2 * axis_count(fields);
  const bool up = std::holds_alternative<EqualUp>(fields.sections);
  return std::vector<std::int64_t>(fields.axes.size(), (width + (up ? columns - 1 : 0)) / columns);
}

std::vector<Span> axis_spans(const RunFields& fields, const RunSpan& span) {
  std::vector<Span> spans(fields.axes.size(), {span.width, span.width / 2, span.length});
  if (fields.rungs != Rungs::own) return spans;
  const std::vector<std::int64_t> counts = sections(fields, span.width);
  for (std::size_t axis = 0; axis < spans.size(); ++axis) spans[axis] = {2 * counts[axis], counts[axis], span.length};
  return spans;
}

std::optional<Problem> check_only_run(const RunFields& fields, std::int64_t width, std::int64_t count) {
  const auto* listed = std::get_if<std::vector<std::int64_t>>(&fields.sections);
  if (listed == nullptr || *listed == std::vector{count}) return std::nullopt;
  return broken("sections must have " + std::to_string(count) + " pairs for width " + std::to_string(width),
                std::to_string(listed->at(0)));
}

std::optional<Problem> check_runs(const RunFields& fields, const RunSpan& span) {
  if (fields.rungs == Rungs::own) {
    if (auto problem = check_sections(fields, span)) return problem;
  } else if (span.width % 2 != 0) {
    return broken("width must be even", std::to_string(span.width));
  }
  if (fields.rungs == Rungs::dealt) {
    if (auto problem = check_deal(fields, span)) return problem;
  }
  const bool runs = fields.rungs == Rungs::own && fields.axes.size() > 1;
  const std::string run = !runs ? "width" : fields.axes.size() == 2 ? "half width" : "width of an axis";
  const std::vector<Span> spans = axis_spans(fields, span);
  for (std::size_t axis = 0; axis < spans.size(); ++axis) {
    if (auto problem = check_span(ladder_of(fields, axis), spans[axis], run)) return problem;
  }
  return std::nullopt;
}

std::vector<plan::Ladder> lower_ladders(const RunFields& fields, const std::vector<Span>& spans, double factor) {
  std::vector<plan::Ladder> ladders;
  for (std::size_t axis = 0; axis < spans.size(); ++axis) {
    ladders.push_back(lower_ladder(ladder_of(fields, axis), spans[axis], factor));
  }
  return ladders;
}

std::vector<plan::Angle> pairs_of(std::uint16_t axis, std::int64_t count) {
  std::vector<plan::Angle> pairs;
  for (std::uint32_t k = 0; k < count; ++k) pairs.push_back({axis, k});
  return pairs;
}

// By axis, those of no axis stand last.
std::vector<plan::Angle> pairs_in_order(const RunFields& fields, const RunSpan& span) {
  std::vector<plan::Angle> pairs = fields.rungs == Rungs::own     ? own_pairs(fields, span)
                                   : fields.rungs == Rungs::dealt ? dealt_pairs(fields)
                                                                  : pairs_of(plan::every_axis, span.width / 2);
  if (fields.order == PairOrder::axis_major) std::ranges::stable_sort(pairs, {}, &plan::Angle::axis);
  return pairs;
}

}  // namespace posenc
