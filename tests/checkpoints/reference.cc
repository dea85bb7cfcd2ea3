// SPDX-License-Identifier: Apache-2.0
// References from their files, and the few calls that make a sequence's numbers.
#include "tests/checkpoints/reference.h"

#include <posenc/spec/spec.h>
#include <posenc/text/tokenizer_json.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace posenc::checkpoints {
namespace {

template <class T>
std::vector<T> read(const io::Safetensors& file, const std::string& name) {
  const std::vector<io::StoredTensor>& all = file.header().tensors;
  const auto named = [&](const io::StoredTensor& tensor) { return tensor.name == name; };
  if (std::ranges::none_of(all, named)) return {};
  const io::Array array = file.read(name);
  const auto* data = reinterpret_cast<const T*>(array.data.data());
  return {data, data + array.data.size() / sizeof(T)};
}

/// Keeps the logits of every step.
DecodingWatch into(std::vector<float>& steps) {
  return [&](const DecodingStep& step) {
    const auto* row = static_cast<const float*>(step.logits.data);
    for (std::int64_t i = 0; i < step.logits.size(-1); ++i) steps.push_back(row[i * step.logits.stride(-1)]);
  };
}

/// The view of a memory [L, d] as one sequence.
ConstView one_sequence(const Transformer& model, const std::vector<float>& memory) {
  const std::int64_t width = source_width(model);
  return view(memory.data(), {1, std::ssize(memory) / width, width});
}

}  // namespace

std::string folder() { return POSENC_CHECKPOINTS; }

std::vector<Case> reference(const std::string& name) {
  const std::string path = folder() + "/references/" + name;
  const auto cases = nlohmann::json::parse(io::read_file(path + ".json", io::json_byte_limit));
  const io::Safetensors file(path + ".safetensors");
  std::vector<Case> out;
  for (const auto& each : cases) {
    const std::string at = std::to_string(out.size()) + ".";
    out.push_back({each.at("source"), each.at("text"), each.at("ended"), each.value("strays", 0.0),
                   read<std::int64_t>(file, at + "source"), read<std::int64_t>(file, at + "ids"),
                   read<float>(file, at + "memory"), read<float>(file, at + "logits"), read<float>(file, at + "exact"),
                   read<float>(file, at + "vector")});
  }
  return out;
}

double difference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double each = std::abs(double{a[i]} - double{b[i]});
    largest = std::isnan(each) ? std::numeric_limits<double>::infinity() : std::max(largest, each);
  }
  return largest;
}

io::Tokenizer tokenizer(const std::string& model, const io::TextDescription& text) {
  const std::string path = model_folder(model) + "/" + text.file.value();
  if (text.tokenizer == "bpe") return io::read_tokenizer_json(path).bpe;
  return io::Chars(io::read_vocabulary(path));
}

Ids ids_of(const io::Tokenizer& tokenizer, const io::TextDescription& text, const std::string& source) {
  std::vector<std::int32_t> found;
  io::Unknowns unknowns;
  io::encode_prefix(tokenizer, source, io::Rest::none, found, unknowns);
  Ids ids;
  if (text.begin) ids.push_back(*text.begin);
  ids.insert(ids.end(), found.begin(), found.end());
  if (text.end) ids.push_back(*text.end);
  return ids;
}

std::string text_of(const io::Tokenizer& tokenizer, const Ids& ids) {
  std::string text;
  for (const std::int64_t id : ids) text += io::token(tokenizer, static_cast<std::int32_t>(id));
  return text;
}

std::vector<float> memory_of(const Transformer& model, const Ids& ids) {
  const auto length = static_cast<std::int64_t>(ids.size());
  const std::int64_t width = source_width(model);
  std::vector<float> memory(static_cast<std::size_t>(length * width));
  encode_source(model, view(ids.data(), {1, length}), std::nullopt, view(memory.data(), {1, length, width}));
  return memory;
}

std::vector<float> logits_of(const Transformer& model, const std::vector<float>& memory,
                             std::span<const std::int64_t> ids) {
  const auto steps = static_cast<std::int64_t>(ids.size()), tokens = model.output->weight.size(0);
  std::vector<float> out(static_cast<std::size_t>(steps * tokens));
  logits(model, one_sequence(model, memory), std::nullopt, view(ids.data(), {1, steps}),
         view(out.data(), {1, steps, tokens}));
  return out;
}

DecodingOptions decoding_of(const io::DecodingDescription& decoding, std::int64_t source_ids) {
  DecodingOptions options = {decoding.prompt, decoding.end, io::longest_output(decoding.longest, source_ids)};
  options.suppressed = decoding.suppressed;
  options.suppressed_first = decoding.suppressed_first;
  return options;
}

Output output_of(const Transformer& model, const ConstView& source, const DecodingOptions& options) {
  std::vector<float> steps;
  const std::vector<Decoded> decoded = generate(model, source, std::nullopt, options, into(steps));
  return {decoded.at(0).ids, decoded[0].ended, std::move(steps)};
}

Output output_from(const Transformer& model, const std::vector<float>& memory, const DecodingOptions& options) {
  std::vector<float> steps;
  const std::vector<Decoded> decoded =
      generate_from_memory(model, one_sequence(model, memory), std::nullopt, options, into(steps));
  return {decoded.at(0).ids, decoded[0].ended, std::move(steps)};
}

Ids made(const Case& each, std::size_t prompt) {
  return {each.ids.begin() + static_cast<std::ptrdiff_t>(prompt), each.ids.end() - (each.ended ? 1 : 0)};
}

}  // namespace posenc::checkpoints
