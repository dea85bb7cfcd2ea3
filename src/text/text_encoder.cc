// SPDX-License-Identifier: Apache-2.0
// The text encoder: ids from the reader, rows from the stage, and the numbers of their tokens in between.
#include <posenc/text/text_encoder.h>

#include <limits>

namespace posenc::io {
namespace {

[[noreturn]] void refuse_text(std::string rule, std::string value) {
  throw Error({"text_encoder", std::move(rule), std::move(value)});
}

std::int64_t position_of(std::int64_t start, std::int64_t token) {
  std::int64_t position = 0;
  if (__builtin_add_overflow(start, token, &position)) {
    refuse_text("positions must fit in 64 bits", std::to_string(start) + " + " + std::to_string(token));
  }
  return position;
}

std::uint32_t mask_index_of(std::uint32_t first, std::int64_t token) {
  if (token > std::numeric_limits<std::uint32_t>::max() - first) {
    refuse_text("tokens under dropout must have indices within 32 bits",
                std::to_string(first) + " + " + std::to_string(token));
  }
  return first + static_cast<std::uint32_t>(token);
}

}  // namespace

std::int64_t TextEncoder::read(const View& out) {
  require(check_output("text_encoder", "out", out));
  if (out.rank != 2 || out.size(0) == 0) {
    refuse_text("out must have shape [n, d] with n > 0",
                out.rank == 2 ? "n = 0" : "an output of " + std::to_string(out.rank) + " axes");
  }
  ids_.resize(static_cast<std::size_t>(out.size(0)));
  ids_.resize(reader_->read(ids_));
  const std::int64_t count = std::ssize(ids_);
  if (count == 0) return 0;

  View rows = out;
  rows.shape[0] = count;
  const ConstView ids = view(std::as_const(ids_).data(), {count});
  const Positions positions = Positions::range(position_of(options_.start, tokens_), count);
  const bool train = options_.mode == StageMode::train;
  const EncodeOptions options = {.mode = options_.mode,
                                 .call = options_.call,
                                 .first = train ? mask_index_of(options_.first, tokens_) : 0,
                                 .executor = options_.executor};
  if (auto problem = stage_->check_encode(ids, positions, rows, options)) {
    if (!problem->index.empty()) problem->index.back() += tokens_;
    throw Error(std::move(*problem));
  }
  require(stage_->encode_checked(ids, positions, rows, options));
  tokens_ += count;
  return count;
}

}  // namespace posenc::io
