// SPDX-License-Identifier: Apache-2.0
// Two texts through the embedded vocabulary and one self attention without trained projections.
#include <fmt/format.h>
#include <posenc/input_stage.h>
#include <posenc/preset.h>
#include <posenc/transformer/attention.h>

#include "apps/posenc/default/default.h"
#include "apps/posenc/encode/encoded.h"
#include "apps/posenc/order/order.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr AttentionOptions plain = {.score = Score::scaled_dot, .sight = Sight::all};

ConstView heads_of(const TextRows& rows) {  // one sequence, one head
  return view(rows.values.data(), {1, 1, std::ssize(rows.values) / rows.width, rows.width});
}

TextRows attend(const TextRows& rows) {
  TextRows out{std::vector<float>(rows.values.size()), rows.width};
  const ConstView in = heads_of(rows);
  attention(in, in, in, view(out.values.data(), {1, 1, in.size(2), rows.width}), plain);
  return out;
}

void weigh(const TextRows& rows, std::int64_t query, std::span<float> weights) {
  attention_weights(view(rows.row(query).data(), {1, 1, 1, rows.width}), heads_of(rows),
                    view(weights.data(), {1, 1, 1, std::ssize(weights)}), plain);
}

TextRows encode(const InputStage& stage, std::span<const std::int32_t> ids) {
  TextRows rows{std::vector<float>(ids.size() * default_width), default_width};
  stage.encode(view(ids.data(), {1, std::ssize(ids)}), Positions::range(0, std::ssize(ids)),
               view(rows.values.data(), {1, std::ssize(ids), default_width}));
  return rows;
}

}  // namespace

OrderFindings order_of_default(const OrderRequest& request) {
  const Default vocabulary = load_default();
  const Preset& paper = preset("transformer");
  const InputStage stage(view(vocabulary.rows.data(), {vocabulary.bpe.size(), default_width}), paper.convention,
                         {.scale = paper.stage.scale});
  OrderFindings findings{};
  findings.subject = fmt::format("the built-in rows, preset transformer, width {}", default_width);
  findings.rows = "output row";
  findings.explanation = fmt::format(
      "Self attention with one head and no trained projections: an output row is the mean of the text's own rows x,\n"
      "weighted by softmax(x . x' / √{}). The rows are tokens x √{}, without or with the position signal.\n",
      default_width, default_width);
  findings.map_words = "Self attention, one head, no projections";
  for (const int side : {0, 1}) {
    findings.ids[side] = vocabulary.bpe.encode(request.texts[static_cast<std::size_t>(side)]);
    for (const std::int32_t id : findings.ids[side])
      findings.labels[side].push_back(token_label(vocabulary.bpe.token(id)));
  }
  check_ids(findings.ids);
  TextRows in[2][2];  // without and with, of both texts
  TwoTexts texts{};
  for (const int side : {0, 1}) {
    texts.ids[side] = findings.ids[side];
    in[0][side] = {without_positions(vocabulary, findings.ids[side], stage.factor()), default_width};
    in[1][side] = encode(stage, findings.ids[side]);
    texts.without[side] = attend(in[0][side]);
    texts.with[side] = attend(in[1][side]);
  }
  findings.comparison = compare(texts);
  if (request.plot) {
    findings.maps = order_maps(findings, [&](Placed placed, int side, std::int64_t query, std::span<float> weights) {
      weigh(in[static_cast<int>(placed)][side], query, weights);
    });
  }
  return findings;
}

}  // namespace posenc::tool
