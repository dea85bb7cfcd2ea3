// SPDX-License-Identifier: Apache-2.0
// What the values of a model's description must be, for documents and for descriptions that a program made.
#pragma once

#include <posenc/io/model.h>

#include "src/spec/json/json_text.h"

namespace posenc::io {

/// Throws unless all but `parts` is as docs/models.md says; messages name a value by its pointer in model.json.
void require_rules(const ModelDescription& model, const JsonSource& source);
/// The same for `parts`, of a model that keeps the rules above: every part of its form is there, and no other.
void require_part_rules(const ModelDescription& model, const JsonSource& source);

}  // namespace posenc::io
