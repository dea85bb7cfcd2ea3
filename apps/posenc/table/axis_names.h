// SPDX-License-Identifier: Apache-2.0
// What stands at an index of a tensor's axis: the position that the call states there.
#pragma once

#include "apps/posenc/cli/places.h"

namespace posenc::tool {

class AxisNames {
 public:
  /// Of a call that has made a tensor of the convention.
  AxisNames(const Arguments& arguments, const Convention& convention);
  /// Of "query" and "key" the position by --queries and --keys; of places, and of a rotation's queries and keys, that
  /// by --positions; of other axes the index itself.
  std::string of(std::string_view axis, std::int64_t index) const;

 private:
  std::optional<Places> queries_, keys_, places_;
};

}  // namespace posenc::tool
