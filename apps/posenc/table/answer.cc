// SPDX-License-Identifier: Apache-2.0
// The parts of an answer that all verbs of numbers share.
#include "apps/posenc/table/answer.h"

#include <posenc/spec/spec.h>

#include <algorithm>

namespace posenc::tool {

Said said_of(const Answer& answer, const Arguments& arguments, const Choice& choice, const Targets& targets) {
  if (arguments.has("--json")) {
    std::vector<JsonMember> json = {{"operation", arguments.operation},
                                    {"name", choice.name},
                                    {"convention", json_document(to_json(choice.convention))}};
    json.insert(json.end(), answer.report.begin(), answer.report.end());
    json.push_back({"out", or_null(targets.out)});
    const std::span<const Option> options = find_verb(arguments.operation)->options;
    const bool draws = std::ranges::find(options, plot_option.name, &Option::name) != options.end();
    if (draws) json.push_back({"plot", or_null(targets.plot)});
    return {one_line(json_object(json)), answer.notes};
  }
  if (targets.none()) return {answer.shown(), answer.notes};
  return {"", all_notes({target_notes(targets, answer.words), answer.notes})};
}

}  // namespace posenc::tool
