// SPDX-License-Identifier: Apache-2.0
// Never sure of a wrong name: tensors of no convention, made by seeded draws, of many sizes and in every storage type.
#include <gtest/gtest.h>
#include <posenc/referee/identify.h>
#include <posenc/rows.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "tests/referee/draws.h"

namespace posenc {
namespace {

using test::Draws;

struct Drawn {
  std::vector<std::int64_t> shape;
  std::vector<float> entries;
};

using Entry = std::function<double(std::int64_t row, std::int64_t column)>;
Drawn filled(std::int64_t rows, std::int64_t columns, const Entry& entry) {
  Drawn made = {{rows, columns}, {}};
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t c = 0; c < columns; ++c) made.entries.push_back(static_cast<float>(entry(i, c)));
  }
  return made;
}
Drawn list_of(std::int64_t count, const std::function<double(std::int64_t)>& entry) {
  Drawn made = filled(1, count, [&](std::int64_t, std::int64_t i) { return entry(i); });
  made.shape = {count};
  return made;
}
double wave(std::int64_t column, double angle) { return column % 2 == 0 ? std::sin(angle) : std::cos(angle); }
double usual(std::int64_t pair, std::int64_t width) {
  return std::pow(10000.0, -2 * static_cast<double>(pair) / static_cast<double>(width));
}

// Rows of a convention, to be spoilt.
Drawn table(Draws& draw) {
  static constexpr std::string_view rows[] = {"transformer", "tensor2tensor", "mae-1d", "whisper", "tf-official"};
  const std::int64_t count = draw.of({12, 33, 64, 100}), width = draw.of({8, 16, 32, 64});
  const Rows made(preset(rows[draw.below(std::ssize(rows))]).convention, width);
  Drawn tensor = filled(count, width, [](auto, auto) { return 0; });
  const Positions positions = Positions::range(draw.of({0, 0, 1, 100}), count);
  made.write({&positions, 1}, view(tensor.entries.data(), std::span<const std::int64_t>(tensor.shape)));
  return tensor;
}
Drawn spoilt(Draws& draw, const std::function<double(double x, std::int64_t row, std::int64_t column)>& spoil) {
  Drawn tensor = table(draw);
  const std::int64_t width = tensor.shape[1];
  for (std::int64_t i = 0; i < std::ssize(tensor.entries); ++i) {
    float& x = tensor.entries[static_cast<std::size_t>(i)];
    x = static_cast<float>(spoil(static_cast<double>(x), i / width, i % width));
  }
  return tensor;
}

using Stranger = std::function<Drawn(Draws&)>;
const std::map<std::string_view, Stranger>& strangers() {
  static const std::map<std::string_view, Stranger> all = {
      // Of weights
      {"normal",
       [](Draws& draw) {
         const double size = draw.uniform();
         return filled(draw.of({2, 3, 8, 50}), draw.of({2, 4, 8, 64}),
                       [&](auto, auto) { return size * draw.normal(); });
       }},
      {"uniform",
       [](Draws& draw) {
         return filled(draw.of({3, 8, 64}), draw.of({1, 2, 4, 32}), [&](auto, auto) { return 2 * draw.uniform() - 1; });
       }},
      {"one of -1, 0, 1",
       [](Draws& draw) {
         return filled(draw.of({3, 8, 64}), draw.of({2, 4, 32}),
                       [&](auto, auto) { return static_cast<double>(draw.below(3)) - 1; });
       }},
      {"signs",
       [](Draws& draw) {
         return filled(draw.of({2, 8, 64}), draw.of({2, 8, 32}),
                       [&](auto, auto) { return draw.below(2) == 0 ? 1 : -1; });
       }},
      {"one number",
       [](Draws& draw) {
         const double x = 0.5 * static_cast<double>(draw.of({0, 1, 2, -1, 3}));
         return filled(draw.of({2, 8, 64}), draw.of({2, 8, 32}), [&](auto, auto) { return x; });
       }},
      {"equal rows",
       [](Draws& draw) {
         std::vector<float> row(32);
         for (float& x : row) x = static_cast<float>(draw.normal());
         return filled(draw.of({2, 8, 64}), draw.of({2, 8, 32}),
                       [&](auto, std::int64_t c) { return static_cast<double>(row[static_cast<std::size_t>(c)]); });
       }},
      {"equal columns",
       [](Draws& draw) {
         std::vector<float> column(64);
         for (float& x : column) x = static_cast<float>(draw.normal());
         return filled(draw.of({2, 8, 64}), draw.of({2, 8, 32}),
                       [&](std::int64_t i, auto) { return static_cast<double>(column[static_cast<std::size_t>(i)]); });
       }},
      {"identity",
       [](Draws& draw) {
         const std::int64_t n = draw.of({2, 3, 8, 40});
         return filled(n, n, [](std::int64_t i, std::int64_t c) { return i == c ? 1 : 0; });
       }},
      {"causal mask",
       [](Draws& draw) {
         const std::int64_t n = draw.of({2, 3, 8, 40});
         const double masked = draw.below(2) == 0 ? -10000 : 1;
         return filled(n, n, [&](std::int64_t i, std::int64_t c) { return c > i ? masked : 0; });
       }},
      {"ramps",
       [](Draws& draw) {
         return filled(draw.of({4, 64}), draw.of({4, 16}),
                       [](std::int64_t i, std::int64_t c) { return 0.01 * static_cast<double>(i * (c + 1)); });
       }},
      {"cosine transform",
       [](Draws& draw) {
         const std::int64_t n = draw.of({8, 32});
         return filled(n, n, [&](std::int64_t i, std::int64_t c) {
           return std::cos(3.14159265358979 * (static_cast<double>(i) + 0.5) * static_cast<double>(c) /
                           static_cast<double>(n));
         });
       }},
      // Lists
      {"sorted list",
       [](Draws& draw) {
         Drawn made = list_of(draw.of({3, 4, 8, 64}), [&](auto) { return draw.uniform(); });
         std::ranges::sort(made.entries, std::greater());
         return made;
       }},
      {"weights of a norm",
       [](Draws& draw) { return list_of(draw.of({8, 64}), [&](auto) { return 1 + 0.05 * draw.normal(); }); }},
      {"frequencies with noise",
       [](Draws& draw) {
         const std::int64_t n = draw.of({8, 16, 64});
         return list_of(n, [&](std::int64_t k) { return usual(k, 2 * n) * (1 + 0.02 * draw.normal()); });
       }},
      {"frequencies with a wrong one",
       [](Draws& draw) {
         const std::int64_t n = draw.of({8, 16, 64});
         Drawn made = list_of(n, [&](std::int64_t k) { return usual(k, 2 * n); });
         made.entries[draw.below(n)] *= 1.05F;
         return made;
       }},
      {"squares in the exponent",
       [](Draws& draw) {
         const std::int64_t n = draw.of({8, 16, 64});
         return list_of(n, [&](std::int64_t k) {
           const double x = static_cast<double>(k) / static_cast<double>(n);
           return std::exp(-9.2 * x * x);
         });
       }},
      // Waves of other ladders
      {"two bases",
       [](Draws& draw) {
         const std::int64_t d = draw.of({16, 64});
         return filled(draw.of({16, 100}), d, [&](std::int64_t i, std::int64_t c) {
           const double base = c < d / 2 ? 10000 : 500;
           return wave(
               c, static_cast<double>(i) * std::pow(base, -2 * static_cast<double>(c / 2) / static_cast<double>(d)));
         });
       }},
      {"even steps",
       [](Draws& draw) {
         return filled(draw.of({16, 100}), draw.of({16, 64}), [](std::int64_t i, std::int64_t c) {
           return wave(c, static_cast<double>(i * (c / 2 + 1)) * 0.03);
         });
       }},
      {"chirps",
       [](Draws& draw) {
         const std::int64_t d = draw.of({8, 32});
         return filled(draw.of({16, 100}), d, [&](std::int64_t i, std::int64_t c) {
           return wave(c, 0.1 * static_cast<double>(i * i) * usual(c / 2, d));
         });
       }},
      {"random phases",
       [](Draws& draw) {
         const std::int64_t d = draw.of({8, 32});
         std::vector<double> phases(static_cast<std::size_t>(d));
         for (double& phase : phases) phase = 6.28 * draw.uniform();
         return filled(draw.of({16, 100}), d, [&](std::int64_t i, std::int64_t c) {
           return std::sin(static_cast<double>(i) * usual(c / 2, d) + phases[static_cast<std::size_t>(c)]);
         });
       }},
      {"random walks",
       [](Draws& draw) {
         std::vector<double> at(16);
         return filled(draw.of({30, 200}), draw.of({4, 16}),
                       [&](auto, std::int64_t c) { return at[static_cast<std::size_t>(c)] += 0.3 * draw.normal(); });
       }},
      // Tables that were spoilt
      {"a damaged entry",
       [](Draws& draw) {
         Drawn made = table(draw);
         made.entries[draw.below(std::ssize(made.entries))] += 0.05F;
         return made;
       }},
      {"a damaged row",
       [](Draws& draw) {
         return spoilt(draw, [&](double x, std::int64_t i, auto) { return i == 7 ? 0.5 * draw.normal() : x; });
       }},
      {"a damaged column",
       [](Draws& draw) {
         return spoilt(draw, [&](double x, auto, std::int64_t c) { return c == 5 ? 0.5 * draw.normal() : x; });
       }},
      {"noise",
       [](Draws& draw) { return spoilt(draw, [&](double x, auto, auto) { return x + 0.02 * draw.normal(); }); }},
      {"signs of a table",
       [](Draws& draw) { return spoilt(draw, [](double x, auto, auto) { return x >= 0 ? 1 : -1; }); }},
      {"squares of a table", [](Draws& draw) { return spoilt(draw, [](double x, auto, auto) { return x * x; }); }},
      {"a table that decays",
       [](Draws& draw) {
         return spoilt(draw,
                       [](double x, std::int64_t i, auto) { return x * std::exp(-0.01 * static_cast<double>(i)); });
       }},
      {"a table that is shifted",
       [](Draws& draw) { return spoilt(draw, [](double x, auto, auto) { return x + 0.3; }); }},
      {"columns in another order",
       [](Draws& draw) {
         const Drawn of = table(draw);
         std::vector<std::size_t> order(static_cast<std::size_t>(of.shape[1]));
         for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
         draw.shuffle(order);
         return filled(of.shape[0], of.shape[1], [&](std::int64_t i, std::int64_t c) {
           const std::size_t from = static_cast<std::size_t>(i * of.shape[1]) + order[static_cast<std::size_t>(c)];
           return static_cast<double>(of.entries[from]);
         });
       }},
  };
  return all;
}

void expect_unnamed(unsigned seeds) {
  for (const auto& [name, make] : strangers()) {
    for (unsigned seed = 0; seed < seeds; ++seed) {
      Draws draw(seed);
      Drawn tensor = make(draw);
      test::store(draw, tensor.entries);
      const float* data = tensor.entries.data();
      const Identification said = identify(view(data, std::span<const std::int64_t>(tensor.shape)));
      EXPECT_TRUE(said.candidates.empty()) << name << ", seed " << seed << "\n" << to_string(said);
    }
  }
}

TEST(IdentifyStrangers, AreNotNamed) { expect_unnamed(3); }
TEST(IdentifyStrangers, ExhaustiveAreNotNamed) { expect_unnamed(24); }

}  // namespace
}  // namespace posenc
