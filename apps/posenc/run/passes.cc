// SPDX-License-Identifier: Apache-2.0
// Encoder and decoder of one source, with a look at every number between them and the caller.
#include "apps/posenc/run/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// Where the first number stands that is not finite; the size where all are.
std::int64_t first_strange(std::span<const float> values) {
  return std::ranges::find_if_not(values, [](float value) { return std::isfinite(value); }) - values.begin();
}

std::span<const float> values_of(const ConstView& logits) {  // rows next to each other, as decoding gives them
  return {static_cast<const float*>(logits.data), static_cast<std::size_t>(logits.count())};
}

void check_vocabulary(const Trained& trained, const Decoded& decoded, const std::string& place) {
  if (!trained.target) return;
  const std::int64_t size = io::size(*trained.target);
  const auto lacking = std::ranges::find_if(decoded.ids, [&](std::int64_t id) { return id >= size; });
  if (lacking == decoded.ids.end()) return;
  refuse(trained.operation,
         fmt::format("every token that the model makes must be one of its vocabulary, 0 to {}", size - 1),
         fmt::format("{} in the output of {}, by the model {}", *lacking, place, quote(trained.folder)));
}

}  // namespace

std::vector<float> encoder_rows(const Trained& trained, const ConstView& source, const std::string& place) {
  const Transformer& model = trained.model.transformer();
  const std::int64_t count = source_rows(model, source), width = source_width(model);
  if (count == 0) refuse(trained.operation, "a source must be long enough for a row of the encoder", place);
  check_memory(trained.operation, bytes_of(trained.operation, count, width, DType::f32));
  std::vector<float> rows(static_cast<std::size_t>(count * width));
  encode_source(model, source, {}, view(rows.data(), {1, count, width}));
  if (const std::int64_t at = first_strange(rows); at < std::ssize(rows)) {
    refuse(trained.operation, "the encoder's rows must be finite",
           fmt::format("{} in row {} of {}, by the model {}", rows[static_cast<std::size_t>(at)], at / width, place,
                       quote(trained.folder)));
  }
  return rows;
}

Decoded make_tokens(const Trained& trained, std::span<const float> memory, const DecodingOptions& options,
                    const std::string& place, const DecodingWatch& watch) {
  const Transformer& model = trained.model.transformer();
  const std::int64_t width = source_width(model);
  std::string strange;  // a watch does not throw
  const auto look = [&](const DecodingStep& step) {
    const std::span<const float> logits = values_of(step.logits);
    if (const std::int64_t at = first_strange(logits); strange.empty() && at < std::ssize(logits)) {
      strange = fmt::format("{} for token {} after {} tokens", logits[static_cast<std::size_t>(at)],
                            at % step.logits.size(-1), step.made);
    }
    if (watch) watch(step);
  };
  Decoded decoded =
      generate_from_memory(model, view(memory.data(), {1, std::ssize(memory) / width, width}), {}, options, look)[0];
  if (!strange.empty()) {
    refuse(trained.operation, "the logits must be finite",
           fmt::format("{} of {}, by the model {}", strange, place, quote(trained.folder)));
  }
  check_vocabulary(trained, decoded, place);
  return decoded;
}

}  // namespace posenc::tool
