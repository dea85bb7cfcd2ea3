// SPDX-License-Identifier: Apache-2.0
// posenc completion: a script for a shell, which asks `posenc complete WORDS...` what the last word may be. The answers
// are read where they stand: in verbs and options, presets, recipes, types and the fields of conventions.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/letter_case.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/completion/scripts.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// A candidate that asks the shell for names of files in its place.
constexpr std::string_view any_file = "/";

struct Script {
  std::string_view shell;
  std::string_view (*text)();
};
constexpr Script scripts[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

// The option of that name, where it has a value.
const Option* valued(const Verb& verb, std::string_view name) {
  const auto found = std::ranges::find(verb.options, name, &Option::name);
  return found == verb.options.end() || found->takes == Takes::nothing ? nullptr : &*found;
}

// The option in whose place the next operand stands; empty: it is a word of its own.
std::string_view option_in_place(Operands operands, const Arguments& said) {
  const bool preset = operands == Operands::preset || operands == Operands::preset_and_other;
  if (preset && !names_convention(said)) return "--preset";
  const bool other =
      operands == Operands::preset_and_other || (operands == Operands::file_and_other && !said.operands.empty());
  return other || preset ? "--against" : "";
}

// The words between the verb and the one that is typed; `open` has its value to come.
struct Before {
  Arguments said;
  const Option* open = nullptr;
};

Before read_before(const Verb& verb, std::span<const std::string> words) {
  Before before{{verb.name, {}, {}}};
  const auto say = [&](const Option& option, std::string_view value) {
    before.said.values[std::string(option.name)].emplace_back(value);
  };
  for (const std::string_view word : words) {
    const std::size_t sign = word.find('=');
    const Option* option = valued(verb, word.substr(0, sign));
    if (before.open != nullptr) {
      say(*std::exchange(before.open, nullptr), word);
    } else if (option != nullptr && sign != word.npos) {
      say(*option, word.substr(sign + 1));
    } else if (option != nullptr) {
      before.open = option;
    } else if (!word.starts_with('-')) {
      const std::string_view option_of_word = option_in_place(verb.operands, before.said);
      if (option_of_word.empty()) {
        before.said.operands.emplace_back(word);
      } else {
        before.said.values[std::string(option_of_word)].emplace_back(word);
      }
    }
  }
  return before;
}

// Whether a word of no option may follow.
bool takes_operand(const Verb& verb, const Arguments& said) {
  switch (verb.operands) {
    case Operands::none: return false;
    case Operands::preset: return !names_convention(said);
    case Operands::preset_and_other:
    case Operands::file_and_other: return !said.has("--against");
    case Operands::one: return said.operands.empty();
    case Operands::many: return true;
  }
  return false;
}

// What a value may be, by its list and by its placeholder: "sqrt|none|NUMBER" has two words, "X.npy|X.safetensors" and
// "FILE[:TENSOR]" are files, "D" is neither.
std::vector<std::string> values(Choices choices, std::string_view placeholder, const Arguments& said,
                                std::string_view typed) {
  std::vector<std::string> all = choices == nullptr ? std::vector<std::string>() : choices(said);
  const auto is_begun = [&](const std::string& word) { return word.ends_with(':') && typed.starts_with(word); };
  const bool file = std::erase_if(all, is_begun) > 0 || takes_file(placeholder);
  std::ranges::move(placeholder_words(placeholder), std::back_inserter(all));
  if (file) all.emplace_back(any_file);
  return all;
}

// The candidates that go on from `typed`, which stands after `start`, up to the next =; one a line.
std::string lines(std::string_view start, std::string_view typed, std::span<const std::string> candidates) {
  std::string text, last;
  for (const std::string& each : candidates) {
    std::string line(any_file);
    if (each != any_file) {
      if (!each.starts_with(typed)) continue;
      const std::size_t sign = std::min(each.find('=', typed.size()), each.size() - 1);
      line = fmt::format("{}{}", start, each.substr(0, sign + 1));
    }
    if (line != last) text += line + "\n";
    last = std::move(line);
  }
  return text;
}

std::string candidates(const Verb& verb, std::span<const std::string> words, std::string_view typed) {
  const Before before = read_before(verb, words);
  const std::size_t sign = typed.find('=');
  if (before.open != nullptr)
    return lines("", typed, values(before.open->choices, before.open->value, before.said, typed));
  if (const Option* option = valued(verb, typed.substr(0, sign)); option != nullptr && sign != typed.npos) {
    const std::string_view value = typed.substr(sign + 1);
    return lines(typed.substr(0, sign + 1), value, values(option->choices, option->value, before.said, value));
  }
  if (!takes_operand(verb, before.said) || typed.starts_with('-')) return lines("", typed, option_names(verb));
  return lines("", typed, values(verb.operand_choices, verb.operand_words, before.said, typed));
}

std::vector<std::string> shells(const Arguments&) {
  std::vector<std::string> names;
  for (const Script& script : scripts) names.emplace_back(script.shell);
  return names;
}

Said run_completion(const Arguments& arguments) {
  const std::string shell = arguments.operands.empty() ? "" : arguments.operands[0];
  const auto found = std::ranges::find(scripts, shell, &Script::shell);
  if (found == std::end(scripts)) {
    refuse(arguments.operation, fmt::format("the shell must be {}", either(shells(arguments))),
           arguments.operands.empty() ? "none" : quote(shell));
  }
  if (!arguments.has("--json")) return {std::string(found->text())};
  return {one_line({{"operation", "completion"}, {"shell", found->shell}, {"script", found->text()}})};
}

}  // namespace

Said complete(std::span<const std::string> words) {
  const std::string typed = words.empty() ? "" : words.back();
  if (words.size() < 2) return {lines("", typed, first_words())};
  if (words.front() == "help" && words.size() == 2) {
    std::vector<std::string> names;
    for (const Verb* verb : verbs()) names.emplace_back(verb->name);
    return {lines("", typed, names)};
  }
  const Verb* verb = find_verb(words.front());
  if (verb == nullptr) return {};
  try {
    return {candidates(*verb, words.subspan(1, words.size() - 2), typed)};
  } catch (const Error&) {
    return {};  // what stands before is refused, and so is what follows
  }
}

constinit const Verb completion_verb = {"completion",
                                        "a script that completes words of posenc in a shell",
                                        "SHELL",
                                        "is the one that reads the script.",
                                        "source <(posenc completion bash)",
                                        Operands::one,
                                        {},
                                        run_completion,
                                        shells};

}  // namespace posenc::tool
