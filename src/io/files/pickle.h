// SPDX-License-Identifier: Apache-2.0
// What is said of pickles, which are never read.
#pragma once

#include <string_view>

namespace posenc::io {

inline constexpr std::string_view pickle_rule =
    "a pickle runs code to load, so none is read: save its tensors in Python with "
    "safetensors.torch.save_file(state_dict, \"model.safetensors\")";

}  // namespace posenc::io
