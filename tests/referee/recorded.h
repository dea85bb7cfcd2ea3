// SPDX-License-Identifier: Apache-2.0
// Recorded answers of the referee: tests/referee/answers.json.gz has what identify, check, compare and explain said of
// each case when it was last recorded (./dev answers), so that a change of an answer is a change of a line.
#pragma once

#include <string>

namespace posenc::test {

/// Fails where `answer`, a text of JSON, differs from the one recorded under `name`, and says in which fields. Numbers,
/// those in texts too, are equal within 2^-20 of the larger one: fits end in the last digits of their arithmetic. With
/// POSENC_RECORD=FOLDER in the environment nothing is compared, and the answer is appended to a file in FOLDER.
void expect_recorded(const std::string& name, const std::string& answer);

/// Fails where the digest of an answer differs, of a case that may not be looked at while writing: it prints no field.
void expect_recorded_digest(const std::string& name, const std::string& answer);

/// The running test without the name of its instance, and how many names it had before: "Traps.Layouts/3".
std::string next_case();

/// The answer that is recorded under a name; nullptr where none is.
const std::string* recorded_answer(const std::string& name);

/// "/candidates/0/width: 64, not 32": what differs between an answer and the recorded one, a line each.
std::string differences_of_json(const std::string& answer, const std::string& recorded);

}  // namespace posenc::test
