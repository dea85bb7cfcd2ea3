// SPDX-License-Identifier: Apache-2.0
// What posenc order finds out, and how it tells it.
#pragma once

#include <functional>

#include "apps/posenc/order/order_rows.h"
#include "apps/posenc/picture/attention_picture.h"
#include "apps/posenc/run/texts.h"
#include "apps/posenc/run/trained.h"

namespace posenc::tool {

/// A text has at most this many tokens: every row of a token is compared with every row of it in the other text.
inline constexpr std::int64_t most_order_tokens = 4096;

/// Weights of a picture that are farther apart differ, and are marked. Sums of f32 round to 1e-6 and less, which texts
/// of the same tokens show without positions; a trained model magnifies that some ten times. What positions do to a
/// short text of the built-in rows begins at 1e-3, since a token attends to itself by more than 0.99 there.
inline constexpr float least_difference = 1e-4F;

struct OrderRequest {
  std::vector<std::string> texts;  ///< two
  std::optional<std::string> model, plot;
  bool json = false;
};

/// What a model makes of both texts.
struct OrderOutputs {
  std::string without[2], with[2];  ///< as text
  std::vector<std::int64_t> ids_without[2], ids_with[2];
};

struct OrderFindings {
  std::string subject;      ///< whose attention it is: "preset transformer, width 512"
  std::string rows;         ///< what the rows are: "output row"
  std::string explanation;  ///< lines for the screen
  std::vector<std::int32_t> ids[2];
  std::vector<std::string> labels[2];  ///< of the tokens, fit for the screen
  Comparison comparison;
  std::vector<AttentionMap> maps;  ///< where a picture is asked for: both texts without positions, then with
  std::string map_words;           ///< what the maps show
  std::optional<OrderOutputs> outputs = {};
};

/// Refuses too many ids, the same ids twice, and texts that share none.
void check_ids(const std::vector<std::int32_t> (&ids)[2]);

/// Self attention over the rows of the embedded default.
OrderFindings order_of_default(const OrderRequest& request);

/// The encoder's rows, and the outputs, of request.model.
OrderFindings order_of_model(const OrderRequest& request);

/// Four maps of `write(without or with, text, query, weights)`. Those of the second text stand in the first one's order
/// of tokens, beside which they are drawn, with the weights marked that differ.
std::vector<AttentionMap> order_maps(const OrderFindings& findings,
                                     const std::function<void(Placed, int, std::int64_t, std::span<float>)>& write);
std::string order_picture(const OrderRequest& request, const OrderFindings& findings);

std::string order_screen(const OrderRequest& request, const OrderFindings& findings);
std::string order_json(const OrderRequest& request, const OrderFindings& findings);

}  // namespace posenc::tool
