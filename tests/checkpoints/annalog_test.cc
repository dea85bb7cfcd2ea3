// SPDX-License-Identifier: Apache-2.0
// annalog 1.0.6 from PyPI, molecules to molecules like them (SMILES): learned positions, embeddings x sqrt(256).
// SHA-256 of the wheel: 49cf13abf67b5cfed1b8b9071bfebe357964583ea1e22d6ed17a1310deaf54d8. Licence: MIT.
// Reference: its own modules.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/checkpoints/reference.h"

namespace posenc::checkpoints {
namespace {

class Annalog : public testing::Test {
 protected:
  const std::vector<Case> cases_ = reference("annalog");
  const io::Model model_ = io::Model(model_folder("annalog"));
  const Transformer& transformer_ = model_.transformer();
};

TEST_F(Annalog, ATokenOfAMoleculeHasThePackagesId) {
  const io::TextDescription& text = *model_.description().source_text;
  const io::Tokenizer tokens = tokenizer("annalog", text);
  for (const Case& each : cases_) EXPECT_EQ(ids_of(tokens, text, each.source), each.ids_in) << each.source;
}

TEST_F(Annalog, EncoderStatesAreWithinOneHundredThousandth) {
  double largest = 0;
  for (const Case& each : cases_) {
    largest = std::max(largest, difference(memory_of(transformer_, each.ids_in), each.memory));
  }
  std::printf("annalog, encoder states: largest difference %.2e\n", largest);
  EXPECT_LE(largest, 1e-5);
}

TEST_F(Annalog, GreedyDecodingMakesTheSameMolecules) {
  const io::DecodingDescription& decoding = *model_.description().decoding;
  const io::Tokenizer tokens = tokenizer("annalog", *model_.description().target_text);
  double largest = 0;
  for (const Case& each : cases_) {
    const auto length = static_cast<std::int64_t>(each.ids_in.size());
    const Output out = output_of(transformer_, view(each.ids_in.data(), {1, length}), decoding_of(decoding, length));
    EXPECT_EQ(out.ids, made(each, decoding.prompt.size())) << each.source;
    EXPECT_EQ(text_of(tokens, out.ids), each.text) << each.source;
    largest = std::max(largest, difference(out.logits, each.logits));
  }
  std::printf("annalog, logits of every step: largest difference %.2e\n", largest);
  EXPECT_LE(largest, 1e-4);
}

}  // namespace
}  // namespace posenc::checkpoints
