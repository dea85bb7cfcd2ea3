// SPDX-License-Identifier: Apache-2.0
// Every key of the configuration class of every model type, turned: sweep.json holds which of them change the positions
// that transformers computes, as sweep.py records it. Then the answer changes too, or the file is refused; and it stays
// where theirs does. sweep_exceptions.json lists what does not hold, with reasons; an entry that nothing needs fails.
#include <posenc/spec/inspect.h>

#include <map>
#include <set>

#include "src/base/json_write.h"
#include "tests/inspect/configurations.h"

namespace posenc {
namespace {

const std::filesystem::path& sweep_folder() {
  static const auto path = std::filesystem::path(POSENC_SOURCE_DIR) / "tests/inspect";
  return path;
}

/// The answer of inspect, or the problem of a file that it refuses.
struct Answer {
  std::vector<ModelPart> parts;
  std::vector<std::int64_t> regimes;
  std::string problem;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer answer_of(ModelPositions found) {
  for (ModelPart& part : found.parts) {
    for (PositionRole& role : part.roles) role.preset.clear();
  }
  return {std::move(found.parts), std::move(found.regimes), {}};
}

Answer answer_of(const std::string& text) {
  if (const auto problem = check_inspect(text)) return {{}, {}, problem->message()};
  return answer_of(inspect(text));
}

/// Keys and what they are turned to; "attn_config/alibi" is the object attn_config with that key.
using Turned = std::map<std::string, std::string>;

std::string with_turned(const JsonTree& base, const Turned& turned) {
  Turned all;
  for (const auto& [key, value] : base.members()) all[key] = json_text(value);
  for (const auto& [path, value] : turned) all[path.substr(0, path.find('/'))] = value;
  std::string text;
  for (const auto& [key, value] : all) text += (text.empty() ? "" : ", ") + json_string(key) + ": " + value;
  return "{" + text + "}";
}

/// A case of the sweep: "llama", or "llama yarn".
struct SweepCase {
  std::string name, type;
  const JsonTree& base;
  Turned changes, same;
};

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::istringstream all{std::string(text)};
  for (std::string word; all >> word;) words.push_back(word);
  return words;
}

std::vector<SweepCase> cases_of(const JsonTree& document) {
  const JsonTree& shared = *document.find("usual");
  std::vector<SweepCase> cases;
  for (const auto& [name, held] : document.members()) {
    if (name == "usual") continue;
    SweepCase one = {name, name.substr(0, name.find(' ')), *held.find("base"), {}, {}};
    for (const auto& [key, value] : held.find("changes")->members()) one.changes[key] = json_text(value);
    for (const auto& [key, value] : held.find("same")->members()) one.same[key] = json_text(value);
    for (const std::string& key : words_in(held.find("as_usual")->text())) one.same[key] = json_text(*shared.find(key));
    cases.push_back(std::move(one));
  }
  return cases;
}

/// Keys that are excepted, by the name of a case, or "*" for all; and those that were needed.
class Exceptions {
 public:
  explicit Exceptions(const JsonTree& list) {
    for (const auto& [name, keys] : list.members()) {
      for (const auto& [key, reason] : keys.members()) {
        EXPECT_GE(reason.text().size(), 8u) << name << " " << key;
        entries_[name + " " + key] = false;
      }
    }
  }

  bool lists(const SweepCase& one, const std::string& key) const {
    return entries_.contains(one.name + " " + key) || entries_.contains("* " + key);
  }

  /// Expects that it is listed.
  void use(const SweepCase& one, const std::string& key, const std::string& what) {
    const std::string name = entries_.contains(one.name + " " + key) ? one.name : "*";
    const auto entry = entries_.find(name + " " + key);
    if (entry == entries_.end()) {
      ADD_FAILURE() << one.name << ": " << key << " turned to " << what;
    } else {
      entry->second = true;
    }
  }

  void expect_all_needed() const {
    for (const auto& [name, needed] : entries_) EXPECT_TRUE(needed) << name << " is excepted, and holds";
  }

 private:
  std::map<std::string, bool> entries_;
};

struct Sweep {
  const JsonTree document = tree_of(text_of(sweep_folder() / "sweep.json"));
  const JsonTree excepted = tree_of(text_of(sweep_folder() / "sweep_exceptions.json"));
  const std::vector<SweepCase> cases = cases_of(document);
};

TEST(Sweep, AKeyThatChangesPositionsChangesTheAnswer) {
  const Sweep sweep;
  Exceptions exceptions(*sweep.excepted.find("changes"));
  std::size_t turned = 0;
  for (const SweepCase& one : sweep.cases) {
    const Answer base = answer_of(with_turned(one.base, {}));
    EXPECT_EQ(base.problem, "") << one.name;
    for (const auto& [key, value] : one.changes) {
      ++turned;
      const Answer answer = answer_of(with_turned(one.base, {{key, value}}));
      if (answer.problem.empty() && answer == base) exceptions.use(one, key, value + ", and the answer is the same");
    }
  }
  exceptions.expect_all_needed();
  EXPECT_GE(turned, 900u);
}

void expect_left(const SweepCase& one, const std::string& key, const Answer& base, Exceptions& exceptions) {
  const std::string& value = one.same.at(key);
  const Answer answer = answer_of(with_turned(one.base, {{key, value}}));
  if (answer != base) exceptions.use(one, key, value + ", and the answer is another " + answer.problem);
}

// Keys of objects and those that are excepted one at a time, the others at once, and alone where the answer is another.
TEST(Sweep, AKeyThatChangesNoPositionLeavesTheAnswer) {
  const Sweep sweep;
  Exceptions exceptions(*sweep.excepted.find("same"));
  std::size_t turned = 0;
  for (const SweepCase& one : sweep.cases) {
    const Answer base = answer_of(with_turned(one.base, {}));
    Turned together;
    for (const auto& [key, value] : one.same) {
      ++turned;
      if (key.find('/') == key.npos && !exceptions.lists(one, key)) {
        together[key] = value;
      } else {
        expect_left(one, key, base, exceptions);
      }
    }
    if (answer_of(with_turned(one.base, together)) == base) continue;
    for (const auto& [key, value] : together) expect_left(one, key, base, exceptions);
  }
  exceptions.expect_all_needed();
  EXPECT_GE(turned, 3000u);
}

/// Keys that change the positions of some type, each with what it was turned to there.
Turned keys_that_change(const Sweep& sweep) {
  Turned keys;
  for (const SweepCase& one : sweep.cases) {
    for (const auto& [key, value] : one.changes) {
      if (key.find('/') == key.npos) keys.emplace(key, value);
    }
  }
  return keys;
}

bool has_key(const SweepCase& one, const std::string& key) {
  return one.base.find(key) != nullptr || one.changes.contains(key) || one.same.contains(key);
}

/// Tells whether the notes list these keys as not read and the answer equals that without them.
bool leaves_and_says(const ModelPositions& found, const Turned& keys, const Answer& base) {
  const auto is_said = [&](const auto& turned) {
    return std::ranges::find(found.unread, turned.first) != found.unread.end();
  };
  return std::ranges::all_of(keys, is_said) && answer_of(found) == base;
}

// A key of another class is refused, or said to be not read: those that no exception lists at once, and alone where
// that does not hold.
TEST(Sweep, AKeyThatTheClassLacksLeavesTheAnswerAndIsSaid) {
  const Sweep sweep;
  Exceptions exceptions(*sweep.excepted.find("foreign"));
  const Turned foreign = keys_that_change(sweep);
  std::size_t turned = 0;
  for (const SweepCase& one : sweep.cases) {
    if (one.name != one.type) continue;
    const Answer base = answer_of(with_turned(one.base, {}));
    Turned together, alone;
    for (const auto& [key, value] : foreign) {
      if (!has_key(one, key)) (exceptions.lists(one, key) ? alone : together)[key] = value;
    }
    turned += together.size() + alone.size();
    const std::string text = with_turned(one.base, together);
    if (check_inspect(text) || !leaves_and_says(inspect(text), together, base)) alone.merge(together);
    for (const auto& [key, value] : alone) {
      const std::string own = with_turned(one.base, {{key, value}});
      if (check_inspect(own) || leaves_and_says(inspect(own), {{key, value}}, base)) continue;
      exceptions.use(one, key, value + ", which the class lacks, and nothing says that it is not read");
    }
  }
  exceptions.expect_all_needed();
  EXPECT_GE(turned, 5000u);
}

// A model of several, of which nothing is asked but its parts.
bool is_of_parts(std::string_view type) {
  const auto problem = check_inspect("{\"model_type\": " + json_string(type) + "}");
  return problem && problem->rule.starts_with("one of /") && problem->rule.ends_with("must be stated");
}

TEST(Sweep, EveryModelTypeIsTurned) {
  const Sweep sweep;
  std::set<std::string> held;
  for (const SweepCase& one : sweep.cases) held.insert(one.type);
  for (const auto& [type, reason] : sweep.excepted.find("types")->members()) {
    EXPECT_FALSE(held.contains(type)) << type;
    held.insert(type);
  }
  for (const std::string_view type : model_types()) {
    EXPECT_TRUE(held.contains(std::string(type)) || is_of_parts(type)) << type;
  }
}

}  // namespace
}  // namespace posenc
