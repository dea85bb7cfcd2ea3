// SPDX-License-Identifier: Apache-2.0
// NFC run by run. A part of a run that is NFC is NFC too (UAX #15), so only rewritten runs must not be cut.
#include "src/text/bpe/normal_text.h"

#include "src/text/unicode/segmentation.h"

#include <algorithm>

namespace posenc::io {

NormalText::NormalText(std::string_view text, std::size_t begin, Bpe::Normalization normalization, Rest rest)
    : raw_begin_(begin), text_(text.substr(begin)) {
  if (normalization == Bpe::Normalization::none) return;
  made_.reserve(text_.size());
  visit_runs("bpe_encode", text, begin, rest, [&](std::size_t at, std::size_t end, std::string_view run) {
    if (run != text.substr(at, end - at)) rewritten_.push_back({at, end, made_.size(), made_.size() + run.size()});
    made_ += run;
  });
  text_ = made_;
}

std::vector<NormalText::Rewritten>::const_iterator NormalText::first_behind(std::size_t at) const {
  return std::ranges::upper_bound(rewritten_, at, {}, &Rewritten::begin);
}

std::optional<std::size_t> NormalText::cut(std::size_t at) const {
  const auto behind = first_behind(at);
  if (behind == rewritten_.begin()) return raw_begin_ + at;
  const Rewritten& run = *std::prev(behind);
  if (at >= run.end) return run.raw_end + (at - run.end);
  return at == run.begin ? std::optional(run.raw_begin) : std::nullopt;
}

std::size_t NormalText::raw_place(std::size_t at) const {
  const std::optional<std::size_t> place = cut(at);
  return place ? *place : std::prev(first_behind(at))->raw_begin;
}

}  // namespace posenc::io
