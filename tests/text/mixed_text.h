// SPDX-License-Identifier: Apache-2.0
// Deterministic text of many scripts, the same as mixed_text of tools/goldens/bpe.py.
#pragma once

#include <cstdint>
#include <string>

namespace posenc::test {

/// Words and oddities in random order until there are `size` bytes of valid UTF-8; Unicode 15.0 assigns every scalar.
std::string mixed_text(std::uint64_t seed, std::size_t size);

/// The UTF-8 form of a scalar value.
std::string utf8_of(char32_t scalar);

}  // namespace posenc::test
