// SPDX-License-Identifier: Apache-2.0
// The referee on a large table: what it holds, whether it is right, and why not; beside reading it and writing one
// exact table.
#include <posenc/embedding.h>
#include <posenc/preset.h>
#include <posenc/referee/diagnose.h>
#include <posenc/referee/explain.h>
#include <posenc/sinusoid.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/buffer.h"
#include "bench/words.h"

namespace posenc::bench {
namespace {

constexpr std::string_view held = "whisper";
constexpr std::int64_t width = 1024;

// An exact table in memory, and the room for another one.
struct Tables {
  std::shared_ptr<const Buffer> table, room;
  ConstView tensor;
  View out;

  explicit Tables(std::int64_t places)
      : table(buffer(places * width * 4)),
        room(buffer(places * width * 4)),
        tensor(view(static_cast<const float*>(table->as<float>()), {places, width})),
        out(view(room->as<float>(), {places, width})) {
    sinusoid(preset(held).convention, Positions::range(0, places), view(table->as<float>(), {places, width}));
  }
  template <class Run>
  Work work(Run run) const {
    return {.run = std::move(run), .out = room->bytes(), .in = table->bytes(), .owns = {table, room}};
  }
};

// Every word of the table is looked at, then an exact table is written.
Work read_and_write(std::int64_t places) {
  const Tables tables(places);
  const Rows rows(preset(held).convention, width);
  return tables.work([=](const Executor& executor) {
    struct Job {
      std::span<const std::byte> bytes;
      std::atomic<std::uint64_t> any = 0;
    } job = {tables.table->bytes()};
    constexpr std::int64_t block = std::int64_t{1} << 20;
    const auto read = [](void* context, std::int64_t index) {
      Job& of = *static_cast<Job*>(context);
      const auto part = of.bytes.subspan(static_cast<std::size_t>(index * block), static_cast<std::size_t>(block));
      std::uint64_t any = 0, word = 0;
      for (std::size_t i = 0; i < part.size(); i += sizeof word) {
        std::memcpy(&word, part.data() + i, sizeof word);
        any |= word;
      }
      of.any |= any;
    };
    executor.run(executor.self, std::ssize(job.bytes) / block, read, &job);
    if (job.any == 0) throw std::runtime_error("a table of zeros");
    rows.write(Positions::range(0, places), tables.out, executor);
  });
}

Work identified(std::int64_t places) {
  const Tables tables(places);
  return tables.work([=](const Executor& executor) {
    if (identify(tables.tensor, {.executor = executor}).candidates.empty()) throw std::runtime_error("not identified");
  });
}

Work checked(std::int64_t places, std::string_view against) {
  const Tables tables(places);
  return tables.work([=](const Executor& executor) {
    const Diagnosis found = diagnose(tables.tensor, preset(against).convention, {.identify = {.executor = executor}});
    if (found.right != (against == held)) throw std::runtime_error("another diagnosis");
  });
}

// A table of normal numbers, as weights are: no candidate ends the search early.
using Run = std::function<void(const ConstView& tensor, const Executor& executor)>;
Work on_unknown(Run run) {
  constexpr std::int64_t places = 512, columns = 64;
  auto numbers = std::make_shared<std::vector<float>>(static_cast<std::size_t>(places * columns));
  seeded_rows(view(numbers->data(), {places, columns}), 5, 1, RowInit::normal);
  return {.run = [=, run = std::move(run)](const Executor& executor) {
    run(view(std::as_const(*numbers).data(), {places, columns}), executor);
  }};
}

Work identified_unknown() {
  return on_unknown([](const ConstView& tensor, const Executor& executor) {
    if (!identify(tensor, {.executor = executor}).candidates.empty()) throw std::runtime_error("identified");
  });
}

Work checked_unknown(std::string_view against) {
  return on_unknown([=](const ConstView& tensor, const Executor& executor) {
    const Diagnosis found = diagnose(tensor, preset(against).convention, {.identify = {.executor = executor}});
    if (found.right) throw std::runtime_error("another diagnosis");
  });
}

Work explained() {
  return {.run = [](const Executor&) {
    explain(preset("transformer").convention, {.dim = 512, .column = 37, .at = {Positions::range(1'000'000, 1)}},
            {.recipe = recipe("f32-exp")});
  }};
}

}  // namespace

std::vector<Row> referee_rows(const Scope& scope) {
  const std::int64_t places = scope.extent == Scope::Extent::full ? 131072 : 16384;
  const std::string table = "referee, " + std::to_string(places) + " x " + std::to_string(width);
  // Every entry beside the exact one, in three times as long as that takes at least. A floor counts from the row before
  // of the same operation, so that comes first.
  constexpr Floor third = {Floor::Kind::share_of_last, 1.0 / 3, 1.0 / 3};
  const auto row = [&](const std::string& what, Floor floor, std::function<Work()> make) -> Row {
    return {table, what, Ceiling::read_then_stream, floor, floor, std::move(make)};
  };
  return {row("read, exact written", no_floor, [=] { return read_and_write(places); }),
          row("identify", third, [=] { return identified(places); }),
          row("check, right", no_floor, [=] { return checked(places, held); }),
          row("check, wrong", no_floor, [=] { return checked(places, "transformer"); }),
          {"identify", "512 x 64, unknown", Ceiling::none, no_floor, no_floor, identified_unknown, {1}},
          {"check, table",
           "512 x 64, unknown",
           Ceiling::none,
           no_floor,
           no_floor,
           [] { return checked_unknown("transformer"); },
           {1}},
          {"check, rotation",
           "512 x 64, unknown",
           Ceiling::none,
           no_floor,
           no_floor,
           [] { return checked_unknown("llama"); },
           {1}},
          {"explain", "1 entry", Ceiling::none, no_floor, no_floor, explained, {1}}};
}

}  // namespace posenc::bench
