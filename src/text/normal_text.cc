// SPDX-License-Identifier: Apache-2.0
// NFC run by run. A part of a run that is NFC is NFC too (UAX #15), so only rewritten runs must not be cut.
#include "src/text/normal_text.h"

#include "src/text/units.h"

namespace posenc::io {

NormalText::NormalText(std::string_view text, std::size_t offset, Rest rest) {
  made_.reserve(text.size());
  std::string space;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = nfc_run_end(text, at);
    if (end - at > piece_limit) {
      throw Error({"bpe_encode",
                   "a character and its marks must have at most 16777216 bytes",
                   "more",
                   {static_cast<std::int64_t>(offset + at)}});
    }
    if (end == text.size() && rest == Rest::follows) return;
    const std::string_view raw = text.substr(at, end - at);
    const std::string_view run = nfc_of_run(raw, space);
    if (run != raw) rewritten_.push_back({at, end, made_.size(), made_.size() + run.size()});
    made_ += run;
    at = end;
  }
}

std::optional<std::size_t> NormalText::cut(std::size_t at) {
  while (next_ < rewritten_.size() && rewritten_[next_].end <= at) ++next_;
  if (next_ < rewritten_.size() && rewritten_[next_].begin < at) return std::nullopt;
  return next_ == 0 ? at : rewritten_[next_ - 1].raw_end + (at - rewritten_[next_ - 1].end);
}

std::size_t NormalText::raw_place(std::size_t at) const {
  std::size_t raw = at;
  for (const Rewritten& run : rewritten_) {
    if (at < run.begin) break;
    raw = at < run.end ? run.raw_begin : run.raw_end + (at - run.end);
  }
  return raw;
}

}  // namespace posenc::io
