// SPDX-License-Identifier: Apache-2.0
// How cells are numbered, as an object of JSON with every field.
#pragma once

#include "src/conventions/places_fields.h"
#include "src/spec/json/read_fields.h"
#include "src/spec/write_fields.h"

namespace posenc::io {

inline std::string places_json(const PlaceNumbering& places) { return written<2>(places); }
/// Errors: a key is missing or unknown; a value has another type. check_places says what its range is.
inline PlaceNumbering places_of(const JsonNode& node) { return read<2, PlaceNumbering>(node); }

}  // namespace posenc::io
