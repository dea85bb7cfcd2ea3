// SPDX-License-Identifier: Apache-2.0
// The header of a converted file: the old one, with what was done among its metadata.
#pragma once

#include <string>
#include <string_view>

namespace posenc::tool {

/// The entry of the metadata that lists conversions, a JSON array of texts.
inline constexpr std::string_view steps_key = "posenc.convert";

/// What a conversion says of itself, and what the one that takes it back says.
struct Step {
  std::string done, undone;
};

/// What becomes of a header.
struct NewHeader {
  std::string text;  ///< JSON, filled up with spaces to a multiple of 8
  bool inverse;      ///< the last step was taken back
};

/// A header that parse_safetensors has read, with one step more, or one less where the last one is taken back. Keys
/// keep their order, and what is taken back leaves nothing: a file that the safetensors package wrote gets its very
/// header. Refuses the step that the file has just had, and a list that is none of ours.
NewHeader with_step(std::string_view operation, std::string_view path, std::string_view header, const Step& step);

}  // namespace posenc::tool
