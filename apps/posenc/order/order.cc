// SPDX-License-Identifier: Apache-2.0
// posenc order: what attention sees of two texts, without positions and with them.
#include "apps/posenc/order/order.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/targets.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
namespace {

OrderRequest read_request(const Arguments& arguments) {
  OrderRequest request;
  const std::vector<Sentence> sentences = read_sentences(arguments);
  for (const Sentence& sentence : sentences) {
    if (sentence.text.empty()) refuse(order_verb.name, "a text must not be empty", sentence.place());
    request.texts.push_back(sentence.text);
  }
  if (request.texts.size() != 2) {
    refuse(order_verb.name, "there must be two texts, to compare them",
           request.texts.empty()       ? "none"
           : request.texts.size() == 1 ? "one: " + quote(request.texts[0])
                                       : fmt::format("{}", request.texts.size()));
  }
  if (request.texts[0] == request.texts[1]) {
    refuse(order_verb.name, "the two texts must differ", quote(request.texts[0]) + " twice");
  }
  request.model = arguments.find("--model");
  request.plot = arguments.find("--plot");
  request.json = arguments.has("--json");
  check_plot(arguments);
  check_apart(order_verb.name, named_files(arguments, {"--plot"}), input_files(arguments));
  return request;
}

Said run_order(const Arguments& arguments) {
  const OrderRequest request = read_request(arguments);
  const OrderFindings findings = request.model ? order_of_model(request) : order_of_default(request);
  Said said{request.json ? order_json(request, findings) : order_screen(request, findings)};
  if (request.plot) {
    Files files;
    prepare(files, *request.plot, order_picture(request, findings), write_options());
    commit(files);
    if (*request.plot != standard_stream) {
      said.notes.push_back(fmt::format("{}: a picture of the weights", *request.plot));
    }
  }
  return said;
}

constexpr Option order_options[] = {
    file_option,
    {"--model", "DIR", "a trained model that reads both texts, instead of the built-in rows"},
    {plot_option.name, plot_option.value, "a picture of who attends to whom, four times; - in the terminal"}};

}  // namespace

void check_ids(const std::vector<std::int32_t> (&ids)[2]) {
  for (const auto& text : ids) {
    if (std::ssize(text) > most_order_tokens) {
      refuse(order_verb.name, fmt::format("a text must have at most {} tokens", most_order_tokens),
             fmt::format("{}", text.size()));
    }
  }
  if (ids[0] == ids[1]) refuse(order_verb.name, "the two texts must be other tokens, or in another order", "the same");
  if (std::ranges::find_first_of(ids[0], ids[1]) == ids[0].end()) {
    refuse(order_verb.name, "the two texts must have a token in common, to compare its rows", "none");
  }
}

constinit const Verb order_verb = {"order",
                                   "what attention sees of two texts, without positions and with them",
                                   "TEXT TEXT",
                                   "are the two texts; the lines of --file are texts as well.",
                                   "posenc order 'the dog bit the man' 'the man bit the dog' --plot order.svg",
                                   Operands::many,
                                   order_options,
                                   run_order,
                                   nullptr,
                                   "its answer goes to standard output, as JSON with --json; --plot writes a picture"};

}  // namespace posenc::tool
