// SPDX-License-Identifier: Apache-2.0
// Conventions and encodings whose bits tests/proof does not hold to environments.
#include <posenc/context.h>
#include <posenc/embedding.h>
#include <posenc/grid.h>
#include <posenc/input_stage.h>
#include <posenc/numbering.h>
#include <posenc/operation.h>
#include <posenc/pool/pool.h>
#include <posenc/preset.h>
#include <posenc/rerotate.h>
#include <posenc/resize.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>
#include <posenc/spec/spec.h>

#include <atomic>
#include <thread>

#include "tests/surroundings/environments.h"
#include "tests/surroundings/results.h"

namespace posenc::test {
namespace {

std::string texts(const std::vector<FieldText>& fields) {
  std::string all;
  for (const FieldText& field : fields) all += std::string(field.name) + "=" + field.value + ";";
  return all;
}

const Row conventions[] = {
    {"preset", [] { return to_json(preset("rope-llama3").convention); }},
    {"find_preset", [] { return std::string(find_preset("llama")->name); }},
    {"with", [] { return to_json(with_fields(preset("transformer").convention, {{"ladders.0.base", "10000.1"}})); }},
    {"with, subnormal",
     [] { return error_of([] { with_fields(preset("transformer").convention, {{"ladders.0.base", "-1e-310"}}); }); }},
    {"short_form", [] { return std::to_string(short_form(preset("whisper").convention).index()); }},
    {"differences", [] { return joined(differences(preset("transformer").convention, preset("whisper").convention)); }},
    {"fields_of", [] { return texts(fields_of(preset("rope-yarn").convention)); }},
    {"layout_line", [] { return layout_line(preset("llama").convention); }},
    {"columns", [] { return std::to_string(columns(preset("transformer").convention, 8)); }},
    {"regime", [] { return std::to_string(regime(preset("rope-dynamic").convention, 100000)); }},
    {"find_recipe", [] { return std::string(find_recipe("f32-exp")->name); }},
};

const Row encodings[] = {
    {"frequencies", [] { return bytes(Rows(preset("transformer").convention, 16).frequencies()); }},
    {"place_coordinates",
     [] {
       const std::vector<std::int64_t> extents = {7, 5};
       return filled<double>({7}, [&](const View& out) {
         place_coordinates({0.5, Divisor::count, 1e-6, 6.283185307179586, 0, WholePlaces::none}, extents, 0, out);
       });
     }},
    {"masked_place_coordinates",
     [] {
       static const std::vector<std::int64_t> mask = {1, 1, 0, 1, 1, 0};
       return filled<double>(
           {2, 3}, [](const View& out) { masked_place_coordinates(whole_places, view(mask.data(), {2, 3}), 1, out); });
     }},
    {"GridChunks",
     [] {
       const Rows rows(preset("mae-2d").convention, 16);
       const GridChunks chunks(rows, {3, 3}, DType::f32);
       return filled<float>({4, 16}, [&](const View& out) { chunks.write(2, out); });
     }},
    {"rerotate",
     [] {
       const Positions from = Positions::range(3, 4), to = Positions::range(9, 4);
       const std::vector<float> in = numbers(4 * 16);
       return filled<float>({4, 16}, [&](const View& out) {
         rerotate(preset("rope-yarn").convention, {std::span(&from, 1)}, {std::span(&to, 1)}, view(in.data(), {4, 16}),
                  out);
       });
     }},
    {"rotary, scaled ladders",
     [] {
       std::string all;
       for (const char* name : {"rope-llama3", "gpt-oss", "mrope-chunk"}) {
         const RotaryRows rows(preset(name).convention, 128);
         const std::vector<Positions> lists(rows.axes().size(), Positions::range(100003, 2));
         const std::vector<float> in = numbers(2 * 128);
         all += filled<float>({2, 128}, [&](const View& out) {
           const Rotated one[] = {{view(in.data(), {2, 128}), out}};
           rows.rotate(lists, one);
         });
       }
       return all;
     }},
    {"operation_of, shape_of_numbers, write_numbers",
     [] {
       std::string all;
       const Positions lists[] = {Positions::range(8190, 3), Positions::range(0, 2)};
       for (const char* name : {"alibi", "t5-bucket", "swinv2-cpb", "llama4-temperature"}) {
         const Convention& convention = preset(name).convention;
         const std::size_t count = operation_of(convention).reads == OperationReads::places ? 1 : 2;
         const OperationInputs inputs = {.dim = 3, .lists = std::span(lists, count), .window = {2, 3}};
         const std::vector<std::int64_t> shape = shape_of_numbers(convention, inputs);
         std::vector<std::int64_t> words(128);
         const DType type = operation_of(convention).elements == ElementKind::whole ? DType::i64 : DType::f64;
         write_numbers(convention, inputs, view(static_cast<void*>(words.data()), type, std::span(shape)));
         all += bytes(words);
       }
       return all;
     }},
    {"seeded_rows",
     [] { return filled<float>({3, 8}, [](const View& out) { seeded_rows(out, 7, 0, RowInit::scaled); }); }},
    {"Pool",
     [] {
       const Pool pool(2);  // its threads begin in this environment
       return filled<float>({512, 64}, [&](const View& out) {
         sinusoid(preset("transformer").convention, Positions::range(1 << 20, 512), out, {.executor = pool.executor()});
       });
     }},
    {"an error",
     [] {
       return error_of([] {
         filled<float>(
             {3, 6}, [](const View& out) { sinusoid(preset("transformer").convention, Positions::range(0, 4), out); });
       });
     }},
};

TEST(Surroundings, ConventionsAreTheSameInEveryEnvironment) {
  for (const Row& row : conventions) expect_same_everywhere(row);
}

TEST(Surroundings, EncodingsAreTheSameInEveryEnvironment) {
  for (const Row& row : encodings) expect_same_everywhere(row);
}

// Threads of a pool compute in the default environment, whatever the thread that makes the pool has.
TEST(Surroundings, ThreadsOfAPoolHaveTheDefaultEnvironment) {
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetround(FE_UPWARD);
  struct Seen {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> others = 0, nearest = 0;
  } seen;
  {
    const Pool pool(4);
    const Executor executor = pool.executor();
    for (int round = 0; round < 100 && seen.others == 0; ++round) {
      executor.run(
          executor.self, 64,
          [](void* self, std::int64_t) {
            Seen& of = *static_cast<Seen*>(self);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            if (std::this_thread::get_id() == of.caller) return;
            ++of.others;
            of.nearest += std::fegetround() == FE_TONEAREST ? 1 : 0;
          },
          &seen);
    }
  }
  std::fesetenv(&before);
  EXPECT_GT(seen.others.load(), 0);
  EXPECT_EQ(seen.nearest.load(), seen.others.load());
}

}  // namespace
}  // namespace posenc::test
