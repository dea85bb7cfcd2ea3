// SPDX-License-Identifier: Apache-2.0
// The referee: which convention this is, whether it is the same as that, and if not, why. All its words, and what they
// find as JSON, which alone needs posenc::spec: the words are posenc::posenc.
// Thread safety: all functions are safe to call from any thread.
#pragma once

#include <posenc/referee/compare.h>
#include <posenc/referee/conformance.h>
#include <posenc/referee/diagnose.h>
#include <posenc/referee/explain.h>
#include <posenc/referee/head_order.h>
#include <posenc/referee/identify.h>
#include <posenc/referee/table_order.h>

namespace posenc {

/// One line of JSON that states every field by its name. A convention is a document of version 2 (spec.h), a type its
/// name, bits are hexadecimal text. What is not there is null, as is a number that is not finite. Later versions may
/// add keys.
/// "identified" says besides whether there is a candidate.
POSENC_EXPORT std::string to_json(const Identification& identification);
POSENC_EXPORT std::string to_json(const Diagnosis& diagnosis);
POSENC_EXPORT std::string to_json(const Comparison& comparison);
/// Values under a recipe are "under_recipe" of each entry.
POSENC_EXPORT std::string to_json(const Explanation& explanation);
POSENC_EXPORT std::string to_json(const Parting& parting);

/// What a case asks for, as docs/conformance.md describes it; keys that a case has no use for are left out.
POSENC_EXPORT std::string to_json(const ConformanceCase& of);
/// "cases", the list of all; "without", those that have none.
POSENC_EXPORT std::string to_json(const ConformanceCases& cases);
/// "case", "operation", "result", "reason"; "places", those of the answer and of the case; and the fields of the score.
POSENC_EXPORT std::string to_json(const CardLine& line);
/// "cases", a list of lines; "counts", how many there are of each result.
POSENC_EXPORT std::string to_json(const ScoreCard& card);

}  // namespace posenc
