// SPDX-License-Identifier: Apache-2.0
// posenc manual: the page that man shows, in the language of man(7), of the words that --help tells.
#include <fmt/format.h>
#include <posenc/version.h>

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {
namespace {

struct Status {
  std::string_view status, meaning;
};
constexpr Status exit_statuses[] = {
    {"0", "done"},
    {"2", "the command line or an input is wrong"},
    {"3", "the system failed us: disk, permission, memory, standard output"},
    {"129, 130, 143", "SIGHUP, SIGINT, SIGTERM"},
    {"141", "the reader of a pipe is gone (quietly)"},
};

// A character as roff prints it, in words that can be copied: plain, it makes ’ of ', “ of ", and hyphens of minuses.
std::string_view printed(const char& c) {
  switch (c) {
    case '\\': return "\\e";
    case '-': return "\\-";
    case '\'': return "\\(aq";
    case '"': return "\\(dq";
    case '`': return "\\(ga";
    case '^': return "\\(ha";
    case '~': return "\\(ti";
    default: return {&c, 1};
  }
}

// Text, of which no line is taken for a request.
std::string roff(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char& c : text) {
    if (begins && c == '.') out += "\\&";
    out += printed(c);
    begins = c == '\n';
  }
  return out;
}

std::string verb_section(const Verb& verb) {
  const bool bare = verb.operand_words.empty();
  std::string page =
      fmt::format(".SS \"posenc {} [OPTIONS]{}\"\n{}.\n", roff(verb.name),
                  bare ? std::string() : fmt::format(" [{}]", roff(verb.operand_words)), roff(verb.summary));
  for (const Option& option : all_options(verb)) {
    page += fmt::format(".TP\n.BI \"{} \" \"{}\"\n{}\n", roff(option.name), roff(option.value), roff(option.help));
  }
  if (!bare) page += fmt::format(".PP\n.I \"{}\"\n{}\n", roff(verb.operand_words), roff(verb.operand_help));
  return page + fmt::format(".PP\nExample:\n.PP\n.EX\n{}\n.EE\n", roff(verb.example));
}

}  // namespace

Said manual() {
  std::string page = fmt::format(".TH POSENC 1 \"\" \"posenc {}.{}.{}\" \"User Commands\"\n", POSENC_VERSION_MAJOR,
                                 POSENC_VERSION_MINOR, POSENC_VERSION_PATCH);
  page += fmt::format(".SH NAME\nposenc \\- {}\n", roff(tool_summary));
  page += ".SH SYNOPSIS\n.B posenc\n.I VERB\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n";
  for (const Verb* verb : verbs()) page += fmt::format(".TP\n.B {}\n{}\n", roff(verb->name), roff(verb->summary));
  page += fmt::format(".PP\n{}\n.SH VERBS\n", roff(tool_help));
  for (const Verb* verb : verbs()) page += verb_section(*verb);
  page += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : exit_statuses) page += fmt::format(".TP\n.B {}\n{}\n", status, roff(meaning));
  return {page};
}

}  // namespace posenc::tool
