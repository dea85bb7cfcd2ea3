// SPDX-License-Identifier: Apache-2.0
// What each shell reads. A line / of `posenc complete` asks it for names of files; = and : are not the end of a word.
#pragma once

#include <string_view>

namespace posenc::tool {

std::string_view bash_script();
std::string_view zsh_script();
std::string_view fish_script();

}  // namespace posenc::tool
