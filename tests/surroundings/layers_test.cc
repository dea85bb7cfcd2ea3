// SPDX-License-Identifier: Apache-2.0
// Layers of the Transformer, with numbers that overflow on the way: hidden keys and large scores.
#include <posenc/transformer/additive.h>
#include <posenc/transformer/attention.h>
#include <posenc/transformer/feed_forward.h>
#include <posenc/transformer/linear.h>
#include <posenc/transformer/norm.h>
#include <posenc/transformer/recurrent.h>

#include "tests/surroundings/environments.h"
#include "tests/surroundings/results.h"

namespace posenc::test {
namespace {

const std::vector<float> q = numbers(2 * 5 * 8, 1), k = numbers(2 * 5 * 8, 2), v = numbers(2 * 5 * 8, 3),
                         square = numbers(8 * 8, 4), wide = numbers(16 * 8, 5), narrow = numbers(8 * 16, 6),
                         weight = numbers(8, 7);

ConstView tensor(const std::vector<float>& of) { return view(of.data(), {1, 2, 5, 8}); }
ConstView flat(const std::vector<float>& of) { return view(of.data(), {2, 5, 8}); }
Linear map() { return {view(square.data(), {8, 8})}; }

const Row layers[] = {
    {"attention",
     [] {
       return filled<float>({1, 2, 5, 8}, [](const View& out) {
         attention(tensor(q), tensor(k), tensor(v), out, {Score::scaled_dot, Sight::past});
       });
     }},
    {"attention_weights",
     [] {
       return filled<float>({1, 2, 5, 5}, [](const View& out) {
         attention_weights(tensor(q), tensor(k), out, {Score::scaled_dot, Sight::past});
       });
     }},
    {"linear", [] { return filled<float>({2, 5, 8}, [](const View& out) { linear(map(), flat(q), out); }); }},
    {"normalize",
     [] {
       return filled<float>({2, 5, 8},
                            [](const View& out) { normalize({view(weight.data(), {8}), {}, 1e-5}, flat(q), out); });
     }},
    {"feed_forward",
     [] {
       return filled<float>({2, 5, 8}, [](const View& out) {
         feed_forward({{view(wide.data(), {16, 8})}, {view(narrow.data(), {8, 16})}}, Activation::gelu, flat(q), out);
       });
     }},
    {"additive_attention",
     [] {
       return filled<float>({2, 5, 8}, [](const View& out) {
         additive_attention({map(), map(), view(weight.data(), {8})}, flat(q), flat(k), flat(v), out, {Sight::past});
       });
     }},
    {"additive_weights",
     [] {
       return filled<float>({2, 5, 5}, [](const View& out) {
         additive_weights({map(), map(), view(weight.data(), {8})}, flat(q), flat(k), out, {Sight::past});
       });
     }},
    {"recurrent",
     [] {
       std::vector<float> contexts(2 * 5 * 8);
       return filled<float>({2, 5, 8},
                            [&](const View& out) {
                              recurrent({Cell::rnn, map(), map(), Score::scaled_dot}, flat(q),
                                        {out, view(contexts.data(), {2, 5, 8})}, {Remembered::states});
                            }) +
              bytes(contexts);
     }},
};

TEST(Surroundings, LayersAreTheSameInEveryEnvironment) {
  for (const Row& row : layers) expect_same_everywhere(row);
}

}  // namespace
}  // namespace posenc::test
