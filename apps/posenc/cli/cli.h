// SPDX-License-Identifier: Apache-2.0
// The command line: verbs and options as data, and the words that a call gives them.
#pragma once

#include <posenc/core.h>

#include <array>
#include <map>

namespace posenc::tool {

/// Standard input where a file is read, standard output where one is written.
inline constexpr std::string_view standard_stream = "-";
inline constexpr std::string_view standard_input_title = "standard input";
/// Whether FILE[:TENSOR] is standard input: "-", or "-:TENSOR".
inline bool is_standard_input(std::string_view words) { return words == standard_stream || words.starts_with("-:"); }

/// Values that an option takes on one use; `many` may be used again.
enum class Takes : std::uint8_t { nothing = 1, one, many };

class Arguments;

/// The words that a value may be, by what the call has said before it.
using Choices = std::vector<std::string> (*)(const Arguments& arguments);

struct Option {
  std::string_view name;   ///< "--dim"
  std::string_view value;  ///< "D", for the help; letter_case.h says which of them are words, and files
  std::string_view help;
  Takes takes = Takes::one;
  Choices choices = nullptr;  ///< where a list has the words
};

/// Lists of options as one.
template <std::size_t... sizes>
constexpr std::array<Option, (sizes + ...)> joined(const Option (&... lists)[sizes]) {
  std::array<Option, (sizes + ...)> all = {};
  std::size_t at = 0;
  const auto add = [&](std::span<const Option> list) {
    for (const Option& option : list) all[at++] = option;
  };
  (add(lists), ...);
  return all;
}

/// Words that belong to no option. Under `preset` a name stands in the place of --preset; under `preset_and_other`
/// another one may follow, in the place of --against; under `file_and_other` a name in the place of --against may
/// follow a file.
enum class Operands : std::uint8_t { none = 1, preset, preset_and_other, file_and_other, one, many };

/// The words of one call, as text; numbers.h and positions.h read the text.
class Arguments {
 public:
  std::string_view operation;  ///< the verb, as errors name it
  std::map<std::string, std::vector<std::string>, std::less<>> values;
  std::vector<std::string> operands;

  bool has(std::string_view name) const { return values.contains(name); }
  std::optional<std::string> find(std::string_view name) const;
  /// The value of an option that the verb cannot do without.
  std::string get(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
};

/// What a call says: the text to standard output, then the notes to standard error, so that a call whose text cannot be
/// written says nothing but that.
struct Said {
  std::string text;
  std::vector<std::string> notes = {};
  int status = 0;  ///< the tool's exit: 1 where the answer is no
  /// Lines for standard error of a call that names no verb.
  std::string help = {};
  /// An error that the tool prints behind the text of an answer that is not whole.
  std::optional<Problem> problem = {};
};

struct Verb {
  std::string_view name;
  std::string_view summary;
  std::string_view operand_words;  ///< "TEXT...", and what they are
  std::string_view operand_help;
  std::string_view example;
  Operands operands;
  std::span<const Option> options;  ///< --json and --help come with every verb
  /// Does the work.
  Said (*run)(const Arguments& arguments);
  Choices operand_choices = nullptr;
  /// The suggestion for -o and --out of a verb that has no --out: it names the destination of the output.
  std::string_view output = "it writes no file: its answer goes to standard output, as JSON with --json";
};

/// Notes of several parts of a call, in their order.
std::vector<std::string> all_notes(std::initializer_list<std::vector<std::string>> parts);

/// The verbs, each from the file of its name. order and run need posenc::transformer.
extern const Verb table_verb, grid_verb, timestep_verb, rotary_verb, cache_verb, bias_verb, resize_verb, presets_verb,
    inspect_verb, identify_verb, check_verb, compare_verb, explain_verb, convert_verb, conformance_verb, encode_verb,
    tokens_verb, doctor_verb, demo_verb, order_verb, run_verb, completion_verb;
/// Those of this build, in the order in which help tells them.
std::span<const Verb* const> verbs();

/// The verb of that name, in any case; nullptr where there is none.
const Verb* find_verb(std::string_view name);

/// What posenc --help says of the tool in its first line, and of further help in its last.
constexpr std::string_view tool_summary = "the position signal of Transformers, by name and exact";
constexpr std::string_view tool_help =
    "posenc VERB --help or posenc help VERB tells its options and an example; posenc --version the version.";

/// The options of a verb with that of every verb, --json.
std::vector<Option> all_options(const Verb& verb);
/// What a call may begin with: --help, --version or a verb.
std::vector<std::string> first_words();
/// Every option of a verb, as its parser knows it.
std::vector<std::string> option_names(const Verb& verb);
/// "encode, table or demo".
std::string either(std::span<const std::string> names);
/// Those of the options that the call does not have.
std::vector<std::string> missing(const Arguments& arguments, std::initializer_list<std::string_view> options);

/// Refuses a call that lacks any of what it needs, and names all that it lacks.
void require_given(const Arguments& arguments, std::span<const std::string> missing);

/// What the last of the words of a call may be, a line each; the shells' scripts ask it.
Said complete(std::span<const std::string> words);
/// The manual page, in the language of man(7); the build installs it.
Said manual();
/// Runs the verb that the words name (argv without the program).
Said dispatch(std::span<const std::string> words);

}  // namespace posenc::tool
