// SPDX-License-Identifier: Apache-2.0
// Queries and keys turned in place: pairings, widths, directions, positions of each sequence.
#include <posenc/preset.h>
#include <posenc/rotary.h>

#include "tests/proof/works.h"

namespace posenc::proof {
namespace {

struct Heads {
  std::int64_t rotated, dim;
  Direction direction;
};

struct Batch {
  std::int64_t heads, length;
};

std::string name_of(const Preset& preset, const Heads& heads, const std::string& positions) {
  return "rotary/" + std::string(preset.name) + "/exact/" + positions +
         (heads.direction == Direction::forward ? "/forward" : "/inverse") +
         (heads.rotated == heads.dim ? "/whole" : "/partial");
}

// Heads at shared positions.
template <class T>
void shared(const Surroundings& how, const Preset& preset, const Heads& heads, const Batch& batch) {
  Threads threads(how.threads);
  RowMemory<T> rows(how, batch.heads * batch.length, heads.dim);
  rows.fill(seeded<T>(batch.heads * batch.length, heads.dim));
  const RotaryRows rotary(preset.convention, heads.rotated);
  in_cuts(how, batch.length, [&](std::int64_t first, std::int64_t count) {
    View some = rows.batch(batch.heads);
    some.data = rows.row(first);
    some.shape[1] = count;
    const Rotated one[] = {{some, TokenAxis::before_columns}};
    rotary.rotate(Positions::range(first + 4000, count), one, heads.direction, threads.executor());
  });
  rows.put(name_of(preset, heads, "shared"));
}

// Two sequences with positions of their own.
template <class T>
void own(const Surroundings& how, const Preset& preset, const Heads& heads) {
  constexpr std::int64_t sequences = 2, length = 40;
  Threads threads(how.threads);
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < sequences * length; ++i) list.push_back(i * i * 31 - 1000);
  RowMemory<T> rows(how, sequences * length, heads.dim);
  rows.fill(seeded<T>(sequences * length, heads.dim));
  const View out = rows.batch(sequences);
  RotaryRows(preset.convention, heads.rotated)
      .rotate(Positions::list(view(std::as_const(list).data(), {sequences, length})),
              Rotated{out, TokenAxis::before_columns}, heads.direction, threads.executor());
  rows.put(name_of(preset, heads, "own"));
}

template <class T>
void rotations(const Surroundings& how) {
  for (const std::string_view name : {"rope-half", "rope-pair"}) {
    for (const Heads& heads : {Heads{128, 128, Direction::forward},
                               {128, 128, Direction::inverse},
                               {64, 96, Direction::forward},
                               {2, 3, Direction::forward},
                               {30, 30, Direction::inverse},
                               {70, 71, Direction::forward},
                               {514, 514, Direction::forward}}) {
      shared<T>(how, preset(name), heads, {3, 150});
      own<T>(how, preset(name), heads);
    }
    // More than 64 KiB at once, of which four heads are turned abreast.
    shared<T>(how, preset(name), {128, 128, Direction::forward}, {9, 40});
  }
}

}  // namespace

void write_rotations(const Surroundings& how) {
  rotations<float>(how);
  rotations<bfloat16>(how);
  rotations<half>(how);
}
void write_wide_rotations(const Surroundings& how) { rotations<double>(how); }

}  // namespace posenc::proof
