// SPDX-License-Identifier: Apache-2.0
// posenc run: a trained model on texts or features.
#include "apps/posenc/run/run.h"

#include <fmt/format.h>
#include <posenc/io/npy.h>

#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/encode/texts.h"
#include "apps/posenc/picture/picture.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

void read_head(const Arguments& arguments, RunRequest& request) {
  const std::optional<std::string> text = arguments.find("--head");
  if (!text) return;
  if (!request.targets.plot) refuse(run_verb.name, "--head must come with --plot", quote(*text));
  request.mean = *text == "mean";
  if (request.mean) return;
  if (number_form(*text) != NumberForm::integer) refuse(run_verb.name, "--head must be mean or a number", quote(*text));
  request.head = parse_integer(run_verb.name, "--head", *text, 0);
}

// It names a missing text as well.
void refuse_without_model(const Arguments& arguments) {
  std::vector<std::string> all = {"--model"};
  const bool texts = !arguments.operands.empty() || arguments.has("--file") || arguments.has("--features");
  if (!texts) all.emplace_back("a text (or --file or --features)");
  require_given(arguments, all);
}

RunRequest read_run_request(const Arguments& arguments) {
  RunRequest request;
  if (!arguments.has("--model")) refuse_without_model(arguments);
  request.model = arguments.get("--model");
  if (arguments.has("--without-positions")) request.placed = Placed::without;
  if (const auto beams = arguments.find("--beam")) {
    request.beams = parse_integer(run_verb.name, "--beam", *beams, 1, 1024);
  }
  if (arguments.has("--allow-unknown")) request.unknown = Unknown::taken;
  request.targets = read_targets(arguments);
  read_head(arguments, request);
  request.json = arguments.has("--json");
  request.threads = read_threads(arguments);
  request.sentences = read_sentences(arguments);
  request.features = arguments.all("--features");
  if (request.sentences.empty() && request.features.empty()) {
    refuse(run_verb.name, "a text must be given, or --file or --features", "none");
  }
  if (!request.sentences.empty() && !request.features.empty()) {
    refuse(run_verb.name, "texts or --features must be given", "both");
  }
  std::vector<NamedFile> inputs = input_files(arguments);
  for (const std::string& path : request.features) inputs.push_back({"--features", path});
  check_apart(run_verb.name, named_files(arguments, {"--out", "--plot"}), inputs);
  return request;
}

// The vectors, one a row.
io::FileWriter& write_vectors(std::optional<TensorTarget>& target, const Run& run) {
  const std::int64_t width = source_width(run.trained.model.transformer());
  target.emplace(*run.request.targets.out,
                 Contents{.first = {"vectors", DType::f32, {std::ssize(run.results), width}}});
  for (const RunResult& result : run.results) target->write(view(result.vector.data(), {1, width}));
  return target->finish();
}

Said run(const Arguments& arguments) {
  RunRequest request = read_run_request(arguments);
  Trained trained = read_trained(run_verb.name, request.model, request.placed);
  Run run{std::move(request), std::move(trained), {}, {}, {}};
  const Targets& targets = run.request.targets;
  if (targets.out && run.trained.makes_text()) {
    refuse(run_verb.name, "--out must come with a model that makes vectors; text goes to standard output",
           quote(targets.out->title()));
  }
  if (arguments.has("--beam") && !run.trained.makes_text()) {
    refuse(run_verb.name, "--beam must come with a model that makes text", quote(run.request.model));
  }
  read_sources(run);
  if (targets.plot) check_picture(run);
  work(run);
  Files plot;
  if (targets.plot) prepare(plot, *targets.plot, run_picture(run), targets.writing);
  std::optional<TensorTarget> target;
  commit(plot, targets.out ? &write_vectors(target, run) : nullptr);
  const bool to_standard_output = targets.out && targets.out->standard_output();
  Said said{run.request.json ? run_json(run) : to_standard_output ? "" : run_screen(run), run_notes(run)};
  if (run.sources.size() > 1) said.notes.push_back(speed_words(run.tokens(), std::ssize(run.sources), run.seconds));
  if (targets.plot && *targets.plot != standard_stream) {
    said.notes.push_back(fmt::format("{}: a picture of the attention", *targets.plot));
  }
  return said;
}

constexpr Option run_options[] = {
    model_option,
    file_option,
    {json_lines_option.name, json_lines_option.value, "every line of --file is a JSON object, its KEY a text"},
    {"--features", "X.npy", "features [channels, columns] or several of them, instead of texts", Takes::many},
    {"--beam", "N", "hypotheses that the search keeps (1: the likeliest token at every step)"},
    {"--allow-unknown", "", "what the model does not know becomes its unknown token, with a note", Takes::nothing},
    {"--without-positions", "", "leave out all that tells the model where a token stands", Takes::nothing},
    {out_option.name, out_option.value, "the vectors of a model that makes no text; - is standard output"},
    format_option,
    {plot_option.name, plot_option.value, "a picture of the last layer's attention, for one text; - in the terminal"},
    {"--head", "mean|N", "the picture has one head, or the mean of all, instead of each"},
    threads_option,
    no_sync_option};

}  // namespace

constinit const Verb run_verb = {"run",
                                 "a trained model on texts or features",
                                 "TEXT...",
                                 "are texts; the lines of --file are texts as well.",
                                 "posenc run --model models/annalog 'CC(=O)Oc1ccccc1C(=O)O' --plot attention.svg",
                                 Operands::many,
                                 run_options,
                                 run};

}  // namespace posenc::tool
