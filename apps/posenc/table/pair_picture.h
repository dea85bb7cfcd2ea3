// SPDX-License-Identifier: Apache-2.0
// Pictures of what attention reads: a matrix of queries and keys for each head, factors as a curve.
#pragma once

#include "apps/posenc/table/tensor.h"

namespace posenc::tool {

/// The bytes of a picture for --plot. The numbers are those of convention_numbers.
std::string pair_picture(const Arguments& arguments, const Choice& choice, const Tensor& tensor);

}  // namespace posenc::tool
