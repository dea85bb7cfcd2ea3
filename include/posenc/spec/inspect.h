// SPDX-License-Identifier: Apache-2.0
// The positions of a model, from its own configuration: which convention each role has, and the key that every number
// came from. A configuration is data: nothing is downloaded, and code that it names is never run.
// Thread safety: plain values; all functions are safe to call from any thread.
#pragma once

#include <posenc/convention.h>
#include <posenc/numbering.h>
#include <posenc/places.h>
#include <posenc/scale.h>

namespace posenc {

/// What a configuration does not say itself.
struct InspectOptions {
  std::string_view source = {};             ///< its file's name
  std::string_view as = {};                 ///< the model type, in place of its own
  std::string_view part = {};               ///< "text": read that part alone
  std::optional<std::int64_t> length = {};  ///< tokens of the sequence, >= 1, where frequencies depend on it
  std::int64_t frequencies = 1 << 10;       ///< the most that all rotations together may have; it bounds the work
};

/// The frequencies of a rotation for the lengths that `lengths` names: "any length", "length <= 4096".
struct LengthFrequencies {
  std::string lengths;
  std::vector<double> values;  ///< w_k in radians per position, each rounded once to f64
  friend bool operator==(const LengthFrequencies&, const LengthFrequencies&) = default;
};

/// What positions are used for in some layers of a model.
struct PositionRole {
  std::string name;                      ///< "rotary", "rotary.sliding_attention", "embedding", "bias.encoder"
  std::string preset;                    ///< the row with this convention, or "" where none is equal
  std::optional<Convention> convention;  ///< none: a role that is a scale alone
  std::optional<Scale> scale;            ///< of the embedding that the signal is added to
  std::optional<Numbering> numbering;    ///< of tokens among padding; none: every place counts from 0
  std::optional<PlaceNumbering> places;  ///< of the cells of an image; none: they count from 0
  std::optional<std::int64_t> head;      ///< columns of a head
  std::optional<std::int64_t> rotated;   ///< columns of it that turn
  std::optional<std::int64_t> heads;     ///< of a bias
  std::optional<std::int64_t> width;     ///< columns of a signal's row
  std::optional<std::int64_t> rows;      ///< of the model's own table
  std::vector<std::int64_t> cells;       ///< of an image or a window, along y and x; empty: there are none
  std::vector<LengthFrequencies> frequencies;
  std::optional<double> magnitude;   ///< of cosines and sines
  std::vector<std::int64_t> layers;  ///< those that have this role, counted from 0; empty: not counted by layers
  friend bool operator==(const PositionRole&, const PositionRole&) = default;
};

/// A model, or one of the models that a configuration is made of.
struct ModelPart {
  std::string name;  ///< "": the configuration itself; "text", "vision"
  std::string model_type;
  std::vector<PositionRole> roles;
  std::optional<std::int64_t> layers;  ///< their number
  std::vector<std::int64_t> without;   ///< layers whose queries and keys do not turn, of a model of which some do
  double softmax_factor = 1;           ///< of scores, besides 1 / sqrt(head)
  friend bool operator==(const ModelPart&, const ModelPart&) = default;
};

/// Where a number came from: both are JSON pointers, the second one "default of llama" or "rule: .." where no key says.
struct NumberSource {
  std::string number, key;
  friend bool operator==(const NumberSource&, const NumberSource&) = default;
};

/// A part or a role of a model that inspect does not read.
struct MissingPositions {
  std::string name;  ///< of a part, "vision", or of a role, "embedding"; "": of the configuration itself
  std::string why;
  friend bool operator==(const MissingPositions&, const MissingPositions&) = default;
};

struct ModelPositions {
  std::string source;  ///< the file
  std::string model_type;
  std::optional<std::int64_t> length;  ///< that the frequencies are given for
  std::vector<std::int64_t> regimes;   ///< lengths beyond which frequencies change
  std::vector<ModelPart> parts;
  std::vector<NumberSource> from;
  std::vector<MissingPositions> missing;  ///< empty: these are all positions of the model
  std::vector<std::string> unread;        ///< keys that say nothing about positions
  std::vector<std::string> notes;         ///< what a reader should know: keys that are not read, numbers that disagree
  friend bool operator==(const ModelPositions&, const ModelPositions&) = default;
};

/// The positions that a configuration states, config.json of transformers in its old and new spellings, or what to_json
/// below has written. Magnitudes are the real number rounded once. A part of the model that is not read is no error but
/// an entry of `missing`: whoever needs all positions must find it empty.
/// Errors, each with the JSON pointer of the key: no JSON, or a limit of spec.h; a model type without a row, where no
/// text_config has one either (else the whole is missing); the params.json of a model's own code; a key that reads like
/// one of positions and is unknown; keys that contradict each other; a number that is missing, not finite or out of
/// range. Heads have at most 2^11 columns, models 2^14 layers of 8 kinds; all rotations of a configuration have at most
/// 2^10 frequencies together, unless the options say otherwise.
POSENC_EXPORT ModelPositions inspect(std::string_view json, const InspectOptions& options = {});
/// The problem that inspect would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_inspect(std::string_view json,
                                                                 const InspectOptions& options = {});

/// The role of that name, "rotary" or "text.rotary"; a name that leaves one out may be cut: "rotary" where one role
/// alone begins so. The problem of check_role where there is none, or several.
POSENC_EXPORT const PositionRole* find_role(const ModelPositions& positions, std::string_view name);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_role(const ModelPositions& positions, std::string_view name);

/// One line of JSON that states every field. Its version, 1, grows by keys. A document from before a key was there is
/// read as one that says nothing of it: without "missing", a list of {"name", "why"}, nothing is known to be missing,
/// and the notes tell which parts were not read.
POSENC_EXPORT std::string to_json(const ModelPositions& positions);
/// For people: a table of roles, a line a number with its key, then what is missing, and the notes.
POSENC_EXPORT std::string to_string(const ModelPositions& positions);
/// "vision: /vision_config is not read: ..".
POSENC_EXPORT std::string to_string(const MissingPositions& missing);
/// "/roles/rotary/magnitude: 1, not 1.19" for every value in which `b` differs from `a`, but for where they come from.
POSENC_EXPORT std::vector<std::string> differences(const ModelPositions& a, const ModelPositions& b);

/// The model types that have a row.
POSENC_EXPORT std::vector<std::string_view> model_types();

}  // namespace posenc
