// SPDX-License-Identifier: Apache-2.0
// Embedding rows from where the command line says.
#include "apps/posenc/encode/weights.h"

#include <fmt/format.h>
#include <posenc/embedding.h>

#include "apps/posenc/cli/letter_case.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/rounded.h"
#include "apps/posenc/cli/source.h"
#include "apps/posenc/cli/words.h"
#include "apps/posenc/default/default.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

io::Array read_rows(std::string_view option, std::string_view what, const std::string& text) {
  io::Array rows = read_source(encode_verb.name, option, text).array;
  if (!is_real(rows.dtype) || rows.shape.size() != 2 || rows.shape[0] == 0 || rows.shape[1] == 0) {
    refuse(encode_verb.name,
           fmt::format("{} must be rows [{}, d] of f32, f64, f16 or bf16, neither of them 0", option, what),
           fmt::format("{} {}", quote(text), shape_words(rows)));
  }
  return rows;
}

Weights from_file(const std::string& text) {
  const bool built_in = in_lower_case(text) == built_in_rows && (text == built_in_rows || !names_file(text));
  if (built_in) return {std::string(built_in_rows), built_in_array(load_default())};
  return {text, read_rows("--weights", "vocabulary", text)};
}

// The signal of --table, of the rows' width and, unless --dtype makes them so, of their type.
void read_table(const Arguments& arguments, Weights& weights) {
  const std::optional<std::string> text = arguments.find("--table");
  if (!text) return;
  weights.table = read_rows("--table", "positions", *text);
  const bool converted = arguments.has("--dtype");
  if (weights.table->shape[1] == weights.width() && (converted || weights.table->dtype == weights.rows.dtype)) return;
  refuse(encode_verb.name, "--table must have the width and the type of the rows, or --dtype give both a type",
         fmt::format("{} {} and {}", quote(*text), shape_words(*weights.table), shape_words(weights.rows)));
}

void convert_rows(const Arguments& arguments, Weights& weights) {
  if (!arguments.has("--dtype")) return;
  const DType type = read_dtype(arguments);
  weights.rows = rounded_to(type, std::move(weights.rows));
  if (weights.table) weights.table = rounded_to(type, std::move(*weights.table));
}

Weights from_seed(const Arguments& arguments, const std::string& word, const Tokens& tokens) {
  if (word != "normal" && word != "scaled") refuse(encode_verb.name, "--init must be normal or scaled", quote(word));
  if (!arguments.has("--seed")) refuse(encode_verb.name, "--init must come with --seed", "no --seed");
  if (!tokens.tokenizer) refuse(encode_verb.name, "--tokens ids with --init must come with --vocab-size", "none");
  const std::int64_t count = io::size(tokens.get());
  const std::int64_t width = parse_integer(encode_verb.name, "--dim", arguments.get("--dim"), 1);
  const std::int64_t bytes = bytes_of(encode_verb.name, count, width, DType::f32);
  check_memory(encode_verb.name, bytes);
  Weights weights{word, {DType::f32, {count, width}, std::vector<std::byte>(static_cast<std::size_t>(bytes))}};
  const View rows{weights.rows.data.data(), DType::f32, 2, {count, width}, {width, 1}};
  seeded_rows(rows, parse_unsigned(encode_verb.name, "--seed", arguments.get("--seed")), 0,
              word == "normal" ? RowInit::normal : RowInit::scaled);
  return weights;
}

Weights chosen(const Arguments& arguments, Tokens& tokens) {
  const std::optional<std::string> file = arguments.find("--weights"), init = arguments.find("--init");
  if (file && init) {
    refuse(encode_verb.name, "one of --weights and --init must be given", quote(*file) + " and " + quote(*init));
  }
  if (init) return from_seed(arguments, *init, tokens);
  if (file) return from_file(*file);
  if (tokens.rows) return {"built in", *std::exchange(tokens.rows, std::nullopt)};
  refuse(encode_verb.name, "--weights or --init must be given; those of the built-in bpe are --weights built-in",
         "neither");
}

}  // namespace

Weights read_weights(const Arguments& arguments, Tokens& tokens) {
  Weights weights = chosen(arguments, tokens);
  tokens.rows.reset();
  read_table(arguments, weights);
  convert_rows(arguments, weights);
  if (const auto dim = arguments.find("--dim")) {
    const std::int64_t width = parse_integer(encode_verb.name, "--dim", *dim, 1);
    if (width != weights.width()) {
      refuse(encode_verb.name, fmt::format("--dim must be {}, the width of the rows", weights.width()), *dim);
    }
  }
  if (!tokens.tokenizer) {
    if (weights.count() > INT32_MAX) {
      refuse(encode_verb.name, "--weights must have at most 2^31 - 1 rows", fmt::format("{}", weights.count()));
    }
    tokens.tokenizer = io::Ids(static_cast<std::int32_t>(weights.count()));
  }
  const std::int64_t size = io::size(tokens.get());
  // Checkpoints fill their rows up to a round number; a vocabulary file of one's own has as many as it has.
  const bool may_be_more =
      std::holds_alternative<io::Bpe>(tokens.get()) || std::holds_alternative<io::SentencePiece>(tokens.get());
  if (weights.count() < size || (weights.count() > size && !may_be_more)) {
    refuse(encode_verb.name, fmt::format("there must be {} row for each token", may_be_more ? "at least one" : "one"),
           fmt::format("{} tokens ({}) and {} rows ({})", size, quote(tokens.source), weights.count(),
                       quote(weights.source)));
  }
  return weights;
}

}  // namespace posenc::tool
