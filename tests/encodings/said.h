// SPDX-License-Identifier: Apache-2.0
// What a check says, as text.
#pragma once

#include <posenc/core.h>

namespace posenc::test {

inline std::string said(const std::optional<Problem>& problem) { return problem ? problem->message() : "nothing"; }

/// The text of the posenc::Error that `call` throws; "nothing" when it throws none.
template <class Call>
std::string thrown(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace posenc::test
