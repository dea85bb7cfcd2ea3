// SPDX-License-Identifier: Apache-2.0
// The command line: from words to the verb and its arguments, and every misuse to one line of text.
#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/letter_case.h"
#include "apps/posenc/cli/nearest.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/words.h"
#include "apps/posenc/terminal/screen.h"

#include <fmt/format.h>
#include <posenc/version.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <limits>

namespace posenc::tool {
namespace {

constexpr Option json_option = {"--json", "", "the report as JSON on standard output", Takes::nothing};

// CLI11 would take the next word for the value of "--dim=". A text that reads like this is given as --text=TEXT.
void check_equals_signs(const Verb& verb, std::span<const Option> options, std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") return;
    for (const Option& option : options) {
      const std::string start = fmt::format("{}=", option.name);
      if (option.takes == Takes::nothing && word.starts_with(start)) {
        refuse(verb.name, fmt::format("{} must have no value", option.name), quote(word));
      }
      if (word == start) refuse(verb.name, fmt::format("{} must have a value", option.name), quote(word));
    }
  }
}

std::unique_ptr<CLI::App> declare(const Verb& verb, std::span<const Option> options) {
  const bool bare = verb.operand_words.empty();
  auto app = std::make_unique<CLI::App>(  // the name begins the usage
      std::string(verb.summary),
      bare ? fmt::format("posenc {}", verb.name) : fmt::format("posenc {} [{}]", verb.name, verb.operand_words));
  app->set_help_flag("-h,--help", "this text");
  app->allow_extras();
  app->footer(bare ? fmt::format("Example: {}", verb.example)
                   : fmt::format("{} {}\nExample: {}", verb.operand_words, verb.operand_help, verb.example));
  for (const Option& option : options) {
    const std::string name(option.name), help(option.help);
    if (option.takes == Takes::nothing) {
      app->add_flag(name, help)->disable_flag_override();
    } else {  // the values are read from results(), which CLI11 leaves as they were typed
      app->add_option(
             name, [](const CLI::results_t&) { return true; }, help)
          ->type_name(std::string(option.value))
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  return app;
}

// Suggests an option for one that only other tools have, or says why the verb has none.
std::string option_words(const Verb& verb, std::string_view option) {
  const std::vector<std::string> names = option_names(verb);
  const bool output = stands_for(option, "--out") && std::ranges::find(names, "--out") == names.end();
  if (output) return fmt::format(" ({})", verb.output);
  const std::string nearest = nearest_option(option, names);
  const bool of_texts = verb.operand_words.starts_with("TEXT");
  if (nearest.empty() && of_texts && stands_for(option, "--max-length")) return " (texts are taken whole)";
  return nearest;
}

std::size_t most_operands(Operands operands) {
  switch (operands) {
    case Operands::none: return 0;
    case Operands::preset:
    case Operands::one: return 1;
    case Operands::preset_and_other:
    case Operands::file_and_other: return 2;
    case Operands::many: break;
  }
  return std::numeric_limits<std::size_t>::max();
}

std::vector<std::string> check_operands(const Verb& verb, std::vector<std::string> words) {
  const auto end_of_options = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != end_of_options; ++word) {
    if (word->size() < 2 || word->front() != '-' || is_standard_input(*word)) continue;
    const std::string_view name = std::string_view(*word).substr(0, word->find('='));
    refuse(verb.name, fmt::format("options must be those of posenc {} --help{}", verb.name, option_words(verb, name)),
           quote(*word));
  }
  if (end_of_options != words.end()) words.erase(end_of_options);
  if (const std::size_t most = most_operands(verb.operands); words.size() > most) {
    constexpr std::string_view rules[] = {"every word must be an option or its value", "there must be at most one name",
                                          "there must be at most two names"};
    refuse(verb.name, std::string(rules[most]), quote(words[most]));
  }
  return words;
}

// The last operand becomes the value of the option in whose place it stands.
void name_last(Arguments& arguments, std::string_view option, std::string_view rule) {
  const std::string name = arguments.operands.back();
  if (const auto stated = arguments.find(option)) {
    refuse(arguments.operation, std::string(rule), quote(name) + " and " + quote(*stated));
  }
  arguments.values[std::string(option)] = {name};
  arguments.operands.pop_back();
}

// Stores operands as the values of the options that they replace.
void name_operands(Arguments& arguments, Operands operands) {
  const bool two = operands == Operands::preset_and_other || operands == Operands::file_and_other;
  if (two && arguments.operands.size() == 2) {
    name_last(arguments, "--against", "the other convention must be given once, as the second word or by --against");
  }
  const bool preset = operands == Operands::preset || operands == Operands::preset_and_other;
  if (preset && arguments.operands.size() == 1) {
    name_last(arguments, "--preset", "a preset must be given once, as the first word or by --preset");
  }
}

// Normalizes the case of an option's values to that of its listed words. The words of --set depend on earlier settings.
std::vector<std::string> in_any_case(const Option& option, const Arguments& said, std::vector<std::string> values) {
  const bool setting = option.value.find('=') != option.value.npos;
  std::vector<std::string> words = placeholder_words(option.value);
  if (option.choices != nullptr && !setting) std::ranges::move(option.choices(said), std::back_inserter(words));
  for (std::string& value : values) {
    if (takes_file(option.value) && names_file(value)) continue;
    value = setting && option.choices != nullptr ? setting_in_lower_case(value) : in_listed_case(value, words);
  }
  return values;
}

// Normalizes the case of operands.
void read_operands_in_any_case(const Verb& verb, Arguments& arguments) {
  if (verb.operand_choices == nullptr) return;
  Arguments before = {verb.name, {}, {}};
  for (std::string& operand : arguments.operands) {
    const bool file = takes_file(verb.operand_words) && names_file(operand);
    if (!file) operand = in_listed_case(operand, verb.operand_choices(before));
    before.operands.push_back(operand);
  }
}

Arguments collect(const Verb& verb, std::span<const Option> options, const CLI::App& app) {
  Arguments arguments{verb.name, {}, check_operands(verb, app.remaining())};
  for (const Option& option : options) {
    const std::vector<std::string>& values = app.get_option(std::string(option.name))->results();
    if (values.empty()) continue;
    if (option.takes == Takes::one && values.size() > 1) {
      refuse(verb.name, fmt::format("{} must be given once", option.name),
             quote(values[0]) + " and " + quote(values[1]));
    }
    arguments.values.emplace(option.name, in_any_case(option, arguments, values));
  }
  read_operands_in_any_case(verb, arguments);
  name_operands(arguments, verb.operands);
  return arguments;
}

// A stream is read to its end by whoever comes first.
void check_standard_input(const Verb& verb, std::span<const Option> options, const Arguments& arguments) {
  constexpr std::string_view files = "FILE";  // what the placeholders of files hold
  std::vector<std::string> readers;
  for (const Option& option : options) {
    if (option.value.find(files) == option.value.npos) continue;
    for (const std::string& value : arguments.all(option.name)) {
      if (is_standard_input(value)) readers.push_back(fmt::format("{} {}", option.name, value));
    }
  }
  std::string_view placeholder, left = verb.operand_words;
  for (const std::string& operand : arguments.operands) {  // the last placeholder stands for all that follow
    if (!left.empty()) placeholder = left.substr(0, left.find(' '));
    left.remove_prefix(std::min(left.size(), placeholder.size() + 1));
    if (placeholder.find(files) != placeholder.npos && is_standard_input(operand)) readers.push_back(operand);
  }
  if (readers.size() < 2) return;
  refuse(verb.name, "standard input must be named once", fmt::format("{} and {}", readers[0], readers[1]));
}

Said call_verb(const Verb& verb, std::span<const std::string> words) {
  const std::vector<Option> options = all_options(verb);
  check_equals_signs(verb, options, words);
  const std::unique_ptr<CLI::App> app = declare(verb, options);
  try {
    app->parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 reads from the back
  } catch (const CLI::CallForHelp&) {
    return {app->help()};
  } catch (const CLI::ArgumentMismatch&) {
    refuse(verb.name, fmt::format("{} must have a value", words.back()), "none");
  } catch (const CLI::ParseError& error) {
    refuse(verb.name, "words must follow --help", error.what());
  }
  const Arguments arguments = collect(verb, options, *app);
  check_standard_input(verb, options, arguments);
  return verb.run(arguments);
}

// "a, b, c": the last one behind a word of its own.
std::string joined(std::span<const std::string> names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? last : ", ", names[i]);
  }
  return text;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) names.emplace_back(verb->name);
  return names;
}

// posenc help VERB is posenc VERB --help.
Said help_of(std::string_view program, const std::string& word) {
  if (const Verb* verb = find_verb(word)) return {declare(*verb, all_options(*verb))->help()};
  refuse(program, fmt::format("help must be of a verb of posenc --help{}", nearest_words(word, verb_names())),
         quote(word));
}

std::string overview() {
  std::string text = fmt::format("posenc: {}\n\n", tool_summary);
  for (const Verb* verb : verbs()) text += fmt::format("  posenc {:<10}  {}\n", verb->name, verb->summary);
  return text + fmt::format("\n{}\n", tool_help);
}

}  // namespace

const Verb* find_verb(std::string_view name) {
  const auto found = std::ranges::find(verbs(), in_lower_case(name), [](const Verb* verb) { return verb->name; });
  return found == verbs().end() ? nullptr : *found;
}

std::vector<Option> all_options(const Verb& verb) {
  std::vector<Option> options(verb.options.begin(), verb.options.end());
  options.push_back(json_option);
  return options;
}

std::optional<std::string> Arguments::find(std::string_view name) const {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  return found->second.front();
}

std::string Arguments::get(std::string_view name) const {
  if (std::optional<std::string> value = find(name)) return *value;
  refuse(operation, fmt::format("{} must be given", name), "none");
}

std::vector<std::string> Arguments::all(std::string_view name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::vector<std::string>{} : found->second;
}

std::vector<std::string> first_words() {
  std::vector<std::string> words = verb_names();
  words.insert(words.begin(), {"--help", "--version"});
  return words;
}

std::vector<std::string> option_names(const Verb& verb) {
  std::vector<std::string> names;
  const std::unique_ptr<CLI::App> app = declare(verb, all_options(verb));
  for (const CLI::Option* option : app->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string either(std::span<const std::string> names) { return joined(names, " or "); }

std::vector<std::string> all_notes(std::initializer_list<std::vector<std::string>> parts) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<std::string> missing(const Arguments& arguments, std::initializer_list<std::string_view> options) {
  std::vector<std::string> names;
  for (const std::string_view option : options) {
    if (!arguments.has(option)) names.emplace_back(option);
  }
  return names;
}

void require_given(const Arguments& arguments, std::span<const std::string> missing) {
  if (missing.empty()) return;
  refuse(arguments.operation, fmt::format("{} must be given", joined(missing, " and ")), "none");
}

Said dispatch(std::span<const std::string> words) {
  constexpr std::string_view program = "posenc";
  constexpr std::string_view rule = "the verb must be one of posenc --help";
  constexpr int usage_status = 2;  // as of any call that the tool does not understand
  if (words.empty()) return {.text = "", .status = usage_status, .help = overview()};
  const std::string word = in_lower_case(words.front());
  if (const Verb* verb = find_verb(word)) return call_verb(*verb, words.subspan(1));
  if (word == "complete") return complete(words.subspan(1));
  const bool help = word == "--help" || word == "-h" || word == "help", version = word == "--version";
  const bool page = word == "manual";
  if (help && words.size() == 2) return help_of(program, words[1]);
  if (help && words.size() > 2) refuse(program, "help must be of one verb", quote(words[2]));
  if ((version || page) && words.size() > 1) {
    refuse(program, fmt::format("{} must stand alone", word), quote(words[1]));
  }
  if (help) return {overview()};
  if (page) return manual();
  if (version) {
    return {fmt::format("posenc {}.{}.{}\n", POSENC_VERSION_MAJOR, POSENC_VERSION_MINOR, POSENC_VERSION_PATCH)};
  }
  refuse(program, fmt::format("{}{}", rule, nearest_words(word, first_words())), quote(words.front()));
}

}  // namespace posenc::tool
