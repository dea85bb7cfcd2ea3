// SPDX-License-Identifier: Apache-2.0
// The answer of a verb that has made numbers: a report, an excerpt, or the files that it wrote.
#pragma once

#include <functional>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/request.h"

namespace posenc::tool {

struct Answer {
  std::string words;                   ///< "f32 [2, 512] (position, column), transformer, recipe exact"
  std::vector<JsonMember> report;      ///< what --json says between the convention and the files
  std::function<std::string()> shown;  ///< the text of a call that names no file
  std::vector<std::string> notes = {};
};

/// The report under --json; the text where the call names no file; else a note for each file that was written, before
/// the others.
Said said_of(const Answer& answer, const Arguments& arguments, const Choice& choice, const Targets& targets);

}  // namespace posenc::tool
