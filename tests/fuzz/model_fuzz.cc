// SPDX-License-Identifier: Apache-2.0
// Any bytes as a model.json: refused with a problem, or a description whose statements agree with each other.
#include <posenc/io/model.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace posenc;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const std::optional<Problem> problem = io::check_model(text)) {
    if (problem->message().size() > 600) std::abort();
    return 0;
  }
  const io::ModelDescription model = io::parse_model(text);
  if (model.target.has_value() != model.decoder.has_value()) std::abort();
  if (model.encoder.heads % model.encoder.key_heads != 0) std::abort();
  if (!model.parts.contains("encoder.{layer}.attention.out.weight")) std::abort();
  if (model.parts.contains("output.weight") != model.decoder.has_value()) std::abort();
  return 0;
}
