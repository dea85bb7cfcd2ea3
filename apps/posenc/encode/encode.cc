// SPDX-License-Identifier: Apache-2.0
// posenc encode: texts to the tensor that the first block of a Transformer reads.
#include <chrono>

#include "apps/posenc/cli/output.h"
#include "apps/posenc/encode/encode_report.h"

namespace posenc::tool {
namespace {

Said run_encode(const Arguments& arguments) {
  const EncodeRequest request = read_encode_request(arguments);
  Tokens tokens = make_tokens(request.tokens, request.texts.inputs);
  const Weights weights = read_weights(arguments, tokens);
  Files others;
  if (const auto& path = request.tokens.save_vocab) {
    prepare(others, *path, io::vocabulary_bytes(*vocabulary_of(tokens.get())), request.targets.writing);
  }
  const auto began = std::chrono::steady_clock::now();
  const Result result = [&] {
    if (!needs_batch(request)) return encode_stream(request, tokens.get(), weights, others);
    Batch batch = read_batch(request, tokens.get());
    if (const auto& path = request.targets.plot) {
      prepare(others, *path, draw_batch(request, batch, tokens.get(), weights), request.targets.writing);
    }
    Result encoded = encode_batch(request, batch, weights, others);
    encoded.ends = std::move(batch.ends);
    return encoded;
  }();
  Said said{"", token_notes(tokens, result)};
  if (request.texts.sequences == TextSequences::lines) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    said.notes.push_back(speed_words(result.ends.back(), std::ssize(result.ends), took.count()));
  }
  if (request.json) {
    said.text = report(request, tokens, weights, result);
    return said;
  }
  if (!request.targets.out) said.text = summary(request, tokens, result);
  if (request.show) said.text += (said.text.empty() ? "" : "\n") + heatmap_lines(request, result);
  for (std::string& words : target_notes(request.targets, what(request, result))) {
    said.notes.push_back(std::move(words));
  }
  return said;
}

constexpr Option encode_options[] = {
    {text_option.name, text_option.value, "a text; several of as many tokens make a batch", Takes::many},
    tokens_option,
    vocab_option,
    save_vocab_option,
    vocab_size_option,
    weights_option,
    init_option,
    {"--dim", "D", "the width of a row: needed with --init, else that of the rows"},
    {lines_option.name, "", "every line is a text of a padded batch [B, L, d]", Takes::nothing},
    json_lines_option,
    {max_length_option.name, max_length_option.value, "most tokens of a text; with --lines, the length L"},
    truncate_option,
    {"--preset", "NAME", "a one-axis convention (transformer)", Takes::one, preset_choices},
    spec_option,
    config_option,
    set_option,
    recipe_option,
    ladder_option,
    table_option,
    {dtype_option.name, dtype_option.value, "of the rows and the result (that of the rows)", Takes::one, dtype_choices},
    {"--scale", "sqrt|none|NUMBER", "the factor of the embedding rows (the preset's)"},
    {"--dropout", "P", "train: drop elements with this probability; needs --seed"},
    {"--seed", "N", "of the dropout mask and of --init"},
    {"--start", "N", "the first position (0)"},
    {"--positions", "A:B[:S]|LIST|FILE.npy", "of the tokens, one each or more, instead of --start"},
    {"--axes", "batch-first|sequence-first", "[B, L, d] or [L, B, d] (the preset's)"},
    out_option,
    format_option,
    plot_option,
    {"--show", "", "a small heatmap of the first rows on the terminal", Takes::nothing},
    threads_option,
    no_sync_option};

}  // namespace

constinit const Verb encode_verb = {"encode",
                                    "text to the tensor that a Transformer's first block reads",
                                    "FILE...",
                                    "are texts as well; - is standard input.",
                                    "posenc encode --text 我爱你 --text 你爱我 --out x.npy",
                                    Operands::many,
                                    encode_options,
                                    run_encode};

}  // namespace posenc::tool
