// SPDX-License-Identifier: Apache-2.0
// Names that people look for and that are no rows, each with its reason.
#include <posenc/preset.h>

#include <algorithm>

#include "src/base/made_once.h"

namespace posenc {

namespace {

std::vector<WithoutPreset> make_names() {
  return {
      {{"mamba", "mamba2", "falcon-mamba"},
       "No convention: a state space model, whose recurrence knows the order of tokens."},
      {{"rwkv", "xlstm"}, "No convention: a recurrence knows the order of tokens."},
      {{"jamba"}, "No convention: its Mamba layers know the order of tokens, and its attention has no positions."},
      {{"encodec", "dac"}, "No convention: convolutions, and in EnCodec an LSTM, know the order of samples."},
      {{"wav2vec2", "hubert", "unispeech"},
       "Out of scope: a trained convolution over the sequence stands for positions (pos_conv_embed). WavLM has the "
       "same, and the row wavlm-bucket."},
      {{"cpmant"}, "Out of scope: its biases are of segments of the data, beside buckets of distances."},
      {{"perceiver-trainable"},
       "Out of scope: a trained row for each index of an input, without a numbering. perceiver-fourier is a row."},
      {{"fnet"},
       "Out of scope: a Fourier transform mixes the tokens themselves. The positions that it adds are those of the row "
       "learned."},
      {{"cope"},
       "Out of scope: contextual positions are sums of gates, which depend on queries and keys. Clipped RoPE, which "
       "shares the name, is the row rope-clipped."},
      {{"pope"}, "Out of scope: a polar form, whose magnitudes come from queries and keys."},
      {{"dynamic-bias-mlp", "dynamic-position-bias"}, "Out of scope: a trained network makes biases of distances."},
      {{"patchtst-sincos", "patchtst"},
       "Out of scope: the table of the row pytorch, less the mean and over 10 standard deviations of all its entries, "
       "so that a row depends on the length. Such sums over a table are not made: normalise is none."},
      {{"kerple", "fire"}, "Out of scope: biases are a trained function of distances."},
  };
}

}  // namespace

std::span<const WithoutPreset> names_without_preset() { return made_once<make_names>(); }

const WithoutPreset* find_without_preset(std::string_view name) {
  const auto found = std::ranges::find_if(names_without_preset(), [&](const WithoutPreset& each) {
    return std::ranges::find(each.names, name) != each.names.end();
  });
  return found == names_without_preset().end() ? nullptr : &*found;
}

}  // namespace posenc
