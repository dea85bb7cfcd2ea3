// SPDX-License-Identifier: Apache-2.0
// The attention of a model's last layer as a picture: what it read for each token that it made.
#include <fmt/format.h>

#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/run/run.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// Weights [heads, queries, keys] of one sequence, of which the queries from `first` on are drawn.
struct Weights {
  std::vector<float> values;
  std::int64_t heads, queries, keys, first;

  Weights(std::int64_t all_heads, std::int64_t all_queries, std::int64_t all_keys, std::int64_t drawn_from)
      : heads(all_heads), queries(all_queries), keys(all_keys), first(drawn_from) {
    const std::int64_t bytes = bytes_of(run_verb.name, heads * queries, keys, DType::f32);
    check_memory(run_verb.name, bytes);
    values.resize(static_cast<std::size_t>(heads * queries * keys));
  }
  View view() { return posenc::view(values.data(), {1, heads, queries, keys}); }
  float at(std::int64_t head, std::int64_t query, std::int64_t key) const {
    return values[static_cast<std::size_t>((head * queries + first + query) * keys + key)];
  }
};

std::vector<float> rows_of(const TokenInput& input, std::span<const std::int64_t> ids) {
  std::vector<float> rows(ids.size() * static_cast<std::size_t>(input.stage.width()));
  input_rows(input, view(ids.data(), {1, std::ssize(ids)}), 0,
             view(rows.data(), {1, std::ssize(ids), input.stage.width()}));
  return rows;
}

// The rows of the source before its padding: of features, whose last columns may all be alike, those of the columns
// that differ from the last one and a row more.
std::int64_t valid_keys(const Run& run, std::int64_t keys) {
  const RunSource& source = run.sources[0];
  if (source.features == nullptr) return keys;
  const auto like_last = [&](std::int64_t column) {
    for (std::int64_t c = 0; c < source.channels; ++c) {
      const float* row = source.features + c * source.columns;
      if (row[column] != row[source.columns - 1]) return false;
    }
    return true;
  };
  std::int64_t valid = source.columns;
  while (valid > 1 && like_last(valid - 1)) --valid;
  return std::min(keys, (valid * keys + source.columns - 1) / source.columns + 1);
}

std::vector<std::string> key_names(const Run& run, std::int64_t keys) {
  std::vector<std::string> names;
  for (std::int64_t j = 0; j < keys; ++j) {
    names.push_back(run.sources[0].features != nullptr
                        ? fmt::format("{}", j)
                        : source_label(run.trained, run.sources[0].ids.ids[static_cast<std::size_t>(j)]));
  }
  return names;
}

// What each token made read of the source: queries are the token before it, and the end's is the last one.
Weights memory_weights_of(const Run& run) {
  const Transformer& model = run.trained.model.transformer();
  const ConstView source = run.sources[0].view();
  const std::int64_t keys = source_rows(model, source), width = source_width(model);
  std::vector<float> memory(static_cast<std::size_t>(keys * width));
  encode_source(model, source, {}, view(memory.data(), {1, keys, width}));
  std::vector<std::int64_t> ids = run.trained.description().decoding->prompt;
  const std::int64_t first = std::ssize(ids) - 1;
  const Decoded& decoded = run.results[0].decoded;
  ids.insert(ids.end(), decoded.ids.begin(), decoded.ids.end());
  if (!decoded.ended) ids.pop_back();
  const std::vector<float> rows = rows_of(*model.target, ids);
  const Decoder& decoder = *model.decoder;
  Weights weights(decoder.layers.back().cross_attention.heads, std::ssize(ids), keys, first);
  memory_weights(decoder, view(rows.data(), {1, std::ssize(ids), model.target->stage.width()}),
                 view(std::as_const(memory).data(), {1, keys, width}), {}, std::ssize(decoder.layers) - 1,
                 weights.view());
  return weights;
}

Weights encoder_weights_of(const Run& run) {
  const Transformer& model = run.trained.model.transformer();
  const auto& input = std::get<TokenInput>(model.source);
  const std::vector<std::int64_t>& ids = run.sources[0].ids.ids;
  const std::vector<float> rows = rows_of(input, ids);
  Weights weights(model.encoder.layers.back().attention.heads, std::ssize(ids), std::ssize(ids), 0);
  encoder_weights(model.encoder, view(rows.data(), {1, std::ssize(ids), input.stage.width()}), {},
                  std::ssize(model.encoder.layers) - 1, weights.view());
  return weights;
}

AttentionMap map_of(const Weights& weights, std::string title, std::span<const std::string> rows,
                    std::span<const std::string> columns, std::int64_t cells, std::optional<std::int64_t> head) {
  return attention_map(std::move(title), rows, columns, cells, [&](std::int64_t query, std::span<float> out) {
    for (std::int64_t j = 0; j < std::ssize(out); ++j) {
      double sum = 0;
      for (std::int64_t h = 0; h < weights.heads; ++h) sum += static_cast<double>(weights.at(h, query, j));
      out[static_cast<std::size_t>(j)] =
          head ? weights.at(*head, query, j) : static_cast<float>(sum / static_cast<double>(weights.heads));
    }
  });
}

}  // namespace

void check_picture(const Run& run) {
  if (run.sources.size() != 1 || run.sources[0].empty()) {
    refuse(run_verb.name, "--plot must come with one text",
           run.sources.size() == 1 ? "an empty one" : fmt::format("{}", run.sources.size()));
  }
  const bool text = run.trained.makes_text();
  const Transformer& model = run.trained.model.transformer();
  if (!text && run.sources[0].features != nullptr) {
    refuse(run_verb.name, "--plot must come with a model that reads or makes text", quote(run.request.model));
  }
  if (text ? model.decoder->layers.empty() : model.encoder.layers.empty()) {
    refuse(run_verb.name, "--plot must come with a model that has layers of attention", quote(run.request.model));
  }
  const std::int64_t heads =
      text ? model.decoder->layers.back().cross_attention.heads : model.encoder.layers.back().attention.heads;
  if (run.request.head && *run.request.head >= heads) {
    refuse(run_verb.name, fmt::format("--head must be mean or 0 to {}", heads - 1),
           fmt::format("{}", *run.request.head));
  }
}

std::string run_picture(const Run& run) {
  const bool text = run.trained.makes_text();
  const Weights weights = text ? memory_weights_of(run) : encoder_weights_of(run);
  const std::int64_t shown = valid_keys(run, weights.keys);
  const std::vector<std::string> columns = key_names(run, shown);
  std::vector<std::string> rows = columns;
  if (text) {
    rows.clear();
    for (const std::int64_t id : run.results[0].decoded.ids) rows.push_back(target_label(run.trained, id));
    if (run.results[0].decoded.ended)
      rows.push_back(target_label(run.trained, run.trained.description().decoding->end));
  }
  const RunRequest& request = run.request;
  const bool one = request.mean || request.head;
  const std::int64_t cells = most_cells(one ? 1 : weights.heads + 1);
  std::vector<AttentionMap> maps;
  const std::string mean = fmt::format("mean of {} heads", weights.heads);
  if (!request.head) maps.push_back(map_of(weights, mean, rows, columns, cells, std::nullopt));
  for (std::int64_t head = 0; head < weights.heads; ++head) {
    if (request.mean || (request.head && *request.head != head)) continue;
    maps.push_back(map_of(weights, fmt::format("head {}", head), rows, columns, cells, head));
  }
  const bool features = run.sources[0].features != nullptr;
  AttentionPicture picture{
      fmt::format("What {} reads, {} positions", quote(request.model),
                  request.placed == Placed::with ? "with" : "without"),
      {text ? "The last layer's attention to the source. A row says what was read when its token was made; it sums to 1"
            : "The last layer's self attention. A row says how much its token reads of each token; it sums to 1"},
      text ? "token made" : "token that reads",
      features ? "row of the source"
      : text   ? "token of the source"
               : "token that is read",
      std::move(maps)};
  if (shown < weights.keys) {
    picture.captions.push_back(
        fmt::format("The source has {} rows; those from {} on are padding and not drawn", weights.keys, shown));
  }
  return draw(picture, picture_format(run_verb.name, *request.targets.plot));
}

}  // namespace posenc::tool
