// SPDX-License-Identifier: Apache-2.0
// An object that several hold: the same object for all of them, ended once, by the last.
#include <gtest/gtest.h>
#include <posenc/shared.h>

#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace posenc::detail {
namespace {

// Counts the ends of the one that was not moved from.
class Counted {
 public:
  Counted(int number, int& ends) : number_(number), ends_(&ends) {}
  Counted(Counted&& other) noexcept : number_(other.number_), ends_(std::exchange(other.ends_, nullptr)) {}
  ~Counted() {
    if (ends_ != nullptr) ++*ends_;
  }
  int number() const { return number_; }

 private:
  int number_;
  int* ends_;
};

TEST(Shared, HoldsNothingAtFirst) {
  Shared<Counted> none;
  const Shared<Counted> copy = none, moved = std::move(none);
  EXPECT_FALSE(copy);
  EXPECT_FALSE(moved);
}

TEST(Shared, IsOneObjectForEveryCopy) {
  int ends = 0;
  const Shared<Counted> one{Counted(7, ends)};
  const Shared<Counted> other = one;
  EXPECT_EQ(&*one, &*other);
  EXPECT_EQ(other->number(), 7);
}

TEST(Shared, EndsItsObjectOnceByTheLastHolder) {
  int ends = 0;
  std::optional<Shared<Counted>> one{Counted(7, ends)}, other = one;
  one.reset();
  EXPECT_EQ(ends, 0);
  EXPECT_EQ((*other)->number(), 7);
  other.reset();
  EXPECT_EQ(ends, 1);
}

TEST(Shared, IsTakenFromWhatIsMoved) {
  int ends = 0;
  Shared<Counted> one{Counted(7, ends)};
  {
    const Shared<Counted> other = std::move(one);
    EXPECT_FALSE(one);
    EXPECT_EQ(other->number(), 7);
  }
  EXPECT_EQ(ends, 1);
}

TEST(Shared, IsAssignedOverAnotherAndOverItself) {
  int first_ends = 0, second_ends = 0;
  Shared<Counted> one{Counted(1, first_ends)};
  const Shared<Counted> other{Counted(2, second_ends)};
  const Shared<Counted>& same = one;
  one = same;
  EXPECT_EQ(first_ends, 0);
  EXPECT_EQ(one->number(), 1);
  one = other;
  EXPECT_EQ(first_ends, 1);
  EXPECT_EQ(one->number(), 2);
  one = {};
  EXPECT_EQ(second_ends, 0);
}

TEST(Shared, IsHeldByManyThreads) {
  int ends = 0;
  {
    const Shared<Counted> one{Counted(7, ends)};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&one] {
        for (int i = 0; i < 10000; ++i) {
          const Shared<Counted> copy = one;
          if (copy->number() != 7) std::abort();
        }
      });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(ends, 0);
  }
  EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace posenc::detail
