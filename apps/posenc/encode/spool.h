// SPDX-License-Identifier: Apache-2.0
// A text that can be read once, read twice.
#pragma once

#include <posenc/text/tokenizer.h>

#include <memory>

namespace posenc::tool {

/// Keeps what is read of a source in a temporary file without a name, in $TMPDIR or /tmp, so that memory stays bounded.
/// Errors: what the system says of that file.
class Spool {
 public:
  Spool(std::string_view operation, io::Source source);
  /// The source, kept as it is read.
  io::Source first() const;
  /// What was kept, then what is left of the source. `first` is read no more.
  io::Source again() const;

 private:
  struct Kept;
  std::shared_ptr<Kept> kept_;
};

}  // namespace posenc::tool
