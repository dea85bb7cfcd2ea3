// SPDX-License-Identifier: Apache-2.0
// Two texts through a trained model, with its positions and without any.
#include <fmt/format.h>

#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/order/order.h"
#include "apps/posenc/run/passes.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

ConstView one_sequence(const std::vector<std::int64_t>& ids) { return view(ids.data(), {1, std::ssize(ids)}); }

std::string place_of(int side) { return fmt::format("text {}", side + 1); }

TextRows rows_of(const Trained& trained, const std::vector<std::int64_t>& ids, int side) {
  return {encoder_rows(trained, one_sequence(ids), place_of(side)), source_width(trained.model.transformer())};
}

// Mean over the heads of the last layer: [tokens, tokens].
std::vector<float> mean_weights(const Transformer& model, const std::vector<std::int64_t>& ids) {
  const auto& input = std::get<TokenInput>(model.source);
  const std::int64_t tokens = std::ssize(ids), width = input.stage.width();
  const std::int64_t heads = model.encoder.layers.back().attention.heads;
  check_memory(order_verb.name, bytes_of(order_verb.name, heads * tokens, tokens, DType::f32));
  std::vector<float> rows(static_cast<std::size_t>(tokens * width));
  input_rows(input, one_sequence(ids), 0, view(rows.data(), {1, tokens, width}));
  std::vector<float> all(static_cast<std::size_t>(heads * tokens * tokens)), mean(all.size() / heads);
  encoder_weights(model.encoder, view(std::as_const(rows).data(), {1, tokens, width}), {},
                  std::ssize(model.encoder.layers) - 1, view(all.data(), {1, heads, tokens, tokens}));
  for (std::size_t i = 0; i < all.size(); ++i) mean[i % mean.size()] += all[i] / static_cast<float>(heads);
  return mean;
}

std::string subject_of(const Trained& trained) {
  const io::ModelDescription& description = trained.description();
  const std::int64_t layers = description.encoder.layers;
  return fmt::format("the model {}, {} encoder {} of {} heads, width {}", quote(trained.folder), layers,
                     layers == 1 ? "layer" : "layers", description.encoder.heads,
                     source_width(trained.model.transformer()));
}

void generate_output(const Trained& trained, const TextRows& rows, int side, std::string& text,
                     std::vector<std::int64_t>& made) {
  const DecodingOptions options = decoding_options(trained, std::ssize(rows.values) / rows.width, 1);
  made = make_tokens(trained, rows.values, options, place_of(side)).ids;
  text = target_text(trained, made);
}

}  // namespace

OrderFindings order_of_model(const OrderRequest& request) {
  const Trained models[] = {read_trained(order_verb.name, *request.model, Placed::without),
                            read_trained(order_verb.name, *request.model, Placed::with)};
  OrderFindings findings{};
  findings.subject = subject_of(models[1]);
  findings.rows = "encoder row";
  findings.explanation =
      "The rows that the encoder makes of each text, once with the model's own positions and once with none: no "
      "signal\n"
      "added to the rows, nothing inside attention that depends on places.\n";
  findings.map_words = "Attention of the last encoder layer, mean of its heads";
  std::vector<std::int64_t> ids[2];
  TwoTexts texts{};
  for (const int side : {0, 1}) {
    const SourceIds source =
        source_ids(models[1], request.texts[static_cast<std::size_t>(side)], place_of(side), Unknown::refused);
    ids[side] = source.ids;
    findings.ids[side].assign(source.ids.begin(), source.ids.end());
    for (const std::int64_t id : source.ids) findings.labels[side].push_back(source_label(models[1], id));
    texts.ids[side] = findings.ids[side];
  }
  check_ids(findings.ids);
  for (const int side : {0, 1}) {
    texts.without[side] = rows_of(models[0], ids[side], side);
    texts.with[side] = rows_of(models[1], ids[side], side);
  }
  findings.comparison = compare(texts);
  if (models[1].makes_text()) {
    OrderOutputs& outputs = findings.outputs.emplace();
    for (const int side : {0, 1}) {
      generate_output(models[0], texts.without[side], side, outputs.without[side], outputs.ids_without[side]);
      generate_output(models[1], texts.with[side], side, outputs.with[side], outputs.ids_with[side]);
    }
  }
  if (!request.plot) return findings;
  if (models[1].model.transformer().encoder.layers.empty()) {
    refuse(order_verb.name, "--plot must come with a model whose encoder has layers", quote(*request.model));
  }
  std::vector<float> weights[2][2];
  for (const int placed : {0, 1}) {
    for (const int side : {0, 1}) weights[placed][side] = mean_weights(models[placed].model.transformer(), ids[side]);
  }
  findings.maps = order_maps(findings, [&](Placed placed, int side, std::int64_t query, std::span<float> out) {
    const std::vector<float>& from = weights[static_cast<int>(placed)][side];
    std::copy_n(from.begin() + query * std::ssize(out), out.size(), out.begin());
  });
  return findings;
}

}  // namespace posenc::tool
