// SPDX-License-Identifier: Apache-2.0
// Texts whose ids are held in memory: several of them, lines, arrays of ids.
#pragma once

#include "apps/posenc/encode/encode_request.h"
#include "apps/posenc/encode/weights.h"

namespace posenc::tool {

/// Tokens that became the unknown token, and the source of the first.
struct UnknownTokens {
  io::Unknowns found;
  std::string source;  ///< empty while there are none
};
/// Adds those of one source.
void add_unknowns(UnknownTokens& all, const io::Unknowns& found, std::string_view source);

/// Where a sequence is from; `line` counts from 1 and is 0 for a whole text.
struct SequenceName {
  std::string source;
  std::int64_t line = 0;
};

/// Sequences of ids, one after another. Lines may be many: 8 bytes each, and one name for all those of a source.
struct Batch {
  /// Sequences `begin` and further ones, up to the next source.
  struct Source {
    std::string name;
    std::int64_t begin;
    TextSequences kind;  ///< one, or those of lines 1, 2, ...
  };
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> ends;  ///< one a sequence, into ids
  std::vector<Source> sources;
  std::int64_t length = 0;  ///< of the tensor: the longest sequence, or --max-length under --lines
  std::int32_t padding_id = 0;
  UnknownTokens unknowns;

  std::int64_t size() const { return std::ssize(ends); }
  std::span<const std::int32_t> sequence(std::int64_t b) const;
  SequenceName name(std::int64_t b) const;
};

/// Whether the ids of this request have to be held: whether it is more than one text from its beginning to its end.
bool needs_batch(const EncodeRequest& request);

/// All ids of the request; lines become ids on all threads. Errors: no token at all; texts of different lengths; a
/// sequence beyond --max-length; an id outside the vocabulary.
Batch read_batch(const EncodeRequest& request, const io::Tokenizer& tokenizer);

}  // namespace posenc::tool
