// SPDX-License-Identifier: Apache-2.0
// Every allocation of a call fails in turn: the call says so, no job throws, and the next call succeeds, also where the
// call is a process's first one. What reads and writes files holds nothing afterwards; the rooms below are compiled
// without exceptions, and lose what they held.
#include "tests/memory/failing_memory.h"

#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/grid.h>
#include <posenc/input_stage.h>
#include <posenc/io/npz.h>
#include <posenc/io/safetensors.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>
#include <posenc/sinusoid.h>
#include <posenc/spec/spec.h>
#include <posenc/text/vocabulary.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace posenc {
namespace {

enum class Outcome { done, no_memory, refused, other };

Outcome outcome_of(const std::function<void()>& call) {
  try {
    call();
    return Outcome::done;
  } catch (const std::bad_alloc&) {
    return Outcome::no_memory;
  } catch (const Error& error) {
    return error.problem().cause == Cause::system ? Outcome::no_memory : Outcome::refused;
  } catch (...) {
    return Outcome::other;
  }
}

enum class Held { nothing, what_is_lost };

// How many allocations failed, one after the other, before the call succeeded. A call may do without, as a stable sort
// does.
std::int64_t survived(const std::function<void()>& call, Held holds) {
  EXPECT_EQ(outcome_of(call), Outcome::done);  // what is made once and kept
  for (std::int64_t n = 0;; ++n) {
    SCOPED_TRACE("allocation " + std::to_string(n));
    const std::int64_t held = memory::held();
    memory::fail_at(n);
    const Outcome outcome = outcome_of(call);
    const bool failed = memory::stop_failing();
    EXPECT_TRUE(holds == Held::what_is_lost || memory::held() == held);
    EXPECT_TRUE(outcome == Outcome::done || (failed && outcome == Outcome::no_memory)) << static_cast<int>(outcome);
    if (!failed || testing::Test::HasFailure()) return n;
  }
}

// An executor of somebody's, of which core.h says that a job never throws.
constexpr Executor strict = {[](void*, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
                               for (std::int64_t i = 0; i < count; ++i) {
                                 try {
                                   job(context, i);
                                 } catch (...) {
                                   ADD_FAILURE() << "a job threw";
                                 }
                               }
                             },
                             nullptr};

struct Named {
  const char* name;
  std::function<void()> call;
};
void PrintTo(const Named& named, std::ostream* to) { *to << named.name; }

const Convention& row_named(std::string_view name) { return preset(name).convention; }

template <class T>
struct Out {
  std::vector<T> numbers;
  std::vector<std::int64_t> shape;
  explicit Out(std::vector<std::int64_t> of) : shape(std::move(of)) {
    std::size_t count = 1;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    numbers.resize(count);
  }
  View all() { return view(numbers.data(), shape); }
};

std::vector<Named> computing_calls() {
  return {
      {"table",
       [] {
         sinusoid(row_named("transformer"), Positions::range(0, 3000), Out<float>({3000, 64}).all(),
                  {.executor = strict});
       }},
      {"table_f64",
       [] {
         sinusoid(row_named("transformer"), Positions::range(0, 300), Out<double>({300, 64}).all(),
                  {.executor = strict});
       }},
      {"table_of_a_recipe",
       [] {
         const Preset& of = preset("transformer");
         sinusoid(of.convention, Positions::range(0, 300), Out<half>({300, 64}).all(),
                  {.recipe = of.original, .executor = strict});
       }},
      {"grid", [] { grid(row_named("mae"), Out<float>({20, 20, 64}).all(), {.executor = strict}); }},
      {"rotation",
       [] {
         Out<bfloat16> heads({2, 4, 100, 64});
         rotary(row_named("rope-half"), Positions::range(0, 100), Rotated{heads.all(), TokenAxis::before_columns},
                Direction::forward, {.executor = strict});
       }},
      {"rotary_cache",
       [] {
         const RotaryCache cache(with_field(row_named("rope-half"), "stored", "complex"), 16);
         cache.write("cos_sin", Positions::range(0, 300), Out<float>({300, 16}).all(), strict);
       }},
      {"biases",
       [] {
         bias(row_named("alibi"), Positions::range(0, 70), Positions::range(0, 70), Out<float>({8, 70, 70}).all(),
              {.executor = strict});
       }},
      {"convention_as_json", [] { io::convention_from_json(to_json(row_named("rope-longrope"))); }},
      {"added",
       [] {
         Out<float> in({300, 2048}), out({300, 2048});
         Rows(row_named("transformer"), 2048).add(Positions::range(0, 300), in.all(), out.all(), strict);
       }},
      {"rotation_f64",
       [] {
         Out<double> heads({100, 1024});
         rotary(row_named("rope-half"), Positions::range(0, 100), Rotated{heads.all(), TokenAxis::before_columns},
                Direction::forward, {.executor = strict});
       }},
      {"input_stage",
       [] {
         Out<float> rows({9, 20}), out({3, 70, 20});
         Out<std::int64_t> ids({3, 70});
         StageOptions options{.scale = Scale::sqrt_dim};
         options.dropout = 0.1;
         InputStage(rows.all(), row_named("transformer"), options)
             .encode(ids.all(), Positions::range(0, 70), out.all(), {.executor = strict});
       }},
  };
}

std::vector<Named> file_calls() {
  return {
      {"npy", [] { io::parse_npy(io::npy_bytes(Out<float>({3, 5}).all())); }},
      {"safetensors",
       [] {
         Out<float> a({3, 5}), b({2});
         const io::NamedView tensors[] = {{"a", a.all()}, {"b", b.all()}};
         io::parse_safetensors(io::safetensors_bytes(tensors));
       }},
      {"vocabulary", [] { io::vocabulary_bytes(io::parse_vocabulary("<unk>\nposition\nencoding\n")); }},
  };
}

void expect_survived(const Named& named, Held holds) {
  const std::int64_t count = survived(named.call, holds);
  EXPECT_GT(count, 0);
  std::printf("%lld allocations failed in turn\n", static_cast<long long>(count));
}

// The outcome of a process's first call, during which memory ends, and of its second. A child of fork has cached
// nothing if this test runs first: GoogleTest runs suites whose name ends in DeathTest before others.
struct FirstCall {
  Outcome first, second;
  bool failed;
};

FirstCall call_in_child(const std::function<void()>& call, std::int64_t n) {
  int ends[2];
  FirstCall said = {Outcome::other, Outcome::other, false};
  if (pipe(ends) != 0) return said;
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);  // a call that waits for a value that nobody makes
    memory::fail_at(n);
    said.first = outcome_of(call);
    said.failed = memory::stop_failing();
    said.second = outcome_of(call);
    _exit(write(ends[1], &said, sizeof said) == sizeof said ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &said, sizeof said) != sizeof said) said = {Outcome::other, Outcome::other, true};
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return said;
}

TEST(FirstCallDeathTest, MayEndAtEveryAllocation) {
  const std::vector<Named> calls = {
      {"preset", [] { preset("llama-3.1"); }},
      {"recipe", [] { recipe("f32-exp"); }},
      {"names", [] { names_without_preset(); }},
  };
  for (const Named& each : calls) {
    std::int64_t n = 0;
    for (bool failed = true; failed; n += 1 + n / 16) {  // all of the first ones, then those that lie further apart
      const FirstCall said = call_in_child(each.call, n);
      failed = said.failed;
      ASSERT_EQ(said.first, failed ? Outcome::no_memory : Outcome::done) << each.name << ", allocation " << n;
      ASSERT_EQ(said.second, Outcome::done) << each.name << ", allocation " << n;
    }
    EXPECT_GT(n, 3) << each.name << " was made before";
  }
}

class MemoryOfTables : public testing::TestWithParam<Named> {};
TEST_P(MemoryOfTables, MayEndAtEveryAllocation) { expect_survived(GetParam(), Held::what_is_lost); }
INSTANTIATE_TEST_SUITE_P(, MemoryOfTables, testing::ValuesIn(computing_calls()),
                         [](const auto& of) { return std::string(of.param.name); });

class MemoryOfFiles : public testing::TestWithParam<Named> {};
TEST_P(MemoryOfFiles, MayEndAtEveryAllocationAndNothingIsHeld) { expect_survived(GetParam(), Held::nothing); }
INSTANTIATE_TEST_SUITE_P(, MemoryOfFiles, testing::ValuesIn(file_calls()),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace posenc
