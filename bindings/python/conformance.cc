// SPDX-License-Identifier: Apache-2.0
// Test vectors of every preset, and the score card of answers.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <posenc/io/conformance_vectors.h>
#include <posenc/io/file.h>
#include <posenc/referee/referee.h>

#include <filesystem>

#include "bindings/python/apart.h"
#include "bindings/python/arrays.h"
#include "bindings/python/bind.h"

namespace posenc::python {
namespace {

constexpr std::string_view conformance = "conformance";

std::vector<std::string> cases_of(nb::handle names) {
  const std::vector<std::string> wanted = nb::cast<std::vector<std::string>>(names);
  return made_apart(nullptr, [wanted](const Executor&) {
    std::vector<ConformanceCase> cases;
    if (wanted.empty()) cases = conformance_cases().cases;
    for (const std::string& name : wanted) cases.push_back(conformance_case(name));
    std::vector<std::string> texts;
    for (const ConformanceCase& each : cases) texts.push_back(to_json(each));
    return texts;
  });
}

// The files of both names, whole or as they were.
std::vector<std::string> written(nb::handle folder) {
  const std::string path = text(conformance, "folder", folder);
  return made_apart(nullptr, [path](const Executor&) {
    const io::ConformanceVectors made = io::conformance_vectors();
    std::error_code error;
    std::filesystem::create_directory(path, error);
    if (error || !std::filesystem::is_directory(path)) {
      throw Error({std::string(conformance), "the folder must be one, or one that can be made", path});
    }
    const std::vector<std::string> names = {path + "/" + std::string(io::conformance_index_name),
                                            path + "/" + std::string(io::conformance_numbers_name)};
    io::write_file(names[1], made.numbers);
    io::write_file(names[0], std::as_bytes(std::span(made.index)));
    return names;
  });
}

// A case's name with an answer, or with a reason: "failed" or "not offered" before it.
struct Answer {
  std::string name;
  std::optional<Input> array;
  Answered answered;
  std::string reason;
};

constexpr std::string_view answered_words[] = {"scored", "failed", "not offered"};

// Of (name, array or None, "scored", "failed" or "not offered", reason).
std::pair<std::string, std::string> card_of(nb::handle answers) {
  const auto all = std::make_shared<std::vector<Answer>>();
  for (std::size_t i = 0; i < nb::len(answers); ++i) {
    const nb::object one = item_at(answers, i);
    const nb::object array = item_at(one, 1);
    Answer answer = {text(conformance, "case", item_at(one, 0)), std::nullopt,
                     word_of<Answered>(conformance, "answer", item_at(one, 2), answered_words),
                     text(conformance, "reason", item_at(one, 3))};
    if (!array.is_none()) answer.array = input(conformance, "the answer", array);
    all->push_back(std::move(answer));
  }
  return made_apart(all, [&all = *all](const Executor&) {
    ScoreCard card;
    for (const Answer& each : all) {
      const ConformanceCase of = conformance_case(each.name);
      card.lines.push_back(each.array ? scored_line(of, each.array->view)
                                      : unscored_line(of, each.answered, each.reason));
    }
    return std::pair(to_json(card), to_string(card));
  });
}

}  // namespace

void bind_conformance(nb::module_& module) {
  module.def("conformance_cases", &cases_of);
  module.def("conformance_write", &written);
  module.def("conformance_card", &card_of);
}

}  // namespace posenc::python
