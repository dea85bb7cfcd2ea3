// SPDX-License-Identifier: Apache-2.0
// posenc encode: texts to the tensor that the first block of a Transformer reads.
#include <fmt/format.h>
#include <posenc/file.h>
#include <posenc/npy.h>
#include <unistd.h>

#include "apps/posenc/encoded.h"
#include "apps/posenc/json.h"
#include "apps/posenc/numbers.h"
#include "apps/posenc/output.h"
#include "apps/posenc/picture.h"
#include "apps/posenc/problem.h"
#include "apps/posenc/screen.h"
#include "apps/posenc/words.h"

namespace posenc::tool {
namespace {

constexpr std::uint64_t text_limit = std::uint64_t{1} << 30;  // bytes of one text
constexpr std::int64_t shown_rows = 12, drawn_texts = 6;

struct EncodeRequest {
  Stage stage;
  std::vector<std::string> sources, texts;  ///< "--text" or the file, and what it holds
  Targets targets;
};

void read_texts(const Arguments& arguments, EncodeRequest& request) {
  for (const std::string& text : arguments.all("--text")) {
    request.sources.emplace_back("--text");
    request.texts.push_back(text);
  }
  bool stdin_read = false;
  for (const std::string& file : arguments.operands) {
    if (file == "-" && std::exchange(stdin_read, true)) {
      refuse(arguments.operation, "standard input must be named once", "- twice");
    }
    request.sources.push_back(file);
    request.texts.push_back(file == "-" ? io::read_descriptor(STDIN_FILENO, "standard input", text_limit)
                                        : io::read_file(file, text_limit));
  }
  if (request.texts.empty()) refuse(arguments.operation, "a text must be given: FILE, - or --text", "none");
}

void read_dropout(const Arguments& arguments, Stage& stage) {
  const std::optional<std::string> probability = arguments.find("--dropout"), seed = arguments.find("--seed");
  if (seed) stage.seed = parse_unsigned(arguments.operation, "--seed", *seed);
  if (!probability) return;
  stage.dropout = parse_real(arguments.operation, "--dropout", *probability);
  require(check_dropout_probability(arguments.operation, stage.dropout));
  if (!seed)
    refuse(arguments.operation, "--dropout must come with --seed, so that the result can be repeated", "no --seed");
}

EncodeRequest read_request(const Arguments& arguments) {
  const std::string_view operation = arguments.operation;
  const Choice choice = read_choice(arguments, "transformer");
  EncodeRequest request{stage_of(*choice.preset), {}, {}, read_targets(arguments)};
  request.stage.choice = choice;
  if (const auto dim = arguments.find("--dim"); dim && read_dim(arguments) != default_width) {
    refuse(operation, "--dim must be 512, the width of the embedded rows", *dim);
  }
  if (const auto scale = arguments.find("--scale")) request.stage.scale = parse_scale(operation, *scale);
  if (const auto axes = arguments.find("--axes")) request.stage.axes = parse_axes(operation, *axes);
  if (const auto start = arguments.find("--start")) {
    request.stage.start = parse_integer(operation, "--start", *start, INT64_MIN);
  }
  read_dropout(arguments, request.stage);
  read_texts(arguments, request);
  return request;
}

std::string dropout_words(const Stage& stage) {
  return stage.dropout == 0 ? "no dropout" : fmt::format("dropout {} with seed {}", stage.dropout, stage.seed);
}

std::string what(const EncodeRequest& request, const Encoded& encoded) {
  return fmt::format("f32 [{}], {}, {}, recipe {}, scale {}, {}", fmt::join(encoded.shape, ", "),
                     words(request.stage.axes), request.stage.choice.name, request.stage.choice.recipe.name,
                     words(request.stage.scale), dropout_words(request.stage));
}

std::string summary(const EncodeRequest& request, const Default& vocabulary, const Encoded& encoded) {
  const Stage& stage = request.stage;
  const Norms& norms = encoded.norms;
  std::string text = fmt::format("{}\npositions {} to {}, mean {:.6g}\n\n", what(request, encoded), stage.start,
                                 stage.start + encoded.length - 1, encoded.mean);
  text += fmt::format("mean norm of a row\n{:<26}{:>9.4g}\n{:<26}{:>9.4g}\n{:<26}{:>9.4g}\n{:<26}{:>9.4g}\n", "  token",
                      norms.token, fmt::format("  token x {:.6g}", encoded.factor), norms.scaled, "  position signal",
                      norms.signal, "  result", norms.output);
  for (std::int64_t b = 0; b < encoded.batch; ++b) {
    text +=
        fmt::format("\n{}\n{:>9} {:>6} {:>9}  {:<46}  {}\n", printable(request.sources[static_cast<std::size_t>(b)]),
                    "position", "id", "original", "first values of the row", "token");
    for (std::int64_t t = 0; t < std::min(encoded.length, shown_rows); ++t) {
      const std::span<const float> row = encoded.row(b, t);
      const std::int32_t id = encoded.id(b, t);
      text += fmt::format("{:>9} {:>6} {:>9}  {:>10.6f}, {:>10.6f}, {:>10.6f}, {:>10.6f}  {}\n", stage.start + t, id,
                          vocabulary.original_ids[static_cast<std::size_t>(id)], row[0], row[1], row[2], row[3],
                          token_words(vocabulary, id));
    }
    if (encoded.length > shown_rows) text += fmt::format("... and {} more\n", encoded.length - shown_rows);
  }
  return text;
}

std::string report(const EncodeRequest& request, const Default& vocabulary, const Encoded& encoded) {
  const Stage& stage = request.stage;
  Json texts = Json::array();
  for (std::int64_t b = 0; b < encoded.batch; ++b) {
    Json ids = Json::array(), originals = Json::array(), tokens = Json::array();
    for (std::int64_t t = 0; t < encoded.length; ++t) {
      const std::int32_t id = encoded.id(b, t);
      ids.push_back(id);
      originals.push_back(vocabulary.original_ids[static_cast<std::size_t>(id)]);
      tokens.push_back(printable(vocabulary.bpe.token(id)));
    }
    texts.push_back({{"source", request.sources[static_cast<std::size_t>(b)]},
                     {"ids", ids},
                     {"original_ids", originals},
                     {"tokens", tokens}});
  }
  const Json json = {{"operation", "encode"},
                     {"preset", stage.choice.name},
                     {"recipe", stage.choice.recipe.name},
                     {"dim", default_width},
                     {"dtype", "f32"},
                     {"shape", encoded.shape},
                     {"axes", words(stage.axes)},
                     {"start", stage.start},
                     {"scale", {{"name", words(stage.scale)}, {"factor", encoded.factor}}},
                     {"dropout", stage.dropout == 0 ? Json(nullptr) : Json{{"p", stage.dropout}, {"seed", stage.seed}}},
                     {"mean", encoded.mean},
                     {"norms", json_of(encoded.norms)},
                     {"texts", texts},
                     {"out", or_null(request.targets.out)},
                     {"plot", or_null(request.targets.plot)}};
  return one_line(json);
}

std::string draw_texts(const EncodeRequest& request, const Default& vocabulary, const Encoded& encoded) {
  Picture picture{fmt::format("Tokens with positions: {}, scale {}, recipe {}", request.stage.choice.name,
                              words(request.stage.scale), request.stage.choice.recipe.name),
                  {}};
  const Sample kept = sample(encoded.length, most_rows);
  for (std::int64_t b = 0; b < std::min(encoded.batch, drawn_texts); ++b) {
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < kept.count; ++i) {
      const std::int64_t t = i * kept.stride;
      names.push_back(kept.count <= named_rows ? token_label(vocabulary, encoded.id(b, t))
                                               : fmt::format("{}", request.stage.start + t));
    }
    const auto write = [&](std::int64_t r, std::span<float> row) {
      std::ranges::copy(encoded.row(b, r * kept.stride), row.begin());
    };
    const std::string axis = axis_name(kept.count <= named_rows ? "token" : "position", kept.stride);
    const std::string title = encoded.batch > 1 ? fmt::format("text {}", b) : "";
    picture.bands.push_back({"", {heatmap(title, axis, names, default_width, write)}});
  }
  return draw(picture, picture_format("encode", *request.targets.plot));
}

std::string run(const Arguments& arguments) {
  const EncodeRequest request = read_request(arguments);
  const Default vocabulary = load_default();
  const Encoded encoded = encode(arguments.operation, vocabulary, request.texts, request.stage);
  const std::string picture = request.targets.plot ? draw_texts(request, vocabulary, encoded) : "";
  if (request.targets.out) io::write_npy(*request.targets.out, encoded.view());
  if (request.targets.plot) io::write_file(*request.targets.plot, std::as_bytes(std::span(picture)));
  if (arguments.has("--json")) return report(request, vocabulary, encoded);
  note_targets(request.targets, what(request, encoded));
  return request.targets.out ? "" : summary(request, vocabulary, encoded);
}

constexpr Option options[] = {{"--text", "T", "a text; several of as many tokens make a batch", Takes::many},
                              {"--preset", "NAME", "a one-axis convention (transformer)"},
                              {"--dim", "D", "512, the width of the embedded rows"},
                              recipe_option,
                              {"--scale", "sqrt|none|NUMBER", "the factor of the embedding rows (the preset's)"},
                              {"--dropout", "P", "train: drop elements with this probability; needs --seed"},
                              {"--seed", "N", "of the dropout mask"},
                              {"--start", "N", "the first position (0)"},
                              {"--axes", "batch-first|sequence-first", "[B, L, d] or [L, B, d] (the preset's)"},
                              out_option,
                              plot_option};

}  // namespace

constinit const Verb encode_verb = {"encode",
                                    "text to the tensor that a Transformer's first block reads",
                                    "FILE... are texts as well; - is standard input.",
                                    "posenc encode --text 我爱你 --text 你爱我 --out x.npy",
                                    Operands::many,
                                    options,
                                    run};

}  // namespace posenc::tool
